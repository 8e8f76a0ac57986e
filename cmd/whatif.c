/* tracecoach whatif: a run replayed with what the user changes. */
#include "tracecoach/whatif.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input.h"
#include "output.h"

static struct {
	char **fixes, **removes, **scales, **nowaits, **late_ranks; /* NULL at the end */
} asked;

static struct poptOption change_rows[] = {
	TC_LIST("fix", asked.fixes,
		"Apply these fixes together: heuristics, or numbers of the report", "ID[,ID...]"),
	TC_LIST("remove", asked.removes, "Take this work away: 'role=sync', see docs/edits.md",
		"WHAT"),
	TC_LIST("scale", asked.scales,
		"Leave this part of its time, 0 to 1: 'class=matrix_fp32=0.5'", "WHAT=PART"),
	TC_LIST("nowait", asked.nowaits,
		"Let these calls return without waiting: 'role=input_copy'", "WHAT"),
	TC_LIST("no-wait-for-rank", asked.late_ranks,
		"Let no collective wait for these ranks of a job, or 'late': those that are late",
		"N[,N...]"),
	TC_END};
static struct poptOption report_rows[] = {TC_ROW_FORMAT("text or json (default: text)"),
	TC_ROW_OUTPUT("Write the report to FILE, as its ending (.json) says; - is standard output",
		"FILE"),
	TC_END};
struct poptOption tc_options_whatif[] = {TC_GROUP(change_rows, "What changes:"),
	TC_GROUP(tc_rows_input, "Input:"), TC_GROUP(tc_rows_advice, "Advice:"),
	TC_GROUP(report_rows, "Report:"), TC_GROUP(tc_rows_common, "Other:"), TC_END};

struct format {
	const char *name;
	enum tc_whatif_format format;
};

/* Adds "ACTION WHAT", or "ACTION WHAT by PART" for a part that stands behind the last "=": edits in
 * the words of docs/edits.md. */
static int add_edit(struct tc_strings *edits, const char *action, const char *what, bool has_part)
{
	const char *part = has_part ? strrchr(what, '=') : NULL;
	size_t len = part ? (size_t)(part - what) : strlen(what), room = strlen(what) + 32;

	if (has_part && (!part || !part[1] || !strchr("0123456789.+- ", part[1])))
		return tc_cli_error(TC_EXIT_USAGE,
			"--scale %s: give a part of its time behind it, as in class=matrix=0.5",
			what);
	char *text = malloc(room);
	if (text)
		snprintf(text, room, "%s %.*s%s%s", action, (int)len, what, part ? " by " : "",
			part ? part + 1 : "");
	int code = text && tc_strings_add(edits, text) == 0
			   ? 0
			   : tc_cli_error(TC_EXIT_INTERNAL, "out of memory");
	free(text);
	return code;
}

static int read_edits(struct tc_strings *edits)
{
	const struct {
		const char *action;
		char **whats;
		bool has_part;
	} kinds[] = {
		{"remove", asked.removes, false},
		{"scale", asked.scales, true},
		{"nowait", asked.nowaits, false},
		{"nowait rank =", asked.late_ranks, false},
	};
	int code = 0;

	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++)
		for (char **what = kinds[kind].whats; what && *what && code == 0; what++)
			code = add_edit(edits, kinds[kind].action, *what, kinds[kind].has_part);
	return code;
}

static int replay(struct tc_cli *cli, const struct tc_strings *edits, enum tc_whatif_format format,
	struct tc_output *output)
{
	const struct tc_whatif_options options = {.settings = cli->settings,
		.edits = (const char *const *)edits->items,
		.fixes = (const char *const *)asked.fixes};
	struct tc_store *store = NULL;
	struct tc_advice *advice = NULL;
	int code = tc_input_open(&store, &advice, cli);

	if (code == 0)
		tc_whatif(cli->ctx, store, &options, format, tc_output_write, output);
	code = tc_cli_close_output(output, cli, code, cli->args[0]);
	tc_advice_free(advice);
	tc_store_close(store);
	return code;
}

int tc_cmd_whatif(struct tc_cli *cli)
{
	static const struct format formats[] = {{"text", TC_WHATIF_TEXT}, {"json", TC_WHATIF_JSON}};
	struct tc_output *output = NULL;
	struct tc_strings edits = {0};
	const struct format *format =
		tc_cli_choose("--format", tc_format_asked(cli), TC_CHOICES_OF(formats));
	int code = format ? read_edits(&edits) : TC_EXIT_USAGE;

	if (code == 0 && edits.count == 0 && !(asked.fixes && asked.fixes[0]))
		code = tc_cli_error(TC_EXIT_USAGE,
			"nothing to change: name a fix (--fix 1) or an edit (--remove role=sync)");
	if (code == 0)
		code = tc_cli_settings(cli);
	if (code == 0)
		code = tc_cli_open_output(&output, cli);
	if (code == 0)
		code = replay(cli, &edits, format->format, output);
	tc_strings_clear(&edits);
	return code;
}
