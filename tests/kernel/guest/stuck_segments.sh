# An ip that refuses to set gso_max_segs, and one whose kernel ignores it.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab
ip=$(readlink -f "$(command -v ip)")
cp "$ip" /run/real-ip

# stuck CODE: from here on, ip leaves gso_max_segs as it is, and exits with this code.
stuck() {
	cat >/run/ip <<-EOT
		#!/bin/dash
		case "\$*" in
		*'-batch -')
			lines=\$(cat)
			printf '%s\\n' "\$lines" | sed '/gso_max_segs/d' | /run/real-ip "\$@"
			code=\$?
			case \$lines in *gso_max_segs*) exit $1 ;; esac
			exit \$code
			;;
		esac
		exec /run/real-ip "\$@"
	EOT
	chmod +x /run/ip
	mount --bind /run/ip "$ip"
}

for leg in refused:1 ignored:0; do
	leg "${leg%:*}"
	state before
	if [ "$leg" = refused ]; then stuck 1; else stuck 0; fi
	call start start
	call check check
	call second start
	sed 's/ ceil 9/ ceil 8/' "$WORK/router.sh" >"$WORK/changed.sh"
	SCRIPT=changed.sh call changed start
	SCRIPT=router.sh
	call check-changed check
	call stop stop
	umount "$ip"
	state after
done

leg works
call start start
note link ip -d link show dev "$WAN"
call stop stop
exit 0
