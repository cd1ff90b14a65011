set -u && umask 022
case :${PATH-}: in *::*) more='' ;; *) more=:$PATH ;; esac
PATH=/usr/sbin:/usr/bin:/sbin:/bin$more LC_ALL=C && export PATH LC_ALL

dev=$default_dev
ifb=$ifb1
ifb2=ifb2-${ifb1#ifb-} # downloads pass through this one after the first had to be made anew
probe=ifbp-${ifb1#ifb-} # the device on which `preflight` tries the objects
run=${QOSC_RUN:-/run/qosc}
state=$run/$link

# Preferences of our filters at the ingress, at the egress, and the end of both. Every other change puts these filters in
# a second bank, and so the filters at a root.
ingress_pref=3077 egress_pref=7173 hook_pref_end=11269 hook_bank=16384 root_bank=28672

# The texts above, without the line break at their beginning.
sysctls() { [ -z "${sysctl_list-}" ] || printf '%s' "${sysctl_list#?}"; }
shares() { printf '%s' "${share_list#?}"; }
tins() { [ -z "${tin_list-}" ] || printf '%s' "${tin_list#?}"; }
