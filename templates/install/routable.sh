#!/bin/sh
# @MADE@
# networkd-dispatcher runs this script when a device has become routable, with its name in IFACE. It
# never fails.
# The device of a tunnel or of the line (@TUNNELS@) is new, unless shaping was stopped.
case ${IFACE-} in @TUNNELS@) [ ! -e /run/qosc/@LINK@/before ] || IFACE=@DEVICE@ ;; esac
[ "${IFACE-}" = @DEVICE@ ] || exit 0
@SCRIPT@ start --if-present --device @DEVICE@ 2>&1 >/dev/null | logger -t @TAG@
exit 0
