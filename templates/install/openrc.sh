#!/sbin/openrc-run
# @MADE@
# shellcheck shell=sh disable=SC2034 # openrc-run reads these
description='Shapes the internet line @LINK@'
extra_started_commands='reload'

depend() {
    after net firewall nftables
}

# If the device comes later, the hook of ifupdown calls the script again.
start() {
    ebegin 'Shaping @LINK@'
    @SCRIPT@ start --if-present --device @DEVICE@
    eend $?
}

reload() {
    ebegin 'Updating the shaping of @LINK@'
    @SCRIPT@ start --if-present --device @DEVICE@
    eend $?
}

stop() {
    ebegin 'Removing the shaping of @LINK@'
    @SCRIPT@ stop
    eend $?
}
