/*
 * Rows of batches as pages of an SQLite file: the file, records, a tree for each kind of row, and
 * the kinds. A tree keeps one open page a level; a page that is full is written and becomes a cell
 * of the level above. Example, with room for two cells a page: rows 1, 2 and 3 make leaf A (1, 2),
 * which is written, leaf B (3), which is open, and a root with the cell "A, up to 2" whose last
 * child is B.
 */

#include "store/pages/row_pages.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/files/files.h"
#include "core/text.h"
#include "store/pages/page.h"
#include "store/sql.h"

/* ---- the file: functions return 0 or an errno */

/* Pages of a file that SQLite does not have in use meanwhile. */
struct page_file {
	int fd;
	uint32_t page_count;
};

/* SQLite takes its locks on bytes of this page, and never uses it. */
enum { LOCK_PAGE = 0x40000000 / TC_PAGE_BYTES + 1 };

static int read_header(uint8_t *header, int fd)
{
	ssize_t got = tc_whole_read(fd, header, TC_FILE_HEADER_BYTES, 0);

	if (got < 0)
		return errno;
	return got == TC_FILE_HEADER_BYTES ? 0 : EIO;
}

static int page_file_begin(struct page_file *file, int fd)
{
	uint8_t header[TC_FILE_HEADER_BYTES];
	int error = read_header(header, fd);

	if (!error)
		*file = (struct page_file){fd, tc_get_be32(header + TC_AT_PAGE_COUNT)};
	return error;
}

static int page_file_end(const struct page_file *file)
{
	uint8_t header[TC_FILE_HEADER_BYTES];
	int error = read_header(header, file->fd);

	if (error)
		return error;
	uint32_t change = tc_get_be32(header + TC_AT_CHANGE_COUNTER) + 1;
	tc_put_be32(header + TC_AT_CHANGE_COUNTER, change);
	tc_put_be32(header + TC_AT_PAGE_COUNT, file->page_count);
	tc_put_be32(header + TC_AT_VALID_FOR, change);
	error = tc_whole_write(file->fd, header, sizeof(header), 0);
	if (!error && ftruncate(file->fd, (off_t)file->page_count * TC_PAGE_BYTES))
		error = errno;
	return error;
}

static uint32_t page_new(struct page_file *file)
{
	if (++file->page_count == LOCK_PAGE)
		++file->page_count;
	return file->page_count;
}

/*
 * ---- a record: a row as SQLite stores it, the types of its columns and then their values. Columns
 * are added in the order of the table. Those that are missing at the end have their default, as if
 * they had been added to the table later; so NULLs at the end are not stored.
 */

enum {
	RECORD_COLUMNS = 12, /* at most */
	RECORD_TYPES_BYTES = RECORD_COLUMNS * TC_VARINT_BYTES,
	/* Room before the values for the types and their length, which are known last. */
	RECORD_HEAD_BYTES = RECORD_TYPES_BYTES + 1,
};

struct record {
	uint8_t types[RECORD_TYPES_BYTES];
	size_t type_bytes, stored_type_bytes; /* without NULLs at the end */
	uint8_t *bytes;                       /* the values begin at RECORD_HEAD_BYTES */
	size_t len, capacity;
	bool failed; /* memory is out */
};

/* The bytes of a record that has all its columns. */
struct record_bytes {
	const uint8_t *ptr;
	size_t len;
};

enum { TYPE_REAL = 7, TYPE_TEXT = 13 };

/* SQLite stores a real number below it as an integer where it is one. */
static const double integer_end = 140737488355328.0; /* 2^47 */

/* A place for a value of len bytes, and seven more; NULL when memory is out. */
static uint8_t *record_room(struct record *record, size_t len)
{
	if (record->capacity - record->len < len &&
		!TC_GROW(record->bytes, record->capacity, record->len + len)) {
		record->failed = true;
		return NULL;
	}
	return record->bytes + record->len;
}

static void record_null(struct record *record)
{
	record->types[record->type_bytes++] = 0;
}

/* The type of a column that is not NULL. */
static void add_type(struct record *record, uint64_t type)
{
	record->type_bytes += tc_put_varint(record->types + record->type_bytes, type);
	record->stored_type_bytes = record->type_bytes;
}

