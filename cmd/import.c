/* tracecoach import: traces into a sealed store, and no report. */
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "input.h"
#include "terminal.h"
#include "tracecoach/query.h"

static struct {
	int again;
	char *index;
} asked;

static struct poptOption store_rows[] = {
	TC_ROW_OUTPUT("The store to make; one there is replaced", "STORE"),
	TC_FLAG("again", '\0', asked.again,
		"TRACE is a store, perhaps of an older version: read its traces again"),
	TC_TEXT("index", '\0', asked.index,
		"full: indexes by time, name and parent, for many questions about slices (default: "
		"lean)",
		"NAME"),
	TC_END};
struct poptOption tc_options_import[] = {TC_GROUP(tc_rows_input, "Input:"),
	TC_GROUP(store_rows, "Store:"), TC_GROUP(tc_rows_advice, "Advice:"),
	TC_GROUP(tc_rows_common, "Other:"), TC_END};

static int check_again(const struct tc_cli *cli)
{
	if (!asked.again || (cli->arg_count == 1 && tc_import_is_store(cli->ctx, cli->args[0])))
		return 0;
	return tc_cli_error(TC_EXIT_USAGE, "--again: takes one store that was made of traces");
}

static int take_count(void *user, const struct tc_row_batch *rows)
{
	if (rows->row_count == 1)
		*(int64_t *)user = rows->values[0].integer;
	return 0;
}

/* "run.db: 11,215 events, 3.2 MB, 0.1 s. Next: tracecoach run.db", to somebody who watches: it has
 * a clock in it. */
static void tell(
	const struct tc_cli *cli, struct tc_store *store, const char *path, int64_t start_ns)
{
	const struct tc_query_options plain = {0};
	struct stat made;
	int64_t events = 0;

	if (cli->options->terminal.quiet || !tc_terminal_live(STDERR_FILENO) ||
		stat(path, &made) != 0 ||
		tc_query_rows(cli->ctx, store,
			"SELECT CAST(total(event_count) AS INTEGER) FROM trace", &plain, take_count,
			&events) != TC_OK)
		return;
	fprintf(stderr, "%s: %lld events, %.1f MB, %.1f s. Next: tracecoach %s\n", path,
		(long long)events, (double)made.st_size / 1e6,
		(double)(tc_terminal_now_ns() - start_ns) / 1e9, path);
}

int tc_cmd_import(struct tc_cli *cli)
{
	static const char *const indexes[] = {"lean", "full"};
	const char *path = cli->options->report.output;
	int64_t start_ns = tc_terminal_now_ns();
	struct tc_store *store;

	if (!path)
		return tc_cli_error(
			TC_EXIT_USAGE, "import: the store has no name: give one with -o STORE");
	const char *const *index = tc_cli_choose("--index", asked.index, TC_CHOICES_OF(indexes));
	if (!index)
		return TC_EXIT_USAGE;
	int code = check_again(cli);
	if (code == 0)
		code = tc_cli_settings(cli);
	if (code != 0)
		return code;
	struct tc_import_options options = tc_input_options(cli);
	options.again = asked.again;
	options.full_index = index == &indexes[1];
	code = tc_input_import(&store, cli, path, &options);
	if (code != 0)
		return code;
	tell(cli, store, path, start_ns);
	tc_store_close(store);
	return 0;
}
