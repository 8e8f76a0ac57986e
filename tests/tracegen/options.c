/*
 * The command line of tracegen. Options are rows of a table, and the help is that table.
 */
#include "tracegen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct option_row {
	const char *name;
	const char *value; /* NULL: a switch */
	bool (*set)(struct tg_options *opt, const char *text);
	const char *help;
};

static bool parse_number(int64_t *out, const char *text, int64_t min, int64_t max)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || value < min || value > max) {
		return false;
	}
	*out = value;
	return true;
}

static bool parse_small(int *out, const char *text, int min, int max)
{
	int64_t value;

	if (!parse_number(&value, text, min, max)) {
		return false;
	}
	*out = (int)value;
	return true;
}

static bool set_format(struct tg_options *opt, const char *text)
{
	static const char *const names[] = {"gaudi-lazy", "gaudi-kineto", "cuda"};

	for (int i = 0; i < 3; i++) {
		if (strcmp(text, names[i]) == 0) {
			opt->format = (enum tg_format)i;
			return true;
		}
	}
	return false;
}

static bool set_steps(struct tg_options *opt, const char *text)
{
	return parse_number(&opt->steps, text, 1, 10000000);
}

static bool set_events(struct tg_options *opt, const char *text)
{
	return parse_number(&opt->min_events, text, 1, INT64_C(10000000000));
}

static bool set_bytes(struct tg_options *opt, const char *text)
{
	return parse_number(&opt->min_bytes, text, 1, INT64_C(10000000000000));
}

static bool set_seed(struct tg_options *opt, const char *text)
{
	int64_t value;

	if (!parse_number(&value, text, 0, INT64_MAX)) {
		return false;
	}
	opt->seed = (uint64_t)value;
	return true;
}

static bool set_nodes(struct tg_options *opt, const char *text)
{
	return parse_small(&opt->nodes, text, 1, 100000);
}

static bool set_rank(struct tg_options *opt, const char *text)
{
	return parse_small(&opt->rank, text, 0, 9999);
}

static bool set_world_size(struct tg_options *opt, const char *text)
{
	return parse_small(&opt->world_size, text, 1, 10000);
}

static bool set_state(struct tg_options *opt, const char *text, enum tg_state state)
{
	const char *equals = strchr(text, '=');
	size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);

	for (int p = 0; p < TG_PROBLEM_COUNT; p++) {
		const struct tg_problem_info *info = &tg_problem_infos[p];

		if (strncmp(text, info->name, length) == 0 && info->name[length] == '\0') {
			int max = info->unit == TG_UNIT_PCT ? 100 : 1000;

			opt->state[p] = state;
			opt->size[p] = info->default_size;
			return equals == NULL || parse_small(&opt->size[p], equals + 1, 1, max);
		}
	}
	return false;
}

static bool set_problem(struct tg_options *opt, const char *text)
{
	return set_state(opt, text, TG_ON);
}

static bool set_fixed(struct tg_options *opt, const char *text)
{
	return set_state(opt, text, TG_FIXED);
}

static bool set_relative(struct tg_options *opt, const char *text)
{
	(void)text;
	opt->relative_ts = true;
	return true;
}

static bool set_sample(struct tg_options *opt, const char *text)
{
	opt->sample = tg_sample_find(text);
	return opt->sample != NULL;
}

static bool set_output(struct tg_options *opt, const char *text)
{
	opt->output = text;
	return true;
}

static bool set_truth(struct tg_options *opt, const char *text)
{
	opt->truth = text;
	return true;
}

