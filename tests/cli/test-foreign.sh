# Files of other kinds than traces are named for what they are, with what to do, whatever they are
# called; a name decides only where the content tells nothing.
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null && python3 -c 'import sqlite3' 2>/dev/null || t_skip 'no python3'
python3 - "$root/testdata/trace_example.json" <<'END' || t_fail 'cannot make the files'
import gzip, io, json, shutil, sqlite3, struct, sys, tarfile

def varint(n):
    out = b''
    while True:
        out += bytes([(n & 0x7f) | (0x80 if n > 0x7f else 0)])
        n >>= 7
        if not n:
            return out

def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data

def put(name, data):
    with open(name, 'wb') as file:
        file.write(data)

def database(name, tables, padding=0):
    db = sqlite3.connect(name)
    for i in range(padding):
        db.execute(f'CREATE TABLE ENUM_THING_{i} (id INTEGER PRIMARY KEY, label TEXT NOT NULL, x INTEGER)')
    for table in tables:
        db.execute(f'CREATE TABLE "{table}" (id INTEGER PRIMARY KEY, value TEXT)')
    db.commit()
    db.close()

trace = open(sys.argv[1], 'rb').read()
packets = b''.join(field(1, b'\x08' + varint(1000 + i) + b'\x50\x01' + b'\0' * i) for i in range(200))
put('perfetto', packets)
put('perfetto.json.gz', gzip.compress(packets))
put('perfetto-large', field(1, b'\x12' + varint(90000) + b'\0' * 90000) + packets)
put('xplane', field(1, b'\x08\x01' + field(2, b'/host:CPU') + b'\0' * 9000))
put('xplane2', field(1, field(2, b'/device:TPU:0') + b'\x1a\x02\x08\x01'))
put('rocprof.json', json.dumps({'rocprofiler-sdk-tool': [{'metadata': {'pid': 1}}]}).encode())
put('nsys.json', b'{"Type":79,"CudaEvent":{"startNs":"100","endNs":"2000","kernel":{"shortName":"12"}}}\n'
    b'{"Type":59,"NvtxEvent":{"Timestamp":"100","Text":"x"}}\n')
put('speedscope.json', json.dumps({'$schema': 'https://www.speedscope.app/file-format-schema.json',
                                   'profiles': []}).encode())
put('page.json', b'\n<!DOCTYPE HTML><html><body>Sign in</body></html>')
put('ncu', b'NVR\0' + b'\0' * 100)
put('perf.data', b'PERFILE2' + b'\0' * 100)
put('snapshot', b'\x80\x04\x95' + b'\0' * 20)
put('twice.json.gz', gzip.compress(gzip.compress(trace)))
put('a.nsys-rep', b'QNX\0\1\2')
put('b.qdrep', b'\0\1')
put('c.pftrace', b'what is this')
put('d.xplane.pb', b'\1\2\3')
put('e.tar', b'old tar without a magic')
put('events.out.tfevents.17', b'\x18\0\0\0\0\0\0\0')
database('rocpd.db', ['rocpd_metadata_0', 'rocpd_kernel_dispatch_0'])
database('nsys', ['StringIds', 'TARGET_INFO_GPU', 'CUPTI_ACTIVITY_KIND_KERNEL'], 150)
database('late.nsys.sqlite', ['X'])
database('ascend.db', ['STRING_IDS', 'TASK'])
database('any.db', ['x'])
for name in ('tar.json', 'trace.json.gz', 'trace.tgz'):
    with tarfile.open(name, 'w' if name == 'tar.json' else 'w:gz') as tar:
        info = tarfile.TarInfo('trace.json')
        info.size = len(trace)
        tar.addfile(info, io.BytesIO(trace))
def frame(window_log, data):
    return b'\x28\xb5\x2f\xfd\0' + bytes([window_log - 10 << 3]) + \
        struct.pack('<I', len(data) << 3 | 1)[:3] + data
put('wide.zst', frame(28, trace[:2000]))
put('wide.json', b'\x50\x2a\x4d\x18\2\0\0\0xx' + frame(31, trace[:2000]))
put('later.zst', frame(20, trace[:60000]) + frame(29, trace[60000:60100]))
put('limit.zst', frame(27, trace[:60000]))
# Traces, whatever they are called.
for name in ('t.pftrace', 't.nsys-rep', 't.tar', 't.hltv', 't.pb'):
    shutil.copy(sys.argv[1], name)
put('blank.json', b'\n\n\n' + trace)
put('t.tgz', gzip.compress(trace))
put('small.zst', frame(20, b'{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]}'))
END

named() { # named REGEX FILE...: what it is, and what to do
	regex=$1
	shift
	for file in "$@"; do
		t_run 3 "$file"
		t_error
		t_err "^tracecoach: $file is $regex"
		t_stdin=$file
		case $file in
		*.nsys-rep | *.qdrep | c.* | d.* | e.* | events* | late*) ;;
		*) t_run 3 import - -o x.db && t_err "standard input is $regex" ;;
		esac
		t_stdin=/dev/null
	done
}

torch='.*export_chrome_trace'
named 'a Perfetto trace as protocol buffers; .*traceconv json' perfetto perfetto.json.gz \
	perfetto-large c.pftrace
