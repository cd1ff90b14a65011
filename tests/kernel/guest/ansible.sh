# Runs ansible-playbook against sshd on two routers. Each router is a network namespace with files of its own, without
# SFTP. Its Python only records that somebody called it.
#
# Variables: ANSIBLE, the folder of Ansible's programs; COLLECTION, the folder of our collection; QOSC, the program.
# shellcheck shell=sh disable=SC1091,SC2016,SC2034,SC2154
. "$WORK/lab.sh"
ip link set lo up
# Ansible keeps semaphores there.
mkdir -p /dev/shm
mount -t tmpfs tmpfs /dev/shm

# Keys whose owner is root of this guest.
mkdir -p /run/sshd /run/ssh /run/collections/ansible_collections/qosc /etc/qosc /etc/network
ssh-keygen -q -t ed25519 -N '' -f /run/ssh/host
ssh-keygen -q -t ed25519 -N '' -f /run/ssh/user
sed -i 's/^root:[^:]*/root:*/' /etc/shadow
cat >/run/ssh/config <<-END
	HostKey /run/ssh/host
	AuthorizedKeysFile /run/ssh/user.pub
	StrictModes no
	PermitRootLogin yes
	UsePAM no
	UseDNS no
	PidFile none
END
cat >/run/ssh/python <<-END
	#!/bin/sh
	echo "\$0 \$*" >>$WORK/python
	exit 127
END
chmod 755 /run/ssh/python

# router NAME NUMBER: makes a router, and starts its sshd. Its process is $NAME.
router() {
	ip netns add "$1"
	ip link add "to-$1" type veth peer name eth0 netns "$1"
	ip link set "to-$1" up
	ip addr add "10.0.$2.1/24" dev "to-$1"
	ip -n "$1" link set lo up
	ip -n "$1" link set eth0 up
	ip -n "$1" addr add "10.0.$2.2/24" dev eth0
	ip -n "$1" link add br-lan type bridge forward_delay 0
	ip -n "$1" link set br-lan up
	ip netns exec "$1" sh -c '
		for folder in /etc/qosc /etc/network /run/qosc; do
			mkdir -p $folder && mount -t tmpfs -o mode=755 tmpfs $folder || exit 1
		done
		for python in /usr/bin/python3 /usr/bin/python /usr/bin/python3.*; do
			[ ! -x "$python" ] || mount --bind /run/ssh/python "$(readlink -f "$python")" || exit 1
		done
		exec /usr/sbin/sshd -D -f /run/ssh/config
	' &
	eval "$1=$!"
}
router one 1
router two 2
sleep 5

ln -s "$COLLECTION" /run/collections/ansible_collections/qosc/qosc
export HOME=/root ANSIBLE_HOME=/run/ansible ANSIBLE_COLLECTIONS_PATH=/run/collections ANSIBLE_HOST_KEY_CHECKING=False
export ANSIBLE_PRIVATE_KEY_FILE=/run/ssh/user ANSIBLE_NOCOLOR=1 ANSIBLE_DEPRECATION_WARNINGS=False
export ANSIBLE_INVENTORY="$WORK/inventory.ini" LC_ALL=C.UTF-8
PATH=$ANSIBLE:$PATH

# play STEP WORD...: runs the playbook.
play() {
	step=$1
	shift
	note "$step" ansible-playbook "$WORK/site.yaml" -e "qosc_program=$QOSC" -e qosc_trial=3600 "$@"
	cut -d ' ' -f 1 /proc/uptime >"$out/$leg/$step.uptime"
}

# routers STEP: records the shaping and the files of both routers.
routers() {
	for name in one two; do
		eval "process=\$$name"
		nsenter -t "$process" -m -n sh -c '
			ip -br link show type ifb | cut -d " " -f 1
			for device in $(ls /sys/class/net); do
				tc -d qdisc show dev $device
				# The classes of fq_codel are flows that have packets.
				tc -d class show dev $device | grep -v "^class fq_codel"
				tc -d filter show dev $device
				tc -d filter show dev $device ingress | sed "s/index [0-9]*//"
			done
			find /etc/qosc /etc/network -type f -exec ls -ln {} + | sed "s/ [A-Z][a-z][a-z] .*[0-9] / /"
			find /etc/qosc /etc/network -type f -exec sha256sum {} +
			ls /run/qosc
		' >"$out/$leg/$1.$name.state" 2>&1
	done
}

mkdir -p "$out/run"
leg=run
routers before
play check --check --diff
routers checked
play first
routers first
play second --diff --limit '!broken'
routers second
echo '# A comment.' >>"$WORK/one.yaml"
cp "$WORK/changed.yaml" "$WORK/two.yaml"
play preview --check --diff --limit '!broken'
play probe --limit two -e qosc_trial=5 -e 'qosc_probe="echo no answer >&2; exit 4"'
sleep 10
routers kept
play changed --diff --limit '!broken'
routers changed
play removal --check --diff --limit one -e qosc_state=absent
play absent --limit '!broken' -e qosc_state=absent
routers absent
play gone --limit one -e qosc_state=absent
kill "$one" "$two"
