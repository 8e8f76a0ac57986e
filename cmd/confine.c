/* See command.h. The outputs of all commands are the values of two options. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>

#include "tracecoach/confine.h"

/* For a debugger or a tool that writes files of its own from inside of the program. */
#define SWITCH_OFF "TRACECOACH_UNCONFINED"

static bool is_off(void)
{
	const char *value = getenv(SWITCH_OFF);

	return value && *value;
}

void tc_cli_confine(const struct tc_cli *cli)
{
	const char *outputs[2];
	size_t count = 0;

	if (is_off())
		return;
	if (cli->options->output)
		outputs[count++] = cli->options->output;
	if (cli->options->db)
		outputs[count++] = cli->options->db;
	tc_confine(outputs, count, cli->command->forks);
}

void tc_cli_print_confinement(void)
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
