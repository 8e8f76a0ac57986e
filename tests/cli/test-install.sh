# What is installed: the program, the pages that messages and the README name, and the library.
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

# Somebody else's program, built with what is installed alone. That of a sanitizer needs its flags.
if command -v pkg-config >/dev/null && command -v cc >/dev/null &&
	grep -q '^TC_SANITIZE:[A-Z]*=$' "$build/CMakeCache.txt"; then
	PKG_CONFIG_PATH=$(dirname "$(find "$dir/here" -name tracecoach.pc)")
	export PKG_CONFIG_PATH
	t_what='examples/c/report.c with what is installed'
	# shellcheck disable=SC2046 # the flags are words
	cc -std=c11 -Wall -Wextra -pedantic "$root/examples/c/report.c" -o report \
		$(pkg-config --cflags --libs tracecoach) >"$out" 2>"$err"
	t_check $? 0
	t_run 0 "$example" --ascii --width 80
	mv "$out" expected
	./report "$example" >"$out" 2>"$err"
	t_check $? 0
	t_same expected "$out"
	./report missing.json >"$out" 2>"$err"
	t_check $? 1
	t_err 'cannot open missing\.json'
fi

# The link for scripts that call Intel's tool is chosen when the build is configured.
t_what='a build with TC_INSTALL_PERF_TOOL'
cmake -S "$root" -B linked -DTC_INSTALL_PERF_TOOL=ON -DBUILD_TESTING=OFF >"$out" 2>"$err"
t_check $? 0
cp "$build/tracecoach" linked/
cp "$build/lib/libtracecoach.a" linked/lib/
cp "$build/tracecoach.1" linked/ 2>/dev/null
cmake --install linked --prefix "$dir/there" >"$out" 2>"$err"
t_check $? 0
tool=$dir/there/bin/habana_perf_tool
t_run 0 --trace "$example"
t_out 'Device ratio'
t_end
