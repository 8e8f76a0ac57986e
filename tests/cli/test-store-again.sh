# Stores of older versions: a query reads them as they are, and import --again reads their traces again
# into a store of this version. The old store stays as it was.
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || t_skip 'no sqlite3'
t_small_trace
sqlite3 old.db <"$root/testdata/store-9.sql" || exit 1
cp old.db "$t_top/old.db"

t_run 3 old.db
t_error
t_err 'older tracecoach \(store version 9, this one reads [0-9]+\); .*import --again.*query'
t_run 3 whatif old.db --remove role=sync
t_error
t_run 0 query old.db 'SELECT name, dur FROM slice WHERE category = '"'kernel'"' ORDER BY id' --format csv
t_out '^relu,100125$'
t_err 'a store of version 9'
t_run 0 query old.db 'SELECT sum(dur) FROM device_op' --format csv # a view of then
t_out '^400125$'
t_run 2 query old.db 'DELETE FROM step'
t_run 0 query old.db --schema step

# The new one is that of a plain import, byte for byte, side files and all.
t_run 0 import --again old.db -o new.db
[ ! -s "$err" ] || t_fail 'stderr is not empty'
t_run 0 import small.json -o plain.db
t_same new.db plain.db
t_run 0 import --again new.db -o again.db
t_same again.db plain.db
echo 'step 1' >run.log
t_run 0 import small.json --with run.log -o with.db
t_run 0 import --again with.db -o again.db
t_same again.db with.db
cp small.json other.json
t_run 0 import small.json other.json -o two.db
t_run 0 import --again two.db -o again.db
t_same again.db two.db

# A damaged one was given, so it is an input that cannot be used.
cp new.db damaged.db
sqlite3 damaged.db 'UPDATE label SET id = 1 << 34 WHERE id = 1'
t_run 3 import --again damaged.db -o x.db
t_err 'damaged\.db is damaged or was changed by hand'
head -c 5000 new.db >damaged.db
t_run 3 import --again damaged.db -o x.db
t_error

# It is never written over, and nothing but one store is taken.
t_run 2 import --again old.db -o old.db
t_error
t_same old.db "$t_top/old.db"
t_run 2 import --again small.json -o x.db
t_error
t_run 2 import --again old.db new.db -o x.db
t_error
t_run 2 import --again missing.db -o x.db
t_error

# A trace that is not there, or not the same, is not taken for the one of then.
mv other.json gone.json
t_run 3 import --again two.db -o x.db
t_err 'cannot open other\.json, which two\.db was made of'
echo ' ' >>small.json
t_run 3 import --again old.db -o x.db
t_err 'small\.json is not the file that the store was made of: it had [0-9]+ bytes'
t_stdin=gone.json
t_run 0 import - -o piped.db
t_stdin=/dev/null
t_run 3 import --again piped.db -o x.db
t_err 'standard input, which cannot be read again'

# What a store says may be a lie: a pipe is not waited for, and a schema that acts is not opened.
sqlite3 old.db "UPDATE trace SET path = '/dev/zero'"
t_run 3 import --again old.db -o x.db
t_err 'is not a file'
sqlite3 old.db 'DELETE FROM trace'
t_run 3 import --again old.db -o x.db
t_err 'names no trace'
sqlite3 old.db 'CREATE TRIGGER t AFTER INSERT ON trace BEGIN SELECT 1; END'
t_run 3 query old.db 'SELECT 1'
t_err 'damaged or was changed by hand'
sqlite3 old.db 'DROP TRIGGER t; CREATE VIRTUAL TABLE v USING fts5(x)' 2>/dev/null && {
	t_run 3 query old.db 'SELECT 1'
	t_err 'damaged or was changed by hand'
}
sqlite3 old.db 'PRAGMA user_version = 0'
t_run 3 query old.db 'SELECT 1'
t_error
sqlite3 old.db 'PRAGMA user_version = 10000'
t_run 3 query old.db 'SELECT 1'
t_err 'a newer tracecoach'
[ ! -e x.db ] || t_fail 'x.db was made'
t_end