static void record_int(struct record *record, int64_t value)
{
	/* By the bytes of a number: how many are stored, and as which type. */
	static const uint8_t stored[] = {0, 1, 2, 3, 4, 6, 6, 8, 8},
			     types[] = {0, 1, 2, 3, 4, 5, 5, 6, 6};
	uint64_t magnitude = (uint64_t)(value < 0 ? ~value : value);

	if (magnitude <= 1 && value >= 0) {
		add_type(record, (uint64_t)(8 + value));
		return;
	}
	int bytes = (64 - __builtin_clzll(magnitude | 1)) / 8 + 1;
	uint64_t big = __builtin_bswap64((uint64_t)value << (64 - 8 * stored[bytes]));
	uint8_t *to = record_room(record, sizeof(big));
	if (!to)
		return;
	memcpy(to, &big, sizeof(big));
	record->len += stored[bytes];
	add_type(record, types[bytes]);
}

static void record_begin(struct record *record)
{
	record->type_bytes = 0;
	record->len = 0;
	record->failed = false;
	if (record_room(record, RECORD_HEAD_BYTES))
		record->len = RECORD_HEAD_BYTES;
	record_null(record);
	record->stored_type_bytes = record->type_bytes;
}

static void record_text(struct record *record, struct tc_text text)
{
	uint8_t *to = record_room(record, text.len);

	if (!to)
		return;
	if (text.len > 0)
		memcpy(to, text.ptr, text.len);
	record->len += text.len;
	add_type(record, TYPE_TEXT + 2 * (uint64_t)text.len);
}

static void record_real(struct record *record, double value)
{
	uint64_t bits;

	if (value > -integer_end && value < integer_end && value == (double)(int64_t)value) {
		record_int(record, (int64_t)value);
		return;
	}
	uint8_t *to = record_room(record, sizeof(bits));
	if (!to)
		return;
	memcpy(&bits, &value, sizeof(bits));
	bits = __builtin_bswap64(bits);
	memcpy(to, &bits, sizeof(bits));
	record->len += sizeof(bits);
	add_type(record, TYPE_REAL);
}

static struct record_bytes record_end(struct record *record)
{
	size_t head = record->stored_type_bytes + 1;
	uint8_t *at = record->bytes + RECORD_HEAD_BYTES - head;

	assert(head <= RECORD_HEAD_BYTES && head < 128);
	at[0] = (uint8_t)head;
	memcpy(at + 1, record->types, record->stored_type_bytes);
	return (struct record_bytes){at, record->len - (RECORD_HEAD_BYTES - head)};
}

/*
 * ---- a tree: a table whose rows come by ascending numbers, written as pages of an SQLite
 * file without SQLite. A page is written once it is full; those that are open, one a level, stay in
 * memory and are written at page_tree_flush(), when SQLite is to read the table, and again when
 * more rows came. Invariants: each page but an empty root has a cell, and the root keeps its number
 * while levels are added below it.
 */

/* A page of numbers leads to a thousand or more: three levels of them to more pages than a file
 * has. */
enum { PAGE_TREE_LEVELS = 5 };

/* The open page of a level; level 0 has the rows. */
struct page_tree_level {
	uint8_t *page;
	uint32_t number;
	unsigned cell_count, cells_at; /* cells lie from cells_at to the end of the page */
	int64_t last_id;               /* of its last cell */
	/* For inner pages: the page below in the last cell, and the open one. */
	uint32_t last_below, open_below;
};

struct page_tree {
	uint32_t root;
	int level_count;
	struct page_tree_level levels[PAGE_TREE_LEVELS];
	bool has_rows;
	bool is_changed; /* since the last flush */
};

/* Whether a row may have this number: it is larger than that of the row before. */
static bool page_tree_takes(const struct page_tree *tree, int64_t id)
{
	return !tree->has_rows || id > tree->levels[0].last_id;
}

enum {
	POINTER_BYTES = 2, /* to a cell, after the header of a page */
	BELOW_BYTES = 4,   /* the number of a page */
	/* A larger record keeps only its beginning in the cell: as many bytes as fill the last of
	 * its other pages, between these. */
	WHOLE_MAX = TC_PAGE_BYTES - 35,
	PART_MIN = (TC_PAGE_BYTES - 12) * 32 / 255 - 23,
	REST_BYTES = TC_PAGE_BYTES - BELOW_BYTES,
};

static size_t header_bytes(int k)
{
	return k == 0 ? TC_LEAF_BYTES : TC_INNER_BYTES;
}

static int open_level(struct page_tree *tree, int k, uint32_t number)
{
	struct page_tree_level *level = &tree->levels[k];

	if (!level->page)
		level->page = tc_calloc(1, TC_PAGE_BYTES);
	if (!level->page)
		return ENOMEM;
	level->number = number;
	level->cell_count = 0;
	level->cells_at = TC_PAGE_BYTES;
	return 0;
}

