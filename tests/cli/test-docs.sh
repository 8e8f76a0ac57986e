# The commands of README.md, docs/*.md, docs/guide/*.md and the skill, as they stand there, do what
# the page says. Lines that start with "$ " have their output below them, where [...] stands for
# lines left out; other commands run and succeed.
. "$(dirname "$0")/lib.sh"

gen=${TC_TRACEGEN:-$root/build/release/tracegen}
[ -x "$gen" ] || t_skip "no tracegen at $gen"
mkdir "$t_top/bin"
ln -s "$tool" "$t_top/bin/tracecoach"
ln -s "$tool" "$t_top/bin/habana_perf_tool"
ln -s "$gen" "$t_top/bin/tracegen"
PATH=$t_top/bin:$PATH

# commands PAGE: "0" or, for those with output, "$" before each command of its code blocks. What
# follows two blanks and # is a remark.
commands() {
	awk '
	/^```/ { inside = !inside; next }
	!inside { next }
	/^\$ / { print; next }
	/^(tracecoach|tracegen|habana_perf_tool|sqlite3) / {
		sub(/  +#.*/, "")
		print "0 " $0
	}' "$1"
}

# The files that the commands speak of.
scene() {
	rm -rf ./* && mkdir testdata traces rules
	cp "$example" testdata/
	sed -n '/^```sql/,/^```/p' "$root/docs/user-rules.md" | sed '/^```/d' >rules/heavy-kernel.sql
	tracegen --problem dataloader --problem layout-transposes -o trace.json
	cp "$example" before.json
	cp trace.json after.json
	for rank in 0 1; do
		tracegen --format cuda --world-size 2 --rank $rank -o rank$rank.json
		cp rank$rank.json traces/
		gzip rank$rank.json
	done
	printf '[{"metric_name": "graph_compilation", "triggers": {}, "statistics": {"TotalNumber": 3}}]\n' \
		>metrics-rank0.json
	echo 'step 1' >run.log
	printf '%s\n' 'Name,Trace Source,Engine,Event type,Timestamp[usec],Recipe ID,Recipe name,Device,Operation,Data Type,SPMU value' \
		'conv,Device,MME 0,BEGIN,1.5,1,r,0,Convolution,bf16,' >hw_profile.csv
	printf '%s\n' 'Unit,Unique node id,Node Name,Op Type,Start time of node,End time of node,Duration (us)' \
		'MME,0,conv,Convolution,1.5,2.5,1.0' >hw_profile_analyzed_nodes.csv
	for day in monday tuesday; do
		mkdir $day && cp -r traces $day/bert
	done
	for side in trace before after; do
		tracecoach import -q $side.json -o $side.db
	done
	cp trace.db run.db
}

run_page() { # run_page PAGE
	while read -r want command; do
		case $command in
		*COMMAND* | *\[--* | *BEFORE*) continue ;;
		*--fail-on*) may=1 ;;
		*) may=0 ;;
		esac
		case $command in
		*'jq '*) command -v jq >/dev/null || continue ;;
		*.csv*) tracecoach --version | grep -q '^with libcsv' || continue ;;
		esac
		t_what="$1: $command"
		LC_ALL=${utf8:-C} COLUMNS=80 sh -c "$command" </dev/null >"$out" 2>"$err"
		code=$?
		[ $code -le $may ] || t_fail "exit code $code"
		[ "$want" = 0 ] || same_as_page "$1" "$command"
		t_ran=$((t_ran + 1))
	done <"$t_top/commands"
}

# What stands below the command on the page is its output, in order and without gaps but for [...].
same_as_page() { # same_as_page PAGE COMMAND
	awk -v command="\$ $2" '
	$0 == command { on = 1; next }
	on && (/^```/ || /^\$ /) { exit }
	on' "$root/$1" >"$t_top/shown"
	awk '
	FNR == NR { line[FNR] = $0; count = FNR; next }
	$0 == "[...]" { gap = 1; next }
	{
		at++
		while (gap && at <= count && line[at] != $0)
			at++
		if (line[at] != $0) {
			print "the page has: " $0
			print "the output is: " line[at]
			bad = 1
			exit
		}
		gap = 0
	}
	END { exit bad || (!gap && at < count) }' "$out" "$t_top/shown" || t_fail 'the output is another'
}

t_ran=0
utf8=$(locale -a 2>/dev/null | grep -iE '^(C|en_US)\.utf-?8$' | head -1)
for page in README.md $(cd "$root" && ls docs/*.md docs/guide/*.md examples/skill/*.md); do
	commands "$root/$page" >"$t_top/commands"
	[ -s "$t_top/commands" ] || continue
	scene
	run_page "$page"
done
t_ok 'commands were found' test $t_ran -gt 20

# The head of the skill has what the form asks for (agentskills.io/specification): a name, and a description
# of at most 1,024 characters.
skill=$root/examples/skill/SKILL.md
t_ok 'the skill begins with its head' test "$(head -n 1 "$skill")" = ---
t_ok 'the skill has its name' grep -qx 'name: tracecoach' "$skill"
description=$(sed -n 's/^description: //p' "$skill")
t_ok 'the description of the skill has a length that the form allows' test ${#description} -gt 100 -a ${#description} -le 1024

# Nothing is left out: members of the JSON, options, exit codes.
sed -n '/^## JSON/,$p' "$root/docs/report.md" >"$t_top/json"
t_run 0 trace.json -q --format json
for member in $(sed -n 's/^ "\([a-z_]*\)":.*/\1/p' "$out"); do
	case $member in tool) continue ;; esac
	t_ok "docs/report.md has the member $member" grep -q "\`$member" "$t_top/json"
done
man=$root/docs/man/tracecoach.1.scd
t_run 0 --help
for code in $(sed -n '/^Exit codes/,$s/^ *\([0-9][0-9]*\)  .*/\1/p' "$out"); do
	t_ok "README.md has exit code $code" grep -q "^| $code |" "$root/README.md"
	t_ok "the man page has exit code $code" grep -qE "^\|\[? *$code\$" "$man"
done

# The names that docs/schema.md says are Perfetto's are there.
for view in slice flow; do
	columns=$(tr '\n' ' ' <"$root/docs/schema.md" | sed -n "s/.*Perfetto.* $view (\([^)]*\)).*/\1/p")
	t_ok "docs/schema.md tells the columns of $view" test -n "$columns"
	t_run 0 query trace.db "SELECT $columns FROM $view LIMIT 1"
done
t_end
