/* A tree for each kind of row, in one file; see row_pages.h. */
#include "store/pages/row_pages.h"

#include <errno.h>

#include "core/files/remedy.h"
#include "store/sql.h"

/* What went wrong as an errno; 0 is no error. */
static enum tc_status status_of(const struct tc_row_pages *pages, int error)
{
	if (!error)
		return TC_OK;
	if (error == ENOMEM)
		return tc_fail(pages->ctx, TC_ERR_NOMEM, "cannot write the store: out of memory");
	return tc_fail(pages->ctx, TC_ERR_IO, "cannot write the store: %s%s", strerror(error),
		tc_remedy(error, TC_TO_WRITE));
}

enum tc_status tc_row_pages_init(struct tc_row_pages *pages, struct tc_ctx *ctx, sqlite3 *db)
{
	enum tc_status status = TC_OK;

	*pages = (struct tc_row_pages){.ctx = ctx};
	for (int i = 0; i < TC_BATCH_KINDS && !status; i++) {
		const struct tc_sql_value table = tc_sql_string(tc_batch_table(i));
		int64_t root = 0;
		bool found = false;
		status = tc_sql_lookup(&root, &found, ctx, db,
			"SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?1",
			&table);
		if (!status)
			status = status_of(
				pages, tc_page_tree_init(&pages->trees[i], (uint32_t)root));
	}
	return status;
}

enum tc_status tc_row_pages_begin(struct tc_row_pages *pages, int fd)
{
	return status_of(pages, tc_page_file_begin(&pages->file, fd));
}

static enum tc_status put_kind(struct tc_row_pages *pages, const struct tc_batch *batch, int kind)
{
	struct tc_page_tree *tree = &pages->trees[kind];
	size_t count = tc_batch_rows(batch, kind);
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		int64_t id = tc_batch_record(&pages->record, batch, kind, i);
		if (!tc_page_tree_takes(tree, id))
			return tc_fail(pages->ctx, TC_ERR_INTERNAL,
				"cannot write the store: rows are not numbered as they should be");
		error = pages->record.failed ? ENOMEM
					     : tc_page_tree_append(tree, &pages->file, id,
						       tc_record_end(&pages->record));
	}
	return status_of(pages, error);
}

enum tc_status tc_row_pages_put(struct tc_row_pages *pages, const struct tc_batch *batch)
{
	enum tc_status status = TC_OK;

	for (int i = 0; i < TC_BATCH_KINDS && !status; i++)
		status = put_kind(pages, batch, i);
	return status;
}

enum tc_status tc_row_pages_end(struct tc_row_pages *pages)
{
	int error = 0;

	for (int i = 0; i < TC_BATCH_KINDS && !error; i++)
		error = tc_page_tree_flush(&pages->trees[i], &pages->file);
	return status_of(pages, error ? error : tc_page_file_end(&pages->file));
}

enum tc_status tc_row_pages_save(struct tc_row_pages *pages, int fd)
{
	int error = tc_page_file_begin(&pages->saved_file, fd);

	for (int i = 0; i < TC_BATCH_KINDS && !error; i++)
		error = tc_page_tree_copy(&pages->saved[i], &pages->trees[i]);
	return status_of(pages, error);
}

enum tc_status tc_row_pages_restore(struct tc_row_pages *pages)
{
	int error = 0;

	pages->file = pages->saved_file;
	for (int i = 0; i < TC_BATCH_KINDS && !error; i++) {
		error = tc_page_tree_copy(&pages->trees[i], &pages->saved[i]);
		pages->trees[i].is_changed = true;
	}
	return status_of(pages, error);
}

void tc_row_pages_forget(struct tc_row_pages *pages)
{
	for (int i = 0; i < TC_BATCH_KINDS; i++)
		tc_page_tree_clear(&pages->saved[i]);
}

void tc_row_pages_clear(struct tc_row_pages *pages)
{
	tc_row_pages_forget(pages);
	for (int i = 0; i < TC_BATCH_KINDS; i++)
		tc_page_tree_clear(&pages->trees[i]);
	tc_record_clear(&pages->record);
}
