# What is installed: the program, and the pages that messages and the README name. test-library.sh has
# the library.
. "$(dirname "$0")/lib.sh"

build=$(dirname "$tool")
[ -f "$build/cmake_install.cmake" ] || t_skip 'the program lies outside of its build directory'
cmake --install "$build" --prefix "$dir/here" >"$out" 2>"$err"
t_check $? 0
pages=$(dirname "$(find here -name README.md)")
t_ok 'the license is there' grep -q 'The tracecoach authors$' "$pages/LICENSE"
for page in $(grep -oE 'docs/[a-z./-]+\.(md|json)' "$pages/README.md" | sort -u) \
	docs/user-rules.md docs/hardware.md; do
	t_ok "$page is there" test -f "$pages/$page"
done
tool=$dir/here/bin/tracecoach
t_run 0 heuristics host-bound
t_out '^How to fix$'

# The link for scripts that call Intel's tool is chosen when the build is configured.
t_what='a build with TC_INSTALL_PERF_TOOL'
cmake -S "$root" -B linked -DTC_INSTALL_PERF_TOOL=ON -DBUILD_TESTING=OFF >"$out" 2>"$err"
t_check $? 0
cp "$build/tracecoach" linked/
cp -P "$build"/lib/libtracecoach.* linked/lib/
cp -R "$build"/tracecoach*.1 "$build/completions" linked/
cmake --install linked --prefix "$dir/there" >"$out" 2>"$err"
t_check $? 0
tool=$dir/there/bin/habana_perf_tool
t_run 0 --trace "$example"
t_out 'Device ratio'
t_end
