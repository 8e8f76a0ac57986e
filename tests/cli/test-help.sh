# Help, version and what a command line without sense is told.
. "$(dirname "$0")/lib.sh"

t_run 0 --help
t_out '^Usage: tracecoach .*TRACE'
t_out '^  130  interrupted'
cp "$out" all
t_run 0 -h
t_same "$out" all
t_run 0 help
t_same "$out" all
rm all

commands=$(sed -n '/^Commands:$/,/^$/s/^  \([a-z]*\) .*/\1/p' "$out")
t_ok 'there are commands' test "$(echo "$commands" | wc -l)" -gt 10
man=$root/docs/man/tracecoach.1.scd
for command in $commands; do
	t_run 0 "$command" --help
	t_out "^Usage: tracecoach $command "
	t_out '^  -h, --help '
	t_fits 80
	cp "$out" options
	t_run 0 help "$command"
	t_same "$out" options
	t_ok 'tracecoach(1) has its usage' grep -q "^\*tracecoach\* \*$command\*" "$man"
	t_ok 'tracecoach(1) says what it does' grep -qx "\*$command\*" "$man"
	t_ok 'tracecoach(1) names its page' grep -q "\*tracecoach-$command\*(1)" "$man"
	rm options
done
t_run 0 analyze --help
t_out '^  text '
t_out '^  json '
t_out '--fail-on=SEVERITY'

t_env=COLUMNS=60
t_run 0 help
t_fits 60
t_run 0 analyze --help
t_ok 'the list of reports is wrapped' awk '/^Reports/ { on = 1 } on && length($0) > 60 { bad = 1 } END { exit bad }' "$out"
t_env=

t_run 0 --version
t_out '^tracecoach [0-9]+\.[0-9]+\.[0-9]+$'
t_out '^yajl [0-9]+\.[0-9.]+, SQLite 3\.[0-9.]+, zlib [0-9.]+, zstd [0-9.]+$'
for part in ISA-L libseccomp libcsv scdoc; do
	t_out "^with(out)? $part, which "
done

t_run 2
t_err '^Usage: tracecoach .*TRACE'
[ ! -s "$out" ] || t_fail 'the short help belongs on stderr'
t_files
t_end
