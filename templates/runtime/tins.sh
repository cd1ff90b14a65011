# --- CAKE in place of classes ----------------------------------------------------------------------------------------

# Ends the script if the WAN device or the kernel cannot have a CAKE for each transmit queue.
try_queues() {
    case $program in *' root handle c05: cake_mq '*) ;; *) return 0 ;; esac
    uploads_mq="qdisc replace dev $dev root handle c05: cake_mq "
    [ -d "/sys/class/net/$dev/queues/tx-1" ] || case $newline$program in *"$newline$uploads_mq"*) false ;; esac ||
        die "$dev has one transmit queue, but \`engine: cake_mq\` needs several. Use \`engine: cake\` for uploads"
    echo "qdisc add dev $probe root cake_mq" | try_out ' numtxqueues 2' >/dev/null ||
        die "cake_mq needs Linux 7.0, iproute2 7.0 and the module sch_cake. \`engine: cake\` works with older ones"
}

# shellcheck disable=SC2016 # awk
parts="$parts tins" status_rules='
@include tins.awk
'
