# The script with no more rights than the systemd unit has.
# Needs from the case: files.tar, the files below /.
# shellcheck shell=sh disable=SC1091,SC2016,SC2034,SC2154,SC2317
. "$WORK/lab.sh"
lab
tar -C / -xof "$WORK/files.tar"
mkdir -p /run/qosc

# unit ARGUMENT...: runs the script as the unit does: `CapabilityBoundingSet`, `NoNewPrivileges`, and in a mount namespace
# `ProtectSystem`, `ProtectKernelTunables` and `ProtectKernelModules`.
unit() {
	unshare -m sh -c '
		mount --make-rprivate /
		mount --bind /run/qosc /run/qosc
		mount --bind / / && mount -o remount,bind,ro /
		mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys
		mount -t tmpfs none "$(readlink -f /lib/modules)"
		exec setpriv --no-new-privs --inh-caps=-all --bounding-set=-all,+net_admin "$@"
	' unit "$@"
}

leg sandbox
state before
note load unit modprobe dummy
# Nothing has loaded ifb. The kernel does so itself, as root and outside of the sandbox.
note ifb test -d /sys/module/ifb
note start unit /etc/qosc/home.sh start --if-present --device "$WAN"
note second unit /etc/qosc/home.sh start --if-present --device "$WAN"
note check unit /etc/qosc/home.sh check
note stop unit /etc/qosc/home.sh stop
state after
note ifb0 test -d /sys/class/net/ifb0
exit 0
