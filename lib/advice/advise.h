/* Advice on a store that is being made, before it is sealed. Advice on a sealed store is in
 * tracecoach/advice.h. */
#pragma once

#include <sqlite3.h>
#include <string.h>

#include "tracecoach/advice.h"

/* Whether a finding is asked for by its number: "2" or "#2". */
static inline bool tc_asks_number(const char *asked)
{
	const char *digits = asked[0] == '#' ? asked + 1 : asked;

	return *digits && digits[strspn(digits, "0123456789")] == '\0';
}

/* Does what tc_advise_store() does, for a store that is complete but not sealed. Reads only; db has
 * no authorizer and no progress handler afterwards. The caller's, to be freed; NULL on failure. */
struct tc_advice *tc_advise(struct tc_ctx *ctx, sqlite3 *db, const struct tc_settings *settings);

/* Puts the fixes of the plans first, hidden ones, too, now that plans are made, and writes
 * findings, evidence and account into the tables of those names. */
void tc_advice_record(struct tc_ctx *ctx, sqlite3 *db, struct tc_advice *advice);
