# --fail-on: exit code 1 when an advice is that severe, and the report is printed all the same.
. "$(dirname "$0")/lib.sh"

t_run 0 import "$example" -o e.db
worst=$("$tool" query e.db "SELECT severity FROM finding WHERE severity IN ('high', 'medium', 'low')
	ORDER BY CASE severity WHEN 'high' THEN 0 WHEN 'medium' THEN 1 ELSE 2 END LIMIT 1" --format csv | tail -1)
case $worst in
high) codes='1 1 1' ;;
medium) codes='0 1 1' ;;
*) t_fail "the example has no advice of weight: '$worst'"; codes='0 0 1' ;;
esac
first=$codes
t_run 0 e.db
cp "$out" "$t_top/report"
for severity in high medium low; do
	t_run "${codes%% *}" e.db --fail-on "$severity"
	codes=${codes#* }
	t_same "$out" "$t_top/report"
done
t_run 1 "$example" --fail-on low --format json -o report.json
t_err '^tracecoach: --fail-on: dataloader-bound has severity high$'
t_ok 'the report was written' test -s report.json

# A trace that cannot be judged does not pass: it is empty, of something else, or too short. Of
# several traces one that can be judged is enough, unless --strict says otherwise.
echo '{"traceEvents":[]}' >empty.json
echo '{"traceEvents":[{"name":"MarkStack","ph":"X","ts":1,"dur":50,"pid":1,"tid":1}]}' >foreign.json
t_small_trace
for trace in empty foreign small; do
	t_run 0 "$trace.json"
	t_run 3 "$trace.json" --fail-on high
	t_err '^tracecoach: --fail-on: 1 of 1 trace could not be judged: the report says why$'
	t_ok 'the report was printed' test -s "$out"
done
# Nor does it fail for what the checks say about its recording.
sed 's/]}$/,{"name":"k","ph":"X","pid":1}]}/' small.json >lost.json
t_run 0 lost.json --format json
t_out '"severity": "(high|medium|low)"'
for severity in high medium low; do
	t_run 3 lost.json --fail-on $severity
	t_err '^tracecoach: --fail-on: 1 of 1 trace could not be judged: the report says why$'
done
t_run "${first%% *}" "$example" foreign.json --fail-on high
t_run 0 "$example" foreign.json --fail-on high --skip dataloader-bound
t_err '^tracecoach: warning: --fail-on: 1 of 2 traces could not be judged'
t_run 3 "$example" foreign.json --fail-on high --skip dataloader-bound --strict
t_run 0 "$example" --fail-on high --skip dataloader-bound --strict
t_no_err .

# A check that failed lacked data: the gate does not pass, and the report for GitHub says so. What
# was found is worse.
mkdir rules
printf -- '-- id: broken\n-- title: abc\n-- advice: abc\nSELECT path AS subject, json_extract(path, path)
	AS gain_ns, '"'measured'"' AS confidence, 1 AS count FROM trace\n' >rules/broken.sql
t_run 3 e.db --rules rules --only broken --fail-on low
t_err '^tracecoach: --fail-on: 1 check failed, so nothing is known of what it looks for: broken: .*malformed JSON'
t_run 3 e.db --rules rules --only broken --fail-on low --format github
t_out '^::error title=abc::.*The check broken failed: .*malformed JSON'
t_run 0 e.db --rules rules --only broken --format github
t_out '^::warning title=abc::.*The check broken failed: '
t_run 1 e.db --rules rules --fail-on low
t_run 0 e.db --rules rules --skip broken --only dataloader-bound,host-bound --set dataloader-bound.min_share_pct=99

# The same of many jobs.
mkdir -p jobs/a jobs/b
cp foreign.json jobs/a/trace.json
cp foreign.json jobs/b/trace.json
t_run 0 batch -q jobs -o none
t_run 3 report none --fail-on high
t_err '^tracecoach: --fail-on: no job shows enough device work'
t_run 0 report none
cp lost.json jobs/a/trace.json
t_run 0 batch -q jobs -o none
t_run 3 report none --fail-on low
t_err '^tracecoach: --fail-on: no job shows enough device work'
cp foreign.json jobs/a/trace.json
cp "$example" jobs/b/trace.json
t_run 0 batch -q jobs -o some
t_run "${first%% *}" report some --fail-on high
t_run 0 batch -q jobs -o failed --rules rules --only broken
t_run 3 report failed --fail-on high
t_err '^tracecoach: --fail-on: a check failed in 2 traces,'
t_run 0 report failed
rm -r jobs none some failed

# For CI systems: the finding of that severity has failed, in well-formed XML and as an annotation.
t_run 1 e.db --fail-on low --format junit -o junit.xml
t_python 'JUnit says what the exit code says' "
import xml.etree.ElementTree
suites = xml.etree.ElementTree.parse('junit.xml').getroot()
for suite in suites:
    cases = list(suite)
    for attribute, tag in (('failures', 'failure'), ('skipped', 'skipped'), ('errors', 'error')):
        assert int(suite.get(attribute)) == sum(case.find(tag) is not None for case in cases)
    assert int(suite.get('tests')) == len(cases) > 40
assert suites.find('.//failure') is not None and suites.find('.//skipped') is not None"
t_run 1 e.db --fail-on low --format github
t_out '^::error title='
t_run 0 e.db --format github
t_no_out '^::error'
# A comment on a change: a screen, and a length that GitHub takes.
t_run 0 e.db --format md
sed '/<details>/,$d' "$out" >"$t_top/shown"
t_ok 'what is not folded is a screen' test "$(wc -l <"$t_top/shown")" -le 40
t_ok 'GitHub takes it' test "$(wc -c <"$out")" -lt 65536
t_end