static const struct option_row rows[] = {
	{"--format", "gaudi-lazy|gaudi-kineto|cuda", set_format,
		"what writes the trace (gaudi-lazy)"},
	{"--steps", "N", set_steps, "profiled steps (3)"},
	{"--events", "N", set_events, "as many steps as N events need"},
	{"--bytes", "N", set_bytes, "as many steps as N bytes need, about"},
	{"--nodes", "PERCENT", set_nodes, "size of the graph (100: about 200 nodes)"},
	{"--seed", "N", set_seed, "another run of the same kind (1)"},
	{"--rank", "R", set_rank, "this rank (0)"},
	{"--world-size", "W", set_world_size, "number of ranks (1)"},
	{"--problem", "NAME[=SIZE]", set_problem, "plant a problem; may be repeated"},
	{"--fixed", "NAME", set_fixed, "what the problem needs to hurt, but not the problem"},
	{"--relative-ts", NULL, set_relative, "gaudi-lazy: times relative to a base, in ns"},
	{"--perf-tool-sample", "2023-unopt|2023-1st|2023-2nd|2024-03|2024-10", set_sample,
		"three steps with the quantities of a public habana_perf_tool output"},
	{"--truth", "FILE", set_truth, "write what is true of the run as JSON"},
	{"-o", "FILE|-", set_output, "where the trace goes"},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static void print_help(void)
{
	static const char *const units[] = {"% of a healthy step", "%", "per step"};
	static const char *const formats[] = {[TG_FOR_LAZY] = ", gaudi-lazy",
		[TG_FOR_GAUDI] = ", gaudi",
		[TG_FOR_CUDA] = ", cuda",
		[TG_FOR_ALL] = ""};

	printf("usage: tracegen [OPTION]... -o FILE|-\n\n"
	       "Writes a profiler trace of a simulated run, healthy unless problems are "
	       "planted.\n\n");
	for (int i = 0; i < ROWS; i++) {
		const char *value = rows[i].value != NULL ? rows[i].value : "";

		printf("  %s %s\n        %s\n", rows[i].name, value, rows[i].help);
	}
	printf("\nproblems:\n");
	for (int p = 0; p < TG_PROBLEM_COUNT; p++) {
		const struct tg_problem_info *info = &tg_problem_infos[p];

		printf("  %-29s%s (%d %s%s)\n", info->name, info->help, info->default_size,
			units[info->unit], formats[info->formats]);
	}
}

static const struct option_row *find_row(const char *name)
{
	for (int i = 0; i < ROWS; i++) {
		if (strcmp(rows[i].name, name) == 0) {
			return &rows[i];
		}
	}
	return NULL;
}

static int usage(const char *what, const char *text)
{
	fprintf(stderr, "tracegen: %s: %s (see tracegen --help)\n", what, text);
	return 3;
}

static int bad_value(const struct option_row *row, const char *text)
{
	fprintf(stderr, "tracegen: %s%s%s: %s: give %s, %s (see tracegen --help)\n", row->name,
		text != NULL ? " " : "", text != NULL ? text : "",
		text != NULL ? "wrong value" : "no value", row->value, row->help);
	return 3;
}

static void add_ranks(struct tg_options *opt)
{
	static const enum tg_problem need[] = {TG_COMM, TG_SMALL_BUCKETS, TG_STRAGGLER,
		TG_REDUNDANT, TG_BUCKET_COPIES, TG_UNUSED, TG_SLOW_BACKEND};

	for (size_t i = 0; i < sizeof(need) / sizeof(need[0]); i++) {
		if (opt->state[need[i]] != TG_OFF && opt->world_size == 1) {
			opt->world_size = 8;
		}
	}
}

static const char *not_shown(const struct tg_options *opt)
{
	for (int p = 0; p < TG_PROBLEM_COUNT; p++) {
		if (opt->state[p] != TG_OFF &&
			(tg_problem_infos[p].formats & 1U << opt->format) == 0) {
			return tg_problem_infos[p].name;
		}
	}
	return NULL;
}

int tg_options_parse(struct tg_options *opt, int argc, char **argv)
{
	memset(opt, 0, sizeof(*opt));
	opt->steps = 3;
	opt->seed = 1;
	opt->nodes = 100;
	opt->world_size = 1;
	for (int i = 1; i < argc; i++) {
		const struct option_row *row = find_row(argv[i]);

		if (strcmp(argv[i], "--help") == 0) {
			print_help();
			return 1;
		}
		if (row == NULL) {
			return usage("no such option", argv[i]);
		}
		if (row->value != NULL && i + 1 == argc) {
			return bad_value(row, NULL);
		}
		if (!row->set(opt, row->value != NULL ? argv[++i] : NULL)) {
			return bad_value(row, argv[i]);
		}
	}
	add_ranks(opt);
	if (opt->sample != NULL) {
		opt->format = TG_GAUDI_LAZY;
		opt->relative_ts = tg_sample_is_relative(opt->sample);
		opt->steps = 3;
		opt->min_events = 0;
		opt->min_bytes = 0;
		memset(opt->state, 0, sizeof(opt->state));
	}
	if (opt->output == NULL) {
		return usage("no output given", "-o FILE");
	}
	if (not_shown(opt) != NULL) {
		return usage("this format has no such problem", not_shown(opt));
	}
	if (opt->rank >= opt->world_size) {
		return usage("no such rank", "--rank is below --world-size");
	}
	return 0;
}
