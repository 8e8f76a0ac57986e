# Programs of others with what is installed, and nothing else of the source or the build: in C and C++,
# with the shared library and the archive, by pkg-config and by CMake. They are those of examples/c.
. "$(dirname "$0")/lib.sh"

build=$(dirname "$tool")
[ -f "$build/cmake_install.cmake" ] || t_skip 'the program lies outside of its build directory'
# A program with the library of a sanitizer would need its flags.
grep -q '^TC_SANITIZE:[A-Z]*=$' "$build/CMakeCache.txt" || t_skip 'a sanitizer is built in'
command -v pkg-config >/dev/null && command -v cc >/dev/null || t_skip 'no pkg-config or no cc'
cmake --install "$build" --prefix "$dir/here" >"$out" 2>"$err"
t_check $? 0
PKG_CONFIG_PATH=$(dirname "$(find "$dir/here" -name tracecoach.pc)")
LD_LIBRARY_PATH=$(dirname "$(find "$dir/here" -name libtracecoach.so)")
export PKG_CONFIG_PATH LD_LIBRARY_PATH
version=$("$tool" --version | sed -n '1s/^tracecoach //p')
t_ok 'pkg-config tells the version' test "$(pkg-config --modversion tracecoach)" = "$version"

# make_example PROGRAM SOURCE COMPILER...: the flags are words
make_example() {
	t_what="$1"
	program=$1
	source=$2
	shift 2
	# shellcheck disable=SC2046
	"$@" -Wall -Wextra -pedantic -Werror "$root/examples/c/$source.c" -o "$program" \
		$(pkg-config --cflags --libs tracecoach) >"$out" 2>"$err"
	t_check $? 0
}

check_report() {
	"$1" "$example" >"$out" 2>"$err"
	t_check $? 0
	t_same expected "$out"
	"$1" missing.json >"$out" 2>"$err"
	t_check $? 1
	t_err 'cannot open missing\.json'
}

check_findings() {
	"$1" "$example" >"$out" 2>"$err"
	t_check $? 0
	t_out "^high +$gain dataloader-bound: The device waits for the data loader\$"
}

check_ask() {
	"$1" run.db 'SELECT count(*) AS steps FROM step' 'remove role = dataloader' >"$out" 2>"$err"
	t_check $? 0
	t_out '^steps$'
	t_out '67\.62 ms'
	"$1" run.db 'SELECT 1' 'remove everything' >"$out" 2>"$err"
	t_check $? 1
	t_err 'everything'
	"$1" run.db >"$out" 2>"$err"
	t_check $? 2
	t_err '^usage: ask STORE SQL EDIT$'
}

# The library names its own options, which are called as those of the program are.
"$tool" "$example" --ascii --width 80 | sed 's/--details/details/; s/--top/top/' >expected
gain=$("$tool" "$example" --quiet --format json --json-level summary |
	grep -o '"gain_ns": [0-9]*, "gain_low_ns"' | awk 'NR == 1 { printf "%.3f", $2 / 1e6 }')
t_ok 'there is a gain' test -n "$gain"
"$tool" import "$example" -o run.db -q
for source in report findings ask; do
	make_example "./$source-c" $source cc -std=c11
	check_$source "./$source-c"
done
for source in findings ask; do
	make_example "./$source-cxx" $source c++ -std=c++17 -x c++
	check_$source "./$source-cxx"
done

# The archive: the same, without the shared library.
t_what='the archive'
# shellcheck disable=SC2046
cc -std=c11 "$root/examples/c/findings.c" -o findings-archive -l:libtracecoach.a -Wl,--as-needed \
	$(pkg-config --cflags --libs --static tracecoach) >"$out" 2>"$err"
t_check $? 0
rm -f "$LD_LIBRARY_PATH"/libtracecoach.so*
check_findings ./findings-archive

t_what='CMake'
cmake --install "$build" --prefix "$dir/here" >"$out" 2>"$err"
unset LD_LIBRARY_PATH
cmake -S "$root/examples/c" -B made -DCMAKE_PREFIX_PATH="$dir/here" >"$out" 2>"$err" &&
	cmake --build made >"$out" 2>"$err"
t_check $? 0
check_findings made/findings
t_end
