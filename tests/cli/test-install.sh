# What is installed: the programs, the pages that messages and the README name, and what these lead to.
# test-library.sh has the library.
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
no_link_is_lost() { # no_link_is_lost DIRECTORY
	(cd "$1" && find . -name '*.md') | while read -r page; do
		sed 's/](/\n](/g' "$1/$page" | sed -n 's/^](\([^)#:]*\)[#)].*/\1/p' |
			while read -r target; do
				[ -e "$(dirname "$1/$page")/$target" ] || echo "$page leads to $target"
			done
	done >"$out"
	t_what="links of $1"
	t_no_out .
}
no_link_is_lost "$pages"
tool=$dir/here/bin/tracecoach
t_run 0 heuristics host-bound
t_out '^How to fix$'
for page in "$build"/tracecoach*.1 "$build"/tracegen*.1; do
	[ ! -f "$page" ] || t_ok "$(basename "$page") is there" test -s "here/share/man/man1/$(basename "$page")"
done

# A program that a message names is where it says, below the prefix that the build was told.
printf '{"type": "NvtxEvent", "NvtxEvent": {}}\n' >nsys.json
t_run 3 nsys.json
prefix=$(sed -n 's/^CMAKE_INSTALL_PREFIX:[A-Z]*=//p' "$build/CMakeCache.txt")
named=$(sed -n 's/.*(python3 \([^ ]*\) .*/\1/p' "$err")
t_ok "$named is there" test -f "here${named#"$prefix"}"
case $named in
"$prefix"/*) ;;
*) t_fail "the message names '$named', which is not below $prefix" ;;
esac

# A new user who has the package and no source: the example of the README, and the tutorial's first step.
t_run 0 "$pages/testdata/trace_example.json"
t_out '^  1  The device waits for the data '
t_ok 'a trace is made' here/bin/tracegen --problem dataloader -o slow.json
t_run 0 slow.json
t_out '^  1  The device waits for the data '

# The same as a package for Debian has it: under the names that Debian asks for, and without a dead link.
mkdir package
cp -R here package/usr
cmake -DCPACK_TEMPORARY_INSTALL_DIRECTORY="$dir/package" -P "$root/cmake/package_debian.cmake" >"$out" 2>"$err"
t_check $? 0
for file in copyright changelog.gz LICENSE CHANGELOG.md; do
	t_ok "$file is there" test -e "package/usr/share/doc/tracecoach/$file"
done
t_ok 'zsh completes' test -s package/usr/share/zsh/vendor-completions/_tracecoach
no_link_is_lost package/usr/share/doc/tracecoach
rm -r package

# The link for scripts that call Intel's tool is chosen when the build is configured.
t_what='a build with TC_INSTALL_PERF_TOOL'
cmake -S "$root" -B linked -DTC_INSTALL_PERF_TOOL=ON -DBUILD_TESTING=OFF >"$out" 2>"$err"
t_check $? 0
cp "$build/tracecoach" "$build/tracegen" linked/
cp -P "$build"/lib/libtracecoach.* linked/lib/
cp -R "$build"/trace*.1 "$build/completions" linked/
cmake --install linked --prefix "$dir/there" >"$out" 2>"$err"
t_check $? 0
tool=$dir/there/bin/habana_perf_tool
t_run 0 --trace "$example"
t_out 'Device ratio'
t_end
