/* Tables of text. See table.h. */
#include "report/table.h"

#include "core/alloc.h"
#include "report/format.h"

#define TABLE_INDENT 2
#define TABLE_GAP 2
#define TABLE_WANTED_LAST 36 /* columns for names, before optional columns go */
#define TABLE_MIN_LAST 12    /* a name cut shorter than this says nothing */
#define TABLE_HIDDEN -1
#define TABLE_MARKS "<?~"

void tc_table_init(struct tc_table *table, const char *const *titles, bool ascii)
{
	*table = (struct tc_table){.titles = titles, .ascii = ascii};
	while (titles[table->column_count] && table->column_count < TC_TABLE_MAX_COLUMNS)
		table->column_count++;
}

void tc_table_clear(struct tc_table *table)
{
	tc_buf_clear(&table->text);
	tc_free(table->ends);
	table->ends = NULL;
	table->count = table->capacity = 0;
}

static void end_cell(struct tc_table *table)
{
	void *array = table->ends;

	if (tc_reserve(&array, &table->capacity, table->count + 1, sizeof(*table->ends))) {
		table->text.failed = true;
		return;
	}
	table->ends = array;
	table->ends[table->count++] = table->text.len;
}

void tc_table_ns(struct tc_table *table, int64_t ns)
{
	tc_format_ns(&table->text, ns);
	end_cell(table);
}

void tc_table_count(struct tc_table *table, int64_t count)
{
	tc_format_count(&table->text, count);
	end_cell(table);
}

void tc_table_pct(struct tc_table *table, double pct)
{
	tc_format_pct(&table->text, pct);
	end_cell(table);
}

void tc_table_bytes(struct tc_table *table, int64_t bytes)
{
	tc_format_bytes(&table->text, bytes);
	end_cell(table);
}

void tc_table_text(struct tc_table *table, struct tc_text text)
{
	tc_format_clean(&table->text, text, table->ascii, 0);
	end_cell(table);
}

void tc_table_string(struct tc_table *table, const char *string)
{
	tc_table_text(table, tc_text_from(string));
}

static struct tc_text cell_at(const struct tc_table *table, size_t index)
{
	size_t start = index > 0 ? table->ends[index - 1] : 0;

	return (struct tc_text){tc_buf_text(&table->text).ptr + start, table->ends[index] - start};
}

static struct tc_text title_at(const struct tc_table *table, int column)
{
	const char *title = table->titles[column];

	return tc_text_from(title + strspn(title, TABLE_MARKS));
}

/* Is the column marked: '<', '?' or '~' before its title? */
static bool title_has(const struct tc_table *table, int column, char mark)
{
	const char *title = table->titles[column];

	return memchr(title, mark, strspn(title, TABLE_MARKS)) != NULL;
}

/* Columns of the line that all shown columns but the last one take. */
static int used_columns(const struct tc_table *table, const int *widths)
{
	int used = TABLE_INDENT;

	for (int c = 0; c < table->column_count - 1; c++)
		used += widths[c] == TABLE_HIDDEN ? 0 : widths[c] + TABLE_GAP;
	return used;
}

/* Hides optional columns and cuts the last one until the rows fit into the line. */
static void fit(const struct tc_table *table, int *widths, int line)
{
	int last = table->column_count - 1;
	int wanted = widths[last] < TABLE_WANTED_LAST ? widths[last] : TABLE_WANTED_LAST;

	for (int c = last; c > 0 && used_columns(table, widths) + wanted > line; c--) {
		if (!title_has(table, c, '?'))
			continue;
		if (c == last) /* what was before it ends the line now */
			widths[c] = wanted = 0;
		else
			widths[c] = TABLE_HIDDEN;
	}
	int left = line - used_columns(table, widths);
	left = left < TABLE_MIN_LAST ? TABLE_MIN_LAST : left;
	if (widths[last] > left)
		widths[last] = left;
	if (widths[last] == 0)
		widths[last] = TABLE_HIDDEN;
}

/* Widths of all columns. */
static void measure(const struct tc_table *table, int *widths, int line)
{
	for (int c = 0; c < table->column_count; c++)
		widths[c] = tc_format_columns(title_at(table, c));
	for (size_t i = 0; i < table->count; i++) {
		int columns = tc_format_columns(cell_at(table, i));
		int *width = &widths[i % (size_t)table->column_count];
		*width = columns > *width ? columns : *width;
	}
	fit(table, widths, line);
}

bool tc_table_shows(const struct tc_table *table, int column, int width)
{
	int widths[TC_TABLE_MAX_COLUMNS];

	measure(table, widths, width);
	return widths[column] != TABLE_HIDDEN;
}

static void print_cell(const struct tc_table *table, struct tc_buf *out, struct tc_text text,
	int column, const int *widths)
{
	bool last = column == table->column_count - 1;
	int blank = widths[column] - tc_format_columns(text);
	bool left = title_has(table, column, '<');

	if (widths[column] == TABLE_HIDDEN)
		return;
	tc_format_pad(out, column == 0 ? TABLE_INDENT : TABLE_GAP);
	if (!left)
		tc_format_pad(out, blank);
	tc_format_clean(out, text, table->ascii, widths[column]);
	if (left && !last)
		tc_format_pad(out, blank);
}

/* Bytes of the longest start of the text that ends with a word and fits; 0 when no word does. */
static size_t fitting(struct tc_text text, int columns)
{
	size_t best = 0;

	for (size_t i = 1; i <= text.len; i++)
		if ((i == text.len || text.ptr[i] == ' ') &&
			tc_format_columns((struct tc_text){text.ptr, i}) <= columns)
			best = i;
	return best;
}

/* The last cell of a row, on as many lines as its words need. */
static void print_wrapped(
	const struct tc_table *table, struct tc_buf *out, struct tc_text text, const int *widths)
{
	int last = table->column_count - 1;
	size_t len = fitting(text, widths[last]);

	while (len > 0 && len < text.len) {
		print_cell(table, out, (struct tc_text){text.ptr, len}, last, widths);
		tc_buf_append_char(out, '\n');
		tc_format_pad(out, used_columns(table, widths) - TABLE_GAP);
		text = (struct tc_text){text.ptr + len + 1, text.len - len - 1};
		len = fitting(text, widths[last]);
	}
	print_cell(table, out, text, last, widths);
}

void tc_table_print(struct tc_table *table, struct tc_sink *sink, int width)
{
	int widths[TC_TABLE_MAX_COLUMNS];
	size_t columns = (size_t)table->column_count;

	if (tc_buf_failed(&table->text)) {
		sink->buf.failed = true;
		return;
	}
	measure(table, widths, width);
	for (int c = 0; c < table->column_count; c++)
		print_cell(table, &sink->buf, title_at(table, c), c, widths);
	tc_sink_put(sink, "\n");
	for (size_t i = 0; i < table->count; i++) {
		int column = (int)(i % columns);
		bool last = column == table->column_count - 1;
		if (last && title_has(table, column, '~'))
			print_wrapped(table, &sink->buf, cell_at(table, i), widths);
		else
			print_cell(table, &sink->buf, cell_at(table, i), column, widths);
		if (last)
			tc_sink_put(sink, "\n");
	}
}
