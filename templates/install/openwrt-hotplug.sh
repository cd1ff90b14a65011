#!/bin/sh
# @MADE@
# netifd runs this script for each event. Only for ACTION=ifup does it name the device, in DEVICE.
# Until the next ifup, the device keeps its queues. /etc/init.d/@TAG@ stops shaping when the
# interface is removed from the configuration.
[ "${ACTION-}" = ifup ] && [ "${DEVICE-}" = @DEVICE@ ] || exit 0
# After `disable`, nothing starts it.
/etc/init.d/@TAG@ enabled || exit 0
mkdir -p /var/run/@TAG@ && : >"/var/run/@TAG@/${INTERFACE-}"
@SCRIPT@ start --if-present --device @DEVICE@ 2>&1 >/dev/null | logger -t @TAG@
exit 0
