# One script on one kind of device after another. The call names the device, and each start leaves the
# previous device.
# Needs from the case: scripts over, below, pppoe and ip.
# shellcheck shell=sh disable=SC1091,SC2154,SC2034
. "$WORK/lab.sh"
lab
(WAN=eth2.7 wan_vlan) 2>/dev/null
(WAN=ppp0 WAN_BELOW=eth3 wan_pppoe) 2>/dev/null
modprobe tun
mkdir -p /dev/net
[ -e /dev/net/tun ] || mknod /dev/net/tun c 10 200
ip tuntap add dev tun0 mode tun
ip link set tun0 up

# on SCRIPT LEG DEVICE: starts a script on a device and dumps the state.
on() {
	SCRIPT=$1.sh
	leg "$2"
	call start --device "$3" start
	call dump dump
}

leg all
state before
last=
for script in over below; do
	devices="eth4 eth2.7 ppp0 tun0 eth3"
	[ $script = over ] || devices="eth4 ppp0 eth3"
	for device in $devices; do
		on $script "$script-$device" "$device"
		[ -z "$last" ] || note left tc qdisc show dev "$last"
		last=$device
	done
	call stop stop
	last=
done
on pppoe pppoe-eth4 eth4
call second start
call check check
call stop stop
on ip ip-eth3 eth3
call stop stop
call missing --device none0 start
call hostile --device '../eth4' start
leg all
state after
exit 0