static int page_tree_init(struct page_tree *tree, uint32_t root)
{
	*tree = (struct page_tree){.root = root, .level_count = 1};
	return open_level(tree, 0, root);
}

static int write_level(const struct page_tree *tree, int k, const struct page_file *file)
{
	const struct page_tree_level *level = &tree->levels[k];

	level->page[0] = k == 0 ? TC_PAGE_TABLE_LEAF : TC_PAGE_TABLE_INNER;
	tc_put_be16(level->page + 3, level->cell_count);
	tc_put_be16(level->page + 5, level->cells_at);
	if (k > 0)
		tc_put_be32(level->page + 8, level->open_below);
	return tc_page_write(file->fd, level->number, level->page, TC_PAGE_BYTES);
}

static bool has_room(const struct page_tree *tree, int k, size_t cell_bytes)
{
	const struct page_tree_level *level = &tree->levels[k];

	return header_bytes(k) + POINTER_BYTES * (level->cell_count + 1) + cell_bytes <=
	       level->cells_at;
}

/* Where the next cell of a level goes; there is room. */
static uint8_t *add_cell(struct page_tree *tree, int k, size_t cell_bytes, int64_t last_id)
{
	struct page_tree_level *level = &tree->levels[k];

	level->cells_at -= (unsigned)cell_bytes;
	level->last_id = last_id;
	tc_put_be16(level->page + header_bytes(k) + POINTER_BYTES * level->cell_count++,
		level->cells_at);
	return level->page + level->cells_at;
}

/* A new root, above the old one, which gets a number of its own. */
static int add_level(struct page_tree *tree, struct page_file *file)
{
	assert(tree->level_count < PAGE_TREE_LEVELS);
	tree->levels[tree->level_count - 1].number = page_new(file);
	return open_level(tree, tree->level_count++, tree->root);
}

static int close_page(struct page_tree *tree, int k, struct page_file *file);

/* Puts a page that is closed into the level above it, and the one that is open now. */
static int add_below(struct page_tree *tree, int k, const struct page_tree_level *closed,
	uint32_t open_below, struct page_file *file)
{
	uint8_t cell[BELOW_BYTES + TC_VARINT_BYTES];
	size_t len = BELOW_BYTES + tc_put_varint(cell + BELOW_BYTES, (uint64_t)closed->last_id);
	int error = has_room(tree, k, len) ? 0 : close_page(tree, k, file);

	if (error)
		return error;
	tc_put_be32(cell, closed->number);
	memcpy(add_cell(tree, k, len, closed->last_id), cell, len);
	tree->levels[k].last_below = closed->number;
	tree->levels[k].open_below = open_below;
	return 0;
}

/* Makes the page in the last cell the one that was open below: a page needs no cell for that. */
static void take_last_off(struct page_tree_level *level)
{
	uint8_t varint[TC_VARINT_BYTES];

	level->open_below = level->last_below;
	level->cell_count--;
	level->cells_at +=
		(unsigned)(BELOW_BYTES + tc_put_varint(varint, (uint64_t)level->last_id));
}

/* Writes a full page and opens the next one of its level. From an inner one the last cell goes, so
 * that the page that was open below it can be in a cell of the next. */
static int close_page(struct page_tree *tree, int k, struct page_file *file)
{
	struct page_tree_level *level = &tree->levels[k];
	int error = k + 1 == tree->level_count ? add_level(tree, file) : 0;

	if (error)
		return error;
	if (k > 0)
		take_last_off(level);
	error = write_level(tree, k, file);
	const struct page_tree_level closed = *level;
	if (!error)
		error = open_level(tree, k, page_new(file));
	return error ? error : add_below(tree, k + 1, &closed, level->number, file);
}

static size_t part_in_cell(size_t len)
{
	size_t part = PART_MIN + (len - PART_MIN) % REST_BYTES;

	if (len <= WHOLE_MAX)
		return len;
	return part <= WHOLE_MAX ? part : PART_MIN;
}

