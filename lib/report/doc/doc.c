/*
 * A document being built: one buffer of texts, with blocks and cells that name their texts by
 * number. Text number 0 is empty, so that 0 means "no text".
 */
#include "report/doc/doc.h"

#include <math.h>

#include "core/alloc.h"
#include "report/text/format.h"

#define COLUMN_MARKS "<?~-=*!^"

void tc_doc_clear(struct tc_doc *doc)
{
	tc_buf_clear(&doc->text);
	tc_free(doc->starts);
	tc_free(doc->blocks);
	tc_free(doc->cells);
	*doc = TC_DOC_EMPTY;
}

/* Begins a text and returns its number; 0 when memory is out. */
static size_t begin_text(struct tc_doc *doc)
{
	size_t count = doc->start_count > 0 ? doc->start_count : 1;

	if (!TC_GROW(doc->starts, doc->start_capacity, count + 1)) {
		doc->text.failed = true;
		return 0;
	}
	doc->starts[0] = 0;
	doc->starts[count] = doc->text.len;
	doc->start_count = count + 1;
	return count;
}

struct tc_text tc_doc_text_at(const struct tc_doc *doc, size_t number)
{
	if (number == 0 || number >= doc->start_count)
		return TC_TEXT("");
	size_t start = doc->starts[number];
	size_t end = number + 1 < doc->start_count ? doc->starts[number + 1] : doc->text.len;
	return (struct tc_text){tc_buf_text(&doc->text).ptr + start, end - start};
}

/* A new block at the end, or NULL when memory is out. */
static struct tc_block *add_block(struct tc_doc *doc, enum tc_block_kind kind)
{
	if (!TC_GROW(doc->blocks, doc->block_capacity, doc->block_count + 1)) {
		doc->text.failed = true;
		return NULL;
	}
	struct tc_block *block = &doc->blocks[doc->block_count++];
	*block = (struct tc_block){
		.kind = kind, .text = begin_text(doc), .first_cell = doc->cell_count, .column = -1};
	return block;
}

static void add_string(struct tc_doc *doc, enum tc_block_kind kind, const char *text)
{
	add_block(doc, kind);
	tc_buf_append_string(&doc->text, text);
}

struct tc_buf *tc_doc_title(struct tc_doc *doc)
{
	add_block(doc, TC_BLOCK_TITLE);
	return &doc->text;
}

void tc_doc_heading(struct tc_doc *doc, const char *heading)
{
	add_string(doc, TC_BLOCK_HEADING, heading);
}

void tc_doc_break(struct tc_doc *doc)
{
	add_block(doc, TC_BLOCK_HEADING);
}

struct tc_buf *tc_doc_paragraph(struct tc_doc *doc)
{
	add_block(doc, TC_BLOCK_PARAGRAPH);
	return &doc->text;
}

void tc_doc_say(struct tc_doc *doc, const char *text)
{
	tc_buf_append_string(tc_doc_paragraph(doc), text);
}

struct tc_buf *tc_doc_column_note(struct tc_doc *doc, int column)
{
	struct tc_block *block = add_block(doc, TC_BLOCK_PARAGRAPH);

	if (block)
		block->column = column;
	return &doc->text;
}

static struct tc_buf *add_labelled(struct tc_doc *doc, enum tc_block_kind kind, const char *label)
{
	struct tc_block *block = add_block(doc, kind);

	if (block)
		block->label = label;
	return &doc->text;
}

struct tc_buf *tc_doc_item(struct tc_doc *doc, const char *label)
{
	return add_labelled(doc, TC_BLOCK_ITEM, label);
}

struct tc_buf *tc_doc_code(struct tc_doc *doc, const char *language)
{
	return add_labelled(doc, TC_BLOCK_CODE, language);
}

void tc_doc_fold(struct tc_doc *doc, const char *summary)
{
	add_string(doc, TC_BLOCK_FOLD, summary);
}

void tc_doc_fold_end(struct tc_doc *doc)
{
	add_block(doc, TC_BLOCK_FOLD_END);
}

void tc_doc_table(struct tc_doc *doc, const char *const *columns)
{
	struct tc_block *block = add_block(doc, TC_BLOCK_TABLE);

	if (!block)
		return;
	block->columns = columns;
	while (columns[block->column_count])
		block->column_count++;
}

