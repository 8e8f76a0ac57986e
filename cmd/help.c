/*
 * What is made of the rows of commands and options: the texts of --help, the manual page of a
 * command (roff with the macros of man(7)), and scripts that let a shell complete command lines.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "options.h"
#include "output.h"
#include "terminal.h"
#include "tracecoach/version.h"

static struct tc_choices formats_of(const struct tc_command *command);

static struct poptOption result_rows[] = {
	TC_ROW_FORMAT("text, man (the manual page of the command), or bash, zsh or fish (a script "
		      "that completes command lines; default: text)"),
	TC_END};
struct poptOption tc_options_help[] = {
	TC_GROUP(result_rows, "Result:"), TC_GROUP(tc_rows_help, "Other:"), TC_END};

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
	{"3", "no input can be used, --strict found damage, a gate (--fail-on, "
	      "--fail-on-slower) had nothing to judge or a check of it failed, or compare has "
	      "two runs that do not do the same work"},
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

static void print_usage(FILE *file)
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

void tc_help(FILE *file, bool all)
{
	int width = tc_terminal_width(fileno(file), 0);

	print_usage(file);
	if (!all)
		return;
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

void tc_help_command(const struct tc_command *command)
{
	const struct tc_choices formats = formats_of(command);
	int width = tc_terminal_width(STDOUT_FILENO, 0);

	tc_options_print(command);
	if (command->run != tc_cmd_analyze && command->run != tc_cmd_compare &&
		command->run != tc_cmd_report)
		return;
	puts("\nReports (--format):");
	for (size_t i = 0; i < formats.count; i++) {
		const char *const *format = tc_choice_at(&formats, i);
		print_row(stdout, format[0], format[1], NAME_COLUMN, width);
	}
}

/* A line that begins with a dot or an apostrophe would be a request; a plain hyphen would be one of
 * print. */
static void print_text(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else
			putchar(*text);
	}
}

static void print_option(const struct poptOption *option)
{
	printf(".TP\n.B ");
	if (option->shortName)
		printf("\\-%c, ", option->shortName);
	print_text("--");
	print_text(option->longName);
	if (option->argDescrip) {
		printf("\\fR=\\fI");
		print_text(option->argDescrip);
		printf("\\fR");
	}
	putchar('\n');
	print_text(option->descrip);
	puts(".");
}

static void print_options(const struct tc_command *command)
{
	struct tc_option_row rows[TC_OPTION_ROWS_MOST];
	size_t count = tc_option_rows(rows, command);

	puts(".SH OPTIONS");
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || strcmp(rows[i].group, rows[i - 1].group) != 0)
			printf(".SS \"%s\"\n", rows[i].group);
		print_option(rows[i].option);
	}
}

static void print_manual(const struct tc_command *command)
{
	printf(".TH TRACECOACH\\-%s 1 \"\" \"tracecoach %s\"\n", command->name, TC_VERSION);
	printf(".SH NAME\ntracecoach\\-%s \\- ", command->name);
	print_text(command->summary);
	printf("\n.SH SYNOPSIS\n.B tracecoach %s\n", command->name);
	print_text(command->usage);
	printf("\n.SH DESCRIPTION\n");
	print_text(command->summary);
	puts(".");
	print_options(command);
	puts(".SH SEE ALSO\n.BR tracecoach (1),\nwhich has the exit codes, files and environment.");
}

/* Room for the formats of a command. */
#define WORDS_BYTES 512

enum value {
	VALUE_NONE,
	VALUE_FILE,
	VALUE_DIRECTORY,
	VALUE_WORDS,    /* one of the words */
	VALUE_IDS,      /* of heuristics, with commas between */
	VALUE_FINDINGS, /* the same, or numbers of a report */
	VALUE_PARAMS,   /* a threshold of a heuristic, as ID.PARAM= */
	VALUE_OTHER,    /* a number, or something else that nobody can complete */
};

/* A report has few numbers, and which they are only the trace says. */
#define NUMBERS "1 2 3 4 5 6 7 8 9"

static void add_word(char *words, size_t size, const char *word)
{
	size_t len = strlen(words);

	snprintf(words + len, size - len, "%s%s", len > 0 ? " " : "", word);
}

static void add_formats(char *words, size_t size, const struct tc_command *command)
{
	const struct tc_choices formats = formats_of(command);

	for (size_t i = 0; i < formats.count; i++)
		add_word(words, size, *tc_choice_at(&formats, i));
}

static void print_ids(const struct tc_settings *settings)
{
	const struct tc_heuristic *heuristic;

	for (size_t i = 0; (heuristic = tc_heuristic_at(settings, i)); i++)
		printf("%s%s", i > 0 ? " " : "", heuristic->id);
}

