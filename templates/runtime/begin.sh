# Opens standard streams that are closed, or a file would get their number.
[ -e /proc/self/fd/0 ] || exec </dev/null
[ -e /proc/self/fd/1 ] || exec >/dev/null
[ -e /proc/self/fd/2 ] || exec 2>/dev/null
set -u && umask 077
unset CDPATH HZ PROC_NET_PSCHED PROC_ROOT TC_LIB_DIR IP_LIB_DIR MODPROBE_OPTIONS MAWKBINMODE # tools read them
case :${PATH-}: in *::*) more='' ;; *) more=:$PATH ;; esac
PATH=/usr/sbin:/usr/bin:/sbin:/bin$more LC_ALL=C && export PATH LC_ALL

dev=$default_dev
ifb2=ifb2-${ifb1#ifb-} # older scripts took downloads to this one, too
probe=ifbp-${ifb1#ifb-} # `try_out` tries lines of tc on this device
ifbu=ifbu-${ifb1#ifb-} # takes the uploads, if they are queued before a tunnel encrypts them
uploads=$uploads_ifb up=${uploads_ifb:-$dev}
run=${QOSC_RUN:-/run/qosc} sys=/sys
run=${run%/} # a link with a slash behind it looks like the folder
state=$run/$link

# First preferences of our filters at the ingress and at the egress, their end, and the distance of bank B
# from bank A. Each change uses the other bank.
ingress_pref=3077 egress_pref=7173 hook_pref_end=11269 hook_bank=16384

# Prints the settings, without the line break at the beginning of the text.
sysctls() {
    [ -z "$sysctl_list" ] || printf '%s' "${sysctl_list#?}"
    queue_limits
}

rate_up='' rate_down='' following=''
newline='
'
# What the parts below add: their names, their lines of the usage, and their rules for the awk of `engine` and of
# `status`, which come before the other rules.
parts='' more_calls='' status_rules=''
# Without the part `tunnels`, its functions that the base calls do nothing.
engine_rules='
function remember_tunnels() {}
function switch_tunnels(on) {}
'

# Succeeds if this script has a part.
has() { case " $parts " in *" $1 "*) ;; *) return 1 ;; esac; }
