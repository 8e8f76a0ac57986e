# report: a page on the jobs of an index, what changed since another, and what fails a script.
. "$(dirname "$0")/lib.sh"

gen=${TC_TRACEGEN:-$root/build/release/tracegen}
[ -x "$gen" ] || t_skip "no tracegen at $gen"

# job NIGHT PATH PROBLEM: two ranks.
job() {
	mkdir -p "$1/$2"
	for rank in 0 1; do
		"$gen" --format cuda --steps 6 --nodes 10 --world-size 2 --rank $rank $3 -o "$1/$2/rank$rank.json"
	done
}
for night in one two; do
	job $night team-a/bert "--problem dataloader"
	job $night team-b/gpt ""
done
job two team-b/vit "--problem host-bound"
rm -r two/team-b/gpt && job two team-b/gpt "--problem input-copy-blocking=60"
mkdir two/team-c && head -c 200 two/team-a/bert/rank0.json >two/team-c/cut.json
t_run 0 batch -q one -o old
t_run 5 batch -q two -o new

t_run 0 report new
t_out '^  4 jobs, 6 traces, 6 devices\. Run all day as recorded, that is 144'
t_out '^  team-a/bert .* dataloader-bound +[0-9]'
t_out '1  trace could not be read +team-c/cut.json'
t_no_out 'Since the earlier index'
t_fits 80
t_run 0 report new/index.db --group-by 1
t_out '^  team-b +2 +4 '
t_run 0 report new --details
t_out '^  - team-c/cut.json \('

t_run 0 report new --since old
t_out '^  1 job slower, 0 faster, 1 as before'
t_out '^  team-b/gpt .* \+[0-9.]+ %'
t_run 0 compare old new
t_out '^  team-b/gpt .* \+[0-9.]+ %'
t_no_out 'Jobs, most device hours'
t_run 0 compare new old
t_out '^  0 jobs slower, 1 faster'

# Gates, and what is wrong on the command line.
t_run 1 report new --since old --fail-on-slower 5
t_run 0 report new --since new --fail-on-slower 5
t_run 1 report new --fail-on high
t_run 2 report new --fail-on-slower 5
t_error
t_run 2 report new old
t_error
t_run 2 report new --format html
t_error
t_run 3 report two
t_error
t_run 3 report new --since nowhere
t_error

# Forms for scripts, and the page as a file.
t_run 0 report new --since old --format csv
t_ok 'csv has a row a job' test "$(wc -l <"$out")" -eq 5
t_out '^team-b/vit,2,0,.*,new$'
t_run 0 report new --since old --format json
t_python 'json has all jobs' "import json; assert len(json.load(open('$out'))['jobs']) == 4"
t_run 0 report new --format md -o page.md
t_ok 'Markdown has a table' grep -q '^| team-a/bert |' page.md
t_run 2 report new -o new/index.db
t_error
t_end
