#!/bin/sh
# Stores as inputs: the traces of several are joined, as if all had been imported together.
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || t_skip 'no sqlite3'
generate=${TC_TRACEGEN:-$(dirname "$tool")/tracegen}

# t_rows STORE: all its rows, in the order of their tables.
t_rows() {
	sqlite3 "$1" .dump >"$1.rows" || t_fail "sqlite3 $1"
}

# t_job DIRECTORY TRACE...: the store of each trace, 000.db and so on, and direct/job.db of all.
t_job() {
	t_dir=$1
	shift
	mkdir -p "$t_dir/direct" "$t_dir/joined"
	t_number=0
	for t_trace; do
		t_run 0 import -q "$t_trace" -o "$t_dir/$(printf %03d $t_number).db"
		t_number=$((t_number + 1))
	done
	t_run 0 import -q "$@" -o "$t_dir/direct/job.db"
	t_rows "$t_dir/direct/job.db"
}

# t_joins DIRECTORY INPUT...: they give the rows of the direct import.
t_joins() {
	t_dir=$1
	shift
	t_run 0 import -q "$@" -o "$t_dir/joined/job.db"
	t_rows "$t_dir/joined/job.db"
	t_same "$t_dir/direct/job.db.rows" "$t_dir/joined/job.db.rows"
	[ -z "$(sqlite3 "$t_dir/joined/job.db" 'PRAGMA foreign_key_check')" ] ||
		t_fail "$t_dir: a row refers to another that is not there"
}

# t_reports DIRECTORY: the store that was joined last, whose rows are the same, has the same reports, with the name and
# the size of the file, and what is beside it.
t_reports() {
	for t_format in text html json; do
		for t_side in direct joined; do
			(cd "$1/$t_side" && "$tool" analyze job.db --details --format $t_format >report.$t_format 2>&1)
		done
		t_same "$1/direct/report.$t_format" "$1/joined/report.$t_format"
	done
}

# t_ranks COUNT OPTION...: rank0.json and so on of a simulated job.
t_ranks() {
	t_count=$1
	shift
	t_rank=0
	while [ $t_rank -lt "$t_count" ]; do
		"$generate" "$@" --steps 4 --rank $t_rank --world-size "$t_count" -o rank$t_rank.json ||
			t_fail "tracegen $*"
		t_rank=$((t_rank + 1))
	done
}

# Any order of inputs, any split, stores beside traces, and joins of joins give the same rows.
t_ranks 4 --format cuda --problem rank-straggler
t_job cuda rank0.json rank1.json rank2.json rank3.json
t_joins cuda cuda/00?.db
t_reports cuda
t_joins cuda cuda/003.db cuda/001.db cuda/002.db cuda/000.db
t_joins cuda rank3.json rank1.json rank0.json rank2.json
t_joins cuda cuda/003.db rank1.json cuda/000.db rank2.json
t_joins cuda rank3.json cuda/002.db rank1.json cuda/000.db
t_run 0 import -q cuda/001.db cuda/000.db -o low.db
t_run 0 import -q rank2.json cuda/003.db -o high.db
t_joins cuda high.db low.db
# Where ranks of two stores take turns, what is said of the job is the same.
t_run 0 import -q cuda/000.db cuda/002.db -o even.db
t_run 0 import -q cuda/001.db cuda/003.db -o odd.db
mkdir turns
t_run 0 import -q odd.db even.db -o turns/job.db
for t_format in text md chat; do
	for t_side in cuda/direct turns; do
		(cd $t_side && "$tool" analyze job.db --format $t_format >short.$t_format 2>&1)
	done
	t_same cuda/direct/short.$t_format turns/short.$t_format
done
# Gains are those of the settings that are given here.
t_run 0 cuda/00?.db --set advice.min_gain_pct=20 --format json
cp "$out" joined.json
t_run 0 rank?.json --set advice.min_gain_pct=20 --format json
t_same "$out" joined.json
# The store can be asked and made again.
t_run 0 whatif low.db --fix host-bound
t_run 0 import --again -q high.db -o again.db
t_rows high.db
t_rows again.db
t_same high.db.rows again.db.rows

