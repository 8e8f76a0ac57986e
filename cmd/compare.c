/*
 * tracecoach compare: two runs, one before a change and one after it, or two sets of jobs: indexes,
 * or directories of traces. Such a directory is read as a batch would, into an index that lasts as
 * long as the command: in a directory of its own, removed at the end, also after an interrupt.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp(), nftw() */

#include "tracecoach/compare.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "jobs.h"
#include "input.h"
#include "output.h"

static struct poptOption compare_rows[] = {TC_ROWS_OF_REPORT,
	TC_ROW_TOP("Show N rows of each table (default: 5)"),
	TC_ROW_DETAILS("Show host time, host slices, counts and the queries behind it, too"),
	TC_ROW_RANK("Compare the traces of this rank"),
	TC_ROWS_FAIL_ON_SLOWER("Exit with 1 when AFTER is slower by PCT percent or more, beyond "
			       "step-to-step variation"),
	TC_END};
struct poptOption tc_options_compare[] = {TC_GROUP(tc_rows_trace, "Input:"),
	TC_GROUP(compare_rows, "Report:"), TC_GROUP(tc_rows_terminal, "Terminal:"),
	TC_GROUP(tc_rows_common, "Other:"), TC_END};

struct sides {
	struct tc_cli *cli;
	char place[PATH_MAX];                      /* the temporary directory; "" for none */
	char outs[TC_COMPARE_SIDES][PATH_MAX + 8]; /* in it */
	struct tc_batch batches[TC_COMPARE_SIDES]; /* of the sides that are no index */
};

