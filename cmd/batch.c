/* tracecoach batch: the traces of many jobs into one index, on every core. */
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "batch_run.h"
#include "string_list.h"

static int add(struct tc_strings *paths, const char *path)
{
	return tc_strings_add(paths, path) == 0 ? 0
						: tc_cli_error(TC_EXIT_INTERNAL, "out of memory");
}

/* A pattern that no shell has expanded; what is no pattern stays. */
static int expand(struct tc_strings *paths, const char *argument)
{
	glob_t found;
	int code = 0;

	if (access(argument, F_OK) == 0 || !strpbrk(argument, "*?["))
		return add(paths, argument);
	int error = glob(argument, 0, NULL, &found);
	if (error == GLOB_NOMATCH)
		return tc_cli_error(TC_EXIT_INPUT, "%s: nothing has such a name", argument);
	for (size_t i = 0; !error && i < found.gl_pathc && code == 0; i++)
		code = add(paths, found.gl_pathv[i]);
	if (!error)
		globfree(&found);
	return error ? tc_cli_error(TC_EXIT_INTERNAL, "%s: cannot be expanded", argument) : code;
}

static void summarize(const struct tc_batch *batch)
{
	const struct tc_fleet_counts *counts = tc_fleet_count(batch->fleet);

	printf("%s: %lld job%s, %lld trace%s (%lld read now, %lld as before): %s\n", counts->root,
		(long long)counts->job_count, counts->job_count == 1 ? "" : "s",
		(long long)counts->trace_count, counts->trace_count == 1 ? "" : "s",
		(long long)counts->wanted_trace_count,
		(long long)(counts->trace_count - counts->wanted_trace_count), counts->index_path);
	if (batch->other_count > 0)
		printf("%zu other JSON file%s no trace%s.\n", batch->other_count,
			batch->other_count == 1 ? " is" : "s are",
			batch->other_count == 1 ? "" : "s");
}

static int report_interrupt(const struct tc_batch *batch)
{
	const struct tc_fleet_counts *counts = tc_fleet_count(batch->fleet);

	return tc_cli_error(TC_EXIT_INTERRUPTED,
		"interrupted: %lld of %lld jobs are kept: the same command goes on with the others",
		(long long)(counts->job_count - counts->wanted_job_count + counts->read_job_count),
		(long long)counts->job_count);
}

static int run(struct tc_cli *cli, const struct tc_fleet_options *options)
{
	struct tc_store *index = NULL;
	struct tc_batch batch;
	int code = tc_batch_open(&batch, cli, options);

	if (code != 0)
		return code;
	code = tc_batch_read(&index, &batch);
	if (code == 0 && !cli->options->quiet)
		summarize(&batch);
	if (code == TC_EXIT_INTERRUPTED)
		code = report_interrupt(&batch);
	tc_store_close(index);
	tc_batch_close(&batch);
	return code;
}

int tc_cmd_batch(struct tc_cli *cli)
{
	const struct tc_options *given = cli->options;
	struct tc_strings paths = {0};
	int code = given->output && *given->output
			   ? tc_cli_settings(cli)
			   : tc_cli_error(TC_EXIT_USAGE,
				     "batch: no place for the index: name a directory with -o OUT");

	for (size_t i = 0; i < cli->arg_count && code == 0; i++)
		code = expand(&paths, cli->args[i]);
	struct tc_fleet_options options = {.paths = (const char *const *)paths.items,
		.path_count = paths.count,
		.out = given->output,
		.keep_stores = given->keep_stores != 0,
		.no_side_files = given->no_side_files != 0,
		.inline_stages = given->one_thread != 0,
		.process_count = given->jobs > 0 ? given->jobs : tc_workers_cores(),
		.settings = cli->settings};
	if (code == 0)
		code = tc_shard_parse(&options.shard, &options.shard_count, given->shard);
	if (code == 0)
		code = run(cli, &options);
	tc_strings_clear(&paths);
	return code;
}
