# A second signal ends the program whatever it does: the first one asks it to stop, and SQLite hears
# nothing while one of its functions runs.
. "$(dirname "$0")/lib.sh"
env --default-signal=INT true 2>/dev/null || t_skip 'this env cannot give signals back'

t_small_trace
t_run 0 import small.json -o small.db
for signal in INT TERM; do
	t_what="query and two SIG$signal"
	# LIKE takes hours for these texts.
	env --default-signal=INT "$tool" query small.db "SELECT replace(hex(zeroblob(50000000)), '0', 'a')
		LIKE '%' || replace(hex(zeroblob(20000)), '0', 'a') || 'b%'" >"$out" 2>"$err" &
	job=$!
	sleep 2
	kill -s $signal $job
	sleep 0.5
	kill -s $signal $job
	(
		sleep 60
		kill -9 $job
	) >/dev/null 2>&1 &
	watch=$!
	wait $job
	code=$?
	kill $watch 2>/dev/null
	case $code in
	130 | 143) t_ok 'the second signal ended it' true ;;
	*) t_fail "exit code $code" ;;
	esac
done
t_end
