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

t_what='closed streams are nobody else'"'"'s'
"$tool" import small.json -o closed.db <&- >&- 2>&-
t_check $? 0
t_same closed.db s.db
"$tool" small.json -o closed.txt <&- >&- 2>&-
t_check $? 0
t_run 0 small.json -o open.txt
t_same closed.txt open.txt
"$tool" small.json --db nodir/x.db -o closed.txt <&- >&- 2>&-
t_check $? 4
t_same closed.txt open.txt
rm closed.db closed.txt open.txt

t_run 4 small.json -o nodir/report.txt
t_error
t_run 4 import small.json -o nodir/x.db
t_error
t_run 4 small.json --db nodir/x.db
t_error
t_files s.db small.json

# What the name of an output ends in chooses the format; where that is no format's name, it is said which is written.
for t_name in x.pdf ./x.tar.7 x.JSONL; do
	t_run 0 small.json -o "$t_name"
	t_err "^tracecoach: $t_name: written as text, because analyze has no format "
	t_run 0 small.json -o x.txt
	t_no_err .
	t_same "$t_name" x.txt
	t_run 0 small.json -q -o "$t_name"
	t_no_err .
	t_run 0 small.json --format text -o "$t_name"
	t_no_err .
	rm "$t_name"
done
mkdir d.pdf
t_run 0 small.json -o d.pdf/x
t_no_err .
t_run 0 small.json -o d.pdf/x.json
t_no_err .
t_run 0 query s.db 'SELECT 1' -o x.xlsx
t_err '^tracecoach: x\.xlsx: written as table, because query has no format xlsx; --format NAME chooses one'
t_run 0 small.json -o x.HTML
t_no_err .
grep -q '<html' x.HTML || t_fail 'x.HTML is no page'
t_run 0 small.json -o .json
t_no_err .
t_same .json x.txt
t_run 0 cut small.json --time 0s-1s -o x.trace
t_no_err 'written as'
rm -r d.pdf x.txt x.xlsx x.trace x.HTML .json

# A disk that is full: first a limit on the size of files, then a real one, where a name space for
# its mount can be had.
t_what='import over the limit of file sizes'
(
	ulimit -f 16
	exec "$tool" import small.json -o x.db </dev/null >"$out" 2>"$err"
)
t_check $? 4
t_error
t_err 'raise the limit of file sizes'
t_files s.db small.json
t_what='a report over the limit of file sizes'
(
	ulimit -f 16
	exec "$tool" small.json --format json </dev/null >"$out" 2>"$err"
)
t_check $? 4
t_err 'temporary store in .*: cannot write the store: .*raise the limit'
t_files s.db small.json

# Half a report goes, and what stood there stays, also where a link points.
t_rows='WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 60000) SELECT i FROM n'
echo kept >kept.csv
chmod 600 kept.csv
cp kept.csv old.csv
ln -s whole.csv link.csv
ln -s old.csv oldlink.csv
for t_o in rows.csv link.csv old.csv oldlink.csv; do
	t_what="rows over the limit of file sizes into $t_o"
	(
		ulimit -f 16
		exec "$tool" query s.db "$t_rows" -o "$t_o" </dev/null >"$out" 2>"$err"
	)
	t_check $? 4
	t_error
done
t_same old.csv kept.csv
t_files kept.csv link.csv old.csv oldlink.csv s.db small.json
"$tool" query s.db "$t_rows" --format csv >rows.txt
t_i=0
while [ $t_i -lt 10 ]; do
	"$tool" query s.db "$t_rows" -o oldlink.csv </dev/null >/dev/null 2>&1 &
	sleep 0.0$t_i
	kill -9 $! 2>/dev/null
	wait $! 2>/dev/null
	cmp -s old.csv kept.csv || cmp -s old.csv rows.txt || t_fail "kill $t_i left something else"
	t_i=$((t_i + 1))
