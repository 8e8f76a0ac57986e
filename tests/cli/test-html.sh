# The page of --format html: well formed, complete, harmless whatever a trace says, the same bytes each time.
. "$(dirname "$0")/lib.sh"

check_page() {
	command -v python3 >/dev/null || return 0
	python3 "$root/tests/cli/check-page.py" "$1" 2>"$err" || t_fail "$1 is not as a page should be"
}

t_run 0 analyze "$example" --format html -o page.html
check_page page.html
cp page.html "$out"
t_out '^<h1>.*trace_example\.json</h1>$'
t_out 'The device is idle 60 % of the time'
t_out '<a href="#finding-0-dataloader-bound">The device waits for the data loader</a>'
t_out '^<details id="finding-0-dataloader-bound"><summary>#1 The device waits for the data loader: '
t_out '^tracecoach query trace\.db &quot;(SELECT|WITH) '
t_out '<summary>What was not checked, and the import log</summary>'
t_run 0 analyze "$example" --format html -o again.html
t_same page.html again.html

# Of a store, and of one step that is there.
t_run 0 import "$example" -o example.db
t_run 0 analyze example.db --format html --step 11 -o step.html
check_page step.html

# Nobody can type options at a page: it shows all fixes, and names no option but in the footer, which
# has the command that makes the page again. An option of the profiler is none.
no_options() {
	sed '/<style/,/<\/style>/d; /<script/,/<\/script>/d; s/<pre>.*//; /^tracecoach/d; /^<p class="below">tracecoach /d; s/--with FILE//g; s/--capture FILE//g' "$1" | grep -aoE -- '(^|[ (:])--[a-z][a-z-]*' >"$out"
	t_no_out .
}

# The timeline has what the store has.
check_timeline() {
	command -v python3 >/dev/null || return 0
	python3 "$root/tests/cli/check-timeline.py" "$1" "$2" 2>"$err" || t_fail "the timeline of $1 is another"
}
check_timeline page.html example.db
TC_TRACEGEN=${TC_TRACEGEN:-$(dirname "$tool")/tracegen}
"$TC_TRACEGEN" --format cuda --steps 6 --problem host-bound -o cuda.json || t_fail 'tracegen'
t_run 0 import cuda.json -o cuda.db
t_run 0 analyze cuda.db --format html -o cuda.html
check_page cuda.html
no_options cuda.html
check_timeline cuda.html cuda.db
# A fix says under what on the host most of its time lies.
cp cuda.html "$out"
t_out '&quot;framework operations, most under aten::linear&quot;'
"$TC_TRACEGEN" --world-size 8 -o nic.json || t_fail 'tracegen'
t_run 0 import nic.json -o nic.db
t_run 0 analyze nic.db --format html -o nic.html
check_timeline nic.html nic.db

# The critical path is one stretch after the other, and as long as its parts.
for t_db in example.db cuda.db; do
	t_run 0 query $t_db "SELECT 'stretches', count(*) > 1, total(away <> 0) = 0, sum(dur) = (SELECT sum(dur_ns) FROM critical_path),
		min(ts) = (SELECT start_ns FROM trace), max(ts + dur) = (SELECT end_ns FROM trace) FROM
		(SELECT ts, dur, lead(ts, 1, ts + dur) OVER (ORDER BY ts) - ts - dur AS away FROM critical_stretch)" --format csv
	t_out '^stretches,1,1,1,1,1'
done

# A comparison has both timelines.
"$TC_TRACEGEN" --format cuda --steps 6 -o after.json || t_fail 'tracegen'
t_run 0 compare cuda.json after.json --format html -o compare.html
check_page compare.html
no_options compare.html
[ "$(grep -c '^<section class="timeline" data-linked' compare.html)" -eq 2 ] || t_fail 'not two timelines'

# Ranks of a job are a grid: a row a rank, a column a step.
mkdir -p 'night/a b:c' night/other
for t_rank in 0 1 2; do
	"$TC_TRACEGEN" --format cuda --steps 4 --world-size 3 --rank $t_rank -o "night/a b:c/rank$t_rank.json" || t_fail 'tracegen'
