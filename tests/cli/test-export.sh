# tracecoach export: the trace, byte for byte, with events that say what the store says.
. "$(dirname "$0")/lib.sh"

gen=${TC_TRACEGEN:-$(dirname "$tool")/tracegen}

check() { # check ORIGINAL EXPORT LEAST_US
	command -v python3 >/dev/null || return 0
	t_run 0 import "$1" -o store.db
	python3 "$root/tests/cli/check-export.py" "$1" "$2" store.db "$3" >"$out" 2>"$err" ||
		t_fail "$2 is not $1 with what was found: $(tail -1 "$err")"
	rm store.db
}

# As it comes, and with all gaps that have a place.
t_run 0 export "$example" -o example.json
check "$example" example.json 100
t_run 0 export "$example" --least-gap-us 0 -o all.json
check "$example" all.json 0
t_run 0 export "$example" -o again.json
t_same example.json again.json
t_run 0 export "$example"
t_same "$out" example.json
# Our events are no part of the run: the report is that of the trace, and a cut has the events of it.
mkdir exported && cp all.json exported/trace.json && cp "$example" trace.json
t_run 0 trace.json --format md --details -o report.md
(cd exported && "$tool" trace.json --format md --details) >exported.md || t_fail 'no report of an export'
t_same exported.md report.md
t_run 0 cut all.json --steps 11 -o part.json
t_ok 'it is without our events' sh -c '! grep -q "\"cat\": \"tracecoach\"" part.json'
rm -r exported exported.md report.md trace.json part.json
"$gen" --format cuda --steps 6 --problem host-bound -o cuda.json || t_fail 'tracegen'
t_run 0 export cuda.json --least-gap-us 0 -o cuda-all.json
check cuda.json cuda-all.json 0

# In Perfetto's format: the same, a fraction as large, the same bytes each time.
perfetto() { # perfetto ORIGINAL LEAST_US
	t_run 0 export "$1" --format perfetto --least-gap-us "$2" -o out.pftrace
	command -v python3 >/dev/null || return 0
	t_run 0 import -q "$1" -o store.db
	python3 "$root/tests/cli/check-perfetto.py" "$1" out.pftrace store.db "$2" >"$out" 2>"$err" ||
		t_fail "the packets of $1 say something else: $(tail -1 "$err")"
	rm store.db
}
perfetto "$example" 100
t_ok 'it is small' test "$(wc -c <out.pftrace)" -lt $(($(wc -c <"$example") * 2 / 3))
t_run 0 export "$example" --format perfetto -o again.pftrace.gz
t_ok 'the same bytes' sh -c 'gzip -dc again.pftrace.gz | cmp - out.pftrace'
t_run 0 export "$example" -o named.pftrace
t_ok 'the name says the format' cmp named.pftrace out.pftrace
t_run 0 export "$example" -o named.perfetto
t_ok 'so does the name of the format' cmp named.perfetto out.pftrace
t_run 0 export "$example" -o named.perfetto-trace.gz
t_ok 'the name says the format and the compression' sh -c 'gzip -dc named.perfetto-trace.gz | cmp - out.pftrace'
perfetto cuda.json 0
t_small_trace
perfetto small.json 0
t_python 'a trace of all kinds of events, before 0, with slices that do not nest' '
import json
event = lambda ph, ts, **more: {"ph": ph, "pid": 0, "tid": 5, "ts": ts, "name": "n%d" % ts, **more}
json.dump([event("X", -20, dur=10), event("X", 0, dur=100, args={"a": [1, {"b": None}], "c": None, "d": True, "e": -7, "f": 0.1, "h": 10159970886766084423, "a \"b\".c": 3, "g": "\u00e9"}),
    event("X", 50, dur=100), event("X", 60, dur=10), event("X", 60, dur=10), event("X", 60, dur=0), event("B", 70), event("i", 5, s="t"),
    event("X", 100, dur=50), event("B", 110), event("E", 115, name="n110"), event("C", 7, args={"v": 1.5, "w": 2}), event("b", 8, cat="x", id=3),
    event("e", 9, cat="x", id=3, name="n8"), event("s", 60, id=1), event("f", 100, id=1, bp="e", name="n60")] , open("kinds.json", "w"))'
[ ! -f kinds.json ] || perfetto kinds.json 0
rm -f *.pftrace* *.perfetto*

