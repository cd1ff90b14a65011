#!/bin/sh
# @MADE@
# networkd-dispatcher runs this script when a device was switched off, with its name in IFACE. A
# lost carrier has another state. The script never fails.
[ "${IFACE-}" = @DEVICE@ ] || exit 0
@SCRIPT@ stop --device @DEVICE@ 2>&1 >/dev/null | logger -t @TAG@
exit 0
