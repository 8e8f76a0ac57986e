# Counts passes, failures and skips of gates and tests. Sourced by run-tests.

tally_begin() {
	passed=0
	failed=0
	skipped=0
	tally_log=$(mktemp) || exit 1
	trap 'rm -f "$tally_log"' EXIT
	trap 'exit 130' INT TERM HUP
}

tally_end() {
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
	exit
}

# tally_took SINCE: how long it took, where that is of interest.
tally_took() {
	seconds=$(($(date +%s) - $1))
	[ "$seconds" -lt 10 ] || echo " ($seconds s)"
}

# tally_skip NAME WHY: what cannot run here counts, too, so that nobody takes it for passed.
tally_skip() {
	skipped=$((skipped + 1))
	echo "skip  $1: $2"
}

# tally_run NAME COMMAND...: one gate. Its output is shown when it fails; status 77 skips it.
tally_run() {
	name=$1 began=$(date +%s)
	shift
	"$@" >"$tally_log" 2>&1
	case $? in
	0)
		passed=$((passed + 1))
		echo "ok    $name$(tally_took "$began")"
		grep ': warning' "$tally_log"
		return 0
		;;
	77)
		tally_skip "$name" "$(head -1 "$tally_log")"
		return 0
		;;
	*)
		failed=$((failed + 1))
		echo "FAIL  $name"
		sed 's/^/      /' "$tally_log" | tail -60
		return 1
		;;
	esac
}

# tally_build NAME DIRECTORY CMAKE-OPTION...: a build counts as one test.
tally_build() {
	name=$1
	shift
	tally_run "build $name" setup_build "$@"
}

# tally_ctest PREFIX DIRECTORY JOBS CTEST-ARGUMENT...: every test of ctest counts.
tally_ctest() {
	prefix=$1
	directory=$2
	jobs=$3 began=$(date +%s)
	shift 3
	(cd "$directory" && ctest -j "$jobs" --output-on-failure "$@") >"$tally_log" 2>&1
	# Lines like: 3/12 Test  #7: unit.buf ......   Passed    0.01 sec
	summary=$(awk -v prefix="$prefix" '
	function name(line) {
		sub(/^.*Test *#[0-9]*: /, "", line)
		sub(/ .*/, "", line)
		return prefix line
	}
	$2 != "Test" { next }
	/ Passed / { passed++; next }
	/\*\*\*Skipped/ { skipped++; print "skip  " name($0); next }
	/\*\*\*|\(Failed\)/ { failed++; print "FAIL  " name($0) }
	END { print passed + 0, failed + 0, skipped + 0 }' "$tally_log")
	counts=$(echo "$summary" | tail -1)
	echo "$summary" | sed '$d'
	if [ "$counts" = '0 0 0' ] && ! grep -q 'No tests were found' "$tally_log"; then
		echo "FAIL  ${prefix}ctest did not run"
		counts='0 1 0'
	fi
	set -- $counts
	passed=$((passed + $1))
	failed=$((failed + $2))
	skipped=$((skipped + $3))
	echo "ok    $prefix$1 tests passed, $2 failed, $3 skipped$(tally_took "$began")" | sed '/ 0 failed/!s/^ok  /FAIL/'
	[ "$2" -eq 0 ] || grep -v ' Passed ' "$tally_log" | sed 's/^/      /' | tail -200
}
