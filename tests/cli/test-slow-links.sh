# Jobs of which one rank, or one pair of ranks, has slow links, and jobs that only look like it.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || t_skip 'no python3'

mkdir -p jobs
python3 "$root/tests/cli/slow-links.py" "$tool" jobs >"$out" 2>"$err" || t_fail "$(cat "$out" "$err")"
t_end
