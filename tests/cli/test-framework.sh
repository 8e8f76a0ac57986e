# Framework operations: every matrix product is in framework_shape, and framework_op has the first
# and the last of each step and the linear layer behind a copy. An operation that works on the host
# after a read is on the CPU, though the read first builds the graph of what it reads.
. "$(dirname "$0")/lib.sh"

asks() { # asks SQL WANT
	t_run 0 query f.db "$1" --format csv
	[ "$(tail -n +2 "$out")" = "$2" ] || t_fail "gives '$(tail -n +2 "$out")', want '$2'"
}

op() { # op NAME TS DUR [DIMS]
	printf ',\n{"ph": "X", "cat": "cpu_op", "name": "aten::%s", "pid": 1, "tid": 1, "ts": %s, "dur": %s,
	"args": {"Input Dims": %s, "Input type": ["float", "float"]}}' "$1" "$2" "$3" "${4:-[[8, 4], [4, 2]]}"
}

step() { # step NUMBER TS: six products, of which one is inside another and one behind a copy
	printf ',\n{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%s", "pid": 1, "tid": 1, "ts": %s, "dur": 90}' \
		"$1" "$2"
	op linear $(($2 + 1)) 8
	op addmm $(($2 + 2)) 4
	op mm $(($2 + 10)) 8
	op copy_ $(($2 + 20)) 8
	op bmm $(($2 + 30)) 8 '[[3, 8, 4], [3, 4, 2]]'
	op linear $(($2 + 40)) 8
	op linear $(($2 + 50)) 8
	op mm $(($2 + 60)) 8
}

{
	printf '[{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}}'
	step 1 1000
	step 2 2000
	printf ']\n'
} >f.json
t_run 0 import f.json -o f.db
asks "SELECT name, replace(replace(input_dims, ',', ' '), '\"', ''), count, dur_ns FROM framework_shape ORDER BY name" \
	'aten::bmm,[[3 8 4] [3 4 2]],2,16000
aten::linear,[[8 4] [4 2]],6,48000
aten::mm,[[8 4] [4 2]],4,32000'
asks "SELECT name, ts % 100000 / 1000 FROM framework_op WHERE kind = 'matmul' ORDER BY ts" 'aten::linear,1
aten::linear,40
aten::mm,60
aten::linear,1
aten::linear,40
aten::mm,60'
asks "SELECT count(*) FROM framework_op WHERE kind = 'copy'" '2'

bridge() { # bridge NAME TS DUR
	printf ',\n{"ph": "X", "cat": "privateuse1_runtime", "name": "%s", "pid": 1, "tid": 1, "ts": %s, "dur": %s}' "$@"
}

{
	printf '[{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}}'
	op add 1000 10
	op copy_ 1020 400
	bridge copy_hpu_lazy_D2H 1022 390
	bridge SyncTensorsGraphInternal 1030 40
	op sort 1500 300
	printf ']\n'
} >f.json
t_run 0 import f.json -o lazy.db
t_run 0 query lazy.db "SELECT name FROM host_block WHERE kind = 'cpu_fallback'" --format csv
[ "$(tail -n +2 "$out")" = aten::sort ] || t_fail "the operation on the CPU is not found"
t_end
