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
for form in report summary compare whatif fleet; do
	sed -n 's/.*"schema_version": {"const": \([0-9]*\)}.*/\1/p' "$root/docs/$form.schema.json"
done)
# shellcheck disable=SC2086 # seven words
t_ok 'CHANGELOG.md has the versions of the forms' grep -qF "$(printf \
	'Store version %s, index version %s, report JSON version %s, short report JSON version %s, compare JSON version %s, what-if JSON version %s, batch JSON version %s.' $versions)" \
	"$root/CHANGELOG.md"
t_ok 'README.md has 120 lines at most' test "$(wc -l <"$root/README.md")" -le 120

# Nobody who copies a schedule records for ever.
grep -rE 'schedule\(.*wait=' "$root/README.md" "$root/docs" >schedules
t_ok 'seven pages have a schedule' test "$(wc -l <schedules)" -ge 7
t_ok 'each has repeat=1' sh -c '! grep -v repeat=1 schedules'

# docs/index.md leads to every page, and no page leads nowhere.
links() { # links PAGE: the files that it names, as paths from the repository
	sed 's/](/\n](/g' "$root/$1" | sed -n 's/^](\([^)#:]*\)[#)].*/\1/p' | sort -u | while read -r target; do
		echo "$(dirname "$1")/$target"
	done
}
# headings PAGE: its headings, as links name them
headings() {
	sed -n 's/^##* //p' "$root/$1" | tr 'A-Z ' 'a-z-' | sed 's/[^a-z0-9_-]//g'
}
for page in $(cd "$root" && ls README.md SECURITY.md CHANGELOG.md docs/*.md docs/guide/*.md docs/maintain/*.md); do
	for target in $(links "$page"); do
		t_ok "$page links to $target" test -e "$root/$target"
	done
	for place in $(sed 's/](/\n](/g' "$root/$page" | sed -n 's/^](\([^):]*#[^)]*\)).*/\1/p'); do
		target=$(dirname "$page")/${place%%#*}
		[ -n "${place%%#*}" ] || target=$page
		headings "$target" >places
		t_ok "$page links to the heading $place" grep -qx -e "${place#*#}" places
	done
	case $page in
	docs/index.md | CHANGELOG.md) continue ;;
	esac
	links docs/index.md | sed 's#^docs/\.\./##' >linked
	t_ok "docs/index.md links to $page: add it there" grep -qx "$page" linked
done

# The ten questions of docs/index.md: a click leads to a section, or a page, that has the answer.
asked() { # asked QUESTION ANSWER: the place behind the question has a line with the answer
	place=$(sed -n "s/^| [^|]*$1[^|]*| \[[^]]*\](\([^)]*\)) |\$/\1/p" "$root/docs/index.md")
	case $place in *'#'*) heading=${place#*#} ;; *) heading= ;; esac
	t_ok "docs/index.md asks: $1" test -n "$place"
	awk -v heading="$heading" '
	BEGIN { on = heading == "" }
	/^#/ {
		slug = tolower($0)
		gsub(/^#+ /, "", slug)
		gsub(/ /, "-", slug)
		gsub(/[^a-z0-9_-]/, "", slug)
		if (heading != "")
			on = slug == heading
	}
	on' "$root/docs/${place%%#*}" >answers
	t_ok "the answer to $1 is there" grep -qF -e "$2" answers
	t_asked=$((t_asked + 1))
}
t_asked=0
asked 'device idle' 'FROM idle_cause'
asked 'faster loader win' 'tracecoach whatif trace.json --scale'
asked 'is it noise' 'no difference beyond step-to-step variation'
asked 'rank is late' 'late_order IS NOT NULL'
asked 'Which layer' 'FROM module_total ORDER BY'
asked 'at the peak' 'FROM memory_at_peak'
asked 'fail a pull request' '--fail-on-slower 5'
asked 'does the table' 'Device idle time, each row with one cause'
asked 'differ from HTA' 'HTA'
asked 'own check' 'ORDER BY gain_ns DESC, subject;'
t_ok 'all questions were followed' test "$t_asked" -eq "$(sed -n '/^## Ten questions/,$p' "$root/docs/index.md" | grep -c '](')"
t_end