/* Writes what the cell does not have; each page begins with the number of the next. */
static int write_rest(uint32_t *first, struct page_file *file, const uint8_t *rest, size_t len)
{
	uint8_t number[BELOW_BYTES];
	uint32_t page = *first = page_new(file);
	int error = 0;

	while (len > 0 && !error) {
		size_t part = len < REST_BYTES ? len : REST_BYTES;
		uint32_t next = part < len ? page_new(file) : 0;
		int64_t offset = (int64_t)(page - 1) * TC_PAGE_BYTES;
		tc_put_be32(number, next);
		error = tc_whole_write(file->fd, number, sizeof(number), offset);
		if (!error)
			error = tc_whole_write(
				file->fd, rest, part, offset + (int64_t)sizeof(number));
		rest += part;
		len -= part;
		page = next;
	}
	return error;
}

static int page_tree_append(
	struct page_tree *tree, struct page_file *file, int64_t id, struct record_bytes record)
{
	uint8_t head[2 * TC_VARINT_BYTES];
	size_t len = tc_put_varint(head, record.len);
	size_t part = part_in_cell(record.len);
	uint32_t rest = 0;
	int error = 0;

	assert(page_tree_takes(tree, id));
	len += tc_put_varint(head + len, (uint64_t)id);
	size_t cell_bytes = len + part + (part < record.len ? BELOW_BYTES : 0);
	if (part < record.len)
		error = write_rest(&rest, file, record.ptr + part, record.len - part);
	if (!error && !has_room(tree, 0, cell_bytes))
		error = close_page(tree, 0, file);
	if (error)
		return error;
	uint8_t *to = add_cell(tree, 0, cell_bytes, id);
	memcpy(to, head, len);
	memcpy(to + len, record.ptr, part);
	if (rest)
		tc_put_be32(to + len + part, rest);
	tree->has_rows = tree->is_changed = true;
	return 0;
}

static int page_tree_flush(struct page_tree *tree, const struct page_file *file)
{
	int error = 0;

	for (int k = 0; k < tree->level_count && tree->is_changed && !error; k++)
		error = write_level(tree, k, file);
	tree->is_changed = false;
	return error;
}

static void page_tree_clear(struct page_tree *tree)
{
	for (int k = 0; k < PAGE_TREE_LEVELS; k++)
		tc_free(tree->levels[k].page);
	*tree = (struct page_tree){0};
}

/* Makes to a copy of from. to must not own anything; the caller clears both. */
static int page_tree_copy(struct page_tree *to, const struct page_tree *from)
{
	struct page_tree copy = *from;
	int error = 0;

	for (int k = 0; k < PAGE_TREE_LEVELS; k++) {
		copy.levels[k].page = NULL;
		if (k < from->level_count) {
			copy.levels[k].page = tc_malloc(TC_PAGE_BYTES);
			if (copy.levels[k].page)
				memcpy(copy.levels[k].page, from->levels[k].page, TC_PAGE_BYTES);
			else
				error = ENOMEM;
		}
	}
	page_tree_clear(to);
	*to = copy;
	return error;
}

/* ---- kinds of rows, each with a table of its own */

/* A kind of row. The number of a row is the first member of its struct. */
struct kind {
	const char *table;
	size_t row_bytes;
	const void *(*rows)(const struct tc_batch *batch);
	size_t (*count)(const struct tc_batch *batch);
	/* Adds all columns but the first, in the order of the table. */
	void (*columns)(struct record *to, const struct tc_batch *batch, const void *row);
};

static void put_text(struct record *to, const struct tc_batch *batch, uint32_t offset, uint32_t len)
{
	record_text(to, (struct tc_text){len > 0 ? batch->text.ptr + offset : "", len});
}

static void put_string(struct record *to, const char *string)
{
	record_text(to, tc_text_from(string));
}

/* INT64_MIN is NULL. */
static void put_optional(struct record *to, int64_t value)
{
	if (value == INT64_MIN)
		record_null(to);
	else
		record_int(to, value);
}

static void put_args(
	struct record *to, const struct tc_batch *batch, const struct tc_row_args *args)
{
	if (args->form_id >= 0)
		record_int(to, args->form_id);
	else if (args->len > 0)
		put_text(to, batch, args->offset, args->len);
	else
		record_null(to);
}

static void slice_columns(struct record *to, const struct tc_batch *batch, const void *at)
{
	const struct tc_slice_row *row = at;

	record_int(to, row->ts_ns);
	record_int(to, row->dur_ns);
	record_int(to, row->track_id);
	record_int(to, row->label_id);
	put_args(to, batch, &row->args);
	if (row->args.form_id >= 0 && row->args.numbers >= 0)
		record_int(to, row->args.numbers);
	else
		record_null(to);
}

static void form_columns(struct record *to, const struct tc_batch *batch, const void *at)
{
	const struct tc_form_row *row = at;

	put_text(to, batch, row->offset, row->len);
	record_int(to, row->bits);
}

