# Outputs that cannot be written: reported with exit code 4, and no half of anything stays.
. "$(dirname "$0")/lib.sh"
t_small_trace
t_run 0 import small.json -o s.db

t_full() { # t_full ARG...: standard output is a full disk
	t_what="tracecoach $* >/dev/full"
	"$tool" "$@" </dev/null >/dev/full 2>"$err"
	t_check $? 4
	: >"$out"
	t_error
}

if [ -c /dev/full ]; then
	t_full small.json
	t_full small.json --format json
	t_full s.db
	t_full query s.db 'SELECT 1'
	t_full query s.db 'SELECT 1' --format csv
	t_full heuristics
	t_full --help
	t_full --version
	t_run 4 small.json -o /dev/full
	t_error
	t_ok '/dev/full is still there' test -c /dev/full
fi
t_what='closed standard output'
"$tool" small.json </dev/null >&- 2>"$err"
t_check $? 4

t_run 4 small.json -o nodir/report.txt
t_error
t_run 4 import small.json -o nodir/x.db
t_error
t_run 4 small.json --db nodir/x.db
t_error
t_files s.db small.json

# A disk that is full: first a limit on the size of files, then a real one where we may mount.
t_what='import over the limit of file sizes'
(
	ulimit -f 16
	exec "$tool" import small.json -o x.db </dev/null >"$out" 2>"$err"
)
t_check $? 4
t_error
t_files s.db small.json
t_what='analyze without room for a temporary store'
(
	ulimit -f 16
	exec "$tool" small.json </dev/null >"$out" 2>"$err"
)
t_check $? 4
t_files s.db small.json

# Half a report goes, and where a link points nothing of it stays.
ln -s whole.csv link.csv
for t_o in rows.csv link.csv; do
	t_what="rows over the limit of file sizes into $t_o"
	(
		ulimit -f 16
		exec "$tool" query s.db 'WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n
			WHERE i < 60000) SELECT i FROM n' -o "$t_o" </dev/null >"$out" 2>"$err"
	)
	t_check $? 4
	t_error
done
t_ok 'the link stays' test -L link.csv
t_ok 'its file is empty' test ! -s whole.csv
rm link.csv whole.csv
t_files s.db small.json

mkdir disk
if mount -t tmpfs -o size=16k none disk 2>/dev/null; then
	t_run 4 import small.json -o disk/x.db
	t_error
	t_err '[Ff]ull|[Nn]o space|room'
	t_ok 'nothing was left on the disk' test -z "$(ls -A disk)"
	umount disk
fi
rmdir disk

if [ "$(id -u)" -ne 0 ]; then
	mkdir locked
	chmod 500 locked
	t_run 4 import small.json -o locked/x.db
	t_error
	t_err '[Pp]ermission'
	t_run 4 small.json -o locked/report.txt
	t_error
	chmod 700 locked
	rmdir locked
fi
t_files s.db small.json
# What is read is not written over.
t_small_trace
cp small.json kept.json
t_run 0 import small.json -o small.db
ln -s small.json link.json
for t_o in small.json link.json; do
	t_run 2 analyze small.json -o $t_o
	t_err 'is read, so it is not written over'
done
t_same small.json kept.json
mkdir folder
cp small.json folder/one.json
ln -s folder/one.json one.json
printf 'step 1\n' >with.log
cp with.log with.kept
for t_o in folder/one.json one.json; do
	t_run 2 analyze -q folder -o $t_o
	t_run 2 compare -q small.json folder -o $t_o
	t_err 'is read, so it is not written over'
done
t_same folder/one.json kept.json
t_run 2 analyze -q small.json --with with.log -o with.log
t_same with.log with.kept
t_run 2 analyze -q small.json --db made.db -o made.db
t_run 0 query made.db 'SELECT 1'
t_run 0 analyze -q folder -o folder/report.txt
t_run 2 query small.db 'SELECT 1' -o small.db
t_run 0 query small.db 'SELECT 1'
t_end
