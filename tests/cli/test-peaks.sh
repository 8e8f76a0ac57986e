#!/bin/sh
# Peaks of the user's own: --peaks FILE.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || t_skip 'no python3'

# A product of 2 * 1024^3 FLOPs in bf16 that takes 100 us, and an addition of 3 * 8 MB in 50 us.
python3 - <<'END'
import json
events = []
def add(category, name, ts, dur, tid=1, pid=7, **args):
    events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args})
for step in range(100):
    for i, (name, dims, kernel, dur) in enumerate((("aten::mm", [[1024, 1024], [1024, 1024]], "gemm_bf16", 100),
            ("aten::add", [[4000000], [4000000], []], "add", 50))):
        number = 2 * step + i + 1
        at = 60 * step + 30 * i
        add("cpu_op", name, at, 20, **{"Input Dims": dims, "Input type": ["c10::BFloat16"] * 2 + ["Scalar"] * i})
        add("cuda_runtime", "cudaLaunchKernel", at + 5, 10, correlation=number)
        add("kernel", kernel, 20 + 150 * step + 100 * i, dur, 7, 0, device=0, stream=7, correlation=number)
json.dump({"schemaVersion": 1, "traceEvents": events}, open("run.json", "w"))
END

rates() { # rates ARGUMENT...: shares of the peaks of the product and the addition
	t_run 0 import -q run.json -o run.db "$@"
	t_run 0 query run.db "SELECT name, round(flops_pct, 2) AS flops, round(bytes_pct, 2) AS bytes FROM roofline ORDER BY 1 DESC" --format csv
}

t_what='measured'
cat >peaks.ini <<'END'
; of our cluster
[Prototype 7]
source = measured in March
bf16_tflops = 214.7483648
	memory_gb_per_s = 1200
link_gb_per_s = 62.5
cores = 96
END
rates --peaks peaks.ini
t_out '^aten::mm,10.0,5.24$'
t_out '^aten::add,,40.0$'
t_run 0 query run.db "SELECT device_name, core_count, hbm_bytes, hbm_bytes_per_s, link_bytes_per_s, source FROM device_peak" --format csv
t_out '^Prototype 7,96,,1200000000000.0,62500000000.0,measured in March$'
t_run 0 analyze run.json --peaks peaks.ini --details --width 140
t_out '10.0 %.*aten::mm'
t_run 0 explain run.json below-roof --peaks peaks.ini
t_out 'aten::mm'

t_what='gain'
# What is left of products in fp32 follows from these peaks, also where they are near each other.
sed 's/gemm_bf16/sgemm_128x64/g; s/c10::BFloat16/float/g' run.json >fp32.json
for peaks in '36 144' '36 72' '36 36'; do
	printf '[My card]\nfp32_tflops = %s\nbf16_tflops = %s\n' $peaks >card.ini
	t_run 0 whatif fp32.json --fix gemm-fp32 --format json --peaks card.ini
	sed -n 's/.*"gain_ns": \([0-9]*\),.*/\1/p' "$out" | head -1 >>gains
done
# Of 10 ms 3.75, 5 and all are left.
printf '%s\n' 6250000 5000000 0 >expected
t_same gains expected
t_run 0 explain fp32.json gemm-fp32
t_out 'the gain is a wide range'
t_run 0 import -q fp32.json -o fp32.db --peaks card.ini
t_run 0 query fp32.db "SELECT fp32_kept_ratio FROM device_peak" --format csv
t_out '^1.0$'

t_what='one of several'
# What a section leaves out is that of the data sheet of its name; its path is the source.
cat >two.ini <<'END'
[Prototype 7]
bf16_tflops = 107.3741824
[NVIDIA H100 PCIe]
memory_gb_per_s = 1000
END
rates --peaks two.ini --device 'Prototype 7'
t_out '^aten::mm,20.0,$'
rates --peaks two.ini --device 'NVIDIA H100 PCIe'
t_out '^aten::mm,2.84,6.29$'
t_run 0 query run.db "SELECT source, core_count FROM device_peak" --format csv
t_out '^two.ini,114$'

t_what='faults'
fault() { # fault MESSAGE LINE...: the file of these lines fails with it
	message=$1
	shift
	printf '%s\n' "$@" >bad.ini
	t_run 2 import -q run.json -o bad.db --peaks bad.ini
	t_err "$message"
	[ ! -e bad.db ] || t_fail 'a store is left'
}
fault 'bad.ini:2: bf17_tflops: no such figure' '[A]' 'bf17_tflops = 3'
fault 'bad.ini:2: unknown_tflops: no such figure' '[A]' 'unknown_tflops = 3'
fault 'bad.ini:3: bf16_tflops = fast: give a number above 0' '[A]' '' 'bf16_tflops = fast'
fault 'bad.ini:2: memory_gb_per_s = -1: give a number above 0' '[A]' 'memory_gb_per_s = -1'
fault 'bad.ini:2: cores = 1.5: give a whole number' '[A]' 'cores = 1.5'
fault 'bad.ini:1: a figure of no device' 'cores = 4'
fault 'bad.ini:2: neither' '[A]' 'cores'
fault 'no device in it' '; nothing'
fault 'it has 2 devices: say which with --device' '[A]' 'cores = 4' '[B]' 'cores = 5'
fault '\[Device 65\]: more than 64 devices' "$(for i in $(seq 1 65); do printf '[Device %d]\ncores = 4\n' "$i"; done)"
t_run 2 import -q run.json -o bad.db --peaks two.ini --device H200
t_err "device 'H200': not in two.ini"
t_run 2 import -q run.json -o bad.db --peaks nosuch.ini
t_err 'nosuch.ini'
# The file is not written over.
cp peaks.ini before.ini
t_run 2 import -q run.json -o peaks.ini --peaks peaks.ini
t_same peaks.ini before.ini
# A store has its peaks.
t_run 2 analyze run.db --peaks peaks.ini
t_err 'peaks is too late'
t_run 2 analyze run.db --device H100
t_err 'device is too late'
# A batch takes them, too; with other figures it reads its jobs again, and with the same ones not.
t_what='batch'
mkdir jobs
cp run.json jobs/
asks() { # asks RESULT ARGUMENT...
	want=$1
	shift
	t_run 0 batch jobs -o out --keep-stores "$@"
	t_out "$want read now"
	t_run 0 query "$(find out/jobs -name '*.db')" "SELECT device_name, hbm_bytes_per_s / 1e9 AS gb FROM device_peak" --format csv
}
printf '[My card]\nmemory_gb_per_s = 1000\n' >card.ini
asks 1 --peaks card.ini
t_out '^My card,1000.0$'
asks 0 --peaks card.ini
sed -i 's/1000/2000/' card.ini
asks 1 --peaks card.ini
t_out '^My card,2000.0$'
asks 1 --device 'H100 PCIe'
t_out 'H100 PCIe'
t_run 2 batch jobs -o out --peaks gone.ini
t_err 'gone.ini'
t_end