done
t_run 0 query s.db "$t_rows" -o oldlink.csv
t_same old.csv rows.txt
t_ok 'the mode stays' test "$(stat -c %a old.csv)" = 600
t_ok 'the link stays' test -L oldlink.csv
t_run 0 query s.db 'SELECT 1' -o link.csv
t_files kept.csv link.csv old.csv oldlink.csv rows.txt s.db small.json whole.csv
rm kept.csv link.csv old.csv oldlink.csv rows.txt whole.csv

# Under its other names standard output is what it is: nothing is replaced.
echo before >log.txt
t_what='append to standard output by name'
"$tool" query s.db 'SELECT 7' --format csv -o /dev/stdout </dev/null >>log.txt 2>"$err"
t_check $? 0
t_ok 'it was appended' test "$(tr '\n' ' ' <log.txt)" = 'before 7 7 '
t_what='a pipe by name'
"$tool" query s.db 'SELECT 7' --format csv -o /dev/stdout </dev/null 2>"$err" | cat >log.txt
t_ok 'it went through the pipe' test "$(tr '\n' ' ' <log.txt)" = '7 7 '
mkfifo pipe
cat pipe >log.txt &
t_run 0 query s.db 'SELECT 8' --format csv -o pipe
wait
t_ok 'it went through the named pipe' test "$(tr '\n' ' ' <log.txt)" = '8 8 '
rm log.txt pipe

# A descriptor that the caller has opened is written to as it is: appended to, never replaced.
if [ -d /proc/self/fd ]; then
	ln -s /dev/stderr way
	for t_o in /dev/stderr /dev/fd/2 /proc/self/fd/2 /dev/fd/../fd/2 way; do
		echo before >log.txt
		t_what="append to standard error as $t_o"
		"$tool" query s.db 'SELECT 7' --format csv -o $t_o </dev/null 2>>log.txt
		t_check $? 0
		t_ok 'it was appended' test "$(tr '\n' ' ' <log.txt)" = 'before 7 7 '
	done
	rm way
	echo before >log.txt
	exec 8>>log.txt 9<small.json
	t_run 0 query s.db 'SELECT 7' --format csv -o /dev/fd/8
	t_ok 'it was appended' test "$(tr '\n' ' ' <log.txt)" = 'before 7 7 '
	ln log.txt open.txt
	rm log.txt
	t_run 0 query s.db 'SELECT 8' --format csv -o /dev/fd/8
	t_ok 'no file was made for the name that is gone' test ! -e log.txt
	t_ok 'it went to the open file' test "$(tr '\n' ' ' <open.txt)" = 'before 7 7 8 8 '
	rm open.txt
	# Gone altogether: the name that /proc tells is no name of a file.
	t_run 0 small.json -o /dev/fd/8
	t_run 2 import small.json -o /dev/fd/8
	t_run 2 small.json -o /proc/$$/fd/8
	t_err 'another process'
	t_run 4 small.json -o /dev/fd/9
	t_err 'Bad file descriptor'
	exec 8>&- 9<&-
	# A number that the program would give to a file of its own.
	for t_o in 3 4 5 6; do
		t_run 4 small.json --db new.db -o /dev/fd/$t_o 3>&- 4>&- 5>&- 6>&-
		t_err 'Bad file descriptor'
	done
	t_what='a report appended to what it is made of'
	cp small.json kept.json
	"$tool" small.json -o /dev/fd/8 </dev/null 8>>small.json 2>"$err"
	t_check $? 2
	t_err 'goes to a file that is read'
	t_same small.json kept.json
	rm kept.json
	t_files s.db small.json
fi

# Names that no file can have.
t_name_long=$(printf '%0300d' 1)
t_run 4 small.json -o $t_name_long
t_err 'cannot create 0+1: File name too long: choose a shorter name'
t_run 2 small.json -o ''
t_err 'empty name: give the name of a file'
for t_o in - ''; do
	t_run 2 import small.json -o "$t_o"
	t_err "^tracecoach: -o '$t_o': a store cannot be made there: give the name of a file"
	t_run 2 small.json --db "$t_o"
	t_err "^tracecoach: --db '$t_o': a store cannot be made there"
