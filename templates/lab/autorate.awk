# Sets the rates of the script by the round trip times of pings, with the published rules of cake-autorate. The
# arguments are two words each for LOWER, MEAN, UPPER and MARGIN of `trace.sh`. WAN and WORK are in the environment.
# In arrays, 1 is up and 2 is down. Rates are shaped rates in bit/s, delays milliseconds, times seconds. Only the
# highest rate has no margin, because the rules find the rate of the line by themselves.
BEGIN {
	for (d = 1; d <= 2; d++) {
		below[d] = 1 - ARGV[6 + d] / 1000000
		least[d] = ARGV[d] * below[d]
		rate[d] = base[d] = ARGV[2 + d] * below[d]
		most[d] = ARGV[4 + d] + 0
	}
	set_rates()
	# the far end of the provider's line
	pings = "busybox ping -i 0.05 100.64.78.2"
	while ((pings | getline) > 0)
		if (match($0, /time=[0-9.]+/))
			sample(substr($0, RSTART + 5, RLENGTH - 5) / 2)
}

function sample(delay,   d, n, sum, changed) {
	now = number("/proc/uptime")
	if (!count++)
		baseline = delay
	baseline += (delay - baseline) * (delay > baseline ? 0.001 : 0.9)
	delta[count % 6] = delay - baseline
	for (n in delta)
		sum += delta[n]
	for (d = 1; d <= 2; d++)
		changed += adapt(d, sum / 6)
	if (now >= measured + 0.2)
		measured = now
	if (changed)
		set_rates()
}

# Adapts a rate to the mean of the deltas. Returns true if the rate changed.
function adapt(d, mean,   bytes, high, late, old, n) {
	old = rate[d]
	# the share of the rate that was used in the last 0.2 s
	if (now >= measured + 0.2) {
		bytes = number("/sys/class/net/" ENVIRON["WAN"] "/statistics/" (d == 1 ? "tx" : "rx") "_bytes")
		load[d] = (bytes - seen[d]) * 8 / (now - measured) / old
		seen[d] = bytes
	}
	# the threshold, with the time of a full packet
	high = 30 + 12000000 / old
	for (n in delta)
		late += delta[n] > high
	if (late >= 3 && now >= fell[d] + 0.3) {
		rate[d] *= 0.99 - 0.24 * part(mean, high, high + 30)
		fell[d] = now
	} else if (late < 3 && now >= fell[d] + 1 && load[d] >= 0.75) {
		rate[d] *= 1.04 - 0.04 * part(mean, 10, 30)
	} else if (late < 3 && now >= fell[d] + 1 && now >= eased[d] + 1) {
		rate[d] = old > base[d] ? bound(old * 0.99, base[d], old) : bound(old * 1.01, old, base[d])
		eased[d] = now
	}
	rate[d] = bound(rate[d], least[d], most[d])
	return rate[d] != old
}

# The call takes line rates, and subtracts the margin from them.
function set_rates() {
	system(sprintf("sh $WORK/router.sh rate %.0fbit %.0fbit >/dev/null", rate[1] / below[1], rate[2] / below[2]))
}

function bound(value, from, to) { return value < from ? from : value > to ? to : value }
function part(value, from, to) { return bound((value - from) / (to - from), 0, 1) }

# Returns the first number of a file.
function number(file,   line) { getline line <file; close(file); return line + 0 }
