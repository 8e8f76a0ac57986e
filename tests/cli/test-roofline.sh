# Rates of operators, occupancy of kernels and counters are what a count in the events gives.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || t_skip 'no python3'

for seed in 1 2 3 4 5 6; do
	t_what="seed $seed"
	python3 "$root/tests/cli/roofline-random.py" "$tool" $seed >"$out" 2>"$err" ||
		t_fail "$(cat "$out" "$err")"
	python3 "$root/tests/cli/occupancy-random.py" "$tool" $seed >"$out" 2>"$err" ||
		t_fail "$(cat "$out" "$err")"
done
# The details say what is known.
t_run 0 analyze random1.db --details --width 140
t_out 'Operators beside the peaks of the device'
t_out 'Model FLOPs utilisation'
for width in 50 66 80; do
	t_run 0 analyze random1.db --details --width $width
	t_fits $width
done
t_end