/* Adds a cell to the table begun last. */
static void add_cell(struct tc_doc *doc, struct tc_doc_cell cell)
{
	if (doc->block_count == 0 ||
		!TC_GROW(doc->cells, doc->cell_capacity, doc->cell_count + 1)) {
		doc->text.failed = true;
		return;
	}
	doc->cells[doc->cell_count++] = cell;
	doc->blocks[doc->block_count - 1].cell_count++;
}

struct tc_buf *tc_doc_cell(struct tc_doc *doc)
{
	add_cell(doc, (struct tc_doc_cell){.kind = TC_CELL_TEXT, .text = begin_text(doc)});
	return &doc->text;
}

void tc_doc_cell_text(struct tc_doc *doc, struct tc_text text)
{
	tc_buf_append_text(tc_doc_cell(doc), text);
}

void tc_doc_cell_string(struct tc_doc *doc, const char *string)
{
	tc_buf_append_string(tc_doc_cell(doc), string);
}

#define CELL(name, KIND, member, type)                                                             \
	void tc_doc_cell_##name(struct tc_doc *doc, type value)                                    \
	{                                                                                          \
		add_cell(doc, (struct tc_doc_cell){.kind = TC_CELL_##KIND, .member = value});      \
	}
CELL(ns, NS, integer, int64_t)
CELL(change_ns, CHANGE_NS, integer, int64_t)
CELL(bytes, BYTES, integer, int64_t)
CELL(count, COUNT, integer, int64_t)
CELL(pct, PCT, real, double)
CELL(share, SHARE_PCT, real, double)
CELL(change_pct, CHANGE_PCT, real, double)
CELL(hours, HOURS, real, double)
CELL(bar, BAR, real, double)

/* A text of the last block or cell. */
#define LAST(name, item)                                                                           \
	struct tc_buf *tc_doc_##name(struct tc_doc *doc)                                           \
	{                                                                                          \
		size_t text = begin_text(doc);                                                     \
		if (doc->item##_count > 0)                                                         \
			doc->item##s[doc->item##_count - 1].name = text;                           \
		return &doc->text;                                                                 \
	}
LAST(below, cell)
LAST(anchor, block)
LAST(link, cell)

void tc_doc_take(struct tc_doc *doc, struct tc_buf *text)
{
	tc_buf_append_text(&doc->text, tc_buf_text(text));
	tc_buf_end(&doc->text, text);
}

void tc_doc_set_shrink_order(struct tc_doc *doc, int order, int least_rows)
{
	if (doc->block_count == 0)
		return;
	doc->blocks[doc->block_count - 1].shrink_order = order;
	doc->blocks[doc->block_count - 1].least_rows = least_rows;
}

void tc_doc_more(struct tc_doc *doc, size_t rows)
{
	if (doc->block_count > 0)
		doc->blocks[doc->block_count - 1].more = rows;
}

void tc_doc_tone(struct tc_doc *doc, enum tc_tone tone)
{
	struct tc_block *block = doc->block_count > 0 ? &doc->blocks[doc->block_count - 1] : NULL;

	if (block && block->cell_count > 0)
		doc->cells[doc->cell_count - 1].tone = tone;
	else if (block)
		block->tone = tone;
}

void tc_doc_depth(struct tc_doc *doc, int depth)
{
	if (doc->cell_count > 0)
		doc->cells[doc->cell_count - 1].depth = depth;
}

struct tc_text tc_doc_column_title(
	const struct tc_doc *doc, const struct tc_block *table, int column)
{
	const char *title = table->columns[column];

	if (tc_doc_column_has(table, column, '*'))
		return tc_doc_text_at(doc, table->text);
	return tc_text_from(title + strspn(title, COLUMN_MARKS));
}

bool tc_doc_column_has(const struct tc_block *table, int column, char mark)
{
	const char *title = table->columns[column];

	return memchr(title, mark, strspn(title, COLUMN_MARKS)) != NULL;
}

void tc_doc_format_cell(
	struct tc_buf *buf, const struct tc_doc *doc, const struct tc_doc_cell *cell)
{
	switch (cell->kind) {
	case TC_CELL_TEXT: tc_buf_append_text(buf, tc_doc_text_at(doc, cell->text)); break;
	case TC_CELL_CHANGE_NS:
		tc_buf_append_string(buf, cell->integer > 0 ? "+" : "");
		tc_format_ns(buf, cell->integer);
		break;
	case TC_CELL_NS: tc_format_ns(buf, cell->integer); break;
	case TC_CELL_BYTES: tc_format_bytes(buf, cell->integer); break;
	case TC_CELL_COUNT: tc_format_count(buf, cell->integer); break;
	case TC_CELL_PCT: tc_format_pct(buf, cell->real); break;
	case TC_CELL_SHARE_PCT: tc_buf_append_string(buf, tc_show_share(cell->real).text); break;
	case TC_CELL_CHANGE_PCT: tc_buf_format(buf, "%+.1f %%", cell->real); break;
	case TC_CELL_HOURS:
		if (isnan(cell->real))
			tc_buf_append_char(buf, '-');
		else
			tc_format_hours(buf, cell->real);
		break;
	case TC_CELL_BAR: break;
	}
}

static bool is_diff(const struct tc_block *block)
{
	return strcmp(block->label, "diff") == 0;
}

struct tc_text tc_doc_code_text(const struct tc_doc *doc, const struct tc_block *block)
{
	const struct tc_text all = tc_doc_text_at(doc, block->text);
	struct tc_text text = tc_text_trim(all);

	if (is_diff(block) && text.ptr > all.ptr && text.ptr[-1] == ' ') { /* an unchanged line */
		text.ptr--;
		text.len++;
	}
	return text;
}

bool tc_doc_code_line(struct tc_text *line, enum tc_tone *tone, const struct tc_block *block,
	struct tc_text *rest)
{
	const char *end = tc_text_find(*rest, TC_TEXT("\n"));

	if (rest->len == 0)
		return false;
	*line = end ? tc_text_before(*rest, end) : *rest;
	*tone = !is_diff(block) || line->len == 0 ? TC_TONE_PLAIN
		: line->ptr[0] == '-'             ? TC_TONE_OLD
		: line->ptr[0] == '+'             ? TC_TONE_NEW
						  : TC_TONE_PLAIN;
	rest->ptr += end ? line->len + 1 : line->len;
	rest->len -= end ? line->len + 1 : line->len;
	return true;
}

/* Has the table above the block any rows? */
static bool has_table(const struct tc_doc *doc, size_t index)
{
	while (index > 0)
		if (doc->blocks[--index].kind == TC_BLOCK_TABLE)
			return doc->blocks[index].cell_count > 0;
	return false;
}

static bool is_bound(enum tc_block_kind kind)
{
	return kind == TC_BLOCK_TITLE || kind == TC_BLOCK_HEADING || kind == TC_BLOCK_FOLD ||
	       kind == TC_BLOCK_FOLD_END;
}

/* Whether a heading or a fold has anything to say; a fold may hold headings, and a heading may
 * stand right above folds. */
static bool leads_somewhere(const struct tc_doc *doc, size_t index)
{
	bool fold = doc->blocks[index].kind == TC_BLOCK_FOLD;

	for (size_t i = index + 1; i < doc->block_count; i++) {
		if (fold && doc->blocks[i].kind == TC_BLOCK_HEADING)
			continue;
		if (!fold && i == index + 1 && doc->blocks[i].kind == TC_BLOCK_FOLD)
			return tc_doc_shows(doc, i);
		if (is_bound(doc->blocks[i].kind))
			return false;
		if (tc_doc_shows(doc, i))
			return true;
	}
	return false;
}

bool tc_doc_shows(const struct tc_doc *doc, size_t index)
{
	const struct tc_block *block = &doc->blocks[index];

	if (block->column >= 0 && !has_table(doc, index))
		return false;
	switch (block->kind) {
	case TC_BLOCK_TABLE: return block->cell_count > 0;
	case TC_BLOCK_HEADING:
	case TC_BLOCK_FOLD: return leads_somewhere(doc, index);
	case TC_BLOCK_FOLD_END: return true;
	default: return tc_doc_text_at(doc, block->text).len > 0;
	}
}
