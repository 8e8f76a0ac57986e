/* What one trace can show; see capability.h. */
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

enum tc_status tc_capabilities_load(struct tc_capabilities *capabilities, struct tc_ctx *ctx,
	struct tc_statements *statements, int64_t trace_id)
{
	static const char sql[] = "SELECT name, present FROM capability WHERE trace_id = ?1";
	enum tc_status status = TC_OK;
	sqlite3_stmt *stmt;
	int rc = tc_statements_get(&stmt, statements, sql);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int64(stmt, 1, trace_id);
	while (rc == SQLITE_OK && status == TC_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		struct tc_text name = tc_text_from((const char *)sqlite3_column_text(stmt, 0));

		rc = SQLITE_OK;
		if (!sqlite3_column_int(stmt, 1)) {
			capabilities->is_other |=
				name.ptr && tc_text_equal(name, TC_TEXT("framework"));
			continue;
		}
		if (!name.ptr || tc_strtab_intern(&capabilities->present, name) == TC_STRTAB_NONE)
			status = tc_no_memory(ctx);
	}
	if (status == TC_OK && rc != SQLITE_DONE)
		status = tc_statements_fail(statements, ctx, rc, "read what the trace has");
	sqlite3_reset(stmt);
	return status;
}

void tc_capabilities_clear(struct tc_capabilities *capabilities)
{
	tc_strtab_clear(&capabilities->present);
}

/* True for what only traces of another vendor can have. */
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
