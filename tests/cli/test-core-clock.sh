# Clocks of devices: which counters say them, what of them is work, and when they fall or are low.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || t_skip 'no python3'

mkdir -p clocks
python3 "$root/tests/cli/core-clock.py" "$tool" clocks >"$out" 2>"$err" || t_fail "$(cat "$out" "$err")"
t_end