# Compressed by the name of the output; compressed input is read.
t_run 0 export cuda.json -o cuda.json.gz
check cuda.json cuda.json.gz 100
gzip -kc cuda.json >in.gz
t_run 0 export in.gz -o from-gz.json
t_run 0 export cuda.json -o plain.json
t_same from-gz.json plain.json
if command -v zstd >/dev/null; then
	zstd -q cuda.json -o in.zst
	t_run 0 export in.zst -o from-zst.json
	t_same from-zst.json plain.json
fi

# All forms of a trace: an object with the key in other places, an array, lines, blanks, no event.
t_small_trace
check_small() { # check_small NAME, made from small.json by Python that has the trace in d
	command -v python3 >/dev/null || return 0
	python3 -c "
import json
d = json.load(open('small.json'))
$2" >"$1" || t_fail "cannot make $1"
	t_run 0 export "$1" -o export.json
	check "$1" export.json 100
	rm export.json
}
check_small array.json 'print(json.dumps(d["traceEvents"]))'
check_small lines.json 'print("\n".join(json.dumps(e) for e in d["traceEvents"]))'
check_small blanks.json 'print(json.dumps(d, indent=4).replace("[", "\t[ \r\n\n"))'
check_small last.json 'e = d.pop("traceEvents"); d["x"] = {"traceEvents": [1], "s": "\"traceEvents\": [", "l": [["traceEvents"]]}; d["traceEvents"] = e; print(json.dumps(d))'
check_small same-pid.json 'd["traceEvents"] += [{"ph": "M", "name": "process_name", "pid": p, "tid": 900000009, "args": {"name": "p"}} for p in (900000000, "900000001")]; print(json.dumps(d))'
check_small overlap.json 'd["traceEvents"] += [dict(d["traceEvents"][1], ts=1500, tid=2, name="ProfilerStep#3")]; print(json.dumps(d))'
check_small epoch.json '
for e in d["traceEvents"]:
    if e["ph"] == "X": e["ts"] += 1700000000000000
print(json.dumps(d).replace("\"dur\": 100.125", "\"dur\": 100.127"))'

# Nothing to show is a trace, too.
for t_text in '{"traceEvents": []}' '{"traceEvents": [ ] , "schemaVersion": 1}' '[]'; do
	printf '%s' "$t_text" >empty.json
	t_run 0 export empty.json -o export.json
	check empty.json export.json 100
done

# A trace that was cut stays cut: its events are there, ours before them, and it still is a trace.
head -c 1500 small.json >cut.json
t_run 0 export cut.json -o cut-out.json
t_python 'the bytes of a cut trace' '
old, new = open("cut.json", "rb").read(), open("cut-out.json", "rb").read()
at = new.index(b"\n  {")
assert new[:at] == old[:at] and new.endswith(old[at:]) and len(new) > len(old)'
t_run 0 import cut-out.json -o cut.db
t_run 0 query cut.db "SELECT count(*) FROM slice" --format csv
t_out '^[1-9]'

# What a trace says is text in ours: quotes, control characters, bytes that are no UTF-8.
t_python 'a hostile trace' '
import json
text = open("small.json").read()
evil = json.dumps("\"}], \\ \u202e </script>\n\u0000")[1:-1]
text = text.replace("cudaLaunchKernel", evil).replace("\"device\": 0", "\"device\": \"" + evil + "\"").replace("aten::mm", evil)
open("evil.json", "w").write(text)'
if [ -f evil.json ]; then
	t_run 0 export evil.json -o evil-out.json
	check evil.json evil-out.json 100
	grep -a 'cat": "tracecoach' evil-out.json | LC_ALL=C grep -q "$(printf '\342\200\256')" && t_fail 'a character that turns text around'
fi

# What cannot be: a store, standard input, two traces, no place for events. Nothing is left behind.
mkdir empty && cd empty || exit 1
t_run 2 export - -o x.json
t_error
t_run 2 export "$example" "$example" -o x.json
t_error
t_run 2 export "$example" --format svg -o x.json
t_error
t_run 2 export "$example" --least-gap-us -1 -o x.json
t_error
t_run 3 export nothing.json -o x.json
t_error
t_run 0 import "$example" -o s.db
t_run 2 export s.db -o x.json
t_err 'name the trace'
rm s.db
cp "$dir/small.json" here.json
t_run 2 export here.json -o here.json
t_same here.json "$dir/small.json"
sed 's/"traceEvents": \[/"traceEvents" [/' here.json >broken.json
t_run 3 export broken.json -o x.json
t_err 'no place for others'
t_files broken.json here.json
t_end
