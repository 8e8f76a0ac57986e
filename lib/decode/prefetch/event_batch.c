/* A record an event, its arguments behind it; see event_batch.h. */
#include "decode/prefetch/event_batch.h"

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

/* What nearly every event has: a line of the cache. The rest of it follows as extras. */
struct record {
	int64_t ts_ns, dur_ns;
	union value pid, tid;
	struct text_ref name, cat, args;
	uint32_t source_at;
	unsigned ph : 8, ts_state : 2, dur_state : 2, id_scope : 2, flow_in : 1, flow_out : 1;
	unsigned pid_kind : 4, tid_kind : 4, extra_count : 8;
};

/* What an extra is, if it is none of the arguments. */
enum { EXTRA_ID = TC_ARG_COUNT, EXTRA_BIND_ID, EXTRA_BP, EXTRA_SCOPE, EXTRA_COUNT };

struct extra {
	union value value;
	unsigned char kind, what;
};

enum { RECORD_BYTES_MAX = sizeof(struct record) + EXTRA_COUNT * sizeof(struct extra) };

_Static_assert(sizeof(struct record) == 64 && sizeof(struct extra) % 8 == 0,
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

static inline union value hold(struct tc_event_batch *batch, const struct tc_scalar *scalar)
{
	union value value = {.i64 = scalar->i64};

	if (scalar->kind >= TC_SCALAR_NUMBER)
		value.text = refer(batch, scalar->text);
	return value;
}

_Static_assert(TC_SCALAR_NUMBER > TC_SCALAR_INT && TC_SCALAR_TEXT > TC_SCALAR_NUMBER &&
		       TC_SCALAR_JSON > TC_SCALAR_NUMBER,
	"from NUMBER on scalars are text");

static struct extra *add_scalar(struct tc_event_batch *batch, struct extra *extra, unsigned what,
	const struct tc_scalar *scalar)
{
	*extra = (struct extra){
		hold(batch, scalar), (unsigned char)scalar->kind, (unsigned char)what};
	return extra + 1;
}

static struct extra *add_text(
	struct tc_event_batch *batch, struct extra *extra, unsigned what, struct tc_text text)
{
	*extra = (struct extra){{.text = refer(batch, text)}, TC_SCALAR_TEXT, (unsigned char)what};
	return extra + 1;
}

/* Returns the end of the extras. */
static struct extra *add_extras(
	struct tc_event_batch *batch, struct extra *extra, const struct tc_raw_event *event)
{
	for (uint32_t left = event->arg_set; left; left &= left - 1) {
		unsigned arg = (unsigned)__builtin_ctz(left);
		extra = add_scalar(batch, extra, arg, &event->arg[arg]);
	}
	if (event->id.kind != TC_SCALAR_NONE)
		extra = add_scalar(batch, extra, EXTRA_ID, &event->id);
	if (event->bind_id.kind != TC_SCALAR_NONE)
		extra = add_scalar(batch, extra, EXTRA_BIND_ID, &event->bind_id);
	if (event->bp.ptr)
		extra = add_text(batch, extra, EXTRA_BP, event->bp);
	if (event->scope.ptr)
		extra = add_text(batch, extra, EXTRA_SCOPE, event->scope);
	return extra;
}

/* All but the extras. Args come first: often other texts are parts of it. */
static void fill_record(
	struct tc_event_batch *batch, struct record *record, const struct tc_raw_event *event)
{
	batch->args = TC_TEXT_NONE;
	record->args = refer(batch, event->args);
	batch->args = event->args;
	batch->args_at = record->args.at;
	record->ts_ns = event->ts_ns;
	record->dur_ns = event->dur_ns;
	record->pid = hold(batch, &event->pid);
	record->tid = hold(batch, &event->tid);
	record->name = refer(batch, event->name);
	record->cat = refer(batch, event->cat);
	record->source_at = (uint32_t)(event->byte_offset - batch->source_offset);
	record->ph = (unsigned char)event->ph;
	record->ts_state = event->ts_state;
	record->dur_state = event->dur_state;
	record->id_scope = event->id_scope;
	record->flow_in = event->flow_in;
	record->flow_out = event->flow_out;
	record->pid_kind = event->pid.kind;
	record->tid_kind = event->tid.kind;
}

/* The record is made where it stays: a copy of what was just stored in parts has to wait until
 * all stores before it have reached the cache. */
bool tc_event_batch_add(struct tc_event_batch *batch, const struct tc_raw_event *event)
{
	char *at = tc_buf_extend(&batch->records, RECORD_BYTES_MAX);

	if (!at)
		return false;
	struct record *record = (void *)at;
	struct extra *extras = (void *)(record + 1);
	fill_record(batch, record, event);
	struct extra *end = add_extras(batch, extras, event);
	record->extra_count = (unsigned char)(end - extras);
	batch->records.len = (size_t)((const char *)end - batch->records.ptr);
	return !tc_buf_failed(&batch->texts);
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

static inline struct tc_scalar scalar_of(
	const struct tc_event_batch *batch, unsigned kind, union value value)
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

	event->ph = (char)record->ph;
	event->ts_state = (enum tc_time_state)record->ts_state;
	event->dur_state = (enum tc_time_state)record->dur_state;
	event->ts_ns = record->ts_ns;
	event->dur_ns = record->dur_ns;
	event->pid = scalar_of(batch, record->pid_kind, record->pid);
	event->tid = scalar_of(batch, record->tid_kind, record->tid);
	event->id_scope = (enum tc_id_scope)record->id_scope;
	event->flow_in = record->flow_in;
	event->flow_out = record->flow_out;
	event->name = text_of(batch, record->name);
	event->cat = text_of(batch, record->cat);
	event->args = text_of(batch, record->args);
	event->byte_offset = batch->source_offset + record->source_at;
}

static void read_extra(struct tc_event_reader *reader, const struct extra *extra)
{
	struct tc_raw_event *event = &reader->event;
	struct tc_scalar scalar = scalar_of(reader->batch, extra->kind, extra->value);

	switch (extra->what) {
	case EXTRA_ID: event->id = scalar; break;
	case EXTRA_BIND_ID: event->bind_id = scalar; break;
	case EXTRA_BP: event->bp = scalar.text; break;
	case EXTRA_SCOPE: event->scope = scalar.text; break;
	default: event->arg[extra->what] = scalar; event->arg_set |= UINT32_C(1) << extra->what;
	}
}

/* Forgets the extras of the event before. */
static void clear_extras(struct tc_raw_event *event)
{
	tc_raw_event_clear_args(event);
	event->id.kind = event->bind_id.kind = TC_SCALAR_NONE;
	event->bp = event->scope = TC_TEXT_NONE;
}

const struct tc_raw_event *tc_event_reader_next(struct tc_event_reader *reader)
{
	const struct tc_event_batch *batch = reader->batch;
	const char *at = batch->records.ptr + reader->at;

	if (reader->at == batch->records.len)
		return NULL;
	const struct record *record = (const void *)at;
	const struct extra *extras = (const void *)(record + 1);
	clear_extras(&reader->event);
	read_record(reader, record);
	for (unsigned i = 0; i < record->extra_count; i++)
		read_extra(reader, &extras[i]);
	reader->at += sizeof(*record) + record->extra_count * sizeof(*extras);
	return &reader->event;
}
