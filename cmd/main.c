/*
 * tracecoach: the program. Finds the command, parses its options, wires signals to the context
 * and checks at the end that standard output was written.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "tracecoach/confine.h"
#include "tracecoach/store.h"
#include "tracecoach/version.h"

/* For a debugger or a tool that writes files of its own from inside of the program. */
#define SWITCH_OFF "TRACECOACH_UNCONFINED"

static bool is_off(void)
{
	const char *value = getenv(SWITCH_OFF);

	return value && *value;
}

/* Confines the process to what its command line asks for, unless the environment says otherwise
 * (tracecoach/confine.h, SECURITY.md). The outputs of all commands are the values of two options.
 */
static void confine(const struct tc_cli *cli)
{
	const char *outputs[2];
	size_t count = 0;

	if (is_off())
		return;
	if (cli->options->report.output)
		outputs[count++] = cli->options->report.output;
	if (cli->options->input.db)
		outputs[count++] = cli->options->input.db;
	if (tc_confine(outputs, count, cli->command->forks) & TC_CONFINED_UNFINISHED)
		_exit(tc_cli_error(TC_EXIT_INTERNAL, "out of memory"));
}

/* Prints which means of confinement the system offers. */
static void print_confinement(void)
{
	static const char *const texts[] = {"this system offers neither Landlock nor seccomp",
		"writes (Landlock)", "system calls (seccomp)",
		"writes (Landlock), system calls (seccomp)"};
	unsigned offered = tc_confine_offered();

	if (is_off())
		puts("not confined: " SWITCH_OFF " is set");
	else if (offered)
		printf("confined: %s\n", texts[offered]);
	else
		printf("not confined: %s\n", texts[0]);
}

static const struct {
	bool present;
	const char *name, *does;
} optional_parts[] = {
#define TC_OPTIONAL(present, name, does) {present, name, does},
#include "optional.def"
#undef TC_OPTIONAL
};

static void print_version(void)
{
	printf("tracecoach %s\nyajl %s, SQLite %s, zlib %s, zstd %s\n",
		tc_version(TC_VERSION_OF_TRACECOACH), tc_version(TC_VERSION_OF_YAJL),
		tc_version(TC_VERSION_OF_SQLITE), tc_version(TC_VERSION_OF_ZLIB),
		tc_version(TC_VERSION_OF_ZSTD));
	for (size_t i = 0; i < sizeof(optional_parts) / sizeof(optional_parts[0]); i++)
		printf("%s %s, which %s\n", optional_parts[i].present ? "with" : "without",
			optional_parts[i].name, optional_parts[i].does);
	print_confinement();
}

void tc_cli_note(void *user, enum tc_note note, const char *text)
{
	struct tc_cli *cli = user;

	if (note == TC_NOTE_LEFT_OUT)
		cli->left_out.failed |= tc_strings_add(&cli->left_out.reasons, text) != 0;
	else if (note == TC_NOTE_WARNING || note == TC_NOTE_TIMING || !cli->options->terminal.quiet)
		tc_cli_error(0, "%s", text);
}

/* Names the inputs that were left out. Returns the exit code of a run that would end with code
 * without them. */
static int tell_left_out(const struct tc_left_out *list, int code)
{
	if (list->failed && code != TC_EXIT_INTERRUPTED)
		return tc_cli_error(TC_EXIT_INTERNAL, "out of memory");
	if (list->reasons.count == 0 || code == TC_EXIT_INTERRUPTED)
		return code;
	for (size_t i = 0; i < list->reasons.count; i++)
		tc_cli_error(0, "left out: %s", list->reasons.items[i]);
	if (code != TC_EXIT_DONE)
		return code;
	return tc_cli_error(list->are_all ? TC_EXIT_INPUT : TC_EXIT_LEFT_OUT,
		"%zu input%s left out, %s read: the exit code is %d", list->reasons.count,
		list->reasons.count == 1 ? " was" : "s were",
		list->are_all ? "and nothing was" : "the others were",
		list->are_all ? TC_EXIT_INPUT : TC_EXIT_LEFT_OUT);
}

static struct tc_ctx *interrupt_ctx; /* set before the handlers are */

static void on_signal(int number)
{
	(void)number;
	tc_ctx_interrupt(interrupt_ctx);
}

/* The first signal asks the job to stop and clean up, the second kills. A reader of our output
 * that goes away is seen as a failed write, and so is a full quota. */
