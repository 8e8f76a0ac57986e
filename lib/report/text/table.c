/* Tables of text. See table.h. */
#include "report/text/table.h"

#include "core/alloc.h"
#include "report/format.h"

#define TABLE_INDENT 2
#define TABLE_GAP 2
#define TABLE_WANTED_LAST 36 /* columns for names, before optional columns go */
#define TABLE_MIN_LAST 12    /* a name cut shorter than this says nothing */
#define TABLE_HIDDEN -1
#define TABLE_MARKS "<?~-"

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

struct tc_text tc_table_cell(const struct tc_table *table, size_t index)
{
	size_t start = index > 0 ? table->ends[index - 1] : 0;

	return (struct tc_text){tc_buf_text(&table->text).ptr + start, table->ends[index] - start};
}

struct tc_text tc_table_title(const struct tc_table *table, int column)
{
	const char *title = table->titles[column];

	return tc_text_from(title + strspn(title, TABLE_MARKS));
}

/* Is the column marked, before its title? */
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

/* Columns of the longest word of a title: what it needs on several lines. */
static int longest_word(struct tc_text title)
{
	int longest = 0;

	for (size_t from = 0, i = 0; i <= title.len; i++) {
		if (i < title.len && title.ptr[i] != ' ')
			continue;
		int columns = tc_format_columns((struct tc_text){title.ptr + from, i - from});
		longest = columns > longest ? columns : longest;
		from = i + 1;
	}
	return longest;
}

/* The least that the last column may be cut to: words say nothing when shorter, numbers ever. */
static int least_last(const struct tc_table *table, const int *widths)
{
	int last = table->column_count - 1;
	bool whole = widths[last] < TABLE_MIN_LAST || !title_has(table, last, '<');

	return whole ? widths[last] : TABLE_MIN_LAST;
}

/* By how much the rows are too long for the line when the last column is cut. */
static int excess(const struct tc_table *table, const int *widths, int line)
{
	return used_columns(table, widths) + least_last(table, widths) - line;
}

/* Lets a title take several lines, as far as the rows are too long. */
static void fold_title(
	const struct tc_table *table, int column, int *widths, const int *cells, int line)
{
	int word = longest_word(tc_table_title(table, column));
	int least = cells[column] > word ? cells[column] : word;
	int over = excess(table, widths, line);

	if (over > 0 && widths[column] > least)
		widths[column] = widths[column] - over > least ? widths[column] - over : least;
}

/* Hides columns with the mark, from the right, while they leave less than `wanted` for the last. */
static void hide(const struct tc_table *table, int *widths, int line, char mark, int wanted)
{
	int last = table->column_count - 1;

	for (int c = last; c > 0 && used_columns(table, widths) + wanted > line; c--) {
		if (!title_has(table, c, mark))
			continue;
		if (c == last) /* what was before it ends the line now */
			widths[c] = wanted = 0;
		else
			widths[c] = TABLE_HIDDEN;
	}
}

/* Cuts columns of words, the widest first, until the rows fit. */
static void cut_words(const struct tc_table *table, int *widths, int line)
{
	for (int over = excess(table, widths, line); over > 0; over = excess(table, widths, line)) {
		int widest = -1;

		for (int c = 0; c < table->column_count - 1; c++)
			if (title_has(table, c, '<') && widths[c] > TABLE_MIN_LAST &&
				(widest < 0 || widths[c] > widths[widest]))
				widest = c;
		if (widest < 0)
			break;
		int left = widths[widest] - over;
		widths[widest] = left < TABLE_MIN_LAST ? TABLE_MIN_LAST : left;
	}
}

/* Makes the rows fit into the line, as table.h says; cells are the widths without the titles. */
static void fit(const struct tc_table *table, int *widths, const int *cells, int line)
{
	int last = table->column_count - 1;

	hide(table, widths, line, '?',
		widths[last] < TABLE_WANTED_LAST ? widths[last] : TABLE_WANTED_LAST);
	for (int c = 0; c <= last; c++)
		fold_title(table, c, widths, cells, line);
	cut_words(table, widths, line);
	hide(table, widths, line, '-', least_last(table, widths));
	int left = line - used_columns(table, widths);
	int least = least_last(table, widths);
	left = left < least ? least : left;
	if (widths[last] > left)
		widths[last] = left;
	if (widths[last] == 0)
		widths[last] = TABLE_HIDDEN;
}

