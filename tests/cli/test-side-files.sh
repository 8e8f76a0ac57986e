#!/bin/sh
# Side files: given, found beside the trace, switched off, refused.
. "$(dirname "$0")/lib.sh"

t_small_trace
rm -f small.db
cat >run.log <<'END'
CPU fallback digamma : self=HPUBFloat16Type
Removed 1 successfully. Disk cache size after removal: 5
Removed 2successfully. Disk cache size after removal: 5
Removed 3 successfully. Disk cache size after removal: 5
END
printf '[{"metric_name": "recipe_cache", "statistics": {"TotalHit": 1}},\n' >m-rank0.json

t_run 0 analyze small.json --with run.log --with m-rank0.json --details
t_out 'Compiled recipes are evicted from the disk cache'
t_out 'run\.log, log, given: 4 rows'

t_run 0 import small.json --with run.log --with m-rank0.json -o run.db
t_run 0 query -f csv run.db 'SELECT path, kind, origin, row_count FROM side_file'
t_out '^run\.log,log,given,4'
t_out '^m-rank0\.json,metrics-json,given,1'

# Beside the trace, by the profiler's own names.
echo 'Unit,Unique node id,Node Name,Op Type,Start time of node,End time of node,Duration (us)
MME,0,conv,Convolution,1.5,2.5,1.0' >small_analyzed_nodes.csv
"$tool" import small.json --with small_analyzed_nodes.csv -o given.db 2>&1 |
	grep -q 'without libcsv' && t_skip 'built without libcsv'
t_run 0 import small.json -o found.db
t_run 0 query -f csv found.db 'SELECT path, kind, origin, row_count FROM side_file'
t_out '^small_analyzed_nodes\.csv,node-csv,found,1'
t_run 0 import small.json --no-side-files -o found.db
t_run 0 query -f csv found.db 'SELECT count(*) FROM side_file'
t_out '^0'

# Refused by name, and nothing left behind.
echo hello >notes.md
t_run 3 import small.json --with notes.md -o no.db
t_error
t_err 'notes\.md: not a side file of a known kind'
t_run 3 import small.json --with small.json -o no.db
t_err 'small\.json: .*it is a trace'
# A log may have no line of the bridge: that is said.
echo hello >other.log
t_run 0 import small.json --with other.log -o other.db
t_err 'other\.log: read as a side file \(log\), but nothing in it tells of the run'
t_run 0 import small.json --with run.log -o other.db
t_no_err 'nothing in it'
rm other.db
t_run 3 import small.json --with missing.log -o no.db
t_err 'cannot open missing\.log'
[ ! -e no.db ] || t_fail "no.db was left behind"
t_run 2 run.db --with run.log
t_error
t_err 'sealed'


# What trace and file both tell is compared; what only a file tells has no gain.
fixtures=$root/testdata/heuristics
t_run 0 analyze "$fixtures/cpu-fallback/fires.json" --with "$fixtures/cpu-fallback/side.metrics.json" \
	--only cpu-fallback --details --width 140
t_out 'files count fewer than the trace'
t_out 'the trace has none'
t_run 0 analyze "$fixtures/cpu-fallback/side.json" --with "$fixtures/cpu-fallback/side.metrics.json" \
	--only cpu-fallback --details --width 140
t_out 'the trace cannot show it'
t_no_out 'aves up to'

# What lies there under such a name and is no regular file is not waited for.
rm -f small_analyzed_nodes.csv small.csv
for t_beside in small_analyzed_nodes.csv small.csv; do
	mkfifo $t_beside
	t_what="a FIFO as $t_beside"
	timeout 120 "$tool" import small.json -o fifo.db </dev/null >"$out" 2>"$err"
	t_check $? 0
	t_run 0 query -f csv fifo.db 'SELECT count(*) FROM side_file'
	t_out '^0$'
	rm $t_beside
	mkdir $t_beside
	t_run 0 analyze small.json
	rmdir $t_beside
	ln -s /dev/zero $t_beside
	t_run 0 analyze small.json
	rm $t_beside
done

t_end
