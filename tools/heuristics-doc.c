/*
 * Keeps docs/heuristics.md (the index) and the head of every page docs/heuristics/<id>.md equal to
 * the files heuristics/ID.sql: heuristics-doc [--check] SOURCE_DIR. With --check nothing is
 * written; each file that differs is named and the exit code is 1. A page's head reaches to the
 * line END_MARK; what follows is written by hand and kept.
 */
#include "advice/catalogue/catalogue.h"
#include "advice/trace/trace.h"
#include "page.h"

#define END_MARK "<!-- end of the part made from heuristics/ID.sql -->\n"

static const char *kind_text(const struct tc_heuristic *heuristic)
{
	return heuristic->kind == TC_HEURISTIC_FIX ? "something to fix" : "quality of the trace";
}

static void append_list(struct tc_buf *out, const char *const *items, const char *none)
{
	if (!*items)
		tc_buf_append_string(out, none);
	for (size_t i = 0; items[i]; i++)
		tc_buf_format(out, "%s`%s`", i ? ", " : "", items[i]);
}

/* The ranges of shares that no trace can tell. */
static void append_ranges(struct tc_buf *out, const struct tc_heuristic *heuristic)
{
	const struct tc_param_range *range = heuristic->ranges;

	if (!range->param)
		return;
	tc_buf_append_string(out, "| [range](../gain.md#range) of | low | high | source |\n"
				  "|---|---|---|---|\n");
	for (; range->param; range++)
		tc_buf_format(out, "| `%s` | %.15g | %.15g | %s |\n", range->param, range->low,
			range->high, range->source);
	tc_buf_append_char(out, '\n');
}

static void append_params(struct tc_buf *out, const struct tc_heuristic *heuristic)
{
	const struct tc_param *params = heuristic->params;

	if (heuristic->edits[0])
		tc_buf_append_string(out, "Reported if the fix wins enough "
					  "([`advice.min_gain_pct`](../advice.md#gain))");
	if (heuristic->always_if)
		tc_buf_format(out, ", and whatever it wins where the evidence has `%s`",
			heuristic->always_if);
	if (heuristic->edits[0])
		tc_buf_append_string(out, ".\n\n");
	if (!params->name) {
		tc_buf_append_string(out, heuristic->edits[0] ? "" : "No thresholds.\n\n");
		return;
	}
	tc_buf_append_string(out, "| threshold | unit | default | range | meaning |\n"
				  "|---|---|---|---|---|\n");
	for (; params->name; params++)
		tc_buf_format(out, "| `%s` | %s | %.15g | %.15g to %.15g | %s |\n", params->name,
			params->unit, params->value, params->min, params->max, params->help);
	tc_buf_append_char(out, '\n');
}

/* The head of a page. */
static void append_head(struct tc_buf *out, const struct tc_heuristic *heuristic)
{
	const struct tc_words any = TC_WORDS_ANY;

	tc_buf_format(out, "# %s\n\n**%s.** ", heuristic->id, heuristic->title);
	tc_words_append(out, heuristic->advice, &any);
	tc_buf_append_string(out, "\n\n");
	tc_words_append(out, heuristic->why, &any);
	tc_buf_append_string(out, "\n\n");
	tc_buf_format(out, "- kind: %s\n", kind_text(heuristic));
	tc_buf_append_string(out, "- needs: ");
	append_list(out, heuristic->needs, "nothing");
	for (const char *const *edit = heuristic->edits; *edit; edit++)
		tc_buf_format(out, "\n- edit: `%s`", *edit);
	if (heuristic->part_of[0]) {
		tc_buf_append_string(out, "\n- special case of: ");
		append_list(out, heuristic->part_of, "nothing");
	}
	tc_buf_format(out, "\n- source: %s\n\n", heuristic->source);
	append_params(out, heuristic);
	append_ranges(out, heuristic);
}

static void append_index_part(struct tc_buf *out, const struct tc_catalogue *catalogue,
	enum tc_heuristic_kind kind, const char *heading)
{
	tc_buf_format(out, "\n## %s\n\n| id | says | needs | gain |\n|---|---|---|---|\n", heading);
	for (size_t i = 0; i < tc_catalogue_count(catalogue); i++) {
		const struct tc_heuristic *heuristic = tc_catalogue_at(catalogue, i);

		if (heuristic->kind != kind)
			continue;
		tc_buf_format(out, "| [%s](heuristics/%s.md) | %s | ", heuristic->id, heuristic->id,
			heuristic->title);
		append_list(out, heuristic->needs, "nothing");
		tc_buf_append_string(out, " | ");
		tc_buf_append_string(out, heuristic->edits[0] ? "replayed" : "none");
		tc_buf_append_string(out, " |\n");
	}
}

static void append_index(struct tc_buf *out, const struct tc_catalogue *catalogue)
{
	tc_buf_format(out,
		"# Heuristics\n\n"
		"Made by `heuristics-doc` from `heuristics/*.sql`.\n\n"
		"%zu heuristics. Each is one question to the store; `tracecoach heuristics ID` "
		"prints its page and query. How gains, severity and order come about: "
		"[advice.md](advice.md). What no trace can show: [checklist.md](checklist.md).\n",
		tc_catalogue_count(catalogue));
	append_index_part(out, catalogue, TC_HEURISTIC_FIX, "Things to fix");
	append_index_part(out, catalogue, TC_HEURISTIC_QUALITY, "Quality of the trace itself");
}

/* heuristic NULL: the index. */
static int settle_file(const char *dir, const struct tc_catalogue *catalogue,
	const struct tc_heuristic *heuristic, bool check)
{
	struct tc_buf path = TC_BUF_EMPTY, made = TC_BUF_EMPTY;

	tc_buf_format(&path, "%s/docs/heuristics%s%s.md", dir, heuristic ? "/" : "",
		heuristic ? heuristic->id : "");
	if (heuristic)
		append_head(&made, heuristic);
	else
		append_index(&made, catalogue);
	const char *name = tc_buf_string(&path);
	int failed = name ? page_settle(name, &made, END_MARK, heuristic != NULL, check) : 1;
	tc_buf_clear(&path);
	return failed;
}

int main(int argc, char **argv)
{
	bool check = argc == 3 && strcmp(argv[1], "--check") == 0;
	struct tc_ctx *ctx = tc_ctx_new();

	if (argc != 2 && !check) {
		fprintf(stderr, "usage: heuristics-doc [--check] SOURCE_DIR\n");
		return 2;
	}
	struct tc_catalogue *catalogue = ctx ? tc_catalogue_new(ctx, NULL) : NULL;
	if (!catalogue) {
		fprintf(stderr, "heuristics-doc: %s\n", ctx ? tc_ctx_error(ctx) : "out of memory");
		tc_ctx_free(ctx);
		return 1;
	}
	int failed = settle_file(argv[argc - 1], catalogue, NULL, check);
	for (size_t i = 0; i < tc_catalogue_count(catalogue); i++)
		failed |= settle_file(
			argv[argc - 1], catalogue, tc_catalogue_at(catalogue, i), check);
	tc_catalogue_free(catalogue);
	tc_ctx_free(ctx);
	return failed;
}
