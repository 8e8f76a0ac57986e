/* A record an event, its arguments behind it; see event_batch.h. */
#include "decode/event_batch.h"

#define NO_TEXT UINT32_MAX

/* Text: where it starts, in the source or, beyond its end, in the copied texts. */
struct text_ref {
	uint32_t at, len;
};

/* What a scalar holds besides its kind. */
union value {
	int64_t i64;
	struct text_ref text;
};

enum { SCALAR_PID, SCALAR_TID, SCALAR_ID, SCALAR_BIND_ID, SCALAR_COUNT };

struct record {
	int64_t ts_ns, dur_ns;
	union value scalars[SCALAR_COUNT];
	struct text_ref name, cat, bp, scope, args;
	uint32_t source_at;
	unsigned char kinds[SCALAR_COUNT];
	char ph;
	unsigned char ts_state, dur_state, id_scope, flow_in, flow_out, arg_count;
};

struct arg_record {
	union value value;
	unsigned char kind, arg;
};

_Static_assert(sizeof(struct record) % 8 == 0 && sizeof(struct arg_record) % 8 == 0,
	"records stand behind each other");

void tc_event_batch_clear(struct tc_event_batch *batch)
{
	tc_buf_clear(&batch->records);
	tc_buf_clear(&batch->texts);
	*batch = (struct tc_event_batch){0};
}

void tc_event_batch_reset(
	struct tc_event_batch *batch, struct tc_text source, int64_t source_offset)
{
	tc_buf_reset(&batch->records);
	tc_buf_reset(&batch->texts);
	batch->source = source;
	batch->source_offset = source_offset;
}

static bool lies_in(struct tc_text outer, const char *ptr)
{
	return (uintptr_t)ptr - (uintptr_t)outer.ptr < outer.len;
}

static struct text_ref refer(struct tc_event_batch *batch, struct tc_text text)
{
	struct text_ref ref = {NO_TEXT, (uint32_t)text.len};

	if (!text.ptr)
		return ref;
	if (text.len == 0) {
		ref.at = 0;
	} else if (lies_in(batch->source, text.ptr)) {
		ref.at = (uint32_t)(text.ptr - batch->source.ptr);
	} else if (lies_in(batch->args, text.ptr)) {
		ref.at = batch->args_at + (uint32_t)(text.ptr - batch->args.ptr);
	} else {
		ref.at = (uint32_t)(batch->source.len + batch->texts.len);
		tc_buf_append_text(&batch->texts, text);
	}
	return ref;
}

static union value hold(
	struct tc_event_batch *batch, const struct tc_scalar *scalar, unsigned char *kind)
{
	union value value = {.i64 = scalar->i64};

	*kind = (unsigned char)scalar->kind;
	if (scalar->kind >= TC_SCALAR_NUMBER)
		value.text = refer(batch, scalar->text);
	return value;
}

_Static_assert(TC_SCALAR_NUMBER > TC_SCALAR_INT && TC_SCALAR_TEXT > TC_SCALAR_NUMBER &&
		       TC_SCALAR_JSON > TC_SCALAR_NUMBER,
	"from NUMBER on scalars are text");

static bool add_args(struct tc_event_batch *batch, const struct tc_raw_event *event, int *count)
{
	for (int arg = 0; arg < TC_ARG_COUNT; arg++) {
		if (event->arg[arg].kind == TC_SCALAR_NONE)
			continue;
		struct arg_record record = {.arg = (unsigned char)arg};
		record.value = hold(batch, &event->arg[arg], &record.kind);
		tc_buf_append(&batch->records, (const char *)&record, sizeof(record));
		++*count;
	}
	return !tc_buf_failed(&batch->records) && !tc_buf_failed(&batch->texts);
}

/* Args come first: often its members are parts of it. */
static void refer_texts(
	struct tc_event_batch *batch, const struct tc_raw_event *event, struct record *record)
{
	batch->args = TC_TEXT_NONE;
	record->args = refer(batch, event->args);
	batch->args = event->args;
	batch->args_at = record->args.at;
	record->name = refer(batch, event->name);
	record->cat = refer(batch, event->cat);
	record->bp = refer(batch, event->bp);
	record->scope = refer(batch, event->scope);
}

