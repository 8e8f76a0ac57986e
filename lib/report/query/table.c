/*
 * The format table: columns as wide as the first rows need, numbers to the right. Only so many
 * rows are kept to find the widths; later ones stream, and a wider value then shifts its line.
 */
#include "core/alloc.h"
#include "report/text/format.h"
#include "report/query/result.h"
#include "report/text/glyph.h"

#define KEPT_CELLS 20000
#define KEPT_BYTES (4 << 20)
#define GAP "  "
#define LEAST_COLUMNS 8 /* of a text that is cut */

/* What would break the lines of the table, turn its text around or not show is written out. */
static void append_visible(struct tc_buf *buf, struct tc_text text)
{
	for (size_t i = 0; i < text.len;) {
		struct tc_glyph glyph = tc_glyph_at((struct tc_text){text.ptr + i, text.len - i});

		if (glyph.code == '\n' || glyph.code == '\t')
			tc_buf_append_string(buf, glyph.code == '\n' ? "\\n" : "\\t");
		else if (glyph.code == TC_GLYPH_BROKEN)
			tc_buf_format(buf, "\\x%02x", (unsigned char)text.ptr[i]);
		else if (tc_glyph_hidden(glyph.code))
			tc_buf_format(buf, glyph.code < 0x10000 ? "\\u%04x" : "\\U%08x",
				(unsigned)glyph.code);
		else
			tc_buf_append_text(buf, (struct tc_text){text.ptr + i, glyph.len});
		i += glyph.len;
	}
}

static struct tc_cell make_cell(struct tc_buf *buf, const struct tc_sql_value *value)
{
	struct tc_cell cell = {.start = buf->len};

	if (value->kind == TC_SQL_NULL)
		tc_buf_append_string(buf, "NULL");
	else if (value->kind == TC_SQL_TEXT)
		append_visible(buf, value->text);
	else
		tc_result_append(buf, value);
	cell.len = buf->len - cell.start;
	cell.width =
		tc_format_columns((struct tc_text){tc_buf_text(buf).ptr + cell.start, cell.len});
	cell.right = value->kind == TC_SQL_INT || value->kind == TC_SQL_REAL;
	return cell;
}

/* A text that is wider than its column may be: its beginning, with a mark. */
static int put_cut(struct tc_result *result, struct tc_text text, int width)
{
	const char *mark = result->ascii ? "..." : "\xe2\x80\xa6";
	int room = width - (result->ascii ? 3 : 1);

	text.len = tc_format_prefix(text, room);
	tc_sink_text(result->sink, text);
	tc_sink_put(result->sink, mark);
	return tc_format_columns(text) + width - room;
}

static void put_cell(
	struct tc_result *result, int column, struct tc_text text, int width, bool right)
{
	bool cut = result->width > 0 && !right && width > result->widths[column];
	int pad = result->widths[column] - width;
	bool last = column + 1 == result->column_count;

	tc_sink_fill(result->sink, " ", right && pad > 0 ? pad : 0);
	if (cut)
		pad = result->widths[column] - put_cut(result, text, result->widths[column]);
	else
		tc_sink_text(result->sink, text);
	tc_sink_fill(result->sink, " ", !right && !last && pad > 0 ? pad : 0);
	tc_sink_put(result->sink, last ? "\n" : GAP);
}

static void put_head(struct tc_result *result)
{
	for (int i = 0; i < result->column_count; i++) {
		struct tc_buf name = TC_BUF_EMPTY;

		append_visible(&name, tc_text_from(result->names[i]));
		result->failed = result->failed || tc_buf_failed(&name);
		put_cell(result, i, tc_buf_text(&name), tc_format_columns(tc_buf_text(&name)),
			result->right[i]);
		tc_buf_clear(&name);
	}
	for (int i = 0; i < result->column_count; i++) {
		tc_sink_fill(result->sink, "-", result->widths[i]);
		tc_sink_put(result->sink, i + 1 == result->column_count ? "\n" : GAP);
	}
}

static void put_row(struct tc_result *result, const struct tc_cell *cells)
{
	for (int i = 0; i < result->column_count; i++) {
		struct tc_text text = {
			tc_buf_text(&result->text).ptr + cells[i].start, cells[i].len};

		put_cell(result, i, text, cells[i].width, cells[i].right);
	}
}

/* Columns of the table where no text takes more than `most`. */
static int width_with(const struct tc_result *result, int most)
{
	int sum = (int)strlen(GAP) * (result->column_count - 1);

	for (int i = 0; i < result->column_count; i++) {
		int width = result->widths[i];
		sum += !result->right[i] && width > most ? most : width;
		if (sum > result->width)
			break;
	}
	return sum;
}

/* The widest texts give way until the table fits, or all are at the least. */
static void fit(struct tc_result *result)
{
	int most = result->width;

	if (most <= 0)
		return;
	while (most > LEAST_COLUMNS && width_with(result, most) > result->width)
		most--;
	for (int i = 0; i < result->column_count; i++)
		if (!result->right[i] && result->widths[i] > most)
			result->widths[i] = most;
}

/* Fixes the widths by what is kept and prints that. */
static void settle(struct tc_result *result)
{
	size_t columns = (size_t)result->column_count;

	result->widths = tc_calloc(columns, sizeof(*result->widths));
	result->right = tc_calloc(columns, sizeof(*result->right));
	if (!result->widths || !result->right) {
		result->failed = true;
		return;
	}
	for (size_t i = 0; i < columns; i++)
		result->widths[i] = tc_format_columns(tc_text_from(result->names[i]));
	for (size_t i = 0; i < result->cell_count; i++) {
		int *width = &result->widths[i % columns];

		*width = result->cells[i].width > *width ? result->cells[i].width : *width;
		if (result->cells[i].right)
			result->right[i % columns] = true;
	}
	fit(result);
	put_head(result);
	for (size_t i = 0; i < result->cell_count; i += columns)
		put_row(result, result->cells + i);
}

void tc_result_table_begin(struct tc_result *result)
{
	result->cell_count = 0;
}

static void keep_row(struct tc_result *result, const struct tc_sql_value *values)
{
	size_t columns = (size_t)result->column_count;

	if (!TC_GROW(result->cells, result->cell_capacity, result->cell_count + columns)) {
		result->failed = true;
		return;
	}
	for (size_t i = 0; i < columns; i++)
		result->cells[result->cell_count++] = make_cell(&result->text, &values[i]);
	if (result->cell_count >= KEPT_CELLS || result->text.len >= KEPT_BYTES) {
		settle(result);
		result->cell_count = 0;
	}
}

void tc_result_table_row(struct tc_result *result, const struct tc_sql_value *values)
{
	if (!result->widths) {
		keep_row(result, values);
	} else {
		for (int i = 0; i < result->column_count; i++) {
			tc_buf_reset(&result->text);
			struct tc_cell cell = make_cell(&result->text, &values[i]);

			put_cell(result, i, tc_buf_text(&result->text), cell.width, cell.right);
		}
	}
	result->failed = result->failed || tc_buf_failed(&result->text);
}

void tc_result_table_end(struct tc_result *result)
{
	if (!result->widths && !result->failed)
		settle(result);
}
