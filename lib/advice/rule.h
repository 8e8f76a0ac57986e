/* One rule of the user's: its file as a descriptor. See tracecoach/rules.h, docs/user-rules.md. */
#ifndef TC_ADVICE_RULE_H
#define TC_ADVICE_RULE_H

#include "advice/box.h"
#include "tracecoach/rules.h"

struct tc_rule {
	struct tc_heuristic heuristic; /* its texts are of the box that the rule was parsed into */
	struct tc_param *params;       /* with TC_PARAM_END; NULL for none */
	const char **needs;            /* with NULL at the end; NULL for none */
	size_t param_count, param_capacity, need_count, need_capacity;
	int sql_line; /* of the file, in which the query starts */
};

struct tc_rules {
	struct tc_box *box; /* owner of all texts */
	struct tc_rule **rules;
	size_t count, capacity;
};

/*
 * Fills rule, which is zero, from the text of the file called path (a string of the box). A fault
 * is TC_ERR_USAGE and "path:line: what, what to do". tc_rule_clear() in any case.
 */
enum tc_status tc_rule_parse(struct tc_rule *rule, struct tc_ctx *ctx, struct tc_box *box,
	const char *path, struct tc_text text);
void tc_rule_clear(struct tc_rule *rule);

/* Compiles the query of every rule on an empty store; the first fault fails as above. */
enum tc_status tc_rules_check(const struct tc_rules *rules, struct tc_ctx *ctx);

#endif
