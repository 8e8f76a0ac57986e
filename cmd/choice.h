/* The options that choose and tune heuristics: --rules, --config, --set, --only, --skip. */
#ifndef TC_CMD_CHOICE_H
#define TC_CMD_CHOICE_H

#include "command.h"

/* Owner of what cli->catalogue and cli->settings borrow. */
struct tc_choice {
	struct tc_catalogue *catalogue;
	struct tc_advice_settings *settings;
};

/* Reads rules and settings as the options say, into choice and cli. Returns 0, or prints what is
 * wrong and returns an exit code. tc_choice_clear() in any case. */
int tc_choice_make(struct tc_choice *choice, struct tc_cli *cli);
void tc_choice_clear(struct tc_choice *choice);

#endif
