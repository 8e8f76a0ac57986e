# README.md shows what the tool really prints.
. "$(dirname "$0")/lib.sh"
t_ok 'README.md is fresh: run tools/readme-example' \
	env TC_TOOL="$tool" sh "$root/tools/readme-example" --check
for page in $(sed -n 's/.*](\([a-z][^):]*\)).*/\1/p' "$root/README.md"); do
	t_ok "README.md links to $page" test -e "$root/$page"
done
t_end
