/*
 * See fleet_output.h. A directory of traces is read as a batch would, into an index that lasts as
 * long as the command: in a directory of its own, removed at the end, also after an interrupt.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp(), nftw() */

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "batch_run.h"
#include "fleet_output.h"

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
		.no_side_files = given->no_side_files != 0,
		.inline_stages = given->one_thread != 0,
		.process_count = tc_workers_cores(),
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

static int compare(struct sides *sides)
{
	const struct tc_options *given = sides->cli->options;
	const struct tc_index_opener opener = {get_indexes, sides};
	const struct tc_fleet_report_input input = {.path = sides->cli->args[TC_AFTER],
		.since_path = sides->cli->args[TC_BEFORE],
		.only_changes = true};

	if (given->rank >= 0 || given->strict)
		return tc_cli_error(TC_EXIT_USAGE,
			"%s: is for two runs, but these are many jobs: leave it out, or name the "
			"directory of a job",
			given->strict ? "--strict" : "--rank");
	return tc_fleet_output(sides->cli, input, &opener);
}

/* A directory with one job: its ranks are compared in detail. */
static bool is_run(const struct sides *sides, int side)
{
	const struct tc_fleet *fleet = sides->batches[side].fleet;

	return fleet && tc_fleet_count(fleet)->job_count == 1;
}

bool tc_compare_jobs(int *code, struct tc_cli *cli)
{
	struct sides sides = {.cli = cli};

	for (int i = 0; i < TC_COMPARE_SIDES; i++)
		if (!tc_index_is(cli->args[i]) && !is_directory(cli->args[i]))
			return false;
	*code = open_batches(&sides);
	bool are_runs = *code == 0 && is_run(&sides, TC_BEFORE) && is_run(&sides, TC_AFTER);
	if (*code == 0 && !are_runs)
		*code = compare(&sides);
	clear(&sides);
	return !are_runs;
}
