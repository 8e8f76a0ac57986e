# What is installed: the program, and the pages that messages and the README name.
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
t_end