named 'a profile of XLA or TensorFlow.*\.trace\.json\.gz' xplane xplane2 d.xplane.pb
named 'JSON of rocprofv3.*rocpd convert .*--output-format pftrace' rocprof.json
nsys='.*nsys_to_trace\.py.*export_chrome_trace'
named "a report of NVIDIA Nsight Systems as JSON.*nsys export --type sqlite$nsys" nsys.json
named "a profile for speedscope$torch" speedscope.json
named 'a web page' page.json
named "a report of NVIDIA Nsight Compute$torch" ncu
named "a recording of Linux perf$torch" perf.data
named "a Python pickle$torch" snapshot
named 'compressed twice; ' twice.json.gz
named "a report of NVIDIA Nsight Systems.*nsys export --type sqlite$nsys" a.nsys-rep b.qdrep
named 'a log of TensorBoard; give the \.pt\.trace\.json' events.out.tfevents.17
named 'a tar archive; unpack it \(tar -xf\)' tar.json trace.json.gz trace.tgz e.tar
named 'a database of rocprofv3.*rocpd convert' rocpd.db
named "a database of NVIDIA Nsight Systems$nsys" nsys late.nsys.sqlite
named 'a database of the Ascend profiler; give trace_view\.json.*msprof --export=on --output=' ascend.db
named 'compressed by zstd with a window of 256 MiB, and at most 128 MiB .*zstd -d --long=31' wide.zst
named 'compressed by zstd with a window of 2048 MiB' wide.json
t_run 3 any.db
t_error
t_err 'SQLite database'

# Traces of a training run that show neither operations nor devices are named, with what they show and
# what to record.
cat >timeline.json <<'END'
[
{"name": "process_name", "ph": "M", "pid": 0, "args": {"start_time_since_epoch_in_micros":1700000000000000}},
{"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "grad.weight"}},
{"ph": "B", "name": "NEGOTIATE_ALLREDUCE", "ts": 1000, "pid": 1},
{"ph": "X", "name": "0", "ts": 1010, "pid": 1, "dur": 0},
{"ph": "E", "ts": 1050, "pid": 1},
{"ph": "B", "name": "ALLREDUCE", "ts": 1060, "pid": 1},
{"ph": "B", "name": "NCCL_ALLREDUCE", "ts": 1070, "pid": 1},
{"ph": "E", "ts": 1170, "pid": 1},
{"ph": "E", "ts": 1180, "pid": 1, "args": {"dtype": "float32", "shape": "[1024]"}}]
END
cat >io.pfw <<'END'
[
{"id":0,"name":"HH","cat":"dftracer","pid":7,"tid":7,"ph":"M","args":{"name":"node1","value":"aa"}}
{"id":1,"name":"open64","cat":"POSIX","pid":7,"tid":7,"ts":1698080323775554,"dur":50,"ph":"X","args":{"ret":3}}
{"id":2,"name":"read","cat":"POSIX","pid":7,"tid":7,"ts":1698080323775654,"dur":90,"ph":"X","args":{"ret":4096}}
{"id":3,"name":"Reader.next","cat":"reader","pid":7,"tid":8,"ts":1698080323775500,"dur":300,"ph":"X","args":{"epoch":1}}
END
cat >flex.json <<'END'
[{"name": "Flex RoundTrip", "ph": "X", "ts": 1000, "dur": 400, "pid": 0, "tid": 1, "args": {}},
 {"name": "bmm_1 Cmpt Exec", "ph": "X", "ts": 1100, "dur": 100, "pid": 0, "tid": 2, "args": {"TS3": "0x1300", "TS4": "0x1400"}}]
END
other() { # other FORMAT FILE REGEX: the format and the verdict
	t_run 0 "$2" -f json
	t_out "\"format\": ?\"$1\""
	t_out "\"verdict\": ?\"This is a $3"
}
other horovod timeline.json 'timeline of Horovod \(4 slices on 1 thread\)\. .*: record every rank with torch\.profiler'
other dftracer io.pfw 'trace of dftracer \(3 slices on 2 threads\)\. .*: record the same steps with torch\.profiler'
other flex flex.json 'trace of Flex, .* \(2 slices on 2 threads\)\. .*: convert it with aiu-trace-analyzer'

# PyTorch without Kineto exports operations without categories: they go by their names.
cat >no-kineto.json <<'END'
[{"name": "ProfilerStep#3", "ph": "X", "ts": 100, "dur": 900, "tid": 1, "pid": "CPU functions", "args": {}},
 {"name": "aten::linear", "ph": "X", "ts": 200, "dur": 300, "tid": 1, "pid": "CPU functions", "args": {}},
 {"name": "aten::addmm", "ph": "X", "ts": 210, "dur": 200, "tid": 1, "pid": "CPU functions", "args": {}},
 {"name": "autograd::engine::evaluate_function: AddmmBackward0", "ph": "X", "ts": 600, "dur": 200, "tid": 2, "pid": "CPU functions", "args": {}},
 {"name": "AddmmBackward0", "ph": "X", "ts": 610, "dur": 150, "tid": 2, "pid": "CPU functions", "args": {}}]
END
t_run 0 no-kineto.json
t_out '^  kineto, 1 step'
t_out '^  No device work in this trace'
t_run 0 import no-kineto.json -o no-kineto.db
t_run 0 query no-kineto.db "SELECT count(*) AS count FROM label WHERE role = 'dispatch'"
t_out '^ *4$'

# What came before a wide frame is kept, and the loss is told.
t_run 0 later.zst --width 140 --details
t_out 'zstd frame 2 has a window of 512 MiB'
t_run 0 limit.zst

for file in t.pftrace t.nsys-rep t.tar t.hltv t.pb blank.json t.tgz small.zst; do
	t_run 0 "$file"
done

# Among others such a file is left out.
t_run 5 "$example" nsys a.nsys-rep
t_err 'left out: nsys is a database of NVIDIA Nsight Systems'
t_err 'left out: a\.nsys-rep is a report of NVIDIA Nsight Systems'
# So it is in a directory; files that are not called like traces are not looked at.
mkdir run
cp "$example" run/trace.json
cp rocprof.json nsys.json speedscope.json run
cp nsys run/nsys.sqlite
t_run 5 run
for name in rocprof.json nsys.json speedscope.json; do
	t_err "$name"
done
t_end
