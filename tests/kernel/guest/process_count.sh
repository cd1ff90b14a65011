# The number of processes that a script starts, counted by wrappers around the tools.
# shellcheck shell=sh disable=SC1091,SC2153,SC2034,SC2153,SC2154
. "$WORK/lab.sh"
lab

mkdir /run/counted
for tool in tc ip nft ethtool; do
	real=$(command -v $tool)
	printf '#!/bin/sh\necho "%s $*" >>/run/calls\nexec %s "$@"\n' "$tool" "$real" >"/run/counted/$tool"
	chmod +x "/run/counted/$tool"
done

leg counted
for script in $SCRIPTS; do
	sed 's#^PATH=#PATH=/run/counted:#' "$WORK/$script.sh" >"$WORK/counted.sh"
	SCRIPT=counted.sh
	for what in start second stop; do
		: >/run/calls
		read -r from _ </proc/uptime
		case $what in
		stop) call "$script-$what" stop ;;
		*) call "$script-$what" start ;;
		esac
		read -r to _ </proc/uptime
		echo "$from $to" >"$out/$leg/$script-$what.took"
		note "$script-$what-calls" cat /run/calls
	done
done
