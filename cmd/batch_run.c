#include "batch_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "left_out.h"
#include "terminal.h"

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
	struct tc_batch *batch = user;
	const struct tc_fleet_counts *counts = tc_fleet_count(batch->fleet);
	int64_t now = tc_terminal_now_ns();
	char line[256];

	if (!batch->is_live || now - batch->shown_ns < 200000000)
		return;
	batch->shown_ns = now;
	snprintf(line, sizeof(line), "%lld of %lld jobs, %lld traces read, %lld left out",
		(long long)counts->read_job_count, (long long)counts->wanted_job_count,
		(long long)counts->read_trace_count, (long long)counts->left_out_count);
	append_rest(line, sizeof(line), counts, now - batch->start_ns);
	tc_terminal_show(line);
}

static void hear_failure(void *user, const char *why)
{
	struct tc_batch *batch = user;

	batch->failed_count++;
	if (!batch->failure)
		batch->failure = strdup(why);
}

static void hear_note(void *user, enum tc_note note, const char *text)
{
	struct tc_batch *batch = user;

	if (note == TC_NOTE_NOT_READ)
		batch->other_count++;
	else
		tc_cli_error(0, "%s", text);
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

/* Reads all jobs of the batch and writes the index. */
static int read_jobs(struct tc_batch *batch)
{
	const struct tc_options *options = batch->cli->options;
	const struct tc_workers workers = {.cli = batch->cli,
		.batch = batch->fleet,
		.count = batch->process_count,
		.max_cpu_s = options->max_cpu,
		.max_memory_mb = options->max_memory,
		.tick = show,
		.fail = hear_failure,
		.user = batch};

	batch->is_live = !options->quiet && tc_terminal_live(STDERR_FILENO);
	batch->start_ns = tc_terminal_now_ns();
	int code = tc_workers_run(&workers);
	tc_terminal_erase();
	if (code == 0 && tc_fleet_finish(batch->fleet) != TC_OK)
		code = tc_ctx_interrupted(batch->cli->ctx) ? TC_EXIT_INTERRUPTED
							   : tc_cli_fail(batch->cli, false);
	return code;
}

int tc_batch_open(
	struct tc_batch *batch, struct tc_cli *cli, const struct tc_fleet_options *options)
{
	*batch = (struct tc_batch){.cli = cli, .process_count = options->process_count};
	tc_ctx_set_note(cli->ctx, hear_note, batch);
	if (tc_fleet_open(&batch->fleet, cli->ctx, options) != TC_OK)
		return tc_cli_fail(cli, false);
	if (tc_fleet_count(batch->fleet)->job_count == 0 && options->shard_count == 0) {
		tc_batch_close(batch);
		return tc_cli_error(TC_EXIT_INPUT,
			"%s: no traces in or below it: name a directory with .json, .json.gz or "
			".json.zst files",
			options->paths[0]);
	}
	return 0;
}

int tc_batch_read(struct tc_store **index, struct tc_batch *batch)
{
	const struct tc_cli *cli = batch->cli;
	struct tc_store *made = NULL;
	int64_t done_count = 0;
	int code = read_jobs(batch);

	if (code != 0)
		return code;
	if (tc_index_open(&made, cli->ctx, tc_fleet_count(batch->fleet)->index_path) != TC_OK)
		return tc_cli_fail(cli, false);
	if (tc_index_left_out(&done_count, cli->ctx, made, hear_left_out, cli->left_out) != TC_OK)
		code = tc_cli_fail(cli, false);
	else if (batch->failed_count > 0)
		code = tc_cli_error(TC_EXIT_INTERNAL,
			"%zu of %lld jobs were not read because the system failed: %s",
			batch->failed_count, (long long)tc_fleet_count(batch->fleet)->job_count,
			batch->failure ? batch->failure : "out of memory");
	cli->left_out->are_all = done_count == 0;
	if (code == 0)
		*index = made;
	else
		tc_store_close(made);
	return code;
}

void tc_batch_close(struct tc_batch *batch)
{
	tc_fleet_close(batch->fleet);
	free(batch->failure);
	batch->fleet = NULL;
	batch->failure = NULL;
	tc_ctx_set_note(batch->cli->ctx, tc_left_out_note, batch->cli);
}
