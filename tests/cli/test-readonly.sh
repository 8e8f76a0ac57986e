# A directory that cannot be written, as somebody who is not root.
. "$(dirname "$0")/lib.sh"
t_small_trace
[ "$(id -u)" -eq 0 ] || t_skip 'test-output.sh has done this as a user'
command -v setpriv >/dev/null || t_skip 'no setpriv'

chmod 755 "$t_top" "$dir"
mkdir locked
chmod 555 locked
chmod 644 small.json
nobody() { # nobody CODE ARG...
	code=$1
	shift
	t_what="as nobody: tracecoach $*"
	setpriv --reuid 65534 --regid 65534 --clear-groups "$tool" "$@" </dev/null \
		>"$out" 2>"$err"
	t_check $? "$code"
}
setpriv --reuid 65534 --regid 65534 --clear-groups "$tool" --version >/dev/null 2>&1 ||
	t_skip "nobody cannot run the program where it is"
nobody 4 import small.json -o locked/x.db
t_error
t_err '[Pp]ermission'
nobody 4 small.json -o locked/report.txt
t_error
for place in locked locked/below; do
	nobody 4 batch . -o $place
	t_error
	t_err 'Permission denied: allow writing there .*, or choose another place$'
done
[ -z "$(ls -A locked)" ] || t_fail 'something was left'
# A directory that cannot be read is left out like any other input, wherever the report goes.
mkdir closed open
chmod 0 closed
chmod 777 open
nobody 5 closed small.json
t_err 'left out: .*closed'
nobody 5 closed small.json -o open/report.txt
t_ok 'the report is there' test -s open/report.txt
nobody 4 small.json -o closed/report.txt
# So is one below another, once and with its whole name.
mkdir -p jobs/shut
cp small.json jobs
chmod 0 jobs/shut
nobody 5 jobs
t_err '^tracecoach: left out: jobs/shut: Permission denied$'
t_err '^tracecoach: 1 input was left out, '
nobody 5 compare jobs jobs
t_err '^tracecoach: 2 inputs were left out, '
# A file in a directory that may be searched and written, but not read.
chmod 333 open
nobody 0 small.json -o open/report.txt
nobody 0 import small.json -o open/x.db
nobody 0 open/x.db
chmod 0 small.json
nobody 3 small.json
t_error
t_err '[Pp]ermission'
t_end
