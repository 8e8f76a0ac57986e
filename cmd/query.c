/* tracecoach query: one SQL statement on a trace, a store or an index, as a table, CSV or JSON. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "input.h"
#include "output.h"
#include "terminal.h"
#include "tracecoach/fleet.h"
#include "tracecoach/query.h"

static struct {
	char *file, **attached; /* NAME=STORE, NULL at the end */
	int schema;
} asked;

static struct poptOption query_rows[] = {
	TC_TEXT("file", '\0', asked.file, "Read the SQL from FILE; - is standard input", "FILE"),
	TC_FLAG("schema", '\0', asked.schema,
		"List tables and views; with a name in place of SQL, what its columns mean"),
	TC_LIST("attach", asked.attached, "Ask this store too: its tables are NAME.TABLE",
		"NAME=STORE"),
	TC_ROW_FORMAT("table, csv or json (default: table)"),
	TC_ROW_OUTPUT("Write the rows to FILE; - is standard output", "FILE"), TC_END};
struct poptOption tc_options_query[] = {TC_GROUP(query_rows, "Query:"),
	TC_GROUP(tc_rows_width, "Terminal:"), TC_GROUP(tc_rows_help, "Other:"), TC_END};

/* With its findings. */
static int read_trace(struct tc_store **out, struct tc_cli *cli)
{
	size_t arg_count = cli->arg_count;
	int code = tc_cli_settings(cli);
	struct tc_import_options options = tc_input_options(cli);

	cli->arg_count = 1;
	if (code == 0)
		code = tc_input_import(out, cli, NULL, &options);
	cli->arg_count = arg_count;
	return code;
}

/* A store of any version, the index of a batch, or a trace. */
static int open_database(struct tc_store **out, struct tc_cli *cli)
{
	const char *path = cli->args[0];
	bool is_index = tc_index_is(path);

	if (!is_index && !tc_import_is_store(cli->ctx, path))
		return read_trace(out, cli);
	enum tc_status status = is_index ? tc_index_open(out, cli->ctx, path)
					 : tc_store_open_any(out, cli->ctx, path);
	return status == TC_OK ? 0 : tc_cli_fail(cli, true);
}

/* NAME=STORE, each. */
static int attach(struct tc_cli *cli, struct tc_store *store)
{
	for (char *const *at = asked.attached; at && *at; at++) {
		char *sign = strchr(*at, '=');
		if (!sign || sign == *at || !sign[1])
			return tc_cli_error(TC_EXIT_USAGE,
				"--attach %s: not a name and a store: give NAME=STORE", *at);
		*sign = '\0';
		if (tc_store_attach(cli->ctx, store, *at, sign + 1) != TC_OK)
			return tc_cli_fail(cli, true);
	}
	return 0;
}

/* The columns of a terminal, which the table is cut to; 0 elsewhere. */
static int width_of(const struct tc_cli *cli, struct tc_output *output)
{
	int fd = tc_output_fd(output);

	if (cli->options->terminal.width > 0)
		return cli->options->terminal.width;
	return isatty(fd) ? tc_terminal_columns(fd) : 0;
}

static void print_rows(const struct tc_cli *cli, struct tc_store *store, const char *sql,
	const struct tc_query_format *format, struct tc_output *output)
{
	const struct tc_query_options options = {.format = format,
		.width = width_of(cli, output),
		.ascii = tc_terminal_ascii(cli->options)};

	if (asked.schema)
		tc_query_schema(cli->ctx, store, sql, &options, tc_output_write, output);
	else
		tc_query(cli->ctx, store, sql, &options, tc_output_write, output);
}

static int ask(struct tc_cli *cli, const char *sql, const struct tc_query_format *format,
	struct tc_output *output)
{
	struct tc_store *store = NULL;
	int code = open_database(&store, cli);

	if (code == 0)
		code = attach(cli, store);
	if (code == 0)
		print_rows(cli, store, sql, format, output);
	code = tc_cli_close_output(output, cli, code, cli->args[0]);
	tc_store_close(store);
	return code;
}

/* Where the SQL is: the second argument, "-" for standard input, or --file. With --schema it is the
 * name of a table, or nothing. */
static int check_sql(const struct tc_cli *cli)
{
	size_t given = cli->arg_count - 1 + (asked.file != NULL);

	if (asked.schema && asked.file)
		return tc_cli_error(TC_EXIT_USAGE, "--schema: asks for no SQL: leave --file out");
	if (given == 0 && !asked.schema)
		return tc_cli_error(TC_EXIT_USAGE,
			"query: no SQL: give it in quotes, with --file, or - for standard input");
	if (given > 1)
		return tc_cli_error(TC_EXIT_USAGE,
			"query: takes a trace or a store, and one statement, in quotes if it has "
			"blanks");
	return 0;
}

static int read_sql(char **sql, const struct tc_cli *cli)
{
	const char *path = asked.file;

	if (!path && cli->arg_count > 1 && strcmp(cli->args[1], "-") == 0)
		path = "-";
	*sql = NULL;
	if (!path || asked.schema)
		return 0;
	return tc_query_read(sql, cli->ctx, path) == TC_OK ? 0 : tc_cli_fail(cli, true);
}

int tc_cmd_query(struct tc_cli *cli)
{
	const struct tc_query_format *format = tc_option_format(cli);
	struct tc_output *output;
	char *sql = NULL;
	int code = format ? check_sql(cli) : TC_EXIT_USAGE;

	if (code == 0)
		code = read_sql(&sql, cli);
	if (code == 0)
		code = tc_cli_open_output(&output, cli);
	if (code == 0)
		code = ask(cli, sql ? sql : cli->args[1], format, output);
	free(sql);
	return code;
}