done
t_run 0 analyze 'night/a b:c' --format html -o job.html
check_page job.html
no_options job.html
cp job.html "$out"
# Rows of the two maps: exact numbers of rank, step and so on.
rows_of() { # KIND: rows of the table of the figure
	sed -n "/<figure class=\"picture\" data-kind=\"$1\">/,/<.figure>/p" job.html | grep '^<tr><td' |
		sed 's/<td[^>]*data-v="\([0-9]*\)">[^<]*<.td>/\1,/g; s/<[^>]*>//g; s/,$//'
}
t_out '^<h2>Steps of the ranks</h2>$'
rows_of ranks >grid
[ "$(cut -d , -f 1,2 grid | sort -u | wc -l)" -eq 12 ] || t_fail 'not four steps for each of three ranks'
# The steps of a rank are the wall time that the table of ranks has, and its waits are those of the rank.
t_run 0 import -q 'night/a b:c' -o grid.db
t_run 0 query grid.db "SELECT r.rank, m.value, r.exposed_wait_ns FROM job_rank r JOIN metric m USING (trace_id) WHERE m.name = 'wall_ns'
	AND m.device IS NULL AND m.step IS NULL ORDER BY r.rank" --format csv
sed 1d "$out" >wall.csv
awk -F , '{ wall[$1] += $3; wait[$1] += $4 } END { for (i = 0; i < 3; i++) printf "%d,%d,%d\n", i, wall[i], wait[i] }' grid >grid.csv
t_same grid.csv wall.csv
# Whom a rank waits for adds up to the same.
rows_of waits | awk -F , '{ wait[$4] += $1 } END { for (i = 0; i < 3; i++) printf "%d,%d\n", i, wait[i] }' >waits.csv
cut -d , -f 1,3 wall.csv >wait.csv
t_same waits.csv wait.csv
rm grid grid.db grid.csv wall.csv wait.csv waits.csv
[ "$(grep -c '^<section class="timeline" data-linked="yes" data-rank="[012]">$' job.html)" -eq 2 ] || t_fail 'not two timelines'
[ "$(grep -c '^<section class="timeline" data-linked="yes" data-rank="[012]" hidden>$' job.html)" -eq 1 ] || t_fail 'the third rank has no timeline'

# What a rank waits for in a collective is the one that arrives last.
for t_rank in 0 1 2; do
	"$TC_TRACEGEN" --format cuda --steps 4 --world-size 3 --rank $t_rank --problem rank-straggler=60 -o late$t_rank.json || t_fail 'tracegen'
done
t_run 0 import -q late0.json late1.json late2.json -o late.db
t_run 0 query late.db 'SELECT count(*) > 3 AS waits FROM collective WHERE wait_ns > 0' --format csv
t_out '^1'
for t_rank in 0 1 2; do
	t_run 0 analyze late.db --rank $t_rank --format html -o late.html
	[ -z "$(command -v python3)" ] || python3 "$root/tests/cli/check-timeline.py" late.html late.db $t_rank 2>"$err" || t_fail "the timeline of rank $t_rank is another"
done
rm late*

# The page of a batch leads to those of its jobs, if they were kept.
cp after.json night/other/
t_run 0 batch night -o out --keep-stores
t_run 0 report out --format html -o out/index.html
check_page out/index.html
no_options out/index.html
cp out/index.html "$out"
t_out '<a href="jobs/a%20b%3Ac\.html">'
t_out '<a href="jobs/other\.html">'
t_out '<figure class="picture" data-kind="map">'
check_page 'out/jobs/a b:c.html'

# Nothing that a trace says becomes markup.
t_evil='</title></script><script>alert(1)</script><img src=x onerror=alert(1)>'
t_small_trace
awk -v evil="$t_evil" '{ gsub(/relu|aten::mm|python|NVIDIA A100/, evil) } 1' small.json >'<b>&.json'
t_run 0 analyze '<b>&.json' --format html -o evil.html
check_page evil.html
cp evil.html "$out"
t_out '&lt;img src=x onerror=alert'
t_no_out '<img|<b>&'

# What has nothing to show is a page, too; several traces are one.
echo '[]' >empty.json
t_run 0 analyze empty.json --format html -o empty.html
check_page empty.html
t_run 0 analyze "$example" small.json empty.json --format html -o several.html
check_page several.html
[ "$(grep -c '^<article>' several.html)" -eq 4 ] || t_fail 'not an article for the table and each trace'
t_end
