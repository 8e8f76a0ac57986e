# report of several nights: since when a job takes as long as it does now, and its steps as a line.
. "$(dirname "$0")/lib.sh"

gen=${TC_TRACEGEN:-$(dirname "$tool")/tracegen}
# job NIGHT NAME OPTION...: a trace of one rank
job() {
	mkdir -p "$1/$2"
	t_file=$1/$2/trace.json
	shift 2
	t_ok "tracegen $t_file" "$gen" --format cuda --steps 6 --nodes 10 "$@" -o "$t_file"
}

# Of bert the loader is slow from the third night on; a night does not have it. mlp is always the same,
# gpt was slow in the first two, and once runs in the last night alone.
for night in 1 2 3 4 5; do
	job "day-$night" mlp
	[ $night -eq 4 ] || job "day-$night" bert $([ $night -lt 3 ] || echo --problem dataloader)
	job "day-$night" gpt $([ $night -gt 2 ] || echo --problem input-copy-blocking=60)
done
job day-5 once
mkdir index
for night in 1 2 3 4 5; do
	t_run 0 batch -q "day-$night" -o "index/day-$night"
done

t_run 0 report index/day-*
t_out '^  5 nights, day-1 to day-5: 1 job slower than before, 1 faster, 1 as before, of$'
t_out '^  bert +118\.8 .*\+[0-9.]+ % +[0-9.]+  day-3$'
t_out '^  gpt +88111 .*-[0-9.]+ % +-[0-9.]+  day-3$'
t_no_out '^  mlp  .* day-[1-5]$'
# What changed since the night before is there, too: without --since it is since the last but one.
t_out '^Since the earlier index$'
t_env='LC_ALL=C.UTF-8' t_run 0 report index/day-*
t_out '^  bert +▁▁█\.█ .* day-3$'

t_run 0 report index/day-*/index.db --format json
cp "$out" trend.json
t_python 'steps, outcome and night of each job' "
import json
report = json.load(open('trend.json'))
assert report['nights'] == ['day-1', 'day-2', 'day-3', 'day-4', 'day-5'], report['nights']
jobs = {j['path']: j for j in report['jobs']}
bert, gpt, mlp, once = (jobs[n]['trend'] for n in ('bert', 'gpt', 'mlp', 'once'))
assert (bert['outcome'], bert['before'], bert['since']) == ('slower', 1, 2), bert
assert (gpt['outcome'], gpt['before'], gpt['since']) == ('faster', 1, 2), gpt
assert (mlp['outcome'], mlp['before'], mlp['since']) == ('same', None, None), mlp
assert once['outcome'] == 'unknown' and once['step_mean_ns'][:4] == [None] * 4, once
for name, job in jobs.items():
    assert job['trend']['step_mean_ns'][4] == job['step_mean_ns'], (name, job)
assert bert['step_mean_ns'][3] is None
steps = bert['step_mean_ns']
assert abs(bert['hours'] - 24 * (steps[4] - steps[1]) / steps[4]) < 0.01, bert
assert abs(bert['difference_pct'] - 100 * (steps[4] - steps[1]) / steps[1]) < 0.01, bert"

# The night before each is what a report of two nights says of it.
t_run 0 report index/day-3 --since index/day-2 --format json
t_python 'day 3 is slower than day 2' "
import json, sys
jobs = {j['path']: j['change']['outcome'] for j in json.load(sys.stdin)['jobs']}
assert jobs == {'bert': 'slower', 'gpt': 'faster', 'mlp': 'same'}, jobs" <"$out"

# For CI systems: what they show is what the exit code says. A chat gets a few lines.
t_run 1 report index/day-3 --since index/day-2 --fail-on-slower 5 --format junit -o slower.xml
t_run 0 report index/day-3 --since index/day-2 --fail-on-slower 99 --format junit -o passed.xml
t_run 0 report index/day-* --format junit -o new.xml
t_python 'a case a job, failed beyond the limit' "
import xml.etree.ElementTree
def cases(name):
    suite, = xml.etree.ElementTree.parse(name).getroot()
    for attribute, tag in (('failures', 'failure'), ('skipped', 'skipped'), ('errors', 'error')):
        assert int(suite.get(attribute)) == sum(case.find(tag) is not None for case in suite), (name, tag)
    assert int(suite.get('tests')) == len(suite)
    return {case.get('name'): case[0] for case in suite}
slower = cases('slower.xml')
assert [slower[n].tag for n in ('bert', 'gpt', 'mlp')] == ['failure', 'system-out', 'system-out']
assert '(+67.0 %)' in slower['bert'].get('message'), slower['bert'].attrib
assert cases('passed.xml')['bert'].tag == 'system-out'
assert [cases('new.xml')[n].tag for n in ('bert', 'once', 'gpt')] == ['skipped', 'skipped', 'system-out']"
t_run 1 report index/day-3 --since index/day-2 --fail-on-slower 5 --format github
t_out '^::error title=bert is slower::4\.884 ms a step before, 8\.156 ms now \(\+67\.0 %25\)$'
t_run 0 report index/day-[1-3] --format github
t_out '^::warning title=bert is slower::.*, so since day-3$'
t_run 2 report index/day-3 --format junit
t_err '^tracecoach: junit: says what became slower: name an earlier index, too$'
t_run 0 report index/day-* --format chat
t_out '^- bert is slower: 4\.884 ms a step before, 8\.156 ms now \(\+67\.0 %\), so since day-3; costs 9\.6 device hours a day$'
t_ok 'a few lines' test "$(wc -l <"$out")" -le 12
mkdir -p day-6
cp -r day-5/mlp day-5/gpt day-6
echo '{' >day-6/gpt/trace.json
t_run 5 batch -q day-6 -o index/day-6
t_run 0 report index/day-* --format chat
t_out '^- Not judged: 1 job '
t_out '^- Not read: 1 trace$'

