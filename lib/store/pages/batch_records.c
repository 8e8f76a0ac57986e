/* Rows of batches as records, one kind of row a table. See batch_records.h. */
#include "store/pages/batch_records.h"

/* A kind of row. The number of a row is the first member of its struct. */
struct kind {
	const char *table;
	size_t row_bytes;
	const void *(*rows)(const struct tc_batch *batch);
	size_t (*count)(const struct tc_batch *batch);
	/* Adds all columns but the first, in the order of the table. */
	void (*columns)(struct tc_record *to, const struct tc_batch *batch, const void *row);
};

static void put_text(
	struct tc_record *to, const struct tc_batch *batch, uint32_t offset, uint32_t len)
{
	tc_record_text(to, (struct tc_text){len > 0 ? batch->text.ptr + offset : "", len});
}

static void put_string(struct tc_record *to, const char *string)
{
	tc_record_text(to, tc_text_from(string));
}

/* INT64_MIN is NULL. */
static void put_optional(struct tc_record *to, int64_t value)
{
	if (value == INT64_MIN)
		tc_record_null(to);
	else
		tc_record_int(to, value);
}

static void put_args(
	struct tc_record *to, const struct tc_batch *batch, const struct tc_row_args *args)
{
	if (args->form_id >= 0)
		tc_record_int(to, args->form_id);
	else if (args->len > 0)
		put_text(to, batch, args->offset, args->len);
	else
		tc_record_null(to);
}

static void slice_columns(struct tc_record *to, const struct tc_batch *batch, const void *at)
{
	const struct tc_slice_row *row = at;

	tc_record_int(to, row->ts_ns);
	tc_record_int(to, row->dur_ns);
	tc_record_int(to, row->track_id);
	tc_record_int(to, row->label_id);
	put_args(to, batch, &row->args);
	if (row->args.form_id >= 0 && row->args.numbers >= 0)
		tc_record_int(to, row->args.numbers);
	else
		tc_record_null(to);
}

static void form_columns(struct tc_record *to, const struct tc_batch *batch, const void *at)
{
	const struct tc_form_row *row = at;

	put_text(to, batch, row->offset, row->len);
	tc_record_int(to, row->bits);
}

static const char *scope_name(char scope)
{
	return scope == 'g' ? "global" : scope == 'p' ? "process" : "thread";
}

static void instant_columns(struct tc_record *to, const struct tc_batch *batch, const void *at)
{
	const struct tc_instant_row *row = at;

	tc_record_int(to, batch->trace_id);
	tc_record_int(to, row->ts_ns);
	tc_record_int(to, row->track_id);
	tc_record_int(to, row->label_id);
	put_string(to, scope_name(row->scope));
	put_args(to, batch, &row->args);
}

static void counter_columns(struct tc_record *to, const struct tc_batch *batch, const void *at)
{
	const struct tc_counter_row *row = at;

	tc_record_int(to, batch->trace_id);
	tc_record_int(to, row->ts_ns);
	put_optional(to, row->process_id < 0 ? INT64_MIN : row->process_id);
	put_text(to, batch, row->name_offset, row->name_len);
	tc_record_real(to, row->value);
}

static void memory_columns(struct tc_record *to, const struct tc_batch *batch, const void *at)
{
	const struct tc_memory_row *row = at;

	tc_record_int(to, batch->trace_id);
	tc_record_int(to, row->ts_ns);
	put_optional(to, row->device_type);
	put_optional(to, row->device_id);
	if (row->addr_len > 0)
		put_text(to, batch, row->addr_offset, row->addr_len);
	else
		put_optional(to, row->addr);
	put_optional(to, row->bytes);
	put_optional(to, row->allocated_bytes);
	put_optional(to, row->reserved_bytes);
	tc_record_int(to, row->thread_id);
}

static void memory_link_columns(struct tc_record *to, const struct tc_batch *batch, const void *at)
{
	(void)batch;
	tc_record_int(to, ((const struct tc_memory_link_row *)at)->slice_id);
}

static void nest_columns(struct tc_record *to, const struct tc_batch *batch, const void *at)
{
	const struct tc_nest_row *row = at;

	(void)batch;
	tc_record_int(to, row->depth);
	tc_record_int(to, row->parent_id);
}

static void flow_columns(struct tc_record *to, const struct tc_batch *batch, const void *at)
{
	const struct tc_flow_row *row = at;

	tc_record_int(to, batch->trace_id);
	tc_record_int(to, row->label_id);
	tc_record_int(to, row->slice_out);
	tc_record_int(to, row->slice_in);
}

static void link_columns(struct tc_record *to, const struct tc_batch *batch, const void *at)
{
	const struct tc_link_row *row = at;

	(void)batch;
	tc_record_int(to, row->last_slice_id);
	put_optional(to, row->launch_slice_id);
	put_optional(to, row->step_id);
	if (strcmp(row->method, "correlation") != 0) /* the default of the last column */
		put_string(to, row->method);
}

/* The two accessors of each array. */
#define TC_BATCH_ROW(kind, array)                                                                  \
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

#define KIND(kind, table)                                                                          \
	{                                                                                          \
		table, sizeof(struct tc_##kind##_row), kind##_rows, kind##_count, kind##_columns   \
	}

static const struct kind kinds[TC_BATCH_KINDS] = {
	KIND(slice, "slice_row"),
	KIND(form, "args_form"),
	KIND(instant, "instant_row"),
	KIND(counter, "counter"),
	KIND(memory, "memory_sample"),
	KIND(memory_link, "memory_slice"),
	KIND(nest, "slice_nest"),
	KIND(flow, "flow_row"),
	KIND(link, "device_link"),
};

const char *tc_batch_table(int kind)
{
	return kinds[kind].table;
}

size_t tc_batch_rows(const struct tc_batch *batch, int kind)
{
	return kinds[kind].count(batch);
}

int64_t tc_batch_record(struct tc_record *out, const struct tc_batch *batch, int kind, size_t row)
{
	const char *at = kinds[kind].rows(batch);
	int64_t id;

	at += row * kinds[kind].row_bytes;
	memcpy(&id, at, sizeof(id));
	tc_record_begin(out);
	kinds[kind].columns(out, batch, at);
	return id;
}
