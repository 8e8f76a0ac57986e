# What the program prints for shells and for man: each script is read by its shell, and bash completes
# command lines with it.
. "$(dirname "$0")/lib.sh"

for shell in bash zsh fish; do
	t_run 0 help --format $shell
	cp "$out" script.$shell
	t_out 'dataloader-bound'
	command -v $shell >/dev/null && t_ok "$shell reads its script" $shell -n script.$shell
done
if command -v fish >/dev/null; then
	for line in 'whatif a.json --fix 1,2 1,2' '--only few-steps,da few-steps,dataloader-bound' \
		'--set dataloader-bound.min_sh dataloader-bound.min_share_pct=' 'explain a.json host-b host-bound'; do
		t_ok "fish offers ${line##* } for ${line% *}" \
			sh -c "fish -N -c 'source script.fish; complete -C \"tracecoach ${line% *}\"' | cut -f 1 | grep -qx -e '${line##* }'"
	done
fi
rm -f script.zsh script.fish

# completes WORDS WANTED: the last word of the line is completed, and WANTED is one of the offers
completes() {
	t_ok "'$1' gives $2" grep -qx -e "$2" offers
}
offer() { # offer WORD...
	bash -c '. ./script.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tracecoach; printf "%s\n" "${COMPREPLY[@]}"' \
		offer "$@" >offers
}
if command -v bash >/dev/null; then
	: >some.json
	offer tracecoach wh
	completes 'wh' whatif
	offer tracecoach ''
	completes '' compare
	completes '' some.json
	offer tracecoach import --no-s
	completes 'import --no-s' --no-side-files
	t_ok 'import has no --top' sh -c '! grep -qx -e --top offers'
	offer tracecoach run.db --fail-on ''
	completes '--fail-on' medium
	offer tracecoach run.db --format = m
	completes '--format=m' md
	offer tracecoach query --format ''
	completes 'query --format' csv
	offer tracecoach whatif --fix dataloader
	completes 'whatif --fix' dataloader-bound
	offer tracecoach whatif some.json --fix 1,
	completes 'a number of the report behind a comma' 1,2
	completes 'a heuristic behind a number' 1,host-bound
	offer tracecoach --only few-steps,da
	completes 'an id behind a comma' few-steps,dataloader-bound
	offer tracecoach --set dataloader-bound.min_sh
	completes 'a threshold' dataloader-bound.min_share_pct=
	offer tracecoach explain some.json ''
	completes 'explain' 1
	completes 'explain' host-bound
	offer tracecoach heuristics host-b
	completes 'heuristics' host-bound
	rm offers some.json
fi
rm script.bash

for command in analyze batch help; do
	t_run 0 help --format man $command
	t_out "^\\.TH TRACECOACH"
	t_out '^\.SH OPTIONS'
	command -v groff >/dev/null && t_ok 'groff has nothing to say' \
		test -z "$(groff -man -Tascii -ww "$out" 2>&1 >/dev/null)"
done
t_run 2 help --format man
t_error
t_run 2 help --format bash import
t_error
t_run 2 help --format csh
t_err 'give text, man, bash, zsh or fish$'
t_files
t_end