/* Widths of all columns. */
static void measure(const struct tc_table *table, int *widths, int line)
{
	int cells[TC_TABLE_MAX_COLUMNS] = {0};

	for (size_t i = 0; i < table->count; i++) {
		int columns = tc_format_columns(tc_table_cell(table, i));
		int *width = &cells[i % (size_t)table->column_count];
		*width = columns > *width ? columns : *width;
	}
	for (int c = 0; c < table->column_count; c++) {
		int columns = tc_format_columns(tc_table_title(table, c));
		widths[c] = columns > cells[c] ? columns : cells[c];
	}
	fit(table, widths, cells, line);
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

/* Bytes of the longest start of the text that ends with a word and fits; of its first word, which
 * is cut then, when none does. */
static size_t fitting(struct tc_text text, int columns)
{
	size_t best = 0;

	for (size_t i = 1; i <= text.len; i++) {
		if (i < text.len && text.ptr[i] != ' ')
			continue;
		if (best > 0 && tc_format_columns((struct tc_text){text.ptr, i}) > columns)
			break;
		best = i;
	}
	return best;
}

/* Takes the next line off a text. */
static struct tc_text take_line(struct tc_text *text, int columns)
{
	struct tc_text line = {text->ptr, fitting(*text, columns)};
	size_t taken = line.len < text->len ? line.len + 1 : line.len;

	*text = (struct tc_text){text->ptr + taken, text->len - taken};
	return line;
}

/* The last cell of a row, on as many lines as its words need. */
static void print_wrapped(
	const struct tc_table *table, struct tc_buf *out, struct tc_text text, const int *widths)
{
	int last = table->column_count - 1;

	print_cell(table, out, take_line(&text, widths[last]), last, widths);
	while (text.len > 0) {
		tc_buf_append_char(out, '\n');
		tc_format_pad(out, used_columns(table, widths) - TABLE_GAP);
		print_cell(table, out, take_line(&text, widths[last]), last, widths);
	}
}

/* How many lines a title takes. */
static int title_lines(const struct tc_table *table, int column, const int *widths)
{
	struct tc_text title = tc_table_title(table, column);
	int count = 0;

	while (title.len > 0 && widths[column] != TABLE_HIDDEN) {
		take_line(&title, widths[column]);
		count++;
	}
	return count;
}

/* All titles; those of fewer lines stand below. */
static void print_titles(const struct tc_table *table, struct tc_sink *sink, const int *widths)
{
	int lines = 1;

	for (int c = 0; c < table->column_count; c++) {
		int count = title_lines(table, c, widths);
		lines = count > lines ? count : lines;
	}
	for (int line = 0; line < lines; line++) {
		for (int c = 0; c < table->column_count; c++) {
			struct tc_text title = tc_table_title(table, c), part = TC_TEXT("");
			int at = lines - title_lines(table, c, widths);
			for (; at <= line && title.len > 0; at++)
				part = take_line(&title, widths[c]);
			print_cell(table, &sink->buf, part, c, widths);
		}
		tc_format_trim(&sink->buf);
		tc_sink_put(sink, "\n");
	}
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
	print_titles(table, sink, widths);
	for (size_t i = 0; i < table->count; i++) {
		int column = (int)(i % columns);
		bool last = column == table->column_count - 1;
		if (last && title_has(table, column, '~'))
			print_wrapped(table, &sink->buf, tc_table_cell(table, i), widths);
		else
			print_cell(table, &sink->buf, tc_table_cell(table, i), column, widths);
		if (!last)
			continue;
		tc_format_trim(&sink->buf);
		tc_sink_put(sink, "\n");
	}
}
