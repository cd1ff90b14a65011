# Byte queue limits of the WAN device, through the life of a script.
# Needs from the case: scripts router (3000 bytes), other (9000) and none.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"

# limits STEP: records the limits of all queues, one per line.
limits() {
	cat /sys/class/net/"$WAN"/queues/tx-*/byte_queue_limits/limit_max >"$out/$leg/$1.limits"
}

lab
leg whole
limits before
call start start
limits started
call second start
call check check
call status status
call dump dump
echo 77777 >"/sys/class/net/$WAN/queues/tx-0/byte_queue_limits/limit_max"
call drifted check
call print print
call mended start
limits mended
SCRIPT=other.sh
call other start
limits other
SCRIPT=router.sh
refuse_a_step
call refused start
# The rollback sets what the record says, and not what this script says.
refuse_no_step
limits refused
call back start
limits back
SCRIPT=none.sh
call none start
limits none
SCRIPT=router.sh
call again start
call stop stop
limits after

# The device goes away while the limits are set, and comes back with its own.
leg anew
call start start
ip link del "$WAN"
call stop stop
wan_ethernet
settle
limits after

# A device without transmit queues has no byte queue limits.
leg hidden
mkdir "$WORK/empty"
for queue in /sys/class/net/"$WAN"/queues/tx-*; do
	mount --bind "$WORK/empty" "$queue/byte_queue_limits"
done
call start start
call second start
call stop stop
