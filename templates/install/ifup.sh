#!/bin/sh
# @MADE@
# ifupdown runs this script after each `ifup`, with the interface in IFACE. It never fails, so
# `ifup` does not either.
@OPENRC_ENABLED@
# The device of a tunnel or of the line (@TUNNELS@) is new, unless shaping was stopped.
case ${IFACE-} in @TUNNELS@) [ ! -e /run/qosc/@LINK@/before ] || IFACE=@DEVICE@ ;; esac
[ "${IFACE-}" = @DEVICE@ ] || exit 0
@SCRIPT@ start --if-present --device @DEVICE@ 2>&1 >/dev/null | logger -t @TAG@
exit 0
