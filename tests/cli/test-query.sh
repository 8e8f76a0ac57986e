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
# names of columns; CSV has all others, JSON has the bytes.
t_run 0 query s.db "SELECT char(27) || '[2J' || char(155) || '31m' || char(10) AS \"a$(printf '\033')b\""
t_out '^a\\u001bb'
t_out '^\\u001b\[2J\\u009b31m\\n$'
t_run 0 query s.db "SELECT 'x' || char(8238) || 'y' || char(917505) AS a, char(8203) || 'z' AS b"
t_out '^x\\u202ey\\U000e0001  \\u200bz$'
t_run 0 query s.db "SELECT 'x' || char(8238) || 'y'" --format csv
t_ok 'CSV has the bytes' grep -q "^x$(printf '\342\200\256')y\$" "$out"
t_run 0 query s.db "SELECT char(27) || '[2J' || char(155) || char(13) || 'x' || char(127)" --format csv
t_out '^\\u001b\[2J\\u009b\\u000dx\\u007f$'
# No text is a formula of a spreadsheet; numbers stay numbers.
t_run 0 query s.db "SELECT '=1+1' AS a, -3 AS b, '-3.5e7' AS c, '+x' AS d, '@SUM(1)' AS e, char(9) || 'f' AS f,
	' =2' AS g, '-' AS h, 'a-b=c' AS i, char(65309) || '1' AS j, -1e999 AS k, '=\"' AS \"-l\"" --format csv
t_out "^a,b,c,d,e,f,g,h,i,j,k,'-l\$"
t_out "^'=1[+]1,-3,-3.5e7,'[+]x,'@SUM.1.,'$(printf '\t')f,' =2,'-,a-b=c,'$(printf '\357\274\235')1,-[Ii]nf,\"'=\"\"\"\$"

for sql in 'SELEC 1' 'SELECT nocolumn FROM slice' 'SELECT 1; SELECT 2' '' \
	'DELETE FROM slice_row' 'CREATE TABLE t(a)' 'DROP VIEW slice' "ATTACH 'x.db' AS x" \
	'PRAGMA user_version = 9' 'BEGIN' "VACUUM INTO 'copy.db'"; do
	t_run 2 query s.db "$sql"
	t_error
done
t_files rows.txt s.db small.json

# SQL from a file and from standard input; no statement is written over.
echo "SELECT name FROM slice WHERE name = 'relu' -- a remark" >relu.sql
t_run 0 query s.db --file relu.sql --format csv
t_out '^relu$'
t_stdin=relu.sql t_run 0 query s.db - --format csv
t_out '^relu$'
t_run 2 query s.db --file relu.sql -o relu.sql
t_error
# A trace is read for the query, with its findings.
t_run 0 query "$example" 'SELECT heuristic FROM finding ORDER BY heuristic' --format csv
t_out '^dataloader-bound'
t_run 2 query s.db --file nowhere.sql
t_err 'cannot read the SQL in nowhere\.sql'
t_run 2 query s.db
t_err 'no SQL: give it in quotes, with --file'
t_run 2 query s.db 'SELECT 1' --file relu.sql
t_error

# What there is to ask.
t_run 0 query s.db --schema
t_out '^slice +view +id trace_id ts dur '
t_run 0 query s.db --schema gap
t_out '^	cause TEXT NOT NULL, -- see docs/gaps\.md'
t_run 2 query s.db --schema nothing
t_err 'no table or view nothing; --schema without a name lists them'
t_run 2 query s.db --schema device_opp
t_err 'no table or view device_opp: did you mean device_op\?; --schema'

# A name that is not there: the nearest, and all there are.
t_run 2 query s.db 'SELECT s.nme FROM slice s'
t_err 'wrong SQL at line 1, column 8: no such column: s\.nme: did you mean name\?; slice has id, trace_id, ts'
t_run 2 query s.db 'SELECT * FROM slices'
t_err "no such table: slices: did you mean slice\\?; --schema lists"

# A parameter without a value is none that is NULL.
t_run 2 query s.db 'SELECT name FROM slice WHERE dur > ?1'
t_err 'the statement has 1 parameter, and 0 values were given'

# Another store beside it, also read-only.
t_run 0 query s.db --attach b=s.db 'SELECT count(*) AS n FROM slice a JOIN b.slice USING (id, name)'
t_run 0 query s.db --attach b=s.db --attach c=s.db "SELECT (SELECT count(*) FROM c.slice) = (SELECT count(*) FROM slice) AS same"
t_out '^ *1$'
for store in b b= =s.db; do
	t_run 2 query s.db --attach $store 'SELECT 1'
	t_err 'give NAME=STORE'
done
t_run 2 query s.db --attach main=s.db 'SELECT 1'
t_err 'cannot attach a store as main'
t_run 3 query s.db --attach b=small.json 'SELECT 1'
t_error
t_run 2 query s.db --attach b=s.db 'DELETE FROM b.slice_row'
t_error
t_run 2 query s.db --attach b=s.db -o s.db 'SELECT 1'
t_error

# The table is cut to a width; numbers never are.
t_run 0 query s.db --width 50 "SELECT printf('%.100c', 'x') AS a, 123456789012345678 AS n, printf('%.60c', 'y') AS b"
t_fits 50
t_out '^xxx+\.\.\.  123456789012345678  yyy+\.\.\.$'
t_run 0 query s.db "SELECT printf('%.200c', 'x') AS a"
t_out '^x{200}$'
t_run 0 query s.db --width 50 --format csv "SELECT printf('%.200c', 'x') AS a"
t_out '^x{200}$'

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
