# The wheel: built from the sources as they are, installed into an empty environment, it has the library, the
# program and the package, and asks for no other library than the C library's. pip makes the same bytes of the
# source distribution. Nothing is fetched.
. "$(dirname "$0")/../cli/lib.sh"

python=/usr/bin/python3
[ -x $python ] || python=python3
command -v $python >/dev/null || t_skip 'no python3'
$python -c 'import setuptools, wheel, venv, ensurepip' 2>/dev/null || t_skip 'no setuptools, wheel or venv'
command -v readelf >/dev/null || t_skip 'no readelf'
# Optimising changes nothing that is tested here.
TRACECOACH_BUILD_TYPE=Debug SOURCE_DATE_EPOCH=1700000000
export TRACECOACH_BUILD_TYPE SOURCE_DATE_EPOCH
umask 022
unset PYTHONPATH TRACECOACH_LIBRARY

t_what='make-wheel'
sh "$root/scripts/make-wheel" first >"$out" 2>"$err"
t_check $? 0
wheel=$(echo first/*.whl)
t_what='the source distribution'
$python -m venv --system-site-packages builder >"$out" 2>"$err"
builder/bin/python -m pip wheel --no-index --no-deps --no-build-isolation --no-cache-dir -w second \
	first/*.tar.gz >"$out" 2>"$err"
t_check $? 0
t_same "$wheel" second/*.whl
t_ok 'the wheel is for many systems' sh -c "echo '$wheel' | grep -q 'py3-none-manylinux_2_[0-9]*_'"

t_what='a new environment'
$python -m venv fresh >"$out" 2>"$err"
t_check $? 0
fresh/bin/python -m pip install --no-index "$wheel" >"$out" 2>"$err"
t_check $? 0
native=$(echo fresh/lib/python3*/site-packages/tracecoach/_native)
for file in "$native"/*; do
	readelf -d "$file" >"$out" 2>"$err"
	t_what=$file
	t_no_out 'NEEDED.*\[lib(sqlite|z|zstd|yajl|popt|inih|seccomp|csv|isal)'
done
t_what='the package'
fresh/bin/python -I -c '
import sys, tracecoach
with tracecoach.analyze(sys.argv[1]) as run:
    print(run.findings[0].id, run.whatif([1]).gain_ns == run.findings[0].gain_ns)
' "$example" >"$out" 2>"$err"
t_check $? 0
t_out '^dataloader-bound True$'
t_what='the program'
fresh/bin/tracecoach "$example" --quiet >"$out" 2>"$err"
t_check $? 0
t_out 'The device waits for the data'
fresh/bin/python -I -m tracecoach --version >"$out" 2>"$err"
t_check $? 0
t_out "^tracecoach $("$tool" --version | sed -n '1s/^tracecoach //p')\$"
t_end
