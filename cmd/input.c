/*
 * Inputs of a command, and the progress line on stderr that is there while an import runs and gone
 * when it ends. The hook runs on the reading thread, which is the only one to touch the line's
 * state between begin and end.
 */
#include "input.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "terminal.h"
#include "tracecoach/fleet.h"

static struct {
	int64_t start_ns;   /* of the file being read */
	int64_t read_bytes; /* at the last call */
} line_state;

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void show(void *user, const struct tc_progress *progress)
{
	double mb = (double)progress->read_bytes / 1e6;
	double seconds;
	char share[24] = "";
	char line[256];

	(void)user;
	if (progress->read_bytes < line_state.read_bytes)
		line_state.start_ns = tc_terminal_now_ns(); /* the next file */
	line_state.read_bytes = progress->read_bytes;
	seconds = (double)(tc_terminal_now_ns() - line_state.start_ns) / 1e9;
	if (progress->total_bytes > 0)
		snprintf(share, sizeof(share), " (%.0f %%)",
			100.0 * (double)progress->read_bytes / (double)progress->total_bytes);
	snprintf(line, sizeof(line), "%.1f MB%s, %.0f MB/s, %lld events  %.80s", mb, share,
		seconds > 0 ? mb / seconds : 0.0, (long long)progress->event_count,
		base_name(progress->path));
	tc_terminal_show(line);
}

/* Hooks the line into the context when stderr is a terminal and nobody wants quiet. */
static void begin_progress(const struct tc_cli *cli)
{
	if (cli->options->terminal.quiet || !tc_terminal_live(STDERR_FILENO))
		return;
	line_state.start_ns = tc_terminal_now_ns();
	line_state.read_bytes = 0;
	tc_ctx_set_progress(cli->ctx, show, NULL);
}

/* Call after the import's threads have ended. */
static void end_progress(const struct tc_cli *cli)
{
	tc_ctx_set_progress(cli->ctx, NULL, NULL);
	tc_terminal_erase();
}

/* Strings of a list that ends with NULL; 0 for no list. */
static size_t length(char *const *list)
{
	size_t count = 0;

	while (list && list[count])
		count++;
	return count;
}

struct tc_import_options tc_input_options(const struct tc_cli *cli)
{
	return (struct tc_import_options){
		.side_paths = (const char *const *)cli->options->input.with,
		.side_count = length(cli->options->input.with),
		.capture_paths = (const char *const *)cli->options->input.captures,
		.capture_count = length(cli->options->input.captures),
		.device = cli->options->input.device,
		.peaks_path = cli->options->input.peaks,
		.no_side_files = cli->options->input.no_side_files,
		.inline_stages = cli->options->input.one_thread,
		.strict = cli->options->input.strict,
		.settings = cli->settings,
	};
}

/* A store is made whole and then named, so it needs a name. */
static int check_store_name(const struct tc_cli *cli, const char *path)
{
	const char *option = cli->options->input.db ? "--db" : "-o";

	if (!path || (*path && strcmp(path, "-") != 0))
		return 0;
	return tc_cli_error(TC_EXIT_USAGE,
		"%s '%s': a store cannot be made there: give the name of a file%s", option, path,
		*path ? " (./- if it is to be called so)" : "");
}

int tc_input_import(struct tc_store **out, const struct tc_cli *cli, const char *db_path,
	const struct tc_import_options *options)
{
	int code = check_store_name(cli, db_path);

	if (code != 0)
		return code;
	begin_progress(cli);
	enum tc_status status =
		tc_import(out, cli->ctx, cli->args, cli->arg_count, db_path, options);
	end_progress(cli);
	if (status != TC_OK && tc_ctx_interrupted(cli->ctx))
		return tc_cli_error(TC_EXIT_INTERRUPTED, "interrupted: nothing was kept");
	/* With --again the store that is at fault is the one that was given. */
	return status == TC_OK ? 0 : tc_cli_fail(cli, options->again && status == TC_ERR_STORE);
}

static int open_store(struct tc_store **out, const struct tc_cli *cli)
{
	struct tc_store *store;

	if (tc_index_is(cli->args[0]))
		return tc_cli_error(TC_EXIT_INPUT,
			"%s: the index of a batch: 'tracecoach report' prints it", cli->args[0]);
	if (tc_store_open(&store, cli->ctx, cli->args[0]) != TC_OK)
		return tc_cli_fail(cli, true);
	if (tc_store_check(cli->ctx, store, cli->options->input.strict) == TC_OK) {
		*out = store;
		return 0;
	}
	int code = tc_cli_fail(cli, true);
	tc_store_close(store);
	return code;
}

/* An option that only an import heeds; NULL without any. */
static const char *late_option(const struct tc_cli *cli)
{
	const struct tc_import_options options = tc_input_options(cli);

	return options.side_count > 0      ? "--with"
	       : options.capture_count > 0 ? "--capture"
	       : options.device            ? "--device"
	       : options.peaks_path        ? "--peaks"
					   : NULL;
}

int tc_input_open(struct tc_store **out, struct tc_advice **advice, const struct tc_cli *cli)
{
	struct tc_import_options options = tc_input_options(cli);

	*advice = NULL;
	options.advice = advice;
	if (cli->arg_count == 1 && tc_import_is_store(cli->ctx, cli->args[0])) {
		const char *late = late_option(cli);
		if (cli->options->input.db)
			return tc_cli_error(TC_EXIT_USAGE,
				"%s: a store already, and --db keeps that of a trace: leave it out",
				cli->args[0]);
		if (late)
			return tc_cli_error(TC_EXIT_USAGE,
				"%s: a store is sealed, so %s is too late: give it with the "
				"trace, to analyze or import",
				cli->args[0], late);
		return open_store(out, cli);
	}
	return tc_input_import(out, cli, cli->options->input.db, &options);
}
