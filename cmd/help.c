/* tracecoach help, and the texts of --help and --version. */
#include "help.h"

#include <stdio.h>
#include <unistd.h>

#include "command.h"
#include "option_rows.h"
#include "terminal.h"
#include "tracecoach/version.h"

/* Columns of the texts behind names and behind exit codes. */
#define NAME_COLUMN 15
#define CODE_COLUMN 7

static const struct {
	const char *code, *text;
} exit_codes[] = {
	{"0", "done"},
	{"1", "a finding reaches the severity of --fail-on, or a run is slower by "
	      "--fail-on-slower or more"},
	{"2", "wrong command line, SQL, setting or rule"},
	{"3", "no input can be used, --strict found damage, or a gate (--fail-on, "
	      "--fail-on-slower) had nothing to judge or a check of it failed"},
	{"4", "the output cannot be written, memory ran out, or tracecoach has a bug"},
	{"5", "done, but an unusable input was left out and the others were read, or shards "
	      "are missing"},
	{"130", "interrupted"},
};

static void print_row(FILE *file, const char *name, const char *text, int column, int width)
{
	char label[32];

	snprintf(label, sizeof(label), "  %s", name);
	tc_terminal_wrap(file, label, text, column, width);
}

void tc_help_usage(FILE *file)
{
	int width = tc_terminal_width(fileno(file), 0);
	size_t count;
	const struct tc_command *commands = tc_commands(&count);

	tc_terminal_wrap(file, "",
		"tracecoach reads profiler traces of training and inference runs and says what to "
		"fix first.",
		0, width);
	fputs("\nUsage: tracecoach [OPTION...] TRACE...|STORE\n"
	      "       tracecoach COMMAND [OPTION...] [ARGUMENT...]\n\n"
	      "Commands:\n",
		file);
	for (size_t i = 0; i < count; i++)
		print_row(file, commands[i].name, commands[i].summary, NAME_COLUMN, width);
	fputs("\nWithout a command, tracecoach runs analyze.\n"
	      "'tracecoach COMMAND --help' shows the options of a command.\n",
		file);
}

void tc_help_all(void)
{
	int width = tc_terminal_width(STDOUT_FILENO, 0);

	tc_help_usage(stdout);
	putchar('\n');
	tc_terminal_wrap(stdout, "",
		"A trace is a Chrome trace-event file as PyTorch's profiler writes it, plain or "
		"compressed with gzip or zstd; - is standard input. A directory means the "
		"traces in it. A file whose name is that of a command is written ./NAME.",
		0, width);
	putchar('\n');
	tc_terminal_wrap(stdout, "",
		"Pages called docs/NAME are in the source, and below share/doc/tracecoach of the "
		"place where tracecoach is installed.",
		0, width);
	puts("\nExit codes:");
	for (size_t i = 0; i < sizeof(exit_codes) / sizeof(exit_codes[0]); i++)
		print_row(stdout, exit_codes[i].code, exit_codes[i].text, CODE_COLUMN, width);
}

static const struct {
	bool present;
	const char *name, *does;
} optional_parts[] = {
#define TC_OPTIONAL(present, name, does) {present, name, does},
#include "optional.def"
#undef TC_OPTIONAL
};

void tc_help_version(void)
{
	printf("tracecoach %s\nyajl %s, SQLite %s, zlib %s, zstd %s\n",
		tc_version(TC_VERSION_OF_TRACECOACH), tc_version(TC_VERSION_OF_YAJL),
		tc_version(TC_VERSION_OF_SQLITE), tc_version(TC_VERSION_OF_ZLIB),
		tc_version(TC_VERSION_OF_ZSTD));
	for (size_t i = 0; i < sizeof(optional_parts) / sizeof(optional_parts[0]); i++)
		printf("%s %s, which %s\n", optional_parts[i].present ? "with" : "without",
			optional_parts[i].name, optional_parts[i].does);
	tc_cli_print_confinement();
}

void tc_help_command(const struct tc_command *command)
{
	const struct tc_choices formats = tc_option_formats(command);
	int width = tc_terminal_width(STDOUT_FILENO, 0);

	tc_options_print_help(command);
	if (command->run != tc_cmd_analyze && command->run != tc_cmd_compare &&
		command->run != tc_cmd_report)
		return;
	puts("\nReports (--format):");
	for (size_t i = 0; i < formats.count; i++) {
		const char *const *format = tc_choice_at(&formats, i);
		print_row(stdout, format[0], format[1], NAME_COLUMN, width);
	}
}

/* Sets *out, or prints that there is no such command and returns an exit code. */
static int find_command(const struct tc_command **out, const char *name)
{
	const char *near = tc_command_nearest(name);

	*out = tc_command_find(name);
	if (*out)
		return 0;
	if (near)
		return tc_cli_error(
			TC_EXIT_USAGE, "%s: no such command: did you mean '%s'?", name, near);
	return tc_cli_error(
		TC_EXIT_USAGE, "%s: no such command: 'tracecoach help' lists them", name);
}

static int explain_command(const char *name)
{
	const struct tc_command *command;
	const struct tc_options *options;
	const char *const *args;
	char title[64];
	const char *argv[] = {title, NULL};
	int code = find_command(&command, name);

	if (code != 0)
		return code;
	tc_options_clear();
	snprintf(title, sizeof(title), "tracecoach %s", command->name);
	code = tc_options_parse(&options, &args, command, 1, argv);
	if (code == 0)
		tc_help_command(command);
	return code;
}

static int print_manual(const char *name)
{
	const struct tc_command *command;

	if (!name)
		return tc_cli_error(TC_EXIT_USAGE, "help --format man: name a command");
	int code = find_command(&command, name);
	if (code == 0)
		tc_manual_print(command);
	return code;
}

static int print_script(
	struct tc_cli *cli, void (*print)(const struct tc_settings *settings), const char *name)
{
	if (name)
		return tc_cli_error(TC_EXIT_USAGE,
			"help --format %s: the script has all commands: leave out %s",
			cli->options->format, name);
	int code = tc_cli_settings(cli); /* for the ids of the heuristics */
	if (code == 0)
		print(cli->settings);
	return code;
}

static const struct shell {
	const char *name;
	void (*print)(const struct tc_settings *settings);
} shells[] = {{"text", NULL}, {"man", NULL}, {"bash", tc_completion_bash},
	{"zsh", tc_completion_zsh}, {"fish", tc_completion_fish}};

struct tc_choices tc_help_formats(void)
{
	return TC_CHOICES_OF(shells);
}

int tc_cmd_help(struct tc_cli *cli)
{
	const char *name = cli->args[0];
	const struct shell *shell = tc_option_format(cli);

	if (!shell)
		return TC_EXIT_USAGE;
	if (shell->print)
		return print_script(cli, shell->print, name);
	if (shell == &shells[1])
		return print_manual(name);
	if (name)
		return explain_command(name);
	tc_help_all();
	return TC_EXIT_DONE;
}