static void print_params(const struct tc_settings *settings)
{
	const struct tc_heuristic *heuristic;
	const char *separator = "";

	for (size_t i = 0; (heuristic = tc_heuristic_at(settings, i)); i++)
		for (const struct tc_param *param = heuristic->params; param->name; param++) {
			printf("%s%s.%s=", separator, heuristic->id, param->name);
			separator = " ";
		}
}

/* The kind of value that an option takes. For VALUE_WORDS, words has them with spaces between; they
 * are cut at size. */
static enum value value_of(
	char *words, size_t size, const struct tc_command *command, const struct poptOption *option)
{
	static const char *const files[] = {"FILE", "STORE", "INDEX", "OUT"};
	const char *what = option->argDescrip;

	words[0] = '\0';
	if ((option->argInfo & POPT_ARG_MASK) == POPT_ARG_NONE)
		return VALUE_NONE;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (strcmp(what, files[i]) == 0)
			return VALUE_FILE;
	}
	if (strcmp(what, "DIR") == 0)
		return VALUE_DIRECTORY;
	if (strcmp(what, "ID.PARAM=VALUE") == 0)
		return VALUE_PARAMS;
	if (strncmp(what, "ID[", 3) == 0)
		return strcmp(option->longName, "fix") == 0 ? VALUE_FINDINGS : VALUE_IDS;
	if (strcmp(what, "SEVERITY") == 0)
		add_word(words, size, "high medium low");
	else if (strcmp(what, "LEVEL") == 0)
		add_word(words, size, "summary full");
	else if (strcmp(what, "NAME") == 0)
		add_formats(words, size, command);
	return words[0] ? VALUE_WORDS : VALUE_OTHER;
}

static void print_command_names(const char *separator)
{
	size_t count;
	const struct tc_command *commands = tc_commands(&count);

	for (size_t i = 0; i < count; i++)
		printf("%s%s", i > 0 ? separator : "", commands[i].name);
}

/* Text between single quotes; escaped has the characters that the place needs a backslash
 * before. */
static void print_quoted(const char *text, const char *quote, const char *escaped)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs(quote, stdout);
		else
			printf("%s%c", strchr(escaped, *text) ? "\\" : "", *text);
	}
}

/* Calls print with each option of a command, and with what its value is; words has the values to
 * choose from. */
static void each_option(const struct tc_command *command,
	void (*print)(const struct tc_command *command, const struct poptOption *option,
		enum value value, const char *words))
{
	struct tc_option_row rows[TC_OPTION_ROWS_MOST];
	size_t count = tc_option_rows(rows, command);
	char words[WORDS_BYTES];

	for (size_t i = 0; i < count; i++)
		print(command, rows[i].option,
			value_of(words, sizeof(words), command, rows[i].option), words);
}

static void print_bash_value(const struct tc_command *command, const struct poptOption *option,
	enum value value, const char *words)
{
	if (value == VALUE_NONE)
		return;
	printf("\t%s,--%s", command->name, option->longName);
	if (option->shortName)
		printf(" | %s,-%c", command->name, option->shortName);
	switch (value) {
	case VALUE_WORDS:
		printf(") COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", words);
		break;
	case VALUE_IDS: puts(") _tracecoach_list \"$_tracecoach_ids\"; return ;;"); break;
	case VALUE_FINDINGS:
		puts(") _tracecoach_list \"" NUMBERS " $_tracecoach_ids\"; return ;;");
		break;
	case VALUE_PARAMS:
		puts(") COMPREPLY=($(compgen -W \"$_tracecoach_params\" -- \"$cur\"));"
		     " compopt -o nospace 2>/dev/null; return ;;");
		break;
	case VALUE_OTHER: puts(") return ;;"); break;
	default:
		printf(") COMPREPLY=($(compgen -%c -- \"$cur\")); return ;;\n",
			value == VALUE_DIRECTORY ? 'd' : 'f');
	}
}

static void print_bash_options(const struct tc_command *command)
{
	struct tc_option_row rows[TC_OPTION_ROWS_MOST];
	size_t count = tc_option_rows(rows, command);

	printf("\t%s,-*) COMPREPLY=($(compgen -W '", command->name);
	for (size_t i = 0; i < count; i++)
		printf("%s--%s", i > 0 ? " " : "", rows[i].option->longName);
	puts("' -- \"$cur\")) ;;");
}