static void catch_signals(struct tc_ctx *ctx)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction ask = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
	struct sigaction old, ignore = {.sa_handler = SIG_IGN};

	interrupt_ctx = ctx;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		/* nohup and shells' background jobs ignore some; leave it so. */
		if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &ask, NULL);
	}
	sigaction(SIGPIPE, &ignore, NULL);
#ifdef SIGXFSZ
	sigaction(SIGXFSZ, &ignore, NULL); /* a file too large is a failed write, too */
#endif
}

/* --trace values first, then the arguments, as one list owned by the caller; NULL: no memory. */
static const char **join_args(size_t *count, char *const *traces, const char *const *args)
{
	size_t trace_count = 0, arg_count = 0;
	const char **all;

	while (traces && traces[trace_count])
		trace_count++;
	while (args[arg_count])
		arg_count++;
	all = calloc(trace_count + arg_count + 1, sizeof(*all));
	for (size_t i = 0; all && i < trace_count; i++)
		all[i] = traces[i];
	for (size_t i = 0; all && i < arg_count; i++)
		all[trace_count + i] = args[i];
	*count = trace_count + arg_count;
	return all;
}

static bool reads_twice(const struct tc_cli *cli)
{
	size_t count = 0;

	for (size_t i = 0; i < cli->arg_count; i++)
		count += strcmp(cli->args[i], "-") == 0;
	return count > 1;
}

/* Are there as many arguments as the command takes? */
static int check_count(const struct tc_cli *cli)
{
	static const char *const numbers[] = {"no arguments", "one argument", "two arguments"};
	const struct tc_command *command = cli->command;
	size_t count = cli->arg_count;

	if (count >= command->least && count <= command->most)
		return 0;
	if (count == 0 && command->least == 1)
		return tc_cli_error(TC_EXIT_USAGE, "%s: nothing to read: 'tracecoach %s %s'",
			command->name, command->name, command->usage);
	size_t limit = count < command->least ? command->least : command->most;
	const char *bound = command->least == command->most ? ""
			    : count < limit                 ? "at least "
							    : "at most ";
	return tc_cli_error(TC_EXIT_USAGE, "%s: takes %s%s, not %zu: 'tracecoach %s %s'%s",
		command->name, bound, numbers[limit], count, command->name, command->usage,
		command->most > 1 && count > command->most ? ", each in quotes if it has blanks"
							   : "");
}

/* "tracecoach explain t.json 1", with the command in front of the other arguments; its usage where
 * one of them would need quotes. */
static int tell_order(const struct tc_cli *cli, const struct tc_command *command)
{
	static const char quoted[] = " \t\n\"'\\$&;|<>()*?[]{}!#~`";
	char line[256] = "";
	size_t len = 0;

	for (size_t i = 0; i < cli->arg_count && len < sizeof(line); i++) {
		if (strpbrk(cli->args[i], quoted))
			len = sizeof(line);
		else if (strcmp(cli->args[i], command->name) != 0)
			len += (size_t)snprintf(
				line + len, sizeof(line) - len, " %s", cli->args[i]);
	}
	return tc_cli_error(TC_EXIT_USAGE,
		"%s: no such file, and a command comes first: "
		"'tracecoach %s%s%s'",
		command->name, command->name, len < sizeof(line) ? "" : " ",
		len < sizeof(line) ? line : command->usage);
}

/* A command behind its arguments is no file. */
static int check_order(const struct tc_cli *cli)
{
	for (size_t i = 0; i < cli->arg_count && cli->command == tc_command_find("analyze"); i++) {
		const struct tc_command *command = tc_command_find(cli->args[i]);
		if (command && access(cli->args[i], F_OK) != 0)
			return tell_order(cli, command);
	}
	return 0;
}

/* Messages name options as they are typed here. */
static const struct tc_word options_as_they_are[] = {{NULL, NULL}};

static int run_command(struct tc_cli *cli)
{
	const struct tc_command *command = cli->command;
	int code = check_count(cli);

	if (code == 0)
		code = check_order(cli);
	if (code != 0)
		return code;
	if (reads_twice(cli))
		return tc_cli_error(TC_EXIT_USAGE,
			"-: given twice, but standard input can be read once: name files");
	cli->ctx = tc_ctx_new();
	if (!cli->ctx)
		return tc_cli_error(TC_EXIT_INTERNAL, "out of memory");
	tc_ctx_set_words(cli->ctx, options_as_they_are);
	catch_signals(cli->ctx);
	confine(cli);
	tc_ctx_set_note(cli->ctx, tc_cli_note, cli);
	if (cli->options->input.timings)
		tc_ctx_tell_timings(cli->ctx);
	code = tell_left_out(&cli->left_out, command->run(cli));
	tc_strings_clear(&cli->left_out.reasons);
	tc_settings_free(cli->settings);
	return code;
}

