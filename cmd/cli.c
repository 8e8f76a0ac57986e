/* The rows of commands, error lines and exit codes, settings and lists of strings, which all
 * commands share. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "tracecoach/text.h"

#define TC_COMMAND(name, usage, summary, least, most, forks)                                       \
	{#name, tc_cmd_##name, tc_options_##name, usage, summary, least, most, forks},
static const struct tc_command commands[] = {
#include "commands.def"
};
#undef TC_COMMAND

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

const struct tc_command *tc_commands(size_t *count)
{
	*count = COMMAND_COUNT;
	return commands;
}

const struct tc_command *tc_command_find(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}
	return NULL;
}

const char *tc_command_nearest(const char *word)
{
	const char *names[COMMAND_COUNT];

	for (size_t i = 0; i < COMMAND_COUNT; i++)
		names[i] = commands[i].name;
	return tc_nearest(word, names, COMMAND_COUNT);
}

/* The message behind the name of the program; NULL when memory is out. */
static char *make_message(const char *format, va_list args)
{
	static const char start[] = "tracecoach: ";
	const size_t start_len = sizeof(start) - 1;
	va_list again;

	va_copy(again, args);
	int len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	size_t size = (size_t)(len > 0 ? len : 0) + 1;
	char *message = len >= 0 ? malloc(start_len + size) : NULL;
	if (!message)
		return NULL;
	memcpy(message, start, start_len);
	vsnprintf(message + start_len, size, format, args);
	return message;
}

int tc_cli_error(int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	char *message = make_message(format, args);
	va_end(args);
	/* One line, whatever a file name holds: control characters could forge lines or move the
	 * cursor. */
	char *line = message ? tc_text_line(message, -1) : NULL;
	fflush(stdout);
	fprintf(stderr, "%s\n", line ? line : "tracecoach: out of memory");
	free(line);
	free(message);
	return code;
}

const void *tc_cli_choose(const char *option, const char *value, struct tc_choices choices)
{
	char list[512] = "";
	size_t len = 0;

	for (size_t i = 0; i < choices.count; i++) {
		const char *const *row = tc_choice_at(&choices, i);
		if (!value || strcmp(value, *row) == 0)
			return row;
		if (len < sizeof(list))
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
				i == 0                  ? ""
				: i + 1 < choices.count ? ", "
							: " or ",
				*row);
	}
	tc_cli_error(TC_EXIT_USAGE, "%s %s: no such value: give %s", option, value, list);
	return NULL;
}

static int exit_code(enum tc_status status, bool given)
{
	static const int codes[] = {
		[TC_OK] = TC_EXIT_DONE,
		[TC_ERR_NOMEM] = TC_EXIT_INTERNAL,
		[TC_ERR_IO] = TC_EXIT_INTERNAL,
		[TC_ERR_READ] = TC_EXIT_INPUT,
		[TC_ERR_INPUT] = TC_EXIT_INPUT,
		[TC_ERR_USAGE] = TC_EXIT_USAGE,
		[TC_ERR_STORE] = TC_EXIT_INTERNAL,
		[TC_ERR_LIMIT] = TC_EXIT_INPUT,
		[TC_ERR_INTERRUPTED] = TC_EXIT_INTERRUPTED,
		[TC_ERR_INTERNAL] = TC_EXIT_INTERNAL,
	};

	if (given && (status == TC_ERR_IO || status == TC_ERR_STORE))
		return TC_EXIT_INPUT;
	if ((size_t)status >= sizeof(codes) / sizeof(codes[0]))
		return TC_EXIT_INTERNAL;
	return codes[status];
}

int tc_cli_fail(const struct tc_cli *cli, bool given)
{
	enum tc_status status = tc_ctx_status(cli->ctx);

	if (tc_ctx_interrupted(cli->ctx))
		return tc_cli_error(TC_EXIT_INTERRUPTED, "interrupted");
	return tc_cli_error(exit_code(status, given), "%s", tc_ctx_error(cli->ctx));
}

int tc_cli_settings(struct tc_cli *cli)
{

	const struct tc_settings_options options = {
		.rules_directory = cli->options->advice.rules,
		.config_path = cli->options->advice.config,
		.sets = (const char *const *)cli->options->advice.sets,
		.only = (const char *const *)cli->options->advice.only,
		.skip = (const char *const *)cli->options->advice.skip,
	};

	if (cli->settings)
		return 0;
	if (tc_settings_new(&cli->settings, cli->ctx, &options) != TC_OK)
		return tc_cli_fail(cli, false);
	return 0;
}

static int grow(struct tc_strings *strings)
{
	size_t capacity = strings->capacity > 0 ? strings->capacity * 2 : 16;
	char **items = realloc(strings->items, capacity * sizeof(*items));

	if (!items)
		return -1;
	strings->items = items;
	strings->capacity = capacity;
	return 0;
}

int tc_strings_add(struct tc_strings *strings, const char *string)
{
	char *copy = strdup(string);

	if (!copy || (strings->count + 1 >= strings->capacity && grow(strings) != 0)) {
		free(copy);
		return -1;
	}
	strings->items[strings->count++] = copy;
	strings->items[strings->count] = NULL;
	return 0;
}

void tc_strings_clear(struct tc_strings *strings)
{
	for (size_t i = 0; i < strings->count; i++)
		free(strings->items[i]);
	free(strings->items);
	*strings = (struct tc_strings){0};
}
