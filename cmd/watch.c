/*
 * tracecoach watch: the traces of a directory that fills up, each as soon as it is complete, into
 * an index. Which traces are complete the library says (fleet.h); they are read as a batch reads
 * them, and an interrupted or killed watch goes on like a batch.
 */
#include <stdio.h>
#include <sys/stat.h>

#include "jobs.h"

#define SECOND_NS INT64_C(1000000000)
#define SETTLE_S 5
#define TRACES_AT_ONCE 256 /* new ones: then the index is written, and what they say is printed */

static struct {
	int settle, poll;
} asked;

static struct poptOption watch_rows[] = {
	TC_ROW_OUTPUT(
		"The directory for the index; a watch of the same directory goes on there", "OUT"),
	TC_NUMBER("settle", '\0', asked.settle,
		"Read a trace that did not change for so many seconds (default: 5)", "SECONDS"),
	TC_NUMBER("poll", '\0', asked.poll,
		"Look every so many seconds instead of waiting for the system to tell", "SECONDS"),
	TC_END};
static struct poptOption process_rows[] = {
	TC_ROWS_PROCESSES("Read N traces at once (default: one a core)"), TC_ROW_NO_SIDE_FILES,
	TC_END};
struct poptOption tc_options_watch[] = {TC_GROUP(watch_rows, "Watching:"),
	TC_GROUP(process_rows, "Processes:"), TC_GROUP(tc_rows_advice, "Advice:"),
	TC_GROUP(tc_rows_common, "Other:"), TC_END};

/* A tc_write_fn. */
static int print(void *user, const char *bytes, size_t len)
{
	(void)user;
	return fwrite(bytes, 1, len, stdout) == len ? 0 : -1;
}

/* Reads what is ready and says what it was. */
static int read_ready(
	struct tc_cli *cli, struct tc_watch *watch, const struct tc_fleet_options *options)
{
	struct tc_store *index = NULL;
	struct tc_batch batch;
	int code = tc_batch_open(&batch, cli, options);

	if (code == 0)
		code = tc_batch_read(&index, &batch);
	if (code == 0 && tc_watch_tell(watch, index, print, NULL) != TC_OK)
		code = tc_cli_fail(cli, false);
	if (code == 0)
		fflush(stdout);
	tc_store_close(index);
	if (batch.cli)
		tc_batch_close(&batch);
	/* Each has had its line. */
	tc_strings_clear(&cli->left_out.reasons);
	cli->left_out.are_all = false;
	return code;
}

/* Until a signal comes, which is how a watch ends. */
static int go_on(struct tc_cli *cli, struct tc_watch *watch, const struct tc_fleet_options *options)
{
	int64_t ready_count;
	int code = 0;

	while (code == 0 && !tc_ctx_interrupted(cli->ctx)) {
		ready_count = 0;
		if (tc_watch_look(&ready_count, watch) != TC_OK && !tc_ctx_interrupted(cli->ctx))
			code = tc_cli_fail(cli, false);
		else if (ready_count > 0)
			code = read_ready(cli, watch, options);
		else
			tc_watch_wait(watch);
	}
	if (code == TC_EXIT_INTERRUPTED)
		tc_cli_error(0, "ended while traces were read: what was read is kept, and the same "
				"command goes on with the others");
	return code;
}

static int check(const struct tc_cli *cli)
{
	struct stat file;

	if (!cli->options->report.output || !*cli->options->report.output)
		return tc_cli_error(TC_EXIT_USAGE,
			"watch: no place for the index: name a directory with -o OUT");
	if (stat(cli->args[0], &file) != 0 || !S_ISDIR(file.st_mode))
		return tc_cli_error(TC_EXIT_INPUT,
			"%s: no directory: name the one that traces come into", cli->args[0]);
	return 0;
}

int tc_cmd_watch(struct tc_cli *cli)
{
	struct tc_watch *watch = NULL;
	int code = check(cli);

	if (code == 0)
		code = tc_cli_settings(cli);
	if (code != 0)
		return code;
	const struct tc_watch_options watching = {.directory = cli->args[0],
		.out = cli->options->report.output,
		.settle_ns = (asked.settle > 0 ? asked.settle : SETTLE_S) * SECOND_NS,
		.poll_ns = asked.poll > 0 ? asked.poll * SECOND_NS : 0,
		.most = TRACES_AT_ONCE};
	if (tc_watch_open(&watch, cli->ctx, &watching) != TC_OK)
		return tc_cli_fail(cli, false);
	const struct tc_fleet_options options = {.paths = cli->args,
		.path_count = 1,
		.out = watching.out,
		.no_side_files = cli->options->input.no_side_files != 0,
		.process_count = tc_given.processes.jobs,
		.settings = cli->settings,
		.is_ready = tc_watch_is_ready,
		.ready_user = watch,
		.apart = true};
	code = go_on(cli, watch, &options);
	tc_watch_close(watch);
	return code;
}
