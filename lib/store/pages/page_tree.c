/* Tables as trees of pages that are only appended to; see page_tree.h. */
#include "store/pages/page_tree.h"

#include <assert.h>
#include <errno.h>

#include "core/alloc.h"
#include "core/files/whole.h"

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

static int open_level(struct tc_page_tree *tree, int k, uint32_t number)
{
	struct tc_page_tree_level *level = &tree->levels[k];

	if (!level->page)
		level->page = tc_calloc(1, TC_PAGE_BYTES);
	if (!level->page)
		return ENOMEM;
	level->number = number;
	level->cell_count = 0;
	level->cells_at = TC_PAGE_BYTES;
	return 0;
}

int tc_page_tree_init(struct tc_page_tree *tree, uint32_t root)
{
	*tree = (struct tc_page_tree){.root = root, .level_count = 1};
	return open_level(tree, 0, root);
}

static int write_level(const struct tc_page_tree *tree, int k, const struct tc_page_file *file)
{
	const struct tc_page_tree_level *level = &tree->levels[k];

	level->page[0] = k == 0 ? TC_PAGE_TABLE_LEAF : TC_PAGE_TABLE_INNER;
	tc_put_be16(level->page + 3, level->cell_count);
	tc_put_be16(level->page + 5, level->cells_at);
	if (k > 0)
		tc_put_be32(level->page + 8, level->open_below);
	return tc_page_write(file->fd, level->number, level->page, TC_PAGE_BYTES);
}

static bool has_room(const struct tc_page_tree *tree, int k, size_t cell_bytes)
{
	const struct tc_page_tree_level *level = &tree->levels[k];

	return header_bytes(k) + POINTER_BYTES * (level->cell_count + 1) + cell_bytes <=
	       level->cells_at;
}

/* Where the next cell of a level goes; there is room. */
static uint8_t *add_cell(struct tc_page_tree *tree, int k, size_t cell_bytes, int64_t last_id)
{
	struct tc_page_tree_level *level = &tree->levels[k];

	level->cells_at -= (unsigned)cell_bytes;
	level->last_id = last_id;
	tc_put_be16(level->page + header_bytes(k) + POINTER_BYTES * level->cell_count++,
		level->cells_at);
	return level->page + level->cells_at;
}

/* A new root, above the old one, which gets a number of its own. */
static int add_level(struct tc_page_tree *tree, struct tc_page_file *file)
{
	assert(tree->level_count < TC_PAGE_TREE_LEVELS);
	tree->levels[tree->level_count - 1].number = tc_page_new(file);
	return open_level(tree, tree->level_count++, tree->root);
}

static int close_page(struct tc_page_tree *tree, int k, struct tc_page_file *file);

/* Puts a page that is closed into the level above it, and the one that is open now. */
static int add_below(struct tc_page_tree *tree, int k, const struct tc_page_tree_level *closed,
	uint32_t open_below, struct tc_page_file *file)
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
static void take_last_off(struct tc_page_tree_level *level)
{
	uint8_t varint[TC_VARINT_BYTES];

	level->open_below = level->last_below;
	level->cell_count--;
	level->cells_at +=
		(unsigned)(BELOW_BYTES + tc_put_varint(varint, (uint64_t)level->last_id));
}

/* Writes a full page and opens the next one of its level. From an inner one the last cell goes, so
 * that the page that was open below it can be in a cell of the next. */
static int close_page(struct tc_page_tree *tree, int k, struct tc_page_file *file)
{
	struct tc_page_tree_level *level = &tree->levels[k];
	int error = k + 1 == tree->level_count ? add_level(tree, file) : 0;

	if (error)
		return error;
	if (k > 0)
		take_last_off(level);
	error = write_level(tree, k, file);
	const struct tc_page_tree_level closed = *level;
	if (!error)
		error = open_level(tree, k, tc_page_new(file));
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
static int write_rest(uint32_t *first, struct tc_page_file *file, const uint8_t *rest, size_t len)
{
	uint8_t number[BELOW_BYTES];
	uint32_t page = *first = tc_page_new(file);
	int error = 0;

	while (len > 0 && !error) {
		size_t part = len < REST_BYTES ? len : REST_BYTES;
		uint32_t next = part < len ? tc_page_new(file) : 0;
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

int tc_page_tree_append(struct tc_page_tree *tree, struct tc_page_file *file, int64_t id,
	struct tc_record_bytes record)
{
	uint8_t head[2 * TC_VARINT_BYTES];
	size_t len = tc_put_varint(head, record.len);
	size_t part = part_in_cell(record.len);
	uint32_t rest = 0;
	int error = 0;

	assert(tc_page_tree_takes(tree, id));
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

int tc_page_tree_flush(struct tc_page_tree *tree, const struct tc_page_file *file)
{
	int error = 0;

	for (int k = 0; k < tree->level_count && tree->is_changed && !error; k++)
		error = write_level(tree, k, file);
	tree->is_changed = false;
	return error;
}

int tc_page_tree_copy(struct tc_page_tree *to, const struct tc_page_tree *from)
{
	struct tc_page_tree copy = *from;
	int error = 0;

	for (int k = 0; k < TC_PAGE_TREE_LEVELS; k++) {
		copy.levels[k].page = NULL;
		if (k < from->level_count) {
			copy.levels[k].page = tc_malloc(TC_PAGE_BYTES);
			if (copy.levels[k].page)
				memcpy(copy.levels[k].page, from->levels[k].page, TC_PAGE_BYTES);
			else
				error = ENOMEM;
		}
	}
	tc_page_tree_clear(to);
	*to = copy;
	return error;
}

void tc_page_tree_clear(struct tc_page_tree *tree)
{
	for (int k = 0; k < TC_PAGE_TREE_LEVELS; k++)
		tc_free(tree->levels[k].page);
	*tree = (struct tc_page_tree){0};
}
