/*
 * Keeps the pages of the analysis equal to its tables: metrics.md (metrics.def), capabilities.md
 * (the has_* rows of it), roles.md (roles.def), gaps.md (causes.def), waits.md (rules.def of
 * replay). metrics-doc [--check] SOURCE_DIR. With --check nothing is written; each page that
 * differs is named and the exit code is 1. What follows the line END_MARK is written by hand and
 * kept.
 */
#include "analysis/metrics.h"
#include "page.h"

#define END_MARK "<!-- end of the part made from the table -->\n"

static bool is_capability(const struct tc_metric_info *info)
{
	return strncmp(info->name, "has_", 4) == 0;
}

static void append_metrics(struct tc_buf *out)
{
	tc_buf_append_string(out,
		"# Metrics\n\n"
		"Made by `metrics-doc` from `lib/analysis/metrics.def`. Every number that a report "
		"prints is a row of the table `metric`.\n\n"
		"| level | rows |\n|---|---|\n"
		"| run | one: `device` NULL, `step` NULL |\n"
		"| step | run, and one per step (`device` NULL) |\n"
		"| device | one per device, and one for all devices together (`device` NULL) |\n"
		"| both | device, and the same per step, for the work that the step launched; "
		"beyond the limit of devices times steps (import_log, kind step_limit) those only "
		"for all devices |\n\n"
		"| name | unit | level | meaning |\n|---|---|---|---|\n");
	for (int i = 0; i < TC_METRIC_COUNT; i++) {
		const struct tc_metric_info *info = tc_metric_info((enum tc_metric)i);
		if (!is_capability(info))
			tc_buf_format(out, "| `%s` | %s | %s | %s |\n", info->name, info->unit,
				info->level, info->help);
	}
}

static void append_capabilities(struct tc_buf *out)
{
	tc_buf_append_string(out,
		"# Capabilities\n\n"
		"Made by `metrics-doc` from `lib/analysis/metrics.def`. The view `capability` "
		"lists "
		"what a trace can show; a heuristic that needs more does not apply.\n\n"
		"| name | metric | present when |\n|---|---|---|\n");
	for (int i = 0; i < TC_METRIC_COUNT; i++) {
		const struct tc_metric_info *info = tc_metric_info((enum tc_metric)i);
		if (is_capability(info))
			tc_buf_format(out, "| `%s` | `%s` | %s |\n", info->name + 4, info->name,
				info->help);
	}
}

static void append_roles(struct tc_buf *out)
{
	tc_buf_append_string(out, "# Roles\n\n"
				  "Made by `metrics-doc` from `lib/names/label/roles.def`. A role "
				  "says what a host slice "
				  "does; earlier rows have priority.\n\n"
				  "| role | in reports | meaning |\n|---|---|---|\n");
#define TC_ROLE(id, name, title, help)                                                             \
	tc_buf_append_string(out, "| `" name "` | " title " | " help " |\n");
#include "names/label/roles.def"
}

static void append_gaps(struct tc_buf *out)
{
	tc_buf_append_string(out,
		"# Gaps\n\n"
		"Made by `metrics-doc` from `lib/names/label/causes.def`. Every idle interval "
		"between "
		"the first and the last work of a device is split by cause into rows of the table "
		"`gap`; they add up to `device_idle_ns` exactly.\n\n"
		"| cause | in reports | meaning |\n|---|---|---|\n");
#define TC_CAUSE(id, name, phrase, help)                                                           \
	tc_buf_append_string(out, "| `" name "` | " phrase " | " help " |\n");
#include "names/label/causes.def"
}

static void append_waits(struct tc_buf *out)
{
	tc_buf_append_string(out,
		"# Waits\n\n"
		"Made by `metrics-doc` from `lib/replay/rules.def`. Every wait of a replay "
		"([gain.md](gain.md)) comes of one of these rules; a point that several of them "
		"are about waits for all of these.\n\n"
		"| point | when | waits for | why |\n|---|---|---|---|\n");
#define TC_RULE(id, piece, point, when, waits, why)                                                \
	tc_buf_append_string(out, "| " point " | " when " | " waits " | " why " |\n");
#include "replay/rules.def"
}

static void append_import_log(struct tc_buf *out)
{
	tc_buf_append_string(out,
		"# Import log\n\n"
		"Made by `metrics-doc` from `lib/decode/log_kinds.def`. What an import meets that "
		"is "
		"not as it should be is a row of the table `import_log`: the first of each kind "
		"with "
		"their places, the rest counted in one row. Severity `info`: nothing is missing or "
		"doubtful; `data_loss`: something the file meant to say is not in the store; "
		"`error`: the file contradicts itself, the meaning says what was kept.\n\n"
		"| kind | severity | meaning |\n|---|---|---|\n");
#define TC_LOG_KIND(id, name, severity, help)                                                      \
	tc_buf_append_string(out, "| `" name "` | " severity " | " help " |\n");
#include "decode/log_kinds.def"
#undef TC_LOG_KIND
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*append)(struct tc_buf *out);
	} pages[] = {{"metrics", append_metrics}, {"capabilities", append_capabilities},
		{"roles", append_roles}, {"gaps", append_gaps}, {"waits", append_waits},
		{"import-log", append_import_log}};
	bool check = argc > 1 && strcmp(argv[1], "--check") == 0;
	int failed = 0;

	if (argc != (check ? 3 : 2)) {
		fprintf(stderr, "usage: metrics-doc [--check] SOURCE_DIR\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		struct tc_buf path = TC_BUF_EMPTY, made = TC_BUF_EMPTY;
		tc_buf_format(&path, "%s/docs/%s.md", argv[argc - 1], pages[i].name);
		pages[i].append(&made);
		const char *name = tc_buf_string(&path);
		failed |= name ? page_settle(name, &made, END_MARK, false, check) : 1;
		tc_buf_clear(&path);
	}
	return failed;
}
