# Which copies of a bridge that tells no direction are those of a batch.
. "$(dirname "$0")/lib.sh"
data=$root/testdata/heuristics/input-copy-blocking

# Copies after the last call of the loader, which no work follows, are those of states.
t_run 0 query "$data/quiet-states.json" "SELECT count(*) FROM critical_path WHERE role = 'input_copy'" --format csv
t_out '^0$'
t_run 0 query "$data/fires-batch.json" "SELECT value FROM metric WHERE name = 'input_copy_count' AND step IS NULL AND device IS NULL" --format csv
t_out '^5$'
t_end
