# From trace to store to report: every way gives the same, and only what was asked for stays.
. "$(dirname "$0")/lib.sh"
t_small_trace

TMPDIR=$t_top/tmp
export TMPDIR
mkdir "$TMPDIR"

# What to type for more names the store, or the trace where none is kept.
t_mask() {
	sed '/^  Details of a fix: tracecoach explain /d' "$1"
}

t_same_report() {
	t_mask "$out" >"$t_top/masked"
	t_mask "$t_top/direct" >"$t_top/direct-masked"
	t_same "$t_top/masked" "$t_top/direct-masked"
}

t_run 0 small.json
t_out 'A100|small\.json'
[ ! -s "$err" ] || t_fail 'stderr is not empty'
cp "$out" "$t_top/direct"
t_files small.json
t_run 0 analyze small.json
t_same "$out" "$t_top/direct"
t_run 0 --trace small.json
t_same "$out" "$t_top/direct"
t_run 0 small.json --one-thread
t_same "$out" "$t_top/direct"
[ -z "$(ls -A "$TMPDIR")" ] || t_fail 'a temporary file was left'

t_run 0 import small.json -o a.db
[ ! -s "$out" ] || t_fail 'import prints nothing'
t_files a.db small.json
t_run 0 analyze a.db
t_same_report
t_run 0 a.db
t_same_report
t_run 0 analyze small.json --db b.db
t_same_report
t_same a.db b.db
t_run 0 import --one-thread small.json -o b.db # one there is replaced
t_same a.db b.db
t_run 0 analyze small.json -o report.txt
[ ! -s "$out" ] || t_fail 'stdout is not empty'
t_same report.txt "$t_top/direct"
t_run 0 analyze small.json -o -
t_same "$out" "$t_top/direct"
rm report.txt

# Standard input, plain and compressed.
t_stdin=small.json
t_run 0 import - -o b.db
t_run 0 query b.db 'SELECT count(*) FROM slice' --format csv
t_out '^6$'
gzip -c small.json >small.json.gz
t_run 0 import small.json.gz -o b.db
t_run 0 query b.db 'SELECT count(*) FROM slice' --format csv
t_out '^6$'
t_stdin=/dev/null

# Several traces, one store.
cp small.json other.json
t_run 0 import small.json other.json -o b.db
t_run 0 query b.db 'SELECT count(*), count(DISTINCT trace_id) FROM slice' --format csv
t_out '^12,2$'
t_run 0 import --trace small.json --trace other.json -o c.db
t_same b.db c.db
t_run 0 b.db
t_out 'other\.json'

# What is no store is never overwritten, and neither is a store that is read.
t_run 2 analyze a.db small.json --db a.db
t_error
t_run 2 analyze a.db --db c.db
t_error
cp small.json keep.json
t_run 2 import small.json -o keep.json
t_error
t_same small.json keep.json
t_files a.db b.db c.db keep.json other.json small.json small.json.gz

# --strict refuses damage, in a trace and in a store.
head -c 900 small.json >cut.json
t_run 0 import cut.json -o cut.db
t_run 3 import --strict cut.json -o cut2.db
t_error
t_run 3 analyze --strict cut.db
t_error
t_run 0 analyze --strict a.db
[ ! -e cut2.db ] || t_fail '--strict left a store'

# A link stays one, and what it points to is replaced or made.
mkdir sub
ln -s sub/target.db link.db
ln -s ../link.db sub/second.db
t_run 0 import small.json -o link.db
t_run 0 import small.json -o sub/second.db
t_ok 'links are still links' test -L link.db -a -L sub/second.db
t_same sub/target.db a.db
t_ok 'nothing else is in the directory' test "$(ls sub | tr '\n' ' ')" = 'second.db target.db '
ln -s circle.db circle.db
t_run 4 import small.json -o circle.db
t_error

