# The program confines itself before it reads a trace, says so, and can be told not to. What confinement
# forbids is tried in tests/unit/core/confine/test_confine.c.
. "$(dirname "$0")/lib.sh"
cp "$example" trace.json

t_run 0 --version
t_out '^(confined: (writes \(Landlock\)|(writes \(Landlock\), )?system calls \(seccomp\))|not confined: .*)$'
said=$(grep confined "$out")
t_env=TRACECOACH_UNCONFINED=1
t_run 0 --version
t_out '^not confined: TRACECOACH_UNCONFINED is set$'
t_env=

# field NAME [NAME=VALUE]: what the kernel says of a program that waits for its next message
field() {
	mkfifo "$t_top/pipe"
	env ${2:-A=b} "$tool" mcp <"$t_top/pipe" >"$out" 2>"$err" &
	exec 9>"$t_top/pipe"
	echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' >&9
	for i in $(seq 1200); do
		[ -s "$out" ] && break
		sleep 0.1
	done
	sed -n "s/^$1:[[:space:]]*//p" /proc/$!/status
	exec 9>&-
	wait $!
	rm "$t_top/pipe"
}
case $said in
*seccomp*)
	t_ok 'the filter is in force' test "$(field Seccomp)" = 2
	t_ok 'the switch turns it off' test "$(field Seccomp TRACECOACH_UNCONFINED=1)" = 0
	;;
esac

# A directory is no output, and is called what it is: nothing may be made beside it.
mkdir -p apart/here "$t_top/tmp"
for t_env in TRACECOACH_UNCONFINED=1 "TMPDIR=$t_top/tmp"; do
	for command in '' 'cut --steps 11' export; do
		t_run 4 $command trace.json -o apart/here
		t_err 'apart/here: Is a directory: choose the name of a file in it$'
	done
done
t_env=
rmdir apart/here apart

# Outputs of every kind, in places of their own. They are the same without confinement.
TMPDIR=$t_top/tmp
export TMPDIR
mkdir here there
ln -s ../there/linked.html here/link.html
for t_env in TRACECOACH_UNCONFINED=1 TRACECOACH_UNCONFINED=; do
	t_run 0 trace.json --format html -o here/link.html --db there/run.db
	t_ok 'the link leads there' test -s there/linked.html
	t_run 0 there/run.db -o /dev/null
	t_run 0 there/run.db -o here/report.txt
	t_run 0 cut trace.json --steps 11 -o here/cut.json
	t_run 0 batch here/cut.json trace.json -o out/ --keep-stores
	t_run 0 compare here trace.json
	cat here/report.txt out/jobs/*.db there/run.db | cksum >"$t_top/sum$t_env"
	rm -r out
done
t_same "$t_top/sumTRACECOACH_UNCONFINED=1" "$t_top/sumTRACECOACH_UNCONFINED="
[ -z "$(ls -A "$TMPDIR")" ] || t_fail 'a temporary file was left'
t_end
