/* tracecoach merge: the indexes of shards into one. */
#include <stdio.h>

#include "command.h"
#include "tracecoach/fleet.h"

static struct poptOption index_rows[] = {
	TC_ROW_OUTPUT("The index to make; one there is replaced", "INDEX"), TC_END};
struct poptOption tc_options_merge[] = {
	TC_GROUP(index_rows, "Index:"), TC_GROUP(tc_rows_common, "Other:"), TC_END};

int tc_cmd_merge(struct tc_cli *cli)
{
	struct tc_merge_counts counts;

	if (!cli->options->report.output)
		return tc_cli_error(
			TC_EXIT_USAGE, "merge: no place for the index: name it with -o INDEX");
	if (tc_index_merge(&counts, cli->ctx, cli->args, cli->arg_count,
		    cli->options->report.output) != TC_OK)
		return tc_cli_fail(cli, tc_ctx_status(cli->ctx) != TC_ERR_IO);
	if (!cli->options->terminal.quiet)
		printf("%lld job%s: %s\n", (long long)counts.job_count,
			counts.job_count == 1 ? "" : "s", cli->options->report.output);
	if (counts.replaced_job_count > 0)
		tc_cli_error(0, "%lld job%s in several indexes: the one named last counts",
			(long long)counts.replaced_job_count,
			counts.replaced_job_count == 1 ? " is" : "s are");
	if (counts.missing_shard_count > 0)
		return tc_cli_error(TC_EXIT_LEFT_OUT,
			"%lld shard%s of the batch %s missing: the exit code is %d",
			(long long)counts.missing_shard_count,
			counts.missing_shard_count == 1 ? "" : "s",
			counts.missing_shard_count == 1 ? "is" : "are", TC_EXIT_LEFT_OUT);
	return TC_EXIT_DONE;
}
