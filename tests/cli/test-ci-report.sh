# What action.yml runs: annotations, summary, page, and the comparison with the base branch.
. "$(dirname "$0")/lib.sh"

gen=${TC_TRACEGEN:-$root/build/release/tracegen}
[ -x "$gen" ] || t_skip "no tracegen at $gen"
"$gen" --problem dataloader -o slow.json
"$gen" -o fast.json

report() { # report CODE [NAME=VALUE...]: runs the script on slow.json
	want=$1
	shift
	t_what="ci-report $*"
	rm -rf tracecoach-report summary outputs
	env TRACE=slow.json GITHUB_STEP_SUMMARY=summary GITHUB_OUTPUT=outputs "$@" \
		sh "$root/scripts/ci-report" "$tool" >"$out" 2>"$err"
	code=$?
	[ $code -eq "$want" ] || t_fail "exit code $code, want $want"
}

report 0
t_ok 'a finding is an annotation' grep -q '^::warning title=The device waits for the data loader::' "$out"
t_ok 'the summary has the verdict' grep -q 'The device is idle' summary
t_ok 'the output names the page' grep -qx 'page=tracecoach-report/report.html' outputs
t_ok 'the page is there' test -s tracecoach-report/report.html
t_ok 'nothing is compared' sh -c '! grep -q "base branch" summary'
report 1 FAIL_ON=high
t_ok 'a gate makes the annotation an error' grep -q '^::error title=The device waits' "$out"

mkdir tracecoach-before
cp slow.json tracecoach-before
report 0 FAIL_ON_SLOWER=5
t_ok 'the summary has the comparison' grep -q '^## Compared with the base branch' summary
cp fast.json tracecoach-before/slow.json
report 1 FAIL_ON_SLOWER=5
t_ok 'slower steps are an annotation' grep -q '^::error title=Slower than the base branch::by 5 %' "$out"
report 0
t_ok 'without a limit slower steps pass' grep -q '^## Compared with the base branch' summary
report 1 FAIL_ON=high FAIL_ON_SLOWER=5
t_ok 'the page is there though two gates failed' test -s tracecoach-report/report.html
echo '{}' >tracecoach-before/slow.json
report 3 FAIL_ON_SLOWER=5
t_ok 'what cannot be compared is an annotation' grep -q '^::error title=Not compared' "$out"
rm -r tracecoach-before
report 3 TRACE=missing.json

# A directory of ranks, one of which cannot be read: the others are reported on, and compared.
mkdir ranks tracecoach-before
for rank in 0 1; do
	"$gen" --format cuda --world-size 2 --rank $rank -o ranks/rank$rank.json
done
cp -R ranks tracecoach-before
report 0 TRACE=ranks FAIL_ON_SLOWER=5
t_ok 'directories are compared' grep -q 'Compared with the base branch' summary
t_ok 'and nothing failed' sh -c "! grep -q '^::error' '$out'"
echo '{"traceEvents": 7}' >ranks/rank2.json
report 5 TRACE=ranks
t_ok 'the page is there though an input was left out' test -s tracecoach-report/report.html
rm -r tracecoach-before

# The steps of the action name inputs that there are, and each does something.
command -v python3 >/dev/null && /usr/bin/python3 -c 'import yaml' 2>/dev/null || t_skip 'no python3-yaml'
t_ok 'the steps of action.yml fit together' /usr/bin/python3 - "$root/action.yml" <<'END'
import re, sys, yaml
text = open(sys.argv[1]).read()
action = yaml.safe_load(text)
for step in action["runs"]["steps"]:
    assert ("run" in step) != ("uses" in step), step
    assert "run" not in step or step["shell"] == "sh", step
assert set(re.findall(r"inputs\.([\w-]+)", text)) == set(action["inputs"])
assert set(re.findall(r"steps\.([\w-]+)\.", text)) == {step["id"] for step in action["runs"]["steps"] if "id" in step}
END
t_end