# Nights of one name are told apart by their paths; a night that is none is said.
mkdir other
cp -r index/day-1 other/day-5
t_run 0 report other/day-5 index/day-5 --format json
t_ok 'paths where names are equal' grep -q '^  "other/day-5",$' "$out"
t_run 3 report index/day-1 nothing index/day-5
t_err '^tracecoach: cannot open nothing: '

# Whose jobs, at what price and which commit: the nearest job.ini counts for each key, then options.
printf '[job]\nowner = vision\nprice = 100\n' >day-5/job.ini
printf '[job]\nprice = 2.5 ; a device hour\n' >day-5/bert/job.ini
for night in 1 2 3 4 5; do
	for name in bert gpt; do
		[ ! -d "day-$night/$name" ] || printf '[job]\ncommit = c%s\n' $night >>"day-$night/$name/job.ini"
	done
	t_run 0 batch "day-$night" -o "index/day-$night"
	t_out '(0 read now, [2-4] as before)'
done
t_run 0 batch day-5 -o index/day-5 --owner nobody --commit all
t_run 0 query index/day-5/index.db 'SELECT path, owner, revision, price FROM job ORDER BY path' --format csv
t_out '^bert,vision,c5,2\.5$'
t_out '^gpt,vision,c5,100\.0$'
t_out '^mlp,vision,all,100\.0$'
t_run 0 report index/day-[1-5] --width 120
t_out '^  bert .* \+[0-9.]+ % .* day-3 \(c2\.\.c3\)$'
t_out '^  job .*  cost/day  since$'
cp "$out" page
t_run 0 report index/day-[1-5] --format json
cp "$out" priced.json
t_python 'hours times price is what the page says' "
import json, re
report = json.load(open('priced.json'))
jobs = {j['path']: j for j in report['jobs']}
bert = jobs['bert']
assert (bert['owner'], bert['commit'], bert['price']) == ('vision', 'c5', 2.5), bert
assert (bert['trend']['commit_before'], bert['trend']['commit_since']) == ('c2', 'c3'), bert
assert jobs['mlp']['trend']['commit_since'] is None
cost = lambda name: jobs[name]['lost_hours'] * jobs[name]['price']
assert all(abs(cost(n) - jobs[n]['lost_cost']) < 1e-6 for n in jobs), jobs
show = lambda x: '%.0f' % x if x >= 9.95 else '%.1f' % x
page = ' '.join(open('page').read().replace(',', '').split())
assert 'which costs %s a day where a price is set' % show(sum(map(cost, jobs))) in page, page
slower = bert['trend']['hours'] * bert['price']
assert re.search(r'bert .* \+[0-9.]+ % +[0-9.]+ +' + re.escape(show(slower)) + ' +day-3', page), page"

# One owner, one kind of device: their jobs alone, for gates, too.
printf '[job]\nowner = speech\n' >day-5/once/job.ini
t_run 0 batch -q day-5 -o index/day-5
t_run 0 report index/day-5 --owner speech --since index/day-4
t_out '^  1 job, 1 trace, 1 device\.'
t_no_out 'bert|gpt|mlp'
t_out '1 new, 0 gone\.$'
printf '[job]\nowner = speech\n' >day-5/mlp/job.ini
t_run 0 batch -q day-5 -o index/day-5
t_run 1 report index/day-5 --since index/day-2 --fail-on-slower 5
t_run 0 report index/day-5 --since index/day-2 --fail-on-slower 5 --owner speech
t_out '^  0 jobs slower, 0 faster, 1 as before .*, 0 with'
t_run 0 report index/day-5 --device h100
t_out '^  4 jobs, 4 traces'
t_run 2 report index/day-5 --owner nobody --device gaudi
t_err "no job of owner 'nobody' on gaudi"
t_run 2 report index/day-5 --owner ''
t_err "no job of owner ''"

# A file that cannot be used is named, and the jobs are read.
printf 'price = 1\n' >day-5/job.ini
printf '[job]\nprice = dear\n' >day-5/gpt/job.ini
t_run 5 batch day-5 -o index/day-5
t_err 'job\.ini:1: a key of no section: write \[job\] above it'
t_err 'gpt/job\.ini:2: the price .dear. is no number'
t_err '2 inputs were left out'
t_run 0 report index/day-5
t_out 'places could not be looked into'
rm day-5/gpt/job.ini
mkfifo day-5/gpt/job.ini
t_what='a pipe in place of job.ini'
timeout 60 "$tool" batch day-5 -o index/day-5 >"$out" 2>"$err"
t_check $? 5
t_err 'gpt/job\.ini: not a regular file'
t_err '2 inputs were left out'
rm day-5/gpt/job.ini
t_run 2 batch day-5 -o index/day-5 --price -1
t_err '--price -1: give what a device hour costs'

# Joined shards know what was said.
t_run 0 batch -q day-4 -o shards --shard 0/2
t_run 0 batch -q day-4 -o shards --shard 1/2
t_run 0 merge shards -o merged.db
t_run 0 query merged.db "SELECT revision FROM job WHERE path = 'gpt'" --format csv
t_out '^c4$'
t_end
