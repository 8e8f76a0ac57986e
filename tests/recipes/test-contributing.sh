# Follows the recipes of docs/contributing.md in a copy of the repository, builds it, and looks at
# what came of each.
. "$(dirname "$0")/../cli/lib.sh"

(cd "$root" && tar -cf - --exclude=./build --exclude=./.git .) | tar -xf - || exit 1
commands=$(awk -f "$root/tests/recipes/apply.awk" docs/contributing.md) || exit 1

cmake -S . -B build/test -G 'Unix Makefiles' -DCMAKE_BUILD_TYPE=Debug -DTC_WERROR=ON -DBUILD_TESTING=ON >log 2>&1 || {
	cat log
	exit 1
}
echo "$commands" >commands
t_ok 'commands' sh -ec '. ./commands >said'
t_ok 'the check shows the finding' grep -q '^#1 One kernel takes' said
make -C build/test -j2 tracecoach-cmd unit_test_kernel_names unit_test_sections >log 2>&1 || {
	grep -E 'error|warning' log
	exit 1
}
tool=build/test/tracecoach
fires=testdata/heuristics/heavy-kernel/fires.json

t_ok 'the heuristic fires' sh -c "$tool -q $fires --only heavy-kernel | grep -q 'One kernel takes'"
t_ok 'the format is there' sh -c "$tool -q $fires --format tsv | grep -q '^heavy-kernel	'"
t_ok 'the table has words for its columns' build/test/tests/unit_test_sections
t_ok 'the table is there' sh -c "$tool -q --details testdata/trace_example.json | grep -q '^Slowest steps'"
printf 'Notes\nfirst\n' >operator
t_ok 'an import with the side file' "$tool" import -q "$fires" --with operator -o s.db
t_ok 'the metric is there' sh -c "$tool query s.db \"SELECT value FROM metric WHERE \
name = 'squared_step_count'\" | grep -q 100"
t_ok 'the notes are there' sh -c "$tool query s.db 'SELECT text FROM side_note' | grep -q first"
t_ok 'the capability is set' sh -c "$tool query s.db \"SELECT value FROM metric WHERE \
name = 'has_notes'\" | grep -q 1"
t_ok 'the name means what the test says' build/test/tests/unit_test_kernel_names
sed 's#enumerate(DataLoader)[^"]*#torch/serialization.py(712): save#' \
	testdata/heuristics/dataloader-bound/fires.json >saves.json
t_ok 'the role is in the host time' sh -c "$tool -q --details saves.json | grep -q '^  checkpoints  '"
t_ok 'the verdict names the cause' sh -c "$tool -q saves.json | tr -s '\n ' ' ' | \
grep -q 'Largest cause: the host saves checkpoints'"
t_ok 'the pages are made' make -C build/test docs
t_ok 'the page has the metric' grep -q squared_step_count docs/metrics.md
t_ok 'the page has the name' grep -q 'abacus_product_.*class matrix, precision fp64' docs/names.md
t_end
