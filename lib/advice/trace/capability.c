/* Needs of heuristics (needs.def) against the rows of the view capability. Several needs may be
 * missing; the reason is that of the first, unless one says that the trace is of something else. */
#include "advice/trace/capability.h"

#include "core/array.h"

static const struct {
	const char *name, *vendor, *reason;
} needs[] = {
#define ANY NULL
#define TC_NEED(name, vendor, reason) {name, vendor, reason},
#include "advice/trace/needs.def"
#undef TC_NEED
};

size_t tc_capability_names(const char *const **names)
{
	static const char *const all[] = {
#define TC_NEED(name, vendor, reason) name,
#include "advice/trace/needs.def"
#undef TC_NEED
	};

	*names = all;
	return TC_COUNT_OF(all);
}

const char *tc_capability_reason(const char *need)
{
	for (size_t i = 0; i < TC_COUNT_OF(needs); i++)
		if (strcmp(needs[i].name, need) == 0)
			return needs[i].reason;
	return NULL;
}

static void take_capability(void *user, sqlite3_stmt *row)
{
	struct tc_capabilities *capabilities = user;
	struct tc_text name = tc_sql_column_text(row, 0);

	if (!name.ptr)
		tc_no_memory(capabilities->present.ctx);
	else if (sqlite3_column_int(row, 1))
		tc_strtab_intern(&capabilities->present, name);
	else
		capabilities->is_other |= tc_text_equal(name, TC_TEXT("framework"));
}

void tc_capabilities_load(
	struct tc_capabilities *capabilities, struct tc_tables *tables, int64_t trace_id)
{
	const struct tc_sql_value trace = tc_sql_int(trace_id);

	capabilities->present.ctx = tables->ctx;
	tc_tables_each(tables, "SELECT name, present FROM capability WHERE trace_id = ?1", &trace,
		take_capability, capabilities);
}

/* Whether only traces of another vendor can have it. */
static bool is_foreign(const char *need, const struct tc_words *words)
{
	for (size_t i = 0; words && words->vendor && i < TC_COUNT_OF(needs); i++)
		if (needs[i].vendor && strcmp(needs[i].name, need) == 0)
			return strcmp(needs[i].vendor, words->vendor) != 0;
	return false;
}

const char *tc_capability_missing(const struct tc_capabilities *capabilities,
	const struct tc_heuristic *heuristic, const struct tc_words *words)
{
	const char *reason = NULL;

	for (const char *const *need = heuristic->needs; *need; need++) {
		if (tc_strtab_find(&capabilities->present, tc_text_from(*need)) != TC_STRTAB_NONE)
			continue;
		/* A profile of something else lacks everything; one reason says so. */
		if (capabilities->is_other)
			return tc_capability_reason("framework");
		if (is_foreign(*need, words))
			return "this applies to Intel Gaudi only";
		if (!reason)
			reason = tc_capability_reason(*need);
		reason = reason ? reason : "the trace lacks what it needs";
	}
	return reason;
}