# A store that was damaged or edited: which one, and what to do, whichever way it is met.
for count in 6 all; do # blocks of zeros: in the schema, or everything behind its first page
	cp a.db bad.db
	[ $count = all ] && count=$(($(wc -c <a.db) / 4096 - 4))
	dd if=/dev/zero of=bad.db bs=4096 seek=$((count == 6 ? 3 : 4)) count=$count conv=notrunc \
		2>/dev/null
	for format in text json md; do
		t_run 3 analyze bad.db --format $format
		t_err '^tracecoach: bad\.db.* import the trace again'
	done
done
if command -v sqlite3 >/dev/null; then
	cp a.db bad.db
	sqlite3 bad.db 'DELETE FROM trace'
	for format in text json md csv perf-tool; do
		t_run 3 bad.db --format $format
		t_err '^tracecoach: bad\.db: there is no trace in it: import the trace again$'
	done
	cp a.db bad.db
	sqlite3 bad.db 'ALTER TABLE compile DROP COLUMN changed' 2>/dev/null &&
		t_run 3 bad.db &&
		t_err '^tracecoach: bad\.db .*import the trace again: its compile is not that of this version'

	# Numbers that are indexes, sizes or times: those of tables are looked at when it is opened,
	# those of slices when they are loaded. None takes memory or time for what it says.
	t_changed() { # t_changed SQL WHAT COMMAND...
		cp a.db bad.db
		sqlite3 bad.db "$1" || t_fail "sqlite3: $1"
		what=$2
		shift 2
		t_run 3 "$@"
		t_err "^tracecoach: bad\.db .*import the trace again: $what"
	}
	for value in '1 << 34' 9223372036854775807 -1; do
		t_changed "UPDATE label SET id = $value WHERE id = 1" 'its labels are not numbered' bad.db
		t_changed "UPDATE track SET id = $value WHERE id = 1" 'the number of a track' bad.db
		t_changed "UPDATE slice_row SET id = $value WHERE id = 1" 'the number of a slice' bad.db
		t_changed "UPDATE step SET slice_id = $value - 1" 'the slice of a step -?[0-9]* is out of bounds' \
			whatif bad.db --remove 'device class = matrix'
	done
	for value in 9223372036854775807 '1 << 62' -9223372036854775807; do
		t_changed "UPDATE trace SET start_ns = $value" 'the time or size of a trace' bad.db
		t_changed "UPDATE step SET ts = $value" 'the time of a step' bad.db
	done
	# The slices that a replay reads are packed in rows of their own (tests/unit/replay/test_load.c).
	for change in 'DELETE FROM timeline_block' 'UPDATE timeline_block SET ord = 1' \
		"UPDATE timeline_block SET bytes = x''" 'UPDATE timeline_block SET bytes = zeroblob(length(bytes))' \
		'UPDATE timeline_block SET last_label_id = first_label_id - 1' \
		'UPDATE timeline_block SET first_label_id = 1' 'UPDATE track SET trace_id = 1'; do
		t_changed "$change" '.*timeline_block' whatif bad.db --remove 'device class = matrix'
	done

	# What becomes of the rows of slices does not matter for a replay.
	for rank in 0 1; do
		"${TC_TRACEGEN:-$(dirname "$tool")/tracegen}" --format cuda --steps 3 --rank $rank --world-size 2 -o rank$rank.json ||
			t_fail 'tracegen'
	done
	t_run 0 import -q rank0.json rank1.json -o ranks.db
	for change in '' 'UPDATE slice_row SET id = id + 1000000 WHERE id BETWEEN 5 AND 90'; do
		for also in '' "DELETE FROM metric WHERE name = 'slice_count'"; do
			cp ranks.db bad.db
			sqlite3 bad.db "$change; $also" || t_fail 'sqlite3'
			t_run 0 whatif bad.db --remove 'device class = matrix'
			[ -z "$also" ] && cp "$out" before.txt
		done
		t_same "$out" before.txt
	done
	rm -f rank*
fi
t_end
