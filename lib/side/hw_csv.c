/*
 * The events of the Gaudi profiler's hardware trace. BEGIN and END of an engine make one hw_op;
 * COUNTER is a row of hw_counter; INSTANT lines only repeat what the pairs say. An END belongs to
 * the oldest open BEGIN of its name on its engine.
 */
#include "core/alloc.h"
#include "core/array.h"
#include "core/text/decimal.h"
#include "core/collections/strtab.h"
#include "side/csv.h"
#include "side/reader.h"

static const struct tc_side_table op_table = {
	"hw_op(trace_id, source, device, engine, name, ts, dur, recipe, "
	"recipe_id, operation, data_type)"};

static const struct tc_side_table counter_table = {
	"hw_counter(trace_id, source, device, engine, name, ts, value)"};

enum column {
	NAME,
	ENGINE,
	TYPE,
	TIME,
	RECIPE_ID,
	RECIPE,
	DEVICE,
	OPERATION,
	DATA_TYPE,
	VALUE,
	COLUMN_COUNT,
};

static const char *const wanted[] = {"Name", "Engine", "Event type", "Timestamp[usec]", "Recipe ID",
	"Recipe name", "Device", "Operation", "Data Type", "SPMU value", NULL};

_Static_assert(TC_COUNT_OF(wanted) == COLUMN_COUNT + 1, "a name a column");

/* A BEGIN without its END yet; texts are numbers in the string table. */
struct open_op {
	int64_t ts;
	uint32_t text[COLUMN_COUNT]; /* TC_STRTAB_NONE for an empty one */
};

struct reader {
	struct tc_side_file *file;
	struct tc_strtab strings;
	struct open_op *open; /* in the order of their begins */
	size_t count, capacity;
};

static struct tc_text text_of(const struct reader *reader, uint32_t number)
{
	return number == TC_STRTAB_NONE ? TC_TEXT_NONE : tc_strtab_at(&reader->strings, number);
}

static struct tc_sql_value integer_or_null(struct tc_text text)
{
	int64_t value = 0;
	bool there = tc_decimal_int64(&value, text);

	return tc_sql_int_if(there, value);
}

/* dur is -1 without an end. */
static void put_op(struct reader *reader, const struct open_op *op, int64_t dur)
{
	struct tc_text recipe_id = text_of(reader, op->text[RECIPE_ID]);
	const struct tc_sql_value values[] = {tc_sql_text(text_of(reader, op->text[DEVICE])),
		tc_sql_text(text_of(reader, op->text[ENGINE])),
		tc_sql_text(text_of(reader, op->text[NAME])), tc_sql_int(op->ts), tc_sql_int(dur),
		tc_sql_text(text_of(reader, op->text[RECIPE])), integer_or_null(recipe_id),
		tc_sql_text(text_of(reader, op->text[OPERATION])),
		tc_sql_text(text_of(reader, op->text[DATA_TYPE]))};

	tc_side_file_put(reader->file, &op_table, values, TC_COUNT_OF(values));
}

static void close_op(struct reader *reader, size_t i)
{
	reader->count--;
	memmove(&reader->open[i], &reader->open[i + 1],
		(reader->count - i) * sizeof(*reader->open));
}

/* Writes the oldest operations without an end until `keep` are left: more are open than any machine
 * has engines. */
static void give_up(struct reader *reader, size_t keep)
{
	while (reader->count > keep) {
		put_op(reader, &reader->open[0], -1);
		reader->file->unpaired_count++;
		close_op(reader, 0);
	}
}

static void begin(struct reader *reader, const struct tc_text *values, int64_t ts)
{
	enum { OPEN_MAX_COUNT = 4096 };
	struct open_op op = {.ts = ts};

	give_up(reader, OPEN_MAX_COUNT - 1);
	for (int i = 0; i < COLUMN_COUNT; i++) {
		op.text[i] = TC_STRTAB_NONE;
		if (values[i].len == 0 || i == TYPE || i == TIME || i == VALUE)
			continue;
		op.text[i] = tc_strtab_intern(&reader->strings, values[i]);
	}
	TC_PUSH(reader->file->ctx, reader->open, reader->count, reader->capacity, op);
}

static bool same(const struct reader *reader, uint32_t number, struct tc_text text)
{
	return tc_text_equal(text_of(reader, number), text);
}

static void end(struct reader *reader, const struct tc_text *values, int64_t ts)
{
	for (size_t i = 0; i < reader->count; i++) {
		struct open_op op = reader->open[i];
		if (op.ts > ts || !same(reader, op.text[ENGINE], values[ENGINE]) ||
			!same(reader, op.text[NAME], values[NAME]) ||
			!same(reader, op.text[DEVICE], values[DEVICE]))
			continue;
		close_op(reader, i);
		put_op(reader, &op, ts - op.ts);
		return;
	}
	reader->file->unpaired_count++;
}

static struct tc_text there(struct tc_text text)
{
	return text.len > 0 ? text : TC_TEXT_NONE;
}

static void put_counter(struct reader *reader, const struct tc_text *values, int64_t ts)
{
	double value;

	if (!tc_decimal_double(&value, values[VALUE])) {
		tc_side_file_damaged(reader->file);
		return;
	}
	const struct tc_sql_value row[] = {tc_sql_text(there(values[DEVICE])),
		tc_sql_text(values[ENGINE]), tc_sql_text(values[NAME]), tc_sql_int(ts),
		tc_sql_real(value)};
	tc_side_file_put(reader->file, &counter_table, row, TC_COUNT_OF(row));
}

static void read_record(void *user, const struct tc_text *values)
{
	struct reader *reader = user;
	int64_t ts;

	if (!tc_decimal_us_to_ns(&ts, values[TIME]) || values[NAME].len == 0 ||
		values[ENGINE].len == 0)
		tc_side_file_damaged(reader->file);
	else if (tc_text_equal(values[TYPE], TC_TEXT("BEGIN")))
		begin(reader, values, ts);
	else if (tc_text_equal(values[TYPE], TC_TEXT("END")))
		end(reader, values, ts);
	else if (tc_text_equal(values[TYPE], TC_TEXT("COUNTER")))
		put_counter(reader, values, ts);
	else if (!tc_text_equal(values[TYPE], TC_TEXT("INSTANT")))
		tc_side_file_damaged(reader->file);
}

static bool is_hw_csv(struct tc_text head)
{
	static const char *const words[] = {
		"Trace Source", "Engine", "Event type", "Timestamp[usec]", NULL};

	return tc_sniff_has_heading(head, words);
}

static void read(struct tc_side_file *file)
{
	struct reader reader = {.file = file, .strings = {.ctx = file->ctx}};

	tc_side_csv_read(file, wanted, read_record, &reader);
	give_up(&reader, 0);
	tc_strtab_clear(&reader.strings);
	tc_free(reader.open);
}

const struct tc_side_reader tc_side_hw_csv = {
	.name = "hw-csv",
	.capability = "has_hw_ops",
	.beside = ".csv",
	.is_it = is_hw_csv,
	.read = read,
};
