# --set, --config, --only and --skip: what they do to the report, and what they refuse.
. "$(dirname "$0")/lib.sh"

t_run 0 import "$example" -o e.db

# The first advice, made quiet by its threshold; the query and the account have the value.
t_run 0 e.db --only dataloader-bound --details
t_out ' 1 of [0-9]+ checks found something, [0-9]+ left out'
t_no_out 'Settings other'
t_run 0 e.db --only dataloader-bound --set advice.min_gain_pct=99 --details
t_out ' 0 of [0-9]+ checks found something, [0-9]+ left out'
t_out '^  Settings other than the defaults: advice\.min_gain_pct = 99 pct'
t_run 0 explain e.db dataloader-bound --sql --set dataloader-bound.min_share_pct=1.5
t_out '^  WHERE .* >= 1\.5 \* '
t_run 0 e.db --set dataloader-bound.min_share_pct=1.5 --format json
t_ok 'JSON tells the setting' sh -c "tr -d ' \n' <'$out' |
	grep -q '\"id\":\"dataloader-bound\",\"param\":\"min_share_pct\",\"value\":1.5,\"default\":5'"

# The file first, then the command line, each of which may change its mind.
cat >c.ini <<'END'
# A comment
[advice]
  min_gain_pct = 99 ; another
[host-bound]
enabled = no
END
t_run 0 e.db --config c.ini --details
t_out 'advice\.min_gain_pct = 99 pct'
t_out 'switched off by a setting \(enabled = no\): host-bound$'
t_run 0 e.db --config c.ini --set advice.min_gain_pct=7 --set host-bound.enabled=yes \
	--set advice.min_gain_pct=1
t_no_out 'Settings other'
t_no_out 'switched off'

# Chosen and left out, in one list or many; nothing is silently absent.
t_run 0 e.db --only dataloader-bound,device-sync --only host-bound --skip device-sync --format json
t_ok 'all are in the account' sh -c "[ \$(grep -o 'left out by --only' '$out' | wc -l) -eq \
	$(($(find "$root/heuristics" -name '*.sql' | wc -l) - 3)) ]"
t_ok 'one is skipped' sh -c "[ \$(grep -o 'left out by --skip' '$out' | wc -l) -eq 1 ]"

# What was left out is not said to be unable to look, and does not fill the account.
t_run 0 e.db --only dataloader-bound --format json
t_out '"not_applicable": \[\]'
t_ok 'all others were not asked for' test "$(grep -o 'left out by --only' "$out" | wc -l)" -gt 50
t_run 0 e.db --only dataloader-bound --details
t_out '1 of [0-9]+ checks found something, [0-9]+ left out\.'
t_out '^ *- left out by --only: [0-9]+ heuristics$'
t_no_out 'Could not look:'
t_run 0 e.db --skip device-sync --details
t_out '^ *- left out by --skip: device-sync$'

# --fail-on judges what ran.
t_run 1 e.db --fail-on high
t_run 1 e.db --fail-on high --only dataloader-bound
t_run 0 e.db --fail-on high --only no-steps
# A gate over no check would pass whatever the trace has.
t_run 2 e.db --fail-on low --only dataloader-bound,host-bound --skip host-bound,dataloader-bound
t_error
t_err '--only, --skip and settings leave no heuristic to run'
t_run 2 e.db --fail-on low --only dataloader-bound --set dataloader-bound.enabled=no
t_error
t_run 0 e.db --fail-on low --only dataloader-bound,no-steps --skip dataloader-bound
t_run 0 e.db --fail-on low --only dataloader-bound --set advice.min_gain_pct=99

# The store keeps the advice that was asked for.
t_run 0 import "$example" -o one.db --only dataloader-bound
t_run 0 query one.db --format csv 'SELECT count(*), min(heuristic) FROM finding'
t_out '^1,dataloader-bound'
rm -f one.db

wrong() { # wrong REGEX ARG...
	regex=$1
	shift
	t_run 2 e.db "$@"
	t_error
	t_err "$regex"
}
wrong "no such heuristic: did you mean 'host-bound'" --set host-bond.x=1
wrong "did you mean 'dataloader-bound\.min_share_pct'" --set dataloader-bound.min_share_pc=1
wrong 'out of range: give 0 to 100 \(pct\)' --set dataloader-bound.min_share_pct=101
wrong 'not a number' --set dataloader-bound.min_share_pct=five
wrong 'not a number' --set dataloader-bound.min_share_pct=
wrong 'give yes or no' --set dataloader-bound.enabled=perhaps
wrong 'give HEURISTIC\.PARAMETER=VALUE' --set dataloader-bound
wrong 'give HEURISTIC\.PARAMETER=VALUE' --set x=1.5
wrong "did you mean 'advice\.min_gain_pct'" --set advice.min_gain=1
wrong 'advice\.enabled: no such parameter: it has min_gain_pct$' --set advice.enabled=no
wrong 'out of range: give 0\.1 to 100 \(pct\)' --set advice.min_gain_pct=0
# A threshold that is gone is named, with what replaced it.
wrong 'dataloader-bound\.min_cost_pct: no longer a parameter.*set advice\.min_gain_pct' \
	--set dataloader-bound.min_cost_pct=1
wrong 'matmul-dims\.min_cost_pct: no such parameter' --set matmul-dims.min_cost_pct=1
wrong 'matmul-dims\.x: no such parameter: it has enabled, half_multiple_count, ' --set matmul-dims.x=1
# Half a name, or another form of its words, is a hint as well.
wrong "--only: dataloader: .*did you mean 'dataloader-bound'" --only dataloader
wrong "--only: Data_Loader: .*did you mean 'dataloader-bound'" --only Data_Loader
wrong "--skip: recompiling: .*did you mean 'recompilation'" --skip recompiling
wrong "datalo: .*did you mean 'dataloader-bound'" --set datalo.min_share_pct=1
wrong "min_share: .*did you mean 'dataloader-bound\.min_share_pct'" --set dataloader-bound.min_share=1
wrong '--only: nix: no such heuristic' --only dataloader-bound,nix
wrong "--skip: host-bond: .*did you mean 'host-bound'" --skip host-bond
wrong '--only: no heuristic is named' --only ''
wrong 'cannot read the settings in nix\.ini: No such file' --config nix.ini
wrong 'cannot read the settings in \.: ' --config .

ini() { # ini REGEX LINES: the file with these lines is refused
	printf "$2" >w.ini
	wrong "$1" --config w.ini
}
ini 'w\.ini:3: host-bound\.x: no such parameter' '\n[host-bound]\nx = 1\n'
ini "w\.ini:2: host-bond: .*did you mean 'host-bound'" '[host-bond]\nx = 1\n'
ini 'w\.ini:1: a parameter of no heuristic' 'x = 1\n'
ini 'w\.ini:2: neither \[HEURISTIC\] nor PARAMETER = VALUE' '[host-bound]\nenabled\n'
ini 'w\.ini:2: the line is too long' "[host-bound]\nenabled = $(seq -s ' ' 100)\n"
ini 'w\.ini:2: host-bound\.min_idle_pct: no longer a parameter' '[host-bound]\nmin_idle_pct = 1\n'
rm -f w.ini
t_what='settings without an end'
timeout 120 "$tool" e.db --config /dev/zero </dev/null >"$out" 2>"$err"
t_check $? 2
t_err '/dev/zero: longer than [0-9]+ bytes: give an ini file'
mkfifo pipe.ini
cat c.ini >pipe.ini &
t_run 0 e.db --config pipe.ini
t_out 'advice\.min_gain_pct = 99 pct'
wait
rm pipe.ini
t_files c.ini e.db
t_end
