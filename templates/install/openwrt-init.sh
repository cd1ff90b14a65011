#!/bin/sh /etc/rc.common
# @MADE@
# procd runs this script. Packages that it needs: @OPENWRT_PACKAGES@
# shellcheck disable=SC2034 # rc.common reads these
START=95
USE_PROCD=1

# The hotplug script makes a file here for each interface of netifd that has used the device.
interfaces=/var/run/@TAG@

start_service() {
    @SCRIPT@ start --if-present --device @DEVICE@
    procd_open_instance @FOLLOW@
    procd_set_param command @SCRIPT@ @FOLLOW@
    procd_set_param respawn 3600 5 0 # restarts @FOLLOW@ always
    procd_close_instance # of @FOLLOW@
}

stop_service() {
    @SCRIPT@ stop
}

# A `reload` does not start what was stopped. If the network configuration no longer has any
# interface of this device, it stops.
reload_service() {
    for interface in "$interfaces"/*; do
        ubus list "network.interface.${interface##*/}" >/dev/null 2>&1 || rm -f "$interface"
    done
    if rmdir "$interfaces" 2>/dev/null; then
        stop_service
        return
    fi
    @SCRIPT@ check >/dev/null 2>&1
    [ $? = 3 ] || start_service
}

# Other interfaces matter, too: `start` finds LAN and tunnel devices that have come. It changes
# nothing if none has.
service_triggers() {
    procd_add_reload_trigger network
    procd_add_raw_trigger 'interface.*' 2000 /etc/init.d/@TAG@ reload
}
