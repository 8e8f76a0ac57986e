/* tracecoach batch: the traces of many jobs into one index, on every core. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "left_out.h"
#include "shard.h"
#include "string_list.h"
#include "terminal.h"
#include "tracecoach/fleet.h"
#include "tracecoach/text.h"
#include "workers.h"

/* The progress line, and what the summary tells. */
struct batch {
	const struct tc_cli *cli;
	struct tc_fleet *batch;
	size_t other_count; /* files that are called like traces and are none */
	int64_t start_ns, shown_ns;
	bool is_live, is_shown;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void erase(struct batch *batch)
{
	if (batch->is_shown)
		fputs("\r\033[K", stderr);
	batch->is_shown = false;
}

/* "2 min 5 s left", by the bytes that are still to be read. */
static void append_rest(
	char *line, size_t size, const struct tc_fleet_counts *counts, int64_t elapsed_ns)
{
	double rest_s;
	size_t len = strlen(line);

	if (counts->read_bytes <= 0 || elapsed_ns < 1000000000)
		return;
	rest_s = (double)elapsed_ns / 1e9 * (double)(counts->wanted_bytes - counts->read_bytes) /
		 (double)counts->read_bytes;
	if (rest_s < 60)
		snprintf(line + len, size - len, ", %.0f s left", rest_s);
	else if (rest_s < 3600)
		snprintf(line + len, size - len, ", %.0f min left", rest_s / 60);
	else
		snprintf(line + len, size - len, ", %.1f h left", rest_s / 3600);
}

static void show(void *user)
{
	struct batch *batch = user;
	const struct tc_fleet_counts *counts = tc_fleet_count(batch->batch);
	int64_t now = now_ns();
	char line[256];

	if (!batch->is_live || now - batch->shown_ns < 200000000)
		return;
	batch->shown_ns = now;
	snprintf(line, sizeof(line), "%lld of %lld jobs, %lld traces read, %lld left out",
		(long long)counts->read_job_count, (long long)counts->wanted_job_count,
		(long long)counts->read_trace_count, (long long)counts->left_out_count);
	append_rest(line, sizeof(line), counts, now - batch->start_ns);
	char *fit = tc_text_line(line, tc_terminal_columns(STDERR_FILENO) - 1);
	fprintf(stderr, "\r\033[K%s", fit ? fit : "");
	fflush(stderr);
	free(fit);
	batch->is_shown = true;
}

static void hear_note(void *user, enum tc_note note, const char *text)
{
	struct batch *batch = user;

	if (note == TC_NOTE_NOT_READ)
		batch->other_count++;
	else
		tc_cli_error(0, "%s", text);
}

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

static void hear_left_out(void *user, const char *path, const char *reason)
{
	struct tc_left_out *list = user;
	size_t path_len = strlen(path), len = path_len + strlen(reason) + 3;
	char *text = malloc(len);
	bool is_named = false;

	for (const char *at = strchr(reason, *path); at && !is_named; at = strchr(at + 1, *path))
		is_named = strncmp(at, path, path_len) == 0;
	if (text && is_named)
		memcpy(text, reason, strlen(reason) + 1);
	else if (text)
		snprintf(text, len, "%s: %s", path, reason);
	list->failed |= !text || tc_strings_add(&list->reasons, text) != 0;
	free(text);
}

/* What the index says is left out, whether it was read now or before. */
static int list_left_out(const struct batch *batch)
{
	const struct tc_cli *cli = batch->cli;
	struct tc_store *index = NULL;

	if (tc_index_open(&index, cli->ctx, tc_fleet_index_path(batch->batch)) != TC_OK)
		return tc_cli_fail(cli, false);
	enum tc_status status = tc_index_left_out(cli->ctx, index, hear_left_out, cli->left_out);
	tc_store_close(index);
	return status == TC_OK ? 0 : tc_cli_fail(cli, false);
}

static void summarize(const struct batch *batch)
{
	const struct tc_fleet_counts *counts = tc_fleet_count(batch->batch);

	if (batch->cli->options->quiet)
		return;
	printf("%s: %lld job%s, %lld trace%s (%lld read now, %lld as before): %s\n",
		tc_fleet_root(batch->batch), (long long)counts->job_count,
		counts->job_count == 1 ? "" : "s", (long long)counts->trace_count,
		counts->trace_count == 1 ? "" : "s", (long long)counts->wanted_trace_count,
		(long long)(counts->trace_count - counts->wanted_trace_count),
		tc_fleet_index_path(batch->batch));
	if (batch->other_count > 0)
		printf("%zu other JSON file%s no trace%s.\n", batch->other_count,
			batch->other_count == 1 ? " is" : "s are",
			batch->other_count == 1 ? "" : "s");
}

static int tell_interrupt(const struct batch *batch)
{
	const struct tc_fleet_counts *counts = tc_fleet_count(batch->batch);

	return tc_cli_error(TC_EXIT_INTERRUPTED,
		"interrupted: %lld of %lld jobs are kept: the same command goes on with the others",
		(long long)(counts->job_count - counts->wanted_job_count + counts->read_job_count),
		(long long)counts->job_count);
}

static int run(struct batch *batch, int process_count)
{
	const struct tc_options *options = batch->cli->options;
	const struct tc_workers workers = {.cli = batch->cli,
		.batch = batch->batch,
		.count = process_count,
		.max_cpu_s = options->max_cpu,
		.max_memory_mb = options->max_memory,
		.tick = show,
		.user = batch};

	if (tc_fleet_count(batch->batch)->job_count == 0 && options->shard == NULL)
		return tc_cli_error(TC_EXIT_INPUT,
			"%s: no traces in or below it: name a directory with .json, .json.gz or "
			".json.zst files",
			batch->cli->args[0]);
	batch->is_live = !options->quiet && tc_terminal_live(STDERR_FILENO);
	batch->start_ns = now_ns();
	int code = tc_workers_run(&workers);
	erase(batch);
	if (code == 0 && tc_fleet_finish(batch->batch) != TC_OK)
		code = tc_ctx_interrupted(batch->cli->ctx) ? TC_EXIT_INTERRUPTED
							   : tc_cli_fail(batch->cli, false);
	if (code == TC_EXIT_INTERRUPTED)
		return tell_interrupt(batch);
	if (code != 0)
		return code;
	summarize(batch);
	return list_left_out(batch);
}

static int open_and_run(struct batch *batch, struct tc_fleet_options *options)
{
	const struct tc_cli *cli = batch->cli;
	int code = tc_shard_parse(&options->shard, &options->shard_count, cli->options->shard);

	if (code != 0)
		return code;
	tc_ctx_set_note(cli->ctx, hear_note, batch);
	if (tc_fleet_open(&batch->batch, cli->ctx, options) != TC_OK)
		return tc_cli_fail(cli, false);
	code = run(batch, options->process_count);
	tc_fleet_close(batch->batch);
	return code;
}

int tc_cmd_batch(struct tc_cli *cli)
{
	const struct tc_options *given = cli->options;
	struct batch batch = {.cli = cli};
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
		code = open_and_run(&batch, &options);
	tc_strings_clear(&paths);
	return code;
}
