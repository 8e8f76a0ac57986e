# The numbers of jobs for Prometheus are those of JSON, read by the parser of Prometheus' own client.
. "$(dirname "$0")/lib.sh"

python=
for candidate in python3 /usr/bin/python3; do
	"$candidate" -c 'import prometheus_client.openmetrics.parser' 2>/dev/null && python=$candidate && break
done
[ "$python" ] || t_skip 'no Python with prometheus_client (Debian: python3-prometheus-client)'

gen=${TC_TRACEGEN:-$(dirname "$tool")/tracegen}
for job in 'team-a/bert' 'team-b/g"p\t'; do
	mkdir -p "jobs/$job"
	"$gen" --format cuda --steps 6 --nodes 10 --problem dataloader -o "jobs/$job/trace.json"
done
mkdir jobs/stepless
"$gen" --format cuda --steps 6 --nodes 10 -o jobs/stepless/trace.json
sed -i 's/ProfilerStep#/Something#/' jobs/stepless/trace.json

t_run 0 batch -q jobs -o index
t_run 0 report index --format json
cp "$out" want.json
t_run 0 report index --format openmetrics -o got.prom
t_ok 'OpenMetrics with the numbers of JSON' "$python" -c "
import json
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
families = {f.name: f for f in parse(open('got.prom').read())}
jobs = json.load(open('want.json'))['jobs']
assert len(jobs) == 3, jobs
for name, unit, member, scale in (('step_seconds', 'seconds', 'step_mean_ns', 1e9),
                                  ('lost_device_hours', 'hours', 'lost_hours', 1)):
    family = families.pop('tracecoach_job_' + name)
    assert family.type == 'gauge' and family.unit == unit, family
    want = {(j['path'], j['device']): j[member] / scale for j in jobs if j[member] is not None}
    got = {(s.labels['path'], s.labels['device']): s.value for s in family.samples}
    assert len(want) >= 2 and got.keys() == want.keys(), (want, got)
    assert all(abs(got[k] - want[k]) <= 1e-3 * abs(want[k]) for k in want), (want, got)
assert not families, families"
t_files got.prom index jobs want.json
t_end