static void complete_bash(const struct tc_settings *settings)
{
	size_t count;
	const struct tc_command *commands = tc_commands(&count);

	printf("# Completion of tracecoach for bash.\n_tracecoach_ids='");
	print_ids(settings);
	printf("'\n_tracecoach_params='");
	print_params(settings);
	puts("'\n# Offers words for what is behind the last comma.\n"
	     "_tracecoach_list() {\n"
	     "\tlocal head=\n"
	     "\tif [[ $cur == *,* ]]; then head=${cur%,*},; fi\n"
	     "\tCOMPREPLY=($(compgen -P \"$head\" -W \"$1\" -- \"${cur##*,}\"))\n"
	     "}\n"
	     "_tracecoach() {\n"
	     "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} "
	     "command=analyze\n"
	     "\tCOMPREPLY=()\n"
	     "\t# --option=value is three words to bash.\n"
	     "\tif [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then "
	     "prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
	     "\tif ((COMP_CWORD > 1)); then");
	printf("\t\tcase ${COMP_WORDS[1]} in\n\t\t");
	print_command_names(" | ");
	puts(") command=${COMP_WORDS[1]} ;;\n\t\tesac\n\tfi\n\tcase $command,$prev in");
	for (size_t i = 0; i < count; i++)
		each_option(&commands[i], print_bash_value);
	puts("\tesac\n\tcase $command,$cur in");
	for (size_t i = 0; i < count; i++)
		print_bash_options(&commands[i]);
	puts("\t*)\n\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))");
	printf("\t\tif ((COMP_CWORD == 1)); then COMPREPLY+=($(compgen -W '");
	print_command_names(" ");
	puts("' -- \"$cur\")); fi\n"
	     "\t\tcase $command in\n"
	     "\t\texplain) if ((COMP_CWORD > 2)); then "
	     "COMPREPLY+=($(compgen -W \"" NUMBERS " $_tracecoach_ids\" -- \"$cur\")); fi ;;\n"
	     "\t\theuristics) COMPREPLY=($(compgen -W \"$_tracecoach_ids\" -- \"$cur\")) ;;\n"
	     "\t\tesac\n\t\t;;\n\tesac\n}\n"
	     "complete -o filenames -F _tracecoach tracecoach");
}

static void print_zsh_option(const struct tc_command *command, const struct poptOption *option,
	enum value value, const char *words)
{
	static const char *const actions[] = {[VALUE_FILE] = "_files",
		[VALUE_DIRECTORY] = "_files -/",
		[VALUE_IDS] = "_values -s , heuristic $ids",
		[VALUE_FINDINGS] = "_values -s , fix " NUMBERS " $ids",
		[VALUE_PARAMS] = "compadd -S \"\" -a params",
		[VALUE_OTHER] = " "};

	(void)command;
	for (int is_short = 0; is_short <= (option->shortName ? 1 : 0); is_short++) {
		printf(" \\\n\t\t'*");
		if (is_short)
			printf("-%c", option->shortName);
		else
			printf("--%s", option->longName);
		if (value != VALUE_NONE)
			putchar(is_short ? '+' : '=');
		putchar('[');
		print_quoted(option->descrip, "'\\''", "[]\\");
		putchar(']');
		if (value == VALUE_WORDS)
			printf(":%s:(%s)", option->longName, words);
		else if (value != VALUE_NONE)
			printf(":%s:%s", option->longName, actions[value]);
		putchar('\'');
	}
}

static void complete_zsh(const struct tc_settings *settings)
{
	size_t count;
	const struct tc_command *commands = tc_commands(&count);

	printf("#compdef tracecoach\n# Completion of tracecoach for zsh.\nlocal -a ids=(");
	print_ids(settings);
	printf(") params=(");
	print_params(settings);
	puts(")\nlocal command=analyze at=1\nlocal -a commands=(");
	for (size_t i = 0; i < count; i++) {
		printf("\t'%s:", commands[i].name);
		print_quoted(commands[i].summary, "'\\''", ":\\");
		puts("'");
	}
	puts(")\nif (( CURRENT == 2 )); then\n\t_describe -t commands command commands\nfi");
	printf("case $words[2] in\n");
	print_command_names(" | ");
	puts(") (( CURRENT > 2 )) && command=$words[2] at=2 ;;\nesac\n"
	     "(( at == 2 )) && shift words && (( CURRENT-- ))\ncase $command in");
	for (size_t i = 0; i < count; i++) {
		printf("%s)\n\t_arguments -s", commands[i].name);
		each_option(&commands[i], print_zsh_option);
		puts(commands[i].run == tc_cmd_explain
				? " \\\n\t\t'*:trace or finding:{_files; compadd " NUMBERS
				  " $ids}'\n\t;;"
			: commands[i].run == tc_cmd_heuristics
				? " \\\n\t\t'*:heuristic:{compadd -a ids}'\n\t;;"
				: " \\\n\t\t'*:file:_files'\n\t;;");
	}
	puts("esac");
}

