# One trace, one answer: however a trace is written, the reports are the same. As slow tests, of all traces that are
# here: those of the heuristics with --fixtures, generated and real ones with --traces.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || t_skip 'no python3'
gen=${TC_TRACEGEN:-$root/build/release/tracegen}

same() { # same [--every N] TRACE...: the reports of each, however it is written
	t_what="$*"
	PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/cli/metamorphic.py" "$tool" "$@" >"$out" 2>"$err" ||
		t_fail "$(cat "$out" "$err")"
}

make_trace() { # make_trace FORMAT ARG...
	"$gen" --format "$@" --nodes 5 -o generated.json || t_fail "cannot make a trace: $*"
}

# Sizes of inputs, graphs of Gaudi and memory, each few events; a main thread that waits
# for another one that works.
if [ -z "$1" ]; then
	for id in conv-bias-before-norm loop-constant-recompilation batch-size-headroom; do
		same "$root/testdata/heuristics/$id/fires.json"
	done
	make_trace cuda --problem unused-parameters
	same generated.json
	t_end
fi

# Each in a sixth of the ways, so that each way has a dozen of them. One of them is cut on purpose, and zeros for
# times that are not known are no clock.
if [ "$1" = --fixtures ]; then
	for trace in "$root"/testdata/heuristics/*/fires.json "$example"; do
		case $trace in
		*/truncated-trace/* | */zero-timestamps/*) ;;
		*) same --every 6 "$trace" ;;
		esac
	done
	t_end
fi

for format in cuda gaudi-lazy gaudi-kineto; do
	make_trace $format --problem input-copy-blocking --problem exposed-communication
	same generated.json
done
# A third of the ways each, so that each way has four of them and a rank or two.
for trace in $(find "${TC_SHARED:-none}"/corpus/pytorch -name '*.json.gz' -size -64k 2>/dev/null); do
	same --every 3 "$trace"
done
t_end