static const char *scope_name(char scope)
{
	return scope == 'g' ? "global" : scope == 'p' ? "process" : "thread";
}

static void instant_columns(struct record *to, const struct tc_batch *batch, const void *at)
{
	const struct tc_instant_row *row = at;

	record_int(to, batch->trace_id);
	record_int(to, row->ts_ns);
	record_int(to, row->track_id);
	record_int(to, row->label_id);
	put_string(to, scope_name(row->scope));
	put_args(to, batch, &row->args);
}

static void counter_columns(struct record *to, const struct tc_batch *batch, const void *at)
{
	const struct tc_counter_row *row = at;

	record_int(to, batch->trace_id);
	record_int(to, row->ts_ns);
	put_optional(to, row->process_id < 0 ? INT64_MIN : row->process_id);
	put_text(to, batch, row->name_offset, row->name_len);
	record_real(to, row->value);
}

static void memory_columns(struct record *to, const struct tc_batch *batch, const void *at)
{
	const struct tc_memory_row *row = at;

	record_int(to, batch->trace_id);
	record_int(to, row->ts_ns);
	put_optional(to, row->device_type);
	put_optional(to, row->device_id);
	if (row->addr_len > 0)
		put_text(to, batch, row->addr_offset, row->addr_len);
	else
		put_optional(to, row->addr);
	put_optional(to, row->bytes);
	put_optional(to, row->allocated_bytes);
	put_optional(to, row->reserved_bytes);
	record_int(to, row->thread_id);
}

static void memory_link_columns(struct record *to, const struct tc_batch *batch, const void *at)
{
	(void)batch;
	record_int(to, ((const struct tc_memory_link_row *)at)->slice_id);
}

static void nest_columns(struct record *to, const struct tc_batch *batch, const void *at)
{
	const struct tc_nest_row *row = at;

	(void)batch;
	record_int(to, row->depth);
	record_int(to, row->parent_id);
}

static void flow_columns(struct record *to, const struct tc_batch *batch, const void *at)
{
	const struct tc_flow_row *row = at;

	record_int(to, batch->trace_id);
	record_int(to, row->label_id);
	record_int(to, row->slice_out);
	record_int(to, row->slice_in);
}

static void link_columns(struct record *to, const struct tc_batch *batch, const void *at)
{
	const struct tc_link_row *row = at;

	(void)batch;
	record_int(to, row->last_slice_id);
	put_optional(to, row->launch_slice_id);
	put_optional(to, row->step_id);
	if (strcmp(row->method, "correlation") != 0) /* the default of the last column */
		put_string(to, row->method);
}

/* The two accessors of each array. */
#define TC_BATCH_ROW(kind, array, table)                                                           \
	static const void *kind##_rows(const struct tc_batch *batch)                               \
	{                                                                                          \
		return batch->array;                                                               \
	}                                                                                          \
	static size_t kind##_count(const struct tc_batch *batch)                                   \
	{                                                                                          \
		return batch->kind##_count;                                                        \
	}
#include "store/batch_rows.def"
#undef TC_BATCH_ROW