static bool is_directory(const char *path)
{
	struct stat about;

	return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int make_place(struct sides *sides)
{
	const char *base = getenv("TMPDIR");
	int len = snprintf(sides->place, sizeof(sides->place), "%s/tracecoach-XXXXXX",
		base && *base ? base : "/tmp");

	if ((size_t)len < sizeof(sides->place) && mkdtemp(sides->place))
		return 0;
	sides->place[0] = '\0';
	return tc_cli_error(TC_EXIT_INTERNAL,
		"cannot make a directory for temporary indexes: name one that exists and has room "
		"in TMPDIR");
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
	(void)about;
	(void)type;
	(void)where;
	remove(path);
	return 0;
}

static void clear(struct sides *sides)
{
	for (int i = 0; i < TC_COMPARE_SIDES; i++)
		if (sides->batches[i].fleet)
			tc_batch_close(&sides->batches[i]);
	if (sides->place[0])
		nftw(sides->place, remove_one, 4, FTW_DEPTH | FTW_PHYS);
}

/* Finds the jobs of a directory. */
static int open_batch(struct sides *sides, int side)
{
	const struct tc_options *given = sides->cli->options;
	const struct tc_fleet_options options = {.paths = &sides->cli->args[side],
		.path_count = 1,
		.out = sides->outs[side],
		.no_side_files = given->input.no_side_files != 0,
		.inline_stages = given->input.one_thread != 0,
		.settings = sides->cli->settings};

	snprintf(sides->outs[side], sizeof(sides->outs[side]), "%s/%d", sides->place, side);
	return tc_batch_open(&sides->batches[side], sides->cli, &options);
}

static int open_batches(struct sides *sides)
{
	int code = tc_cli_settings(sides->cli);

	if (code == 0)
		code = make_place(sides);
	for (int i = 0; i < TC_COMPARE_SIDES && code == 0; i++)
		if (!tc_index_is(sides->cli->args[i]))
			code = open_batch(sides, i);
	return code;
}

/* Opens an index, or makes it of what a batch reads. */
static int get_index(struct tc_store **out, struct sides *sides, int side)
{
	const struct tc_cli *cli = sides->cli;

	if (sides->batches[side].fleet) {
		int code = tc_batch_read(out, &sides->batches[side]);
		return code == TC_EXIT_INTERRUPTED
			       ? tc_cli_error(code, "interrupted: nothing was kept")
			       : code;
	}
	return tc_index_open(out, cli->ctx, cli->args[side]) == TC_OK ? 0 : tc_cli_fail(cli, true);
}

static int get_indexes(struct tc_fleet_report_input *input, void *user)
{
	int code = get_index(&input->since, user, TC_BEFORE);

	return code != 0 ? code : get_index(&input->index, user, TC_AFTER);
}

static int compare_indexes(struct sides *sides)
{
	const struct tc_options *given = sides->cli->options;
	const struct tc_index_opener opener = {get_indexes, sides};
	const struct tc_fleet_report_input input = {.path = sides->cli->args[TC_AFTER],
		.since_path = sides->cli->args[TC_BEFORE],
		.only_changes = true};

	if (given->report.rank >= 0 || given->input.strict)
		return tc_cli_error(TC_EXIT_USAGE,
			"%s: is for two runs, but these are many jobs: leave it out, or name the "
			"directory of a job",
			given->input.strict ? "--strict" : "--rank");
	return tc_fleet_output(sides->cli, input, &opener);
}

/* A directory with one job: its ranks are compared in detail. */
static bool is_run(const struct sides *sides, int side)
{
	const struct tc_fleet *fleet = sides->batches[side].fleet;

	return fleet && tc_fleet_count(fleet)->job_count == 1;
}

/* Compares job against job and sets *code, the exit code. False when the arguments are to be
 * compared as two runs: traces, stores, directories with one trace each, or with one job each of
 * which a rank is chosen. */
static bool compare_jobs(int *code, struct tc_cli *cli)
{
	struct sides sides = {.cli = cli};

	for (int i = 0; i < TC_COMPARE_SIDES; i++)
		if (!tc_index_is(cli->args[i]) && !is_directory(cli->args[i]))
			return false;
	*code = open_batches(&sides);
	bool are_runs = *code == 0 && is_run(&sides, TC_BEFORE) && is_run(&sides, TC_AFTER);
	if (*code == 0 && !are_runs)
		*code = compare_indexes(&sides);
	clear(&sides);
	return !are_runs;
}

/* One of the two arguments, read. */
struct side {
	struct tc_store *store;
	struct tc_advice *advice;
	bool from_store;
};

/* Reads one argument as analyze would. */
static int open_side(struct side *side, const struct tc_cli *cli, size_t index)
{
	const char *const args[] = {cli->args[index], NULL};
	struct tc_cli alone = *cli;

	alone.args = args;
	alone.arg_count = 1;
	int code = tc_input_open(&side->store, &side->advice, &alone);
	if (code != 0) {
		*side = (struct side){0};
		return code;
	}
	side->from_store = !side->advice;
	if (side->from_store &&
		tc_advise_store(&side->advice, cli->ctx, side->store, cli->settings) != TC_OK)
		return tc_cli_fail(&alone, true);
	return 0;
}

static void close_side(struct side *side)
{
	tc_advice_free(side->advice);
	tc_store_close(side->store);
}

static void write_report(struct tc_compare_result *result, const struct tc_cli *cli,
	const struct tc_compare_format *format, struct tc_slower_limit limit,
	const struct side *sides, struct tc_output *output)
{
	struct tc_compare_side given[TC_COMPARE_SIDES];

	for (int i = 0; i < TC_COMPARE_SIDES; i++)
		given[i] = (struct tc_compare_side){sides[i].store, sides[i].advice, cli->args[i]};
	struct tc_report_options options = tc_cli_report_options(cli, output);
	options.slower = limit;
	const struct tc_compare_output to = {tc_output_write, output};
	tc_compare(result, cli->ctx, given, format, &options, &to);
}

/* Steps whose device work is lost are short, so a gate that passes says what is wrong with
 * AFTER. */
static void warn_if_doubtful(const struct tc_advice *advice)
{
	for (size_t i = 0; i < advice->finding_count; i++) {
		const struct tc_finding *finding = &advice->findings[i];
		if (finding->heuristic->kind == TC_HEURISTIC_QUALITY &&
			finding->severity >= TC_SEVERITY_HIGH) {
			tc_cli_error(0, "warning: --fail-on-slower: AFTER is doubtful: %s",
				finding->heuristic->title);
			return;
		}
	}
}

/* Where it is not known what steps vary by, the plain difference counts, and that is said: a gate
 * that never closes is worse than one that closes once too often. */
static int exit_code(const struct tc_compare_result *result, const struct tc_cli *cli,
	const struct side *sides, struct tc_slower_limit limit)
{
	if (result->unlike)
		return tc_cli_error(TC_EXIT_INPUT,
			"compare: the runs cannot be compared: %s: give two traces of the same "
			"work",
			result->unlike);
	if (result->outcome == TC_COMPARE_DAMAGED && limit.is_given)
		return tc_cli_error(TC_EXIT_INPUT,
			"--fail-on-slower: %s: a part of the recording was lost, so nothing can be "
			"judged: give a whole one, or judge it with --anyway",
			result->damaged[TC_BEFORE] ? cli->args[TC_BEFORE] : cli->args[TC_AFTER]);
	if (result->outcome == TC_COMPARE_OTHER_WORK)
		return tc_cli_error(TC_EXIT_INPUT,
			"compare: the runs do not do the same work, as the report says: give two "
			"traces of the same work, or judge these with --anyway");
	if (result->foreign && limit.is_given)
		return tc_cli_error(TC_EXIT_INPUT,
			"--fail-on-slower: no trace of a deep-learning run, so nothing can be "
			"judged");
	if (!result->has_failed) {
		if (limit.is_given)
			warn_if_doubtful(sides[TC_AFTER].advice);
		return TC_EXIT_DONE;
	}
	if (!result->judged)
		tc_cli_error(0, "warning: --fail-on-slower: step-to-step variation is unknown, "
				"so any difference counts");
	return tc_cli_error(TC_EXIT_FAIL_ON,
		"--fail-on-slower: slower by %.1f %%, the limit is %g %%", result->difference_pct,
		limit.pct);
}

static int compare(const struct tc_cli *cli, const struct tc_compare_format *format,
	struct tc_slower_limit limit, struct tc_output *output)
{
	struct side sides[TC_COMPARE_SIDES] = {{0}, {0}};
	struct tc_compare_result result = {0};
	int code = open_side(&sides[TC_BEFORE], cli, TC_BEFORE);

	if (code == 0)
		code = open_side(&sides[TC_AFTER], cli, TC_AFTER);
	if (code == 0)
		write_report(&result, cli, format, limit, sides, output);
	bool from_store = sides[TC_BEFORE].from_store || sides[TC_AFTER].from_store;
	code = tc_cli_close_output(output, cli, code, from_store ? "a store" : NULL);
	if (code == 0)
		code = exit_code(&result, cli, sides, limit);
	for (int i = 0; i < TC_COMPARE_SIDES; i++)
		close_side(&sides[i]);
	return code;
}

/* Before one of the two is read for long. */
static int check_there(const struct tc_cli *cli)
{
	struct tc_import_options options = tc_input_options(cli);

	options.strict = true;
	return tc_import_expect(cli->ctx, cli->args, cli->arg_count, &options) == TC_OK
		       ? 0
		       : tc_cli_fail(cli, false);
}

int tc_cmd_compare(struct tc_cli *cli)
{
	const struct tc_compare_format *format;
	struct tc_output *output;
	struct tc_slower_limit limit;
	int code;

	if (compare_jobs(&code, cli))
		return code;
	format = tc_option_format(cli);
	code = !format ? TC_EXIT_USAGE
		       : tc_gate_slower(&limit, cli->options->report.fail_on_slower);
	if (code == 0)
		code = check_there(cli);
	if (code == 0)
		code = tc_cli_settings(cli);
	if (code == 0)
		code = tc_cli_open_output(&output, cli);
	return code == 0 ? compare(cli, format, limit, output) : code;
}
