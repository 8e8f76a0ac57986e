/* Statements found by the addresses of their texts. Rows go to a few tables in turn, so the place
 * of a recent text is remembered by its address. */
#include "store/tables.h"

#include <ctype.h>

#include "core/alloc.h"

void tc_tables_end(struct tc_tables *tables)
{
	for (size_t i = 0; i < tables->count; i++) {
		sqlite3_finalize(tables->items[i].statement);
		tc_free(tables->items[i].bound);
	}
	tc_free(tables->items);
	tables->items = NULL;
	tables->count = tables->capacity = 0;
}

/* Statements begin with a capital letter or a comment, tables do not. */
static void add(struct tc_tables *tables, const char *text)
{
	struct tc_table_statement item = {.text = text};

	if (isupper((unsigned char)text[0]) || text[0] == '-')
		tc_sql_prepare(&item.statement, tables->ctx, tables->db, text);
	else
		tc_sql_insert(&item.statement, tables->ctx, tables->db, text);
	if (!TC_PUSH(tables->ctx, tables->items, tables->count, tables->capacity, item))
		sqlite3_finalize(item.statement);
}

/* NULL after a failure. */
static struct tc_table_statement *item_of(struct tc_tables *tables, const char *text)
{
	uint8_t *recent = &tables->recent[(uintptr_t)text / 8 % TC_TABLES_RECENT];
	size_t at = *recent;

	if (tc_ctx_failed(tables->ctx))
		return NULL;
	if (at >= tables->count || tables->items[at].text != text) {
		for (at = 0; at < tables->count && tables->items[at].text != text;)
			at++;
		if (at == tables->count)
			add(tables, text);
		*recent = (uint8_t)at;
	}
	return tc_ctx_failed(tables->ctx) ? NULL : &tables->items[at];
}

void tc_tables_put(
	struct tc_tables *tables, const char *into, const struct tc_sql_value *values, size_t count)
{
	struct tc_table_statement *item = item_of(tables, into);

	if (item && !item->bound)
		item->bound = tc_calloc(count, sizeof(*item->bound));
	if (item && item->bound)
		tc_sql_put_next(tables->ctx, item->statement, values, item->bound, count);
	else if (item)
		tc_no_memory(tables->ctx);
}

void tc_tables_run(
	struct tc_tables *tables, const char *text, const struct tc_sql_value *values, size_t count)
{
	while (!tc_ctx_failed(tables->ctx) && *text)
		tc_sql_run_first(&text, tables->ctx, tables->db, values, count);
}

bool tc_tables_find(int64_t *out, struct tc_tables *tables, const char *sql,
	const struct tc_sql_value *parameter)
{
	bool found = false;

	tc_sql_lookup(out, &found, tables->ctx, tables->db, sql, parameter);
	return found;
}

void tc_tables_each(struct tc_tables *tables, const char *sql, const struct tc_sql_value *parameter,
	tc_sql_row_fn take, void *user)
{
	struct tc_table_statement *item = item_of(tables, sql);

	if (item)
		tc_sql_take(tables->ctx, item->statement, parameter, take, user);
}
