#!/bin/sh
# @MADE@
# NetworkManager runs this script for each event, with the device in $1 and the event in $2. With
# PPPoE, the ppp device is in DEVICE_IP_IFACE. The script never fails.
# The device of a tunnel or of the line (@TUNNELS@) that comes up is new, unless shaping was stopped.
case ${1-} in @TUNNELS@) [ "${2-}" != up ] || [ ! -e /run/qosc/@LINK@/before ] || set -- @DEVICE@ up ;; esac
[ "${1-}" = @DEVICE@ ] || [ "${DEVICE_IP_IFACE-}" = @DEVICE@ ] || exit 0
case ${2-} in
up | reapply | vpn-up)
    @SCRIPT@ start --if-present --device @DEVICE@ 2>&1 >/dev/null | logger -t @TAG@
    ;;
down | vpn-down)
    # A device that only lost its connection keeps its queues, so a link that flaps costs nothing.
    [ -d /sys/class/net/@DEVICE@ ] ||
        @SCRIPT@ stop --device @DEVICE@ 2>&1 >/dev/null | logger -t @TAG@
    ;;
esac
exit 0
