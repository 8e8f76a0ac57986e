# The examples in Python: with the standard library, and with pandas and matplotlib where they are.
. "$(dirname "$0")/lib.sh"

python=
for candidate in /usr/bin/python3 python3; do
	command -v $candidate >/dev/null && python=${python:-$candidate}
done
[ -n "$python" ] || t_skip 'no python3'
PATH=$(dirname "$tool"):$PATH
export PATH

t_what=findings.py
$python "$root/examples/python/findings.py" "$example" >"$out" 2>"$err"
t_check $? 0
gain=$("$tool" "$example" --quiet --format json --json-level summary |
	sed -n 's/.*"gain_ns": \([0-9]*\), "gain_pct".*/\1/p' | awk '{ printf "%.3f", $1 / 1e6 }')
t_out "^dataloader-bound +$gain ms\$"
t_ok 'five operations' test "$(grep -c ' x ' "$out")" -eq 5

if $python -c 'import pandas, matplotlib' 2>/dev/null; then
	t_run 0 import "$example" -o run.db
	t_what=steps.py
	MPLCONFIGDIR=$t_top $python "$root/examples/python/steps.py" run.db steps.png >"$out" 2>"$err"
	t_check $? 0
	# What it draws of a step adds up to the step.
	"$tool" query run.db --format csv "SELECT number || ' ' || dur FROM step" | tail -n +2 >steps
	t_ok 'the steps are those of the store' awk '
		FILENAME == "steps" { dur[$1] = $2 / 1e6; count++; next }
		$1 in dur { right += $NF - dur[$1] < 0.002 && dur[$1] - $NF < 0.002 }
		END { exit right != count }' steps "$out"
	t_ok 'there is a picture' grep -q PNG steps.png
fi
t_end
