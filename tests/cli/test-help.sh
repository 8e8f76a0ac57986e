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

for command in analyze import compare whatif query export heuristics help; do
	t_run 0 "$command" --help
	t_out "^Usage: tracecoach $command "
	t_out '^  -h, --help '
	t_run 0 help "$command"
	t_out "^Usage: tracecoach $command "
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
for part in ISA-L libcsv scdoc; do
	t_out "^with(out)? $part, which "
done

t_run 2
t_err '^Usage: tracecoach .*TRACE'
[ ! -s "$out" ] || t_fail 'the short help belongs on stderr'
t_files
t_end
