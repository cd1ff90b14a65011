#!/bin/sh
# @MADE@
# pppd runs this script when a session has ended, with the device in $1. The device and its queues
# vanish by themselves. If pppd dials again, the next `start` uses what is left. If pppd ends, the
# link is gone for good.
[ "${1-}" = @DEVICE@ ] || exit 0
{
    sleep 5
    while [ ! -d /sys/class/net/@DEVICE@ ] && kill -0 "${PPPD_PID-}" 2>/dev/null; do
        sleep 5
    done
    if [ ! -d /sys/class/net/@DEVICE@ ]; then
        @SCRIPT@ stop --device @DEVICE@ 2>&1 >/dev/null | logger -t @TAG@
        # A new session may have begun meanwhile.
        @SCRIPT@ start --if-present --device @DEVICE@ 2>&1 >/dev/null | logger -t @TAG@
    fi
} </dev/null >/dev/null 2>&1 &
exit 0
