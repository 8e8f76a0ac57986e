# tracecoach query: formats, alignment, NULL, quoting, read-only.
. "$(dirname "$0")/lib.sh"
t_small_trace
t_run 0 import small.json -o s.db

t_run 0 query s.db "SELECT name, dur, NULL AS none FROM slice WHERE category = 'kernel' ORDER BY ts"
cat >"$t_top/want" <<'END'
name             dur  none
------------  ------  ----
gemm, "fast"  300000  NULL
relu          100125  NULL
END
t_same "$out" "$t_top/want"

t_run 0 query s.db "SELECT name, dur, NULL AS none, '' AS empty FROM slice WHERE category = 'kernel' ORDER BY ts" --format csv
cat >"$t_top/want" <<'END'
name,dur,none,empty
"gemm, ""fast""",300000,,""
relu,100125,,""
END
t_same "$out" "$t_top/want"

t_run 0 query s.db "SELECT name, dur, NULL AS none FROM slice WHERE name LIKE 'gemm%'" --format json
tr -d ' \n' <"$out" >"$t_top/flat"
printf '[{"name":"gemm,\\"fast\\"","dur":300000,"none":null}]' >"$t_top/want"
t_same "$t_top/flat" "$t_top/want"

t_run 0 query s.db "SELECT 0.1 AS a, 2.0 AS b, 1.0/3 AS c, x'00ff' AS d, 'two
lines' AS e" --format csv
t_out "^0\.1,2\.0,0\.3333333333333333,x'00ff',\"two\$"
t_run 0 query s.db "SELECT 'two
lines	and a tab' AS e, -7 AS n"
t_out '^two\\nlines\\tand a tab  -7$'
t_run 0 query s.db 'SELECT 1 AS one WHERE 0'
t_out '^one$'
t_run 0 query s.db 'SELECT 1 AS one WHERE 0' --format json
t_out '^\[\]$'
t_run 0 query s.db "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 60000) SELECT i, i * 2 AS twice FROM n"
t_ok '60000 rows and a head of two lines' test "$(wc -l <"$out")" -eq 60002
t_out '^60000  120000$'
t_run 0 query s.db 'SELECT 1 AS one' -o rows.txt
[ ! -s "$out" ] || t_fail 'stdout is not empty'
t_ok 'the rows are in the file' grep -q '^one$' rows.txt

# Nothing that moves a terminal's cursor or turns its text around, in values (also as U+009B) or
# names of columns; CSV and JSON have the bytes.
t_run 0 query s.db "SELECT char(27) || '[2J' || char(155) || '31m' || char(10) AS \"a$(printf '\033')b\""
t_out '^a\\u001bb'
t_out '^\\u001b\[2J\\u009b31m\\n$'
t_run 0 query s.db "SELECT 'x' || char(8238) || 'y' || char(917505) AS a, char(8203) || 'z' AS b"
t_out '^x\\u202ey\\U000e0001  \\u200bz$'
t_run 0 query s.db "SELECT 'x' || char(8238) || 'y'" --format csv
t_ok 'CSV has the bytes' grep -q "^x$(printf '\342\200\256')y\$" "$out"

for sql in 'SELEC 1' 'SELECT nocolumn FROM slice' 'SELECT 1; SELECT 2' '' \
	'DELETE FROM slice_row' 'CREATE TABLE t(a)' 'DROP VIEW slice' "ATTACH 'x.db' AS x" \
	'PRAGMA user_version = 9' 'BEGIN' "VACUUM INTO 'copy.db'"; do
	t_run 2 query s.db "$sql"
	t_error
done
t_files rows.txt s.db small.json

# A sort that needs a file, and no place for one: the store is not at fault.
t_env=TMPDIR=/nonexistent
t_run 4 query s.db "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT i FROM n ORDER BY i % 7"
t_err 'no temporary file can be made in /nonexistent: .*set TMPDIR'
t_env=

# A reader that has seen enough is no error.
t_what='query | head'
{
	"$tool" query s.db "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT i FROM n" 2>"$err"
	echo $? >"$t_top/code"
} | head -3 >/dev/null
t_check "$(cat "$t_top/code")" 0
[ ! -s "$err" ] || t_fail 'stderr is not empty'
t_end
