#!/bin/sh
# @MADE@
# Stops shaping, and removes exactly the files that `qosc install-files` and `qosc deploy` wrote.
if [ -x @SCRIPT@ ]; then
    @SCRIPT@ stop || exit 1
fi
@DISABLE@
rm -f @FILES@
rmdir /etc/qosc 2>/dev/null
@AFTERWARDS@
exit 0
