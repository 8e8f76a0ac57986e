#!/bin/sh
# A batch over all traces below a directory, as an array of Slurm, and the merge of what its tasks wrote.
# usage: submit.sh TRACES OUT [SHARDS]      TRACECOACH names the program, if it is not in PATH
# Prints the numbers of the two jobs.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
TRACES=$(cd "${1:?where the traces are}" && pwd) || exit 1
mkdir -p "${2:?where the index goes}" || exit 1
OUT=$(cd "$2" && pwd)
SHARDS=${3:-8}
export TRACES OUT SHARDS

array=$(sbatch --parsable --array="0-$((SHARDS - 1))" --export=ALL --output="$OUT/task-%a.log" \
	"$here/batch.sbatch") || exit 1
merge=$(sbatch --parsable --dependency="afterok:$array" --kill-on-invalid-dep=yes --export=ALL \
	--output="$OUT/merge.log" "$here/merge.sbatch") || exit 1
echo "$array $merge"