# Lanes without work have no row; side files lie beside a trace; a trace has no ranks.
t_ranks 3 --format gaudi-lazy --problem recompilation
t_job lazy rank0.json rank1.json rank2.json
t_joins lazy lazy/00?.db
t_reports lazy
sed 's/"Call stack"/"Call Stack"/' "$root/testdata/heuristics/recompilation/fires.json" >one.json
cp "$example" two.json
echo '{"metric_name": "graph_compilation", "triggered_by": "process_exit", "generated_on": "1", "statistics": {"TotalNumber": 3}}' \
	>two.metrics.json
t_job apart one.json two.json
t_joins apart apart/00?.db
t_reports apart
for t_corpus in "${TC_SHARED:-/nonexistent}"/corpus/pytorch/dlrm-8rank; do
	[ -d "$t_corpus" ] || continue
	t_job dlrm "$t_corpus"/*.json.gz
	t_joins dlrm dlrm/00?.db
	t_reports dlrm
done

# What cannot be joined is left out, and the rest is there.
t_ranks 4 --format cuda --problem rank-straggler
head -c 30000 cuda/001.db >cut.db
sqlite3 old.db <"$root/testdata/store-9.sql" || t_fail 'sqlite3'
sqlite3 foreign.db 'CREATE TABLE t (a)'
t_run 5 import cuda/000.db cut.db old.db foreign.db cuda/002.db cuda/003.db -o x.db
t_err 'left out: cut\.db is cut short'
t_err 'left out: old\.db was made by an older tracecoach'
t_err 'left out: foreign\.db is an SQLite database'
t_run 5 x.db
t_out '^One job, 3 of its 4 ranks$'
t_run 5 import rank0.json nosuch.json -o short.db
t_run 5 import short.db rank1.json -o x.db
t_err 'left out: cannot open nosuch\.json'
t_run 3 import --strict cuda/000.db cut.db -o x.db
t_run 3 import cut.db old.db -o y.db
[ ! -e y.db ] || t_fail 'a failed join leaves a store'
# Numbers of a store that another program changed are refused, and nothing of it stays.
cp cuda/001.db bad.db
sqlite3 bad.db 'UPDATE slice_row SET id = id + 9000000000000000000 WHERE id > 100' 2>"$err"
t_run 5 import cuda/000.db bad.db cuda/002.db -o x.db
t_err 'left out: bad\.db is damaged'
for t_change in 'UPDATE timeline_block SET first_track_id = 1 << 40' \
	'UPDATE timeline_block SET first_slice_id = 1 << 62' 'DELETE FROM timeline_block' 'DELETE FROM trace'; do
	cp cuda/001.db worse.db
	sqlite3 worse.db "$t_change" || t_fail 'sqlite3'
	t_run 5 import cuda/000.db worse.db cuda/002.db -o x.db
	t_err '^tracecoach: left out: worse\.db: '
done
t_run 0 query x.db 'SELECT group_concat(rank) FROM trace' --format csv
t_out '"?0,2"?$'

# Ranks that were read with one capture have it once.
for t_rank in 0 1; do
	cp cuda/00$t_rank.db captured$t_rank.db
	sqlite3 captured$t_rank.db "INSERT INTO capture_file (id, path) VALUES (0, 'graph.json')" || t_fail 'sqlite3'
done
t_run 0 import -q captured0.db captured1.db -o x.db
t_run 0 query x.db "SELECT group_concat(id || ' ' || path) FROM capture_file" --format csv
t_out '^0 graph\.json$'

# A store is read once, also under another name, and never written over.
t_run 0 import cuda/000.db cuda/001.db ./cuda/000.db -o x.db
t_err 'given twice'
cp cuda/000.db copy.db
t_run 0 import cuda/000.db cuda/001.db copy.db -o x.db
t_err '^tracecoach: rank0\.json: the same trace as rank0\.json: not counted among the ranks$'
cp rank2.json backup.json
t_run 0 import rank?.json backup.json -o x.db
t_err '^tracecoach: backup\.json: the same trace as rank2\.json: not counted among the ranks$'
t_run 0 query x.db 'SELECT count(*) FROM job_rank' --format csv
t_out '^4$'
cp cuda/000.db kept.db
ln -s kept.db link.db
for t_target in kept.db link.db; do
	t_run 2 import kept.db cuda/001.db -o $t_target
	t_err "$t_target: a store is not written over what it is made of"
done
t_same kept.db cuda/000.db
t_run 2 import kept.db cuda/001.db --device H100 -o x.db
t_err 'kept\.db: a store, whose traces have been read without --device'
t_run 2 import kept.db -o x.db
t_err 'kept\.db: a store, not a trace: name the trace, or several stores to join'
t_end
