#!/sbin/openrc-run
# @MADE@
# shellcheck shell=sh disable=SC2034 # openrc-run reads these
description='Adapts the rates of the internet line @LINK@'
supervisor=supervise-daemon
command=@SCRIPT@
command_args=@FOLLOW@

depend() {
    need @TAG@
}