static int run_parsed(struct tc_cli *cli, int argc, const char **words)
{
	const char *const *args;
	const char **all;
	int code = tc_options_parse(&args, cli->command, argc, words);

	if (code != 0)
		return code;
	if (cli->options->help) {
		tc_help_command(cli->command);
		return TC_EXIT_DONE;
	}
	all = join_args(&cli->arg_count, cli->options->input.traces, args);
	if (!all)
		return tc_cli_error(TC_EXIT_INTERNAL, "out of memory");
	cli->args = all;
	code = run_command(cli);
	free(all);
	return code;
}

/* argv[0] is the last word before the options; the help shows the command in its place. */
static int run_line(struct tc_cli *cli, int argc, char **argv)
{
	const char **words = calloc((size_t)argc + 1, sizeof(*words));
	char title[64];
	int code;

	if (!words)
		return tc_cli_error(TC_EXIT_INTERNAL, "out of memory");
	snprintf(title, sizeof(title), "tracecoach %s", cli->command->name);
	words[0] = title;
	for (int i = 1; i < argc; i++)
		words[i] = argv[i];
	code = run_parsed(cli, argc, words);
	free(words);
	return code;
}

/* A word that is neither a command nor a file: a mistyped command, or nothing we know. */
static int check_word(const char *word)
{
	const char *near = tc_command_nearest(word);

	if (*word == '-' || access(word, F_OK) == 0 || strpbrk(word, "./"))
		return 0;
	if (near)
		return tc_cli_error(TC_EXIT_USAGE,
			"%s: no such command or file: did you mean '%s'?", word, near);
	return tc_cli_error(TC_EXIT_USAGE,
		"%s: no such command or file: 'tracecoach help' lists the commands", word);
}

static bool is_one_of(const char *word, const char *a, const char *b)
{
	return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static int dispatch(struct tc_cli *cli, int argc, char **argv)
{
	int code;

	if (argc < 2 && cli->perf_tool)
		return tc_cli_error(TC_EXIT_USAGE, "no trace: give --trace FILE");
	if (argc < 2) {
		tc_help(stderr, false);
		return TC_EXIT_USAGE;
	}
	if (is_one_of(argv[1], "--help", "-h")) {
		tc_help(stdout, true);
		return TC_EXIT_DONE;
	}
	if (is_one_of(argv[1], "--version", "-V")) {
		print_version();
		return TC_EXIT_DONE;
	}
	cli->command = cli->perf_tool ? NULL : tc_command_find(argv[1]);
	if (cli->command)
		return run_line(cli, argc - 1, argv + 1);
	code = check_word(argv[1]);
	cli->command = tc_command_find("analyze");
	return code ? code : run_line(cli, argc, argv);
}

/* Checks the output that help and lists wrote with stdio; reports have checked theirs. */
static int close_stdout(int code)
{
	bool is_done = code == TC_EXIT_DONE || code == TC_EXIT_FAIL_ON || code == TC_EXIT_LEFT_OUT;

	if ((fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE || !is_done)
		return code;
	return tc_cli_error(TC_EXIT_INTERNAL,
		"standard output: cannot write: %s: check where the output goes", strerror(errno));
}

/* Buffers of the first size and more go back to the system when they are freed. The C library would
 * keep ever larger ones once it has seen them freed, and their holes are a seventh of what a large
 * trace needs. What is free at the end of the heap goes back from the second size on: SQLite's
 * tables of a single query would be taken from the system and given back for every query. */
static void set_up_heap(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 256 * 1024);
	mallopt(M_TRIM_THRESHOLD, 4 * 1024 * 1024);
#endif
}

/* A file opened later would get the number of a stream that is closed, and what is said there would
 * be written into it. Opened the wrong way around, so that using one still fails. */
static void fill_closed_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
	}
}

int main(int argc, char **argv)
{
	const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : argc > 0 ? argv[0] : "";
	struct tc_cli cli = {
		.options = &tc_given, .perf_tool = strcmp(name, "habana_perf_tool") == 0};
	int code;

	fill_closed_streams();
	set_up_heap();
	/* Nobody asks SQLite how much memory it has; to keep count it locks at every allocation. */
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	/* A page cache would begin each table of a query with twenty pages, most of which are never
	 * used. */
	sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);
	tc_store_bound_memory();
	setlocale(LC_CTYPE, "");
	code = close_stdout(dispatch(&cli, argc, argv));
	tc_options_clear();
	tc_ctx_free(cli.ctx);
	return code;
}
