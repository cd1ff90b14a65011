# Routing rules of others that test our bits, in the output of iproute2 and of busybox. Needs from the case: rules, with
# the words for ip in each line.
# shellcheck shell=sh disable=SC1091,SC2034,SC2153,SC2154
. "$WORK/lab.sh"
lab
while read -r family rule; do
	# shellcheck disable=SC2086 # words of a rule
	ip "$family" rule add $rule || exit 1
done <"$WORK/rules"
# An ip that shows rules by busybox; everything else needs iproute2.
mkdir /run/shown
cat >/run/shown/ip <<-EOT
	#!/bin/sh
	case " \$* " in
	*' rule '*) exec busybox ip "\$@" ;;
	*) exec $(command -v ip) "\$@" ;;
	esac
EOT
chmod +x /run/shown/ip
sed 's#^PATH=#PATH=/run/shown:#' "$WORK/router.sh" >"$WORK/shown.sh"

for leg in dash busybox bash; do
	leg $leg
	ip rule >"$out/$leg/before.rules"
	call start start
	call second start
	call stop stop
	ip rule >"$out/$leg/after.rules"
done
leg shown
note rules busybox ip rule show
SCRIPT=shown.sh
call start start
call stop stop
exit 0
