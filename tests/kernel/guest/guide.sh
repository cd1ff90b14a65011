# The commands of docs/guide.md, on a computer of the LAN. Its router has ssh, and its line has a modem with a long queue.
# Needs from the case: COUNT, the number of steps; steps/N, the command of step N; MODEM_RATE, the rate of the modem.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
. "$WORK/hosts.sh"
lab
hosts 1
masquerade
# The hosts send aggregated packets, and the modem takes them apart.
ethtool -K below tso off gso off >/dev/null 2>&1
tc qdisc add dev below root netem delay 20ms rate "$MODEM_RATE" limit 1000
ip netns exec lan sysctl -q -w net.ipv4.ping_group_range="0 0"
ip netns exec net iperf3 -s -D --logfile "$out/iperf3.log"
printf '192.168.1.1 router\n198.51.100.1 far.example.org\n' >>/etc/hosts

# ssh of the router, with a key of the user.
mkdir -p /root/.ssh /run/sshd
mount -t tmpfs tmpfs /root/.ssh
chmod 700 /root/.ssh /run/sshd
ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519 || exit 1
ssh-keygen -q -t ed25519 -N '' -f /run/host_key || exit 1
cp /root/.ssh/id_ed25519.pub /root/.ssh/authorized_keys
echo "router $(cat /run/host_key.pub)" >/root/.ssh/known_hosts
$(command -v sshd) -f /dev/null -h /run/host_key -o StrictModes=no -o PidFile=none -E "$out/sshd.log" || exit 1

cat >/root/.gitconfig <<-EOT
	[user]
		name = A User
		email = user@example.org
	[safe]
		directory = *
EOT
cp /root/.gitconfig "$WORK/gitconfig"
export HOME=/root PATH="$QOSC_FOLDER:$PATH"
mkdir -p "$WORK/home"
leg guide
number=0
while [ $number -lt "$COUNT" ]; do
	note $number ip netns exec lan sh -c "cd '$WORK/home' && . '$WORK/steps/$number'"
	echo "$(cut -d" " -f1 /proc/uptime) step $number"
	# People take a while, in which the queues become empty.
	sleep 3
	number=$((number + 1))
done
note check dash /etc/qosc/home.sh check
note trial ls /run/qosc/home/trial
exit 0
