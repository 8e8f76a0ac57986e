/* Splits the lines of a file by libcsv, which only this file uses. Each line is parsed alone, so an
 * open quote ends with it. */
#include "side/csv.h"

#if TC_HAVE_CSV

#include <csv.h>

#include "core/alloc.h"

/* The place of a field in the text of its line. */
struct field {
	size_t at, len;
};

struct csv {
	struct tc_side_file *file;
	struct csv_parser parser;
	struct tc_buf text; /* of the fields of this line */
	struct field *fields;
	size_t count, capacity;
	size_t heading_count;
	/* by wanted column; SIZE_MAX when the file lacks it */
	size_t column_of[TC_SIDE_COLUMN_MAX];
};

static void on_field(void *ptr, size_t len, void *user)
{
	struct csv *csv = user;

	TC_PUSH(csv->file->ctx, csv->fields, csv->count, csv->capacity,
		(struct field){csv->text.len, len});
	tc_buf_append(&csv->text, ptr, len);
}

static void on_record(int end, void *user)
{
	(void)end;
	(void)user;
}

/* Splits a line into fields; false when its quotes do not close. */
static bool split(struct csv *csv, struct tc_text line)
{
	csv->count = 0;
	tc_buf_reset(&csv->text);
	bool good =
		csv_parse(&csv->parser, line.ptr, line.len, on_field, on_record, csv) == line.len;
	if (csv_fini(&csv->parser, on_field, on_record, csv))
		good = false;
	if (csv_error(&csv->parser) == CSV_ENOMEM)
		tc_no_memory(csv->file->ctx);
	return good;
}

static struct tc_text field(const struct csv *csv, size_t i)
{
	return (struct tc_text){
		tc_buf_text(&csv->text).ptr + csv->fields[i].at, csv->fields[i].len};
}

static void read_heading(struct csv *csv, const char *const *wanted)
{
	csv->heading_count = csv->count;
	for (size_t i = 0; wanted[i]; i++) {
		csv->column_of[i] = SIZE_MAX;
		for (size_t j = csv->count; j-- > 0;)
			if (tc_text_equal(tc_text_trim(field(csv, j)), tc_text_from(wanted[i])))
				csv->column_of[i] = j;
	}
}

static void read_record(
	struct csv *csv, const char *const *wanted, tc_side_record_fn fn, void *user)
{
	struct tc_text values[TC_SIDE_COLUMN_MAX];

	for (size_t i = 0; wanted[i]; i++)
		values[i] = csv->column_of[i] == SIZE_MAX ? TC_TEXT_NONE
							  : field(csv, csv->column_of[i]);
	fn(user, values);
}

static void read_lines(struct csv *csv, const char *const *wanted, tc_side_record_fn fn, void *user)
{
	struct tc_text line;

	while (tc_side_file_line(csv->file, &line)) {
		if (tc_text_trim(line).len == 0)
			continue;
		bool good = split(csv, line);
		if (tc_ctx_failed(csv->file->ctx))
			return;
		if (csv->heading_count == 0)
			read_heading(csv, wanted);
		else if (good && csv->count == csv->heading_count)
			read_record(csv, wanted, fn, user);
		else
			tc_side_file_damaged(csv->file);
	}
}

void tc_side_csv_read(
	struct tc_side_file *file, const char *const *wanted, tc_side_record_fn fn, void *user)
{
	struct csv csv = {.file = file, .text = {.ctx = file->ctx}};

	csv_init(&csv.parser, CSV_STRICT_FINI);
	csv_set_realloc_func(&csv.parser, tc_realloc);
	csv_set_free_func(&csv.parser, tc_free);
	read_lines(&csv, wanted, fn, user);
	csv_free(&csv.parser);
	tc_buf_clear(&csv.text);
	tc_free(csv.fields);
}

#else

void tc_side_csv_read(
	struct tc_side_file *file, const char *const *wanted, tc_side_record_fn fn, void *user)
{
	(void)wanted;
	(void)fn;
	(void)user;
	tc_fail(file->ctx, TC_ERR_INPUT,
		"%s: a CSV file, and this tracecoach was built without libcsv: install libcsv and "
		"build again",
		file->path);
}

#endif
