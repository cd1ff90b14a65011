#!/bin/sh
# @MADE@
# pppd runs this script when a session has begun, with the device in $1. Each session has a new
# device. The script never fails.
[ "${1-}" = @DEVICE@ ] || exit 0
@SCRIPT@ start --if-present --device @DEVICE@ 2>&1 >/dev/null | logger -t @TAG@
exit 0
