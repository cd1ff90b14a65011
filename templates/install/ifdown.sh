#!/bin/sh
# @MADE@
# ifupdown runs this script after each `ifdown`, with the interface in IFACE. A lost carrier or
# lease is no `ifdown`.
[ "${IFACE-}" = @DEVICE@ ] || exit 0
@SCRIPT@ stop --device @DEVICE@ 2>&1 >/dev/null | logger -t @TAG@
exit 0
