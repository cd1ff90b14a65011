# The links of one file start, change and stop in every order.
# Needs from the case: scripts dsl and lte, and dsl-changed and lte-changed; OTHER_WAN.
# shellcheck shell=sh disable=SC1091,SC2034,SC2154
. "$WORK/lab.sh"
lab
wire "$OTHER_WAN" net

# both WORD DSL LTE: the answers of both scripts to `check`; a changed script is what is in place once it ran.
both() {
	SCRIPT=$2.sh
	call "$1-dsl" check
	SCRIPT=$3.sh
	call "$1-lte" check
}

# run STEP CALL SCRIPT...: calls the scripts one after the other.
run() {
	links_step=$1
	links_call=$2
	shift 2
	for links_script in "$@"; do
		SCRIPT=$links_script.sh
		call "$links_step-${links_script%-changed}" "$links_call"
	done
}

for starts in "dsl lte" "lte dsl"; do
	for changes in "dsl-changed lte-changed" "lte-changed dsl-changed"; do
		for stops in "dsl-changed lte-changed" "lte-changed dsl-changed"; do
			leg "${starts%% *}-${changes%%-*}-${stops%%-*}"
			state before
			# shellcheck disable=SC2086
			run start start $starts
			both started dsl lte
			# shellcheck disable=SC2086
			run change start $changes
			both changed dsl-changed lte-changed
			run stop stop "${stops%% *}"
			both half dsl-changed lte-changed
			run stop stop "${stops##* }"
			both stopped dsl-changed lte-changed
			state after
		done
	done
done
