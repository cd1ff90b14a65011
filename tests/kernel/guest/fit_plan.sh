# The script that `qosc fit --plan` prints measures the uploads of the house that the program's own lab builds.
# Needs from the case: topology.env and topology.sh, the house; SPACE, the host that sends; measure.sh.
# shellcheck shell=sh disable=SC1091,SC2154
. "$WORK/topology.env"
. "$WORK/topology.sh"
out=$WORK/out
mkdir -p "$out"
stand >"$out/stand.said" 2>&1

# A background process of a shell ignores Ctrl-C. The shell cannot change that back, but env can.
ip netns exec internet setsid env --default-signal=INT sh "$WORK/measure.sh" receive >"$out/fit.csv" 2>"$out/receive.err" &
receiver=$!
sleep 2
ip netns exec "$SPACE" sh "$WORK/measure.sh" send >"$out/send.out" 2>"$out/send.err"
echo $? >"$out/send.code"
# Ctrl-C, which the whole process group receives.
kill -INT -$receiver
wait $receiver
echo $? >"$out/receive.code"
sleep 1
# No process may be left behind.
ps -eo args >"$out/left"
