# A release: twice the same bytes, a package without errors of form that holds what is installed.
. "$(dirname "$0")/../cli/lib.sh"

command -v dpkg-shlibdeps >/dev/null || t_skip 'no dpkg-dev'
command -v git >/dev/null && git -C "$root" rev-parse HEAD >/dev/null 2>&1 || t_skip 'no git repository'
# Optimising takes two minutes more; before a release both builds are optimised.
[ "${TC_BUILD_RECIPES:-}" = yes ] || {
	TRACECOACH_BUILD_TYPE=None
	export TRACECOACH_BUILD_TYPE
}
git clone -q "$root" source || t_skip 'the repository cannot be cloned'
for run in first second; do
	t_what="make-release $run"
	sh source/scripts/make-release "$dir/$run" >"$out" 2>"$err"
	t_check $? 0
done
t_ok 'the same bytes' diff -r first second
(cd first && sha256sum -c --quiet ./*.sha256 >"$out" 2>&1)
t_check $? 0
dpkg-deb -c first/*.deb >"$out"
for file in bin/tracecoach include/tracecoach/import.h pkgconfig/tracecoach.pc doc/tracecoach/copyright \
	doc/tracecoach/changelog.gz man/man1/tracecoach-import.1.gz completions/tracecoach; do
	t_out "/$file\$"
done
dpkg-deb -f first/*.deb Depends >"$out"
for package in libsqlite3-0 libyajl2 libzstd1; do
	t_out "$package"
done
# The formula for Homebrew names the source, and it and the recipe for conda the commands that install
# it. TC_BUILD_RECIPES=yes runs these commands, which builds the program twice more.
sum=$(cat first/tracecoach-*.tar.gz | sha256sum | cut -d ' ' -f 1)
t_ok 'the formula has the sum of the source' grep -q "sha256 \"$sum\"" first/tracecoach.rb
mkdir from-source
tar -xzf first/tracecoach-*.tar.gz -C from-source --strip-components=1
if command -v ruby >/dev/null; then
	t_what='the formula'
	ruby "$root/tests/recipes/formula.rb" first/tracecoach.rb from-source "$dir/cellar" >"$out" 2>"$err"
	t_check $? 0
	t_out '^depends on .*inih.*yajl'
	t_out "^cmake -S \. -B build .*-DCMAKE_INSTALL_PREFIX=$dir/cellar"
	t_out '^cmake --install build$'
fi
if python3 -c 'import jinja2, yaml' 2>/dev/null; then
	t_what='the recipe for conda'
	python3 "$root/tests/recipes/conda.py" from-source "$dir/prefix" >"$out" 2>"$err"
	t_check $? 0
	t_out '^tracecoach [0-9.]+ needs .*inih.*yajl'
	t_out '^cmake -S \. -B build-conda .*-DCMAKE_INSTALL_PREFIX=\$PREFIX'
fi
# What both ask the installed program.
t_run 0 "$example" --quiet
t_out 'The device waits for the data'
if command -v lintian >/dev/null; then
	LC_ALL=C.UTF-8 lintian first/*.deb >"$out" 2>"$err"
	t_no_out '^E:'
fi
t_end
