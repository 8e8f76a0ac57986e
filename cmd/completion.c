#include "help.h"

#include <stdio.h>
#include <string.h>

#include "option_rows.h"

/* Room for the ids of all heuristics. */
#define WORDS_BYTES 8192

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
static void each_option(const struct tc_command *command, const struct tc_settings *settings,
	void (*print)(const struct tc_command *command, const struct poptOption *option,
		enum tc_option_value value, const char *words))
{
	struct tc_option_row rows[TC_OPTION_ROWS_MOST];
	size_t count = tc_option_rows(rows, command);
	char words[WORDS_BYTES];

	for (size_t i = 0; i < count; i++)
		print(command, rows[i].option,
			tc_option_value(words, sizeof(words), command, rows[i].option, settings),
			words);
}

static void print_bash_value(const struct tc_command *command, const struct poptOption *option,
	enum tc_option_value value, const char *words)
{
	if (value == TC_OPTION_NO_VALUE)
		return;
	printf("\t%s,--%s", command->name, option->longName);
	if (option->shortName)
		printf(" | %s,-%c", command->name, option->shortName);
	if (value == TC_OPTION_WORDS)
		printf(") COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", words);
	else if (value == TC_OPTION_OTHER)
		puts(") return ;;");
	else
		printf(") COMPREPLY=($(compgen -%c -- \"$cur\")); return ;;\n",
			value == TC_OPTION_DIRECTORY ? 'd' : 'f');
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

void tc_completion_bash(const struct tc_settings *settings)
{
	size_t count;
	const struct tc_command *commands = tc_commands(&count);

	puts("# Completion of tracecoach for bash.\n"
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
		each_option(&commands[i], settings, print_bash_value);
	puts("\tesac\n\tcase $command,$cur in");
	for (size_t i = 0; i < count; i++)
		print_bash_options(&commands[i]);
	puts("\t*)\n\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))");
	printf("\t\tif ((COMP_CWORD == 1)); then COMPREPLY+=($(compgen -W '");
	print_command_names(" ");
	puts("' -- \"$cur\")); fi\n\t\t;;\n\tesac\n}\n"
	     "complete -o filenames -F _tracecoach tracecoach");
}

static void print_zsh_option(const struct tc_command *command, const struct poptOption *option,
	enum tc_option_value value, const char *words)
{
	static const char *const actions[] = {[TC_OPTION_FILE] = "_files",
		[TC_OPTION_DIRECTORY] = "_files -/",
		[TC_OPTION_OTHER] = " "};

	(void)command;
	for (int is_short = 0; is_short <= (option->shortName ? 1 : 0); is_short++) {
		printf(" \\\n\t\t'*");
		if (is_short)
			printf("-%c", option->shortName);
		else
			printf("--%s", option->longName);
		if (value != TC_OPTION_NO_VALUE)
			putchar(is_short ? '+' : '=');
		putchar('[');
		print_quoted(option->descrip, "'\\''", "[]\\");
		putchar(']');
		if (value == TC_OPTION_WORDS)
			printf(":%s:(%s)", option->longName, words);
		else if (value != TC_OPTION_NO_VALUE)
			printf(":%s:%s", option->longName, actions[value]);
		putchar('\'');
	}
}

void tc_completion_zsh(const struct tc_settings *settings)
{
	size_t count;
	const struct tc_command *commands = tc_commands(&count);

	puts("#compdef tracecoach\n# Completion of tracecoach for zsh.\n"
	     "local command=analyze at=1\nlocal -a commands=(");
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
		each_option(&commands[i], settings, print_zsh_option);
		puts(" \\\n\t\t'*:file:_files'\n\t;;");
	}
	puts("esac");
}

static void print_fish_option(const struct tc_command *command, const struct poptOption *option,
	enum tc_option_value value, const char *words)
{
	/* Without a command, tracecoach runs analyze. */
	printf("complete -c tracecoach -n '%s%s' -l %s",
		command->run == tc_cmd_analyze
			? "not __fish_seen_subcommand_from $tracecoach_others"
			: "__fish_seen_subcommand_from ",
		command->run == tc_cmd_analyze ? "" : command->name, option->longName);
	if (option->shortName)
		printf(" -s %c", option->shortName);
	if (value == TC_OPTION_FILE)
		printf(" -r -F");
	else if (value == TC_OPTION_DIRECTORY)
		printf(" -x -a '(__fish_complete_directories)'");
	else if (value == TC_OPTION_WORDS)
		printf(" -x -a '%s'", words);
	else if (value == TC_OPTION_OTHER)
		printf(" -x");
	printf(" -d '");
	print_quoted(option->descrip, "\\'", "\\");
	puts("'");
}

void tc_completion_fish(const struct tc_settings *settings)
{
	size_t count;
	const struct tc_command *commands = tc_commands(&count);

	printf("# Completion of tracecoach for fish.\nset -g tracecoach_others");
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
		each_option(&commands[i], settings, print_fish_option);
	}
}
