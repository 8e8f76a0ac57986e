/* tracecoach help, and the texts of --help and --version. */
#include "help.h"

#include <stdio.h>

#include "command.h"
#include "tracecoach/report.h"
#include "tracecoach/version.h"

void tc_help_usage(FILE *file)
{
	size_t count;
	const struct tc_command *commands = tc_commands(&count);

	fputs("tracecoach reads profiler traces of training runs and says what to fix first.\n\n"
	      "Usage: tracecoach TRACE...\n"
	      "       tracecoach COMMAND [OPTION...] [ARGUMENT...]\n\n"
	      "Commands:\n",
		file);
	for (size_t i = 0; i < count; i++)
		fprintf(file, "  %-12s %s\n", commands[i].name, commands[i].summary);
	fputs("\n'tracecoach COMMAND --help' shows the options of a command.\n", file);
}

void tc_help_all(void)
{
	tc_help_usage(stdout);
	fputs("\nA trace is a Chrome trace-event file as PyTorch's profiler writes it, plain or\n"
	      "compressed with gzip or zstd; - is standard input. A file whose name is that of a\n"
	      "command is written ./NAME.\n\n"
	      "Exit codes:\n"
	      "  0    done\n"
	      "  1    an advice reached --fail-on\n"
	      "  2    wrong usage\n"
	      "  3    an input cannot be used, or --strict found damage\n"
	      "  4    the output cannot be written, memory is out, or tracecoach is at fault\n"
	      "  130  interrupted\n",
		stdout);
}

void tc_help_version(void)
{
	printf("tracecoach %s\nyajl %s, SQLite %s, zlib %s\n", TC_VERSION, tc_version_yajl(),
		tc_version_sqlite(), tc_version_zlib());
}

void tc_help_command(const struct tc_command *command)
{
	size_t count;
	const struct tc_renderer *renderers = tc_renderers(&count);

	tc_options_print_help(command);
	if (command->run != tc_cmd_analyze)
		return;
	puts("\nReports (--format):");
	for (size_t i = 0; i < count; i++)
		printf("  %-12s %s\n", renderers[i].name, renderers[i].help);
}

static int explain_command(const char *name)
{
	const struct tc_command *command = tc_command_find(name);
	const char *near = tc_command_nearest(name);
	const struct tc_options *options;
	const char *const *args;
	char title[64];
	const char *argv[] = {title, NULL};
	int code;

	if (!command && near)
		return tc_cli_error(
			TC_EXIT_USAGE, "%s: no such command: did you mean '%s'?", name, near);
	if (!command)
		return tc_cli_error(
			TC_EXIT_USAGE, "%s: no such command: 'tracecoach help' lists them", name);
	tc_options_clear();
	snprintf(title, sizeof(title), "tracecoach %s", command->name);
	code = tc_options_parse(&options, &args, command, 1, argv);
	if (code == 0)
		tc_help_command(command);
	return code;
}

int tc_cmd_help(struct tc_cli *cli)
{
	if (cli->arg_count > 1)
		return tc_cli_error(
			TC_EXIT_USAGE, "help: one command at a time: %s is too much", cli->args[1]);
	if (cli->arg_count == 1)
		return explain_command(cli->args[0]);
	tc_help_all();
	return TC_EXIT_DONE;
}