static const struct kind kinds[] = {
#define TC_BATCH_ROW(kind, array, table)                                                           \
	{#table, sizeof(struct tc_##kind##_row), kind##_rows, kind##_count, kind##_columns},
#include "store/batch_rows.def"
#undef TC_BATCH_ROW
};

enum { BATCH_KINDS = TC_COUNT_OF(kinds) };

/* All columns of a row, whose number it returns; record_end() has the bytes. */
static int64_t batch_record(
	struct record *out, const struct tc_batch *batch, size_t kind, size_t row)
{
	const char *at = kinds[kind].rows(batch);
	int64_t id;

	at += row * kinds[kind].row_bytes;
	memcpy(&id, at, sizeof(id));
	record_begin(out);
	kinds[kind].columns(out, batch, at);
	return id;
}

/* ---- all tables */

struct tc_row_pages {
	struct tc_ctx *ctx;
	const char *name; /* of the store, in errors; borrowed */
	struct page_file file, saved_file;
	struct page_tree trees[BATCH_KINDS], saved[BATCH_KINDS];
	struct record record;
};

/* Fails the context but for 0, no error, which is true. */
static bool check(const struct tc_row_pages *pages, int error)
{
	if (error == ENOMEM)
		tc_fail(pages->ctx, TC_ERR_NOMEM, "%s: cannot write the store: out of memory",
			pages->name);
	else if (error)
		tc_fail_errno(pages->ctx, TC_ERR_IO, error, TC_TO_WRITE,
			"%s: cannot write the store", pages->name);
	return !error;
}

struct tc_row_pages *tc_row_pages_new(struct tc_ctx *ctx, sqlite3 *db, const char *name)
{
	struct tc_row_pages *pages = tc_new(ctx, 1, sizeof(*pages));

	if (!pages)
		return NULL;
	pages->ctx = ctx;
	pages->name = name;
	for (size_t i = 0; i < BATCH_KINDS && !tc_ctx_failed(ctx); i++) {
		const struct tc_sql_value table = tc_sql_string(kinds[i].table);
		int64_t root = 0;
		bool found = false;
		tc_sql_lookup(&root, &found, ctx, db,
			"SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?1",
			&table);
		if (!tc_ctx_failed(ctx))
			check(pages, page_tree_init(&pages->trees[i], (uint32_t)root));
	}
	return pages;
}

bool tc_row_pages_begin(struct tc_row_pages *pages, int fd)
{
	return check(pages, page_file_begin(&pages->file, fd));
}

/* Appends the row whose record is complete. */
static bool append(struct tc_row_pages *pages, size_t kind, int64_t id)
{
	struct page_tree *tree = &pages->trees[kind];

	if (!page_tree_takes(tree, id)) {
		tc_fail(pages->ctx, TC_ERR_INTERNAL,
			"%s: cannot write the store: rows are not numbered as they should be",
			pages->name);
		return false;
	}
	return check(pages, pages->record.failed ? ENOMEM
						 : page_tree_append(tree, &pages->file, id,
							   record_end(&pages->record)));
}

static void put_kind(struct tc_row_pages *pages, const struct tc_batch *batch, size_t kind)
{
	size_t count = kinds[kind].count(batch);

	for (size_t i = 0; i < count; i++)
		if (!append(pages, kind, batch_record(&pages->record, batch, kind, i)))
			return;
}

static void put_value(struct record *to, const struct tc_sql_value *value)
{
	switch (value->kind) {
	case TC_SQL_NULL: record_null(to); break;
	case TC_SQL_INT: record_int(to, value->i64); break;
	case TC_SQL_REAL: record_real(to, value->real); break;
	case TC_SQL_TEXT: record_text(to, value->text); break;
	}
}

void tc_row_pages_append(
	struct tc_row_pages *pages, size_t kind, const struct tc_sql_value *values, size_t count)
{
	assert(kind < BATCH_KINDS && count <= RECORD_COLUMNS);
	record_begin(&pages->record);
	for (size_t i = 1; i < count; i++)
		put_value(&pages->record, &values[i]);
	append(pages, kind, values[0].i64);
}

void tc_row_pages_put(struct tc_row_pages *pages, const struct tc_batch *batch)
{
	for (size_t i = 0; i < BATCH_KINDS && !tc_ctx_failed(pages->ctx); i++)
		put_kind(pages, batch, i);
}

bool tc_row_pages_end(struct tc_row_pages *pages)
{
	int error = 0;

	for (size_t i = 0; i < BATCH_KINDS && !error; i++)
		error = page_tree_flush(&pages->trees[i], &pages->file);
	return check(pages, error ? error : page_file_end(&pages->file));
}

static void forget(struct tc_row_pages *pages)
{
	for (size_t i = 0; i < BATCH_KINDS; i++)
		page_tree_clear(&pages->saved[i]);
}

bool tc_row_pages_save(struct tc_row_pages *pages, int fd)
{
	if (fd < 0) {
		forget(pages);
		return true;
	}
	int error = page_file_begin(&pages->saved_file, fd);

	for (size_t i = 0; i < BATCH_KINDS && !error; i++)
		error = page_tree_copy(&pages->saved[i], &pages->trees[i]);
	return check(pages, error);
}

void tc_row_pages_restore(struct tc_row_pages *pages)
{
	int error = 0;

	pages->file = pages->saved_file;
	for (size_t i = 0; i < BATCH_KINDS && !error; i++) {
		error = page_tree_copy(&pages->trees[i], &pages->saved[i]);
		pages->trees[i].is_changed = true;
	}
	check(pages, error);
}

void tc_row_pages_free(struct tc_row_pages *pages)
{
	if (!pages)
		return;
	forget(pages);
	for (size_t i = 0; i < BATCH_KINDS; i++)
		page_tree_clear(&pages->trees[i]);
	tc_free(pages->record.bytes);
	tc_free(pages);
}