done
t_files s.db small.json

t_what='import onto a full disk'
t_on_tmpfs 16k sh -c '"$1" import small.json -o disk/x.db; code=$?
	ls -A disk >"$2"; exit $code' sh "$tool" "$t_top/left" </dev/null >"$out" 2>"$err"
t_disk=$?
if [ $t_disk -ne 77 ]; then
	t_check $t_disk 4
	t_error
	t_err '[Ff]ull|[Nn]o space|room'
	t_ok 'nothing was left on the disk' test ! -s "$t_top/left"
fi

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
# Nor is a trace by a report on the store that was made from it.
for t_o in small.json link.json; do
	t_run 2 analyze small.db -o $t_o
	t_err 'is read, so it is not written over'
	t_run 2 compare -q small.db small.db -o $t_o
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
ln -s made.db madelink.db
for t_o in made.db ./made.db madelink.db "$dir/made.db"; do
	t_run 2 analyze -q small.json --db made.db -o "$t_o"
	t_err 'db: --db makes the store there'
	[ ! -e made.db ] || t_fail 'something was made'
done
t_run 0 analyze -q folder -o folder/report.txt

# The same for what is read without being named, under every name that it has.
cat >run.csv <<'END'
Trace Source,Engine,Event type,Timestamp[usec]
END
cp small.json run.json
mkdir rules
awk -v mark='<!-- example:rule -->' '
	$0 == mark { wanted = 1; next }
	wanted && /^```/ && ++fences == 2 { exit }
	wanted && fences == 1 && !/^```/ { print }' "$root/docs/user-rules.md" >rules/mine.sql
printf '[dataloader-bound]\nmin_share_pct = 2\n' >my.ini
t_refused() { # t_refused FILE ARG...: FILE is not written over, also by its other names
	t_file=$1
	shift
	cp "$t_file" "$t_top/before"
	ln "$t_file" hard
	ln -s "$dir/$t_file" soft
	for t_o in "$t_file" hard soft "$dir/./$t_file"; do
		t_run 2 "$@" -o "$t_o"
		t_error
		t_err 'is read, so it is not written over|is an SQLite database'
	done
	t_same "$t_file" "$t_top/before"
	rm hard soft
}
t_refused run.csv run.json
t_refused run.csv compare small.json run.json
t_refused with.log small.json --with with.log
t_refused my.ini small.json --config my.ini
t_refused rules/mine.sql small.json --rules rules
t_run 0 import small.json -o q.db
t_refused q.db small.json
printf 'SQLite format 3\0' >cut.db
t_refused cut.db small.json
t_refused q.db small.db
t_refused q.db query small.db 'SELECT 1'
t_refused q.db compare small.json small.db
t_refused small.db small.db
t_refused small.db query small.db 'SELECT 1'
t_refused small.db compare small.json small.db
t_run 0 run.json --no-side-files -o run.csv
t_run 0 run.json --no-side-files -o run.csv
# The name of the output says the format where --format does not.
t_ok 'a report in run.csv is CSV' grep -q '^trace,device,step,' run.csv
t_run 0 run.json --no-side-files -o run.page.html
t_ok 'a report in run.page.html is a page' grep -qi '<!doctype html>' run.page.html
t_run 0 run.json --no-side-files -o run.page.html --format text
t_ok '--format comes first' test "$(grep -ci doctype run.page.html)" = 0
rm run.page.html
t_stdin=small.json
t_run 2 analyze - -o small.json
t_err 'is read'
t_stdin=/dev/null
t_same small.json kept.json
t_what='a report appended to what it is made of'
for t_o in small.json small.db; do
	cp $t_o "$t_top/before"
	"$tool" $t_o </dev/null >>$t_o 2>"$err"
	t_check $? 2
	t_err 'standard output: goes to a file that is read'
	t_same $t_o "$t_top/before"
done
t_end
