# Files that are cut, and files that are damaged elsewhere: what is said first, and what counts as idle.
. "$(dirname "$0")/lib.sh"

part() { # part PERCENT FILE
	head -c $(($(wc -c <"$2") * $1 / 100)) "$2"
}
ends_early='The file ends early, after [0-9.]* MiB\.'
longer='longer warm-up'

"$TC_TRACEGEN" --format cuda --steps 6 -o whole.json
# Damage with all behind it kept is no cut, and neither is an end behind the last event.
mkdir parts
split -b 200000 whole.json parts/
for t_part in parts/*; do
	gzip "$t_part"
done
middle=$(ls parts/*.gz | sed -n '6p')
printf '\377\377\377\377\377\377\377\377' | dd of="$middle" bs=1 seek=2000 conv=notrunc 2>/dev/null
cat parts/*.gz >damaged.json.gz
head -c $(($(wc -c <whole.json) - 4)) whole.json >open.json
for t_file in damaged.json.gz open.json; do
	t_run 0 $t_file --width 140
	t_out '! Parts of the file could not be read\.'
	t_no_out 'ends early'
	t_no_out 'The trace is cut off'
	t_run 0 $t_file --format json
	t_no_out 'ends early'
done
rm -r parts

# The steps behind the cut have no work in the file, which no longer warm-up mends.
for t_format in cuda gaudi-lazy gaudi-kineto; do
	"$TC_TRACEGEN" --format $t_format --steps 6 -o device.json
	for t_pct in 40 70; do
		part $t_pct device.json >cut.json
		t_run 0 cut.json --width 140
		t_out "$ends_early"
		t_no_out "$longer"
	done
done

# A step behind the cut: all outputs say so, of this step.
part 70 whole.json >cut.json
for t_format in text md html json; do
	t_run 0 cut.json --step 15 --format $t_format
	tr '\n' ' ' <"$out" | tr -s ' ' >line
	t_ok "$t_format says where the file ends" grep -q "$ends_early It has no work of the device of this step\. What follows" line
	t_ok "$t_format names no largest part" sh -c '! grep -q "the largest part" line'
done
t_run 0 cut.json --format json
t_out "\"verdict\": *\"$ends_early It has work of the device for the first [0-9.]* ms of "

# In a file in the order of time all work until the cut is there, and nothing behind it: the last of
# six steps, which starts where the file ends, is no idle time. Where all work stands before the host,
# the cut takes none. The same events with the work of the
# device last, cut in there, lack work.
ordered() {
	awk -v what="$1" 'BEGIN {
		for (step = 0; step < 6; step++) {
			at = 1000 + step * 10000
			if (what != "device")
				printf "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#%d\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 10000},\n", step, at
			for (i = 0; i < 100 && step < 3; i++) {
				if (what != "device") {
					printf "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 9},\n", at + i * 100
					printf "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 1, \"tid\": 1, \"ts\": %d, \"dur\": 4, \"args\": {\"correlation\": %d}},\n", at + i * 100 + 2, step * 100 + i + 1
				}
				if (what != "host")
					printf "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"gemm\", \"pid\": 0, \"tid\": 7, \"ts\": %d, \"dur\": 90, \"args\": {\"device\": 0, \"stream\": 7, \"correlation\": %d}},\n", at + i * 100 + 8, step * 100 + i + 1
			}
		}
	}'
}
{
	echo '{"schemaVersion": 1, "traceEvents": ['
	ordered all
	printf '{"ph": "X", "cat": "cpu_op", "na'
} >time.json
{
	echo '{"schemaVersion": 1, "traceEvents": ['
	ordered host
	ordered device
	printf '{"ph": "X", "cat": "kernel", "na'
} >last.json
{
	echo '{"schemaVersion": 1, "traceEvents": ['
	ordered device
	ordered host
	printf '{"ph": "X", "cat": "cpu_op", "na'
} >first.json
t_run 0 time.json --width 140
t_out 'The file ends early, after .* What follows'
t_out 'The device is idle 38 % .* no device work follows'
t_no_out 'It has work of the device'
t_out '^ *not recorded  *10\.00 ms  *17 %'
t_run 0 first.json --width 140
t_out 'The file ends early, after .* What follows'
t_out 'The device is idle 5[0-9] % .* no device work follows'
t_no_out '^ *not recorded '
t_run 0 last.json --width 140
t_out 'The file ends early, after .* It has work of the device for the first 30\.[0-9]* ms of 60\.[0-9]* ms \(50 %\)'
t_out '(not recorded  .* 50 %)'
t_no_out 'no device work follows'

# Of several devices, one behind the other, the cut takes from the last one: what it did later is not known, also
# while others work.
{
	echo '{"schemaVersion": 1, "traceEvents": ['
	ordered host
	ordered device
	ordered device | head -100 | sed 's/"pid": 0/"pid": 9/; s/"device": 0/"device": 1/; s/, "correlation": [0-9]*//'
	printf '{"ph": "X", "cat": "kernel", "na'
} >two.json
t_run 0 import -q two.json -o two.db
t_run 0 query two.db "SELECT device, value / 1000000 AS ms FROM metric WHERE name = 'device_unknown_ns' AND step IS NULL
	AND device IS NOT NULL ORDER BY device" --format csv
t_out '^0,30$'
t_out '^1,50$'
rm two.db

# Frames behind the work, of the same time as that: the work is complete, and what follows it idle.
{
	echo '{"schemaVersion": 1, "traceEvents": ['
	ordered host
	ordered device
	ordered host | grep cpu_op | sed 's/cpu_op/python_function/; s/aten::mm/train.py(7): f/; s/"dur": 9/"dur": 20/'
	printf '{"ph": "X", "cat": "python_function", "na'
} >frames.json
t_run 0 frames.json --width 140
t_out 'The device is idle 5[0-9] % .* no device work follows'
t_no_out '^ *not recorded '

# Counters and marks are events, but nothing lasts.
echo '[{"ph": "C", "name": "c", "pid": 1, "ts": 1, "args": {"a": 1}}, {"ph": "i", "name": "m", "pid": 1, "tid": 1, "ts": 2}]' >counters.json
t_run 0 counters.json --width 200
t_out 'No verdict: the trace has counters or marks, and nothing that lasts\. Record again'
t_no_out 'no events'

# One cut rank of a job: it is said first, in text and JSON, and no verdict on waits is given.
for t_rank in 0 1; do
	"$TC_TRACEGEN" --format cuda --steps 6 --rank $t_rank --world-size 2 -o rank$t_rank.json
done
t_run 0 rank0.json rank1.json --width 140
t_no_out 'ends early'
t_no_out 'late  not recorded'
part 60 rank1.json >rank.json
mv rank.json rank1.json
t_run 0 rank0.json rank1.json --width 140
t_out '^  The file of rank 1 ends early, after [0-9.]* MiB\. It has work of the device for the first '
t_out 'idle  late  not recorded'
t_out '^ *1 .* \? .* \? +[0-9.]+ ms '
t_no_out 'No rank waits'
t_no_out 'sets the pace'
t_no_out "$longer"
t_run 0 rank0.json rank1.json --format json
t_out '"verdict": *"The file of rank 1 ends early, after '
rm ./*.json ./*.json.gz line
t_files
t_end