static void print_fish_option(const struct tc_command *command, const struct poptOption *option,
	enum value value, const char *words)
{
	/* Without a command, tracecoach runs analyze. */
	printf("complete -c tracecoach -n '%s%s' -l %s",
		command->run == tc_cmd_analyze
			? "not __fish_seen_subcommand_from $tracecoach_others"
			: "__fish_seen_subcommand_from ",
		command->run == tc_cmd_analyze ? "" : command->name, option->longName);
	if (option->shortName)
		printf(" -s %c", option->shortName);
	if (value == VALUE_FILE)
		printf(" -r -F");
	else if (value == VALUE_DIRECTORY)
		printf(" -x -a '(__fish_complete_directories)'");
	else if (value == VALUE_WORDS)
		printf(" -x -a '%s'", words);
	else if (value == VALUE_IDS)
		printf(" -x -a '(__fish_complete_list , __tracecoach_ids)'");
	else if (value == VALUE_FINDINGS)
		printf(" -x -a '(__fish_complete_list , __tracecoach_findings)'");
	else if (value == VALUE_PARAMS)
		printf(" -x -a '(__tracecoach_params)'");
	else if (value == VALUE_OTHER)
		printf(" -x");
	printf(" -d '");
	print_quoted(option->descrip, "\\'", "\\");
	puts("'");
}

static void complete_fish(const struct tc_settings *settings)
{
	size_t count;
	const struct tc_command *commands = tc_commands(&count);

	printf("# Completion of tracecoach for fish.\nfunction __tracecoach_ids\n\tprintf "
	       "'%%s\\n' ");
	print_ids(settings);
	printf("\nend\nfunction __tracecoach_findings\n\tprintf '%%s\\n' " NUMBERS
	       "\n\t__tracecoach_ids\nend\nfunction __tracecoach_params\n\tprintf '%%s\\n' ");
	print_params(settings);
	puts("\nend\n"
	     "complete -c tracecoach -n '__fish_seen_subcommand_from explain' "
	     "-a '(__tracecoach_findings)'\n"
	     "complete -c tracecoach -n '__fish_seen_subcommand_from heuristics' -f "
	     "-a '(__tracecoach_ids)'");
	printf("set -g tracecoach_others");
	for (size_t i = 0; i < count; i++) {
		if (commands[i].run != tc_cmd_analyze)
			printf(" %s", commands[i].name);
	}
	putchar('\n');
	for (size_t i = 0; i < count; i++) {
		printf("complete -c tracecoach -n __fish_use_subcommand -a %s -d '",
			commands[i].name);
		print_quoted(commands[i].summary, "\\'", "\\");
		puts("'");
		each_option(&commands[i], print_fish_option);
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
	const char *const *args;
	char title[64];
	const char *argv[] = {title, NULL};
	int code = find_command(&command, name);

	if (code != 0)
		return code;
	tc_options_clear();
	snprintf(title, sizeof(title), "tracecoach %s", command->name);
	code = tc_options_parse(&args, command, 1, argv);
	if (code == 0)
		tc_help_command(command);
	return code;
}

static int explain_in_man(const char *name)
{
	const struct tc_command *command;

	if (!name)
		return tc_cli_error(TC_EXIT_USAGE, "help --format man: name a command");
	int code = find_command(&command, name);
	if (code == 0)
		print_manual(command);
	return code;
}

static int print_script(
	struct tc_cli *cli, void (*print)(const struct tc_settings *settings), const char *name)
{
	if (name)
		return tc_cli_error(TC_EXIT_USAGE,
			"help --format %s: the script has all commands: leave out %s",
			cli->options->report.format, name);
	int code = tc_cli_settings(cli); /* for the ids of the heuristics */
	if (code == 0)
		print(cli->settings);
	return code;
}

static const struct shell {
	const char *name;
	void (*print)(const struct tc_settings *settings);
} shells[] = {{"text", NULL}, {"man", NULL}, {"bash", complete_bash}, {"zsh", complete_zsh},
	{"fish", complete_fish}};

static struct tc_choices formats_of(const struct tc_command *command)
{
	return command->run == tc_cmd_help ? TC_CHOICES_OF(shells) : tc_option_formats(command);
}

int tc_cmd_help(struct tc_cli *cli)
{
	const char *name = cli->args[0];
	const struct shell *shell =
		tc_cli_choose("--format", cli->options->report.format, TC_CHOICES_OF(shells));

	if (!shell)
		return TC_EXIT_USAGE;
	if (shell->print)
		return print_script(cli, shell->print, name);
	if (shell == &shells[1])
		return explain_in_man(name);
	if (name)
		return explain_command(name);
	tc_help(stdout, true);
	return TC_EXIT_DONE;
}
