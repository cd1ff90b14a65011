# Records of a script of an older version, which had a file for each part. Scripts: old.sh and new.sh.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab

# as_older: gives the record the form of an older script.
as_older() {
	(
		cd /run/qosc/older || exit
		sed '1,/^== described$/d; /^== shown$/,$d; /^mark /d' state >described
		sed -n 's/^mark //p' state >marks
		for file in rate speed; do sed -n "s/^$file //p" state >"$file"; done
		{ sed -n 1p state && sed '1,/^== shown$/d; $d' state; } >old
		mv old state
		find . -empty -delete
		mkdir new
	)
}

SCRIPT=old.sh
leg taken
state before
call start start
as_older
note old-files ls /run/qosc/older
call second start
note files ls /run/qosc/older
call check check
call dump dump

leg scaled
call rate rate 5mbit 20mbit
as_older
call again rate - 25mbit
call start start
call check check

leg back
as_older
SCRIPT=new.sh
call try try 2
call tried-check check
over older
SCRIPT=old.sh
call check check
call dump dump

leg killed
as_older
echo yes >/run/qosc/older/changing
call start start
call check check
call dump dump

leg whole
as_older
call stop stop
state after