bool tc_event_batch_add(struct tc_event_batch *batch, const struct tc_raw_event *event)
{
	const struct tc_scalar *scalars[SCALAR_COUNT] = {
		&event->pid, &event->tid, &event->id, &event->bind_id};
	size_t at = batch->records.len;
	int arg_count = 0;
	struct record record = {
		.ts_ns = event->ts_ns,
		.dur_ns = event->dur_ns,
		.source_at = (uint32_t)(event->byte_offset - batch->source_offset),
		.ph = event->ph,
		.ts_state = (unsigned char)event->ts_state,
		.dur_state = (unsigned char)event->dur_state,
		.id_scope = (unsigned char)event->id_scope,
		.flow_in = event->flow_in,
		.flow_out = event->flow_out,
	};

	refer_texts(batch, event, &record);
	for (int i = 0; i < SCALAR_COUNT; i++)
		record.scalars[i] = hold(batch, scalars[i], &record.kinds[i]);
	tc_buf_append(&batch->records, (const char *)&record, sizeof(record));
	if (!add_args(batch, event, &arg_count))
		return false;
	((struct record *)(void *)(batch->records.ptr + at))->arg_count = (unsigned char)arg_count;
	return true;
}

void tc_event_reader_init(struct tc_event_reader *reader, const struct tc_event_batch *batch)
{
	*reader = (struct tc_event_reader){.batch = batch};
}

static struct tc_text text_of(const struct tc_event_batch *batch, struct text_ref ref)
{
	if (ref.at == NO_TEXT)
		return TC_TEXT_NONE;
	if (ref.at < batch->source.len)
		return (struct tc_text){batch->source.ptr + ref.at, ref.len};
	return (struct tc_text){batch->texts.ptr + (ref.at - batch->source.len), ref.len};
}

static struct tc_scalar scalar_of(
	const struct tc_event_batch *batch, unsigned char kind, union value value)
{
	struct tc_scalar scalar = {.kind = (enum tc_scalar_kind)kind};

	if (scalar.kind >= TC_SCALAR_NUMBER)
		scalar.text = text_of(batch, value.text);
	else
		scalar.i64 = value.i64;
	return scalar;
}

static void read_record(struct tc_event_reader *reader, const struct record *record)
{
	const struct tc_event_batch *batch = reader->batch;
	struct tc_raw_event *event = &reader->event;
	const union value *scalars = record->scalars;
	const unsigned char *kinds = record->kinds;

	event->ph = record->ph;
	event->ts_state = (enum tc_time_state)record->ts_state;
	event->dur_state = (enum tc_time_state)record->dur_state;
	event->ts_ns = record->ts_ns;
	event->dur_ns = record->dur_ns;
	event->pid = scalar_of(batch, kinds[SCALAR_PID], scalars[SCALAR_PID]);
	event->tid = scalar_of(batch, kinds[SCALAR_TID], scalars[SCALAR_TID]);
	event->id = scalar_of(batch, kinds[SCALAR_ID], scalars[SCALAR_ID]);
	event->bind_id = scalar_of(batch, kinds[SCALAR_BIND_ID], scalars[SCALAR_BIND_ID]);
	event->id_scope = (enum tc_id_scope)record->id_scope;
	event->flow_in = record->flow_in;
	event->flow_out = record->flow_out;
	event->name = text_of(batch, record->name);
	event->cat = text_of(batch, record->cat);
	event->bp = text_of(batch, record->bp);
	event->scope = text_of(batch, record->scope);
	event->args = text_of(batch, record->args);
	event->byte_offset = batch->source_offset + record->source_at;
}

const struct tc_raw_event *tc_event_reader_next(struct tc_event_reader *reader)
{
	const struct tc_event_batch *batch = reader->batch;
	const char *at = batch->records.ptr + reader->at;

	if (reader->at == batch->records.len)
		return NULL;
	for (int i = 0; i < reader->arg_count; i++)
		reader->event.arg[reader->args[i]] = (struct tc_scalar){0};
	const struct record *record = (const void *)at;
	const struct arg_record *args = (const void *)(at + sizeof(*record));
	read_record(reader, record);
	reader->arg_count = record->arg_count;
	for (int i = 0; i < reader->arg_count; i++) {
		reader->args[i] = args[i].arg;
		reader->event.arg[args[i].arg] = scalar_of(batch, args[i].kind, args[i].value);
	}
	reader->at += sizeof(*record) + (size_t)record->arg_count * sizeof(*args);
	return &reader->event;
}
