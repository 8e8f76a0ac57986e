# README.md shows what the tool really prints.
. "$(dirname "$0")/lib.sh"
t_ok 'README.md is fresh: run tools/readme-example' \
	env TC_TOOL="$tool" sh "$root/tools/readme-example" --check
for page in $(sed -n 's/.*](\([a-z][^):]*\)).*/\1/p' "$root/README.md"); do
	t_ok "README.md links to $page" test -e "$root/$page"
done
# The versions that CHANGELOG.md names are those of the sources.
versions=$(for file in lib/store/schema/head.sql lib/fleet/index.sql; do
	sed -n 's/^-- Version \([0-9]*\) of the public schema.*/\1/p' "$root/$file"
done
for form in report compare; do
	sed -n 's/.*"schema_version": {"const": \([0-9]*\)}.*/\1/p' "$root/docs/$form.schema.json"
done)
# shellcheck disable=SC2086 # four words
t_ok 'CHANGELOG.md has the versions of the forms' grep -qF "$(printf \
	'Store version %s, index version %s, report JSON version %s, compare JSON version %s.' $versions)" \
	"$root/CHANGELOG.md"
t_ok 'README.md has 120 lines at most' test "$(wc -l <"$root/README.md")" -le 120

# docs/index.md leads to every page, and no page leads nowhere.
links() { # links PAGE: the files that it names, as paths from the repository
	sed 's/](/\n](/g' "$root/$1" | sed -n 's/^](\([^)#:]*\)[#)].*/\1/p' | sort -u | while read -r target; do
		echo "$(dirname "$1")/$target"
	done
}
for page in $(cd "$root" && ls README.md SECURITY.md CHANGELOG.md docs/*.md docs/guide/*.md docs/maintain/*.md); do
	for target in $(links "$page"); do
		t_ok "$page links to $target" test -e "$root/$target"
	done
	case $page in
	docs/index.md | CHANGELOG.md) continue ;;
	esac
	links docs/index.md | sed 's#^docs/\.\./##' >linked
	t_ok "docs/index.md links to $page: add it there" grep -qx "$page" linked
done
t_end
