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
t_run 0 e.db
cp "$out" "$t_top/report"
for severity in high medium low; do
	t_run "${codes%% *}" e.db --fail-on "$severity"
	codes=${codes#* }
	t_same "$out" "$t_top/report"
done
t_run 1 "$example" --fail-on low --format json -o report.json
t_ok 'the report was written' test -s report.json
t_end
