# README.md shows what the tool really prints.
. "$(dirname "$0")/lib.sh"
t_ok 'README.md is fresh: run tools/readme-example' \
	env TC_TOOL="$tool" sh "$root/tools/readme-example" --check
t_end
