#!/bin/busybox sh
# The first process of a guest. Its root is the host's own file system, and it lays an overlay in memory over it. A
# guest may therefore write anywhere, but the host sees only the work directory. Then it runs the case.
#
# From the kernel's command line, as absolute paths without white space: WORK, the work directory; MODULES, the folder
# of the kernels' modules.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH
top=/mnt/root

quit() {
	echo "$1" >"$WORK/code"
	sync
	busybox poweroff -f
}

mount -t proc proc /proc || quit 120
release=$(uname -r)
grep -q overlay /proc/filesystems || insmod "$MODULES/$release/kernel/fs/overlayfs/overlay.ko" || quit 121
mount -t tmpfs tmpfs /mnt || quit 122
mkdir /mnt/upper /mnt/scratch $top
mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/scratch overlay $top || quit 123
# In Linux 5.10, an overlay cannot open files of a hostfs, except those that are already open. There, the root is a
# file system in memory with links to the files of the host, which can then only be read.
seen=$top
if ! (: <$top/bin/false) 2>/dev/null; then
	seen=
	umount $top
	mount -t tmpfs tmpfs $top || quit 123
	for own in /dev /mnt /proc /run /sys /old /etc/ppp /usr/lib/modules "$WORK"; do
		mkdir -p "$top$own"
	done
	cp -d /bin /sbin /lib* $top
	folder=$WORK
	while [ -n "$folder" ]; do
		folder=${folder%/*}
		set -- "$@" "$folder"
	done
	for folder in "$@" /etc /usr /usr/lib; do
		for entry in "$folder"/*; do
			[ -e "$top$entry" ] || [ -h "$top$entry" ] || echo "/old$entry"
		done >/mnt/links
		xargs ln -s -t "$top$folder/" </mnt/links
	done
fi
mkdir -p $top/lib/modules
mount --bind "$seen$MODULES" $top/lib/modules || quit 124
mkdir -p "$top$WORK"
mount --bind "$WORK" "$top$WORK" || quit 125
mount -t proc proc $top/proc
mount -t sysfs sysfs $top/sys
mount -t tmpfs tmpfs $top/run
mount -t devtmpfs devtmpfs $top/dev 2>/dev/null || mount -t tmpfs tmpfs $top/dev
for node in null:1:3 zero:1:5 random:1:8 urandom:1:9 tty:5:0; do
	IFS=: read -r name major minor <<-EOT
		$node
	EOT
	[ -e "$top/dev/$name" ] || mknod "$top/dev/$name" c "$major" "$minor"
done
mkdir -p $top/dev/pts
mount -t devpts devpts $top/dev/pts 2>/dev/null
ln -sf /proc/self/fd $top/dev/fd

# Not chroot: the kernel itself starts modprobe in the root of the first process.
mkdir -p $top/old
cd $top || quit 126
busybox pivot_root . old || quit 126
cd / || quit 127
[ -n "$seen" ] || mount -o remount,bind,ro /old || quit 128
/bin/sh "$WORK/case.sh"
quit $?
