/*
 * The input is cut into segments where events of a list seem to start, so that several can be
 * decoded at once, each by a decoder of its own that supposes to stand between two events:
 *
 *   ... {"ph":"X"},|{"ph":"X"}, ... {"ph":"X"},|{"ph":"X"}, ...
 *
 * That is a guess: a brace may be a value in an event. It is checked by the one decoder that knows,
 * the one that is fed from the first byte on. If it stands between two events at the very start of
 * a segment that was decoded without anything to log, it takes those events and stands at the end
 * of the segment as if it had decoded it. In all other cases it decodes the bytes of the segment.
 * So a wrong guess costs time, and never changes what is delivered; where guesses are mostly wrong,
 * nothing is decoded ahead any more.
 *
 * Segments are in a ring of slots. Each is
 *
 *   read      by one thread at a time, in order, which cuts it
 *   decoded   by the thread that has read it, where both of its ends are cuts
 *   fed       by the caller, in order; while the next one is not ready, the caller reads and
 *             decodes another itself
 *
 * An input of one segment needs no threads.
 */
#include "decode/fast/prefetch.h"

#include <pthread.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/threads/task.h"
#include "decode/json/json_text.h"
#include "decode/json/repair.h"

#define NO_TEXT UINT32_MAX

/* Text: where it starts, in the source or, beyond its end, in the copied texts. */
struct text_ref {
	uint32_t at, len;
};

/* The value of a scalar, by its kind. */
union value {
	int64_t i64;
	struct text_ref text;
};

/* The members that nearly every event has: a line of the cache. The others follow as extras. */
struct record {
	int64_t ts_ns, dur_ns;
	union value pid, tid;
	struct text_ref name, cat, args;
	uint32_t source_at;
	unsigned ph : 8, ts_state : 2, dur_state : 2, id_scope : 2, flow_in : 1, flow_out : 1;
	unsigned pid_kind : 4, tid_kind : 4, extra_count : 8;
};

/* Kinds of extras beside the arguments. */
enum { EXTRA_ID = TC_ARG_COUNT, EXTRA_BIND_ID, EXTRA_BP, EXTRA_SCOPE, EXTRA_COUNT };

struct extra {
	union value value;
	unsigned char kind, what;
};

enum { RECORD_BYTES_MAX = sizeof(struct record) + EXTRA_COUNT * sizeof(struct extra) };

_Static_assert(sizeof(struct record) == 64 && sizeof(struct extra) % 8 == 0,
	"records stand behind each other");

/* Empties the batch, for events that are decoded from source. */
static void batch_reset(struct tc_event_batch *batch, struct tc_text source, int64_t source_offset)
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
 * all stores before it have reached the cache. False when memory is out. */
static bool batch_add(struct tc_event_batch *batch, const struct tc_raw_event *event)
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

/* Reads the events in their order. */
struct reader {
	const struct tc_event_batch *batch;
	size_t at;
	struct tc_raw_event event;
};

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

static void read_record(struct reader *reader, const struct record *record)
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

static void read_extra(struct reader *reader, const struct extra *extra)
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

/* The next event, borrowed until the next call; NULL at the end. */
static const struct tc_raw_event *next_event(struct reader *reader)
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

void tc_segment_clear(struct tc_segment *segment)
{
	tc_buf_clear(&segment->events.records);
	tc_buf_clear(&segment->events.texts);
}

/* The byte before p that is no blank, start when there is none. */
static const char *skip_blanks_back(const char *p, const char *start)
{
	do
		p--;
	while (p > start && tc_json_blank(*p));
	return p;
}

/* Does the brace at p follow on an object and a comma? */
static bool follows_object(const char *start, const char *p)
{
	if (p - start < 2)
		return false;
	p = skip_blanks_back(p, start);
	if (*p != ',' || p == start)
		return false;
	return *skip_blanks_back(p, start) == '}';
}

size_t tc_segment_cut(struct tc_text text)
{
	const char *start = text.ptr, *end = text.ptr + text.len;
	const char *half = start + text.len / 2, *found = NULL;

	for (const char *p = end; p > half;) {
		if (*--p != '{' || !follows_object(start, p))
			continue;
		if (tc_repair_shows_phase(p, end, true) == 1)
			return (size_t)(p - start);
		/* May be a value in an event; better than nothing. */
		found = found ? found : p;
	}
	return found ? (size_t)(found - start) : 0;
}

static enum tc_status add_event(void *user, const struct tc_raw_event *event)
{
	struct tc_segment *segment = user;

	return batch_add(&segment->events, event) ? TC_OK : TC_ERR_NOMEM;
}

/* Anything but an event ends the decoding ahead. */
static enum tc_status refuse_meta(void *user, struct tc_text key, struct tc_text json)
{
	struct tc_segment *segment = user;

	(void)key;
	(void)json;
	segment->clean = false;
	return TC_ERR_INPUT;
}

static enum tc_status refuse_log(void *user, const struct tc_log_entry *entry)
{
	struct tc_segment *segment = user;

	(void)entry;
	segment->clean = false;
	return TC_ERR_INPUT;
}

static void decode(struct tc_segment *segment, struct tc_ctx *ctx, bool plain)
{
	const struct tc_decode_sink sink = {segment, add_event, refuse_meta, refuse_log};
	struct tc_decoder *d;

	segment->clean = false;
	if (tc_decoder_new(&d, ctx, &sink))
		return;
	batch_reset(&segment->events, segment->text, segment->offset);
	segment->clean = true;
	enum tc_status status = tc_decoder_start_in_list(d, segment->offset, plain);
	if (!status)
		status = tc_decoder_feed(d, segment->text.ptr, segment->text.len);
	if (segment->clean && status == TC_ERR_NOMEM)
		tc_fail(ctx, status, "out of memory while decoding ahead");
	segment->clean = segment->clean && tc_decoder_stayed_in_list(d, &segment->end);
	tc_decoder_free(d);
}

void tc_segment_decode(struct tc_segment *segment, struct tc_ctx *ctx)
{
	decode(segment, ctx, true);
	if (!segment->clean && !tc_ctx_failed(ctx))
		decode(segment, ctx, false);
}

static enum tc_status deliver(struct tc_decoder *d, const struct tc_event_batch *events)
{
	struct reader reader = {.batch = events};
	const struct tc_raw_event *event;
	enum tc_status status = TC_OK;

	while (!status && (event = next_event(&reader)))
		status = tc_decoder_deliver(d, event);
	return status;
}

enum tc_status tc_segment_feed(struct tc_decoder *d, const struct tc_segment *segment, bool *taken)
{
	*taken = segment->clean && tc_decoder_jump(d, segment->offset, &segment->end);
	if (!*taken)
		return tc_decoder_feed(d, segment->text.ptr, segment->text.len);
	return deliver(d, &segment->events);
}

enum {
	HELPERS_MAX = 2,
	SLOT_COUNT = 6,
	LOSS_MAX = 8,
	/* The first segment is never decoded ahead, so it is small. */
	FIRST_BYTES = 16 * 1024,
};

struct slot {
	struct tc_segment segment; /* clean only when it was decoded */
	int64_t read_bytes;        /* of the source, once this was read */
	char *bytes;
	bool decoded, last, ready;
};

/* The state of reading; the thread that is reading owns it. */
struct reading {
	struct tc_source *source;
	struct tc_buf tail; /* what was read behind the last cut */
	int64_t offset;     /* of the next segment */
	bool cut;           /* the last segment ended at a cut */
	bool drained;       /* the source has no more */
};

struct prefetch {
	struct tc_ctx *ctx;
	size_t segment_bytes;
	struct tc_task helpers[HELPERS_MAX];
	struct reading input;

	pthread_mutex_t lock; /* guards what follows, and ready of the slots */
	pthread_cond_t room;  /* helpers wait for it: the next segment can be read */
	pthread_cond_t news;  /* the caller does: so it can, or a segment is ready */
	bool reading;         /* a thread is */
	bool ended;           /* all is read, or something has failed */
	bool closed;
	int64_t read_count, done_count;
	int loss_count; /* decoded in vain, less those of use */

	struct slot slots[SLOT_COUNT]; /* segment n has slot n modulo their count */
};

/* Fills the slot's memory behind what the last cut has left; returns how much is in it. It is the
 * last segment when nothing was left to read, or all was read at once. */
static size_t fill(struct prefetch *prefetch, struct slot *slot)
{
	struct reading *input = &prefetch->input;
	size_t len = input->tail.len, wanted = prefetch->segment_bytes;
	bool whole = input->drained;

	if (len > 0)
		memcpy(slot->bytes, input->tail.ptr, len);
	if (input->offset == 0 && wanted > FIRST_BYTES)
		wanted = FIRST_BYTES;
	while (!tc_ctx_failed(prefetch->ctx) && !input->drained && len < wanted) {
		size_t got = 0;
		if (tc_ctx_interrupted(prefetch->ctx))
			tc_fail(prefetch->ctx, TC_ERR_INTERRUPTED, "interrupted");
		else
			tc_source_read(input->source, slot->bytes + len, wanted - len, &got);
		len += got;
		input->drained = got == 0;
	}
	/* The read that drains the source is cut like all others, so that all but its last event
	 * can be decoded ahead. */
	slot->last = input->drained && (whole || input->offset == 0);
	return len;
}

/* Reads the next segment into its slot. True when both of its ends are cuts. */
static bool read_segment(struct prefetch *prefetch, struct slot *slot)
{
	struct reading *input = &prefetch->input;
	bool follows_cut = input->cut;
	size_t cut = 0;

	if (!slot->bytes)
		slot->bytes = tc_malloc(prefetch->segment_bytes);
	if (!slot->bytes) {
		tc_no_memory(prefetch->ctx);
		return false;
	}
	size_t len = fill(prefetch, slot);
	if (!tc_ctx_failed(prefetch->ctx) && !slot->last)
		cut = tc_segment_cut((struct tc_text){slot->bytes, len});
	input->cut = cut > 0;
	if (cut == 0)
		cut = len;
	tc_buf_reset(&input->tail);
	tc_buf_append(&input->tail, slot->bytes + cut, len - cut);
	slot->segment.text = (struct tc_text){slot->bytes, cut};
	slot->segment.offset = input->offset;
	slot->segment.clean = false;
	slot->decoded = false;
	slot->read_bytes = tc_source_read_bytes(input->source);
	input->offset += (int64_t)cut;
	return follows_cut && input->cut;
}

/* The lock is held. */
static bool can_read(const struct prefetch *prefetch)
{
	return !prefetch->reading && !prefetch->ended &&
	       prefetch->read_count - prefetch->done_count < SLOT_COUNT;
}

/* Reads the next segment, which can be read, and decodes it. The lock is held before and after. */
static void work(struct prefetch *prefetch)
{
	struct slot *slot = &prefetch->slots[prefetch->read_count++ % SLOT_COUNT];
	bool worth = prefetch->loss_count < LOSS_MAX;

	prefetch->reading = true;
	pthread_mutex_unlock(&prefetch->lock);
	bool between_cuts = read_segment(prefetch, slot);
	pthread_mutex_lock(&prefetch->lock);
	prefetch->reading = false;
	prefetch->ended = slot->last || tc_ctx_failed(prefetch->ctx);
	pthread_cond_signal(&prefetch->room);
	pthread_cond_signal(&prefetch->news);
	pthread_mutex_unlock(&prefetch->lock);
	if (between_cuts && worth && !tc_ctx_failed(prefetch->ctx)) {
		tc_segment_decode(&slot->segment, prefetch->ctx);
		slot->decoded = true;
	}
	pthread_mutex_lock(&prefetch->lock);
	slot->ready = true;
	pthread_cond_signal(&prefetch->news);
}

static void help(void *user)
{
	struct prefetch *prefetch = user;
	TC_TIMED(prefetch->ctx, "stage", "read-ahead");

	pthread_mutex_lock(&prefetch->lock);
	while (!prefetch->closed) {
		if (can_read(prefetch))
			work(prefetch);
		else
			pthread_cond_wait(&prefetch->room, &prefetch->lock);
	}
	pthread_mutex_unlock(&prefetch->lock);
}

/* One for each core but the caller's. */
static void start_helpers(struct prefetch *prefetch)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN) - 1;

	count = count < 1 ? 1 : count > HELPERS_MAX ? HELPERS_MAX : count;
	for (long i = 0; i < count && !tc_ctx_failed(prefetch->ctx); i++)
		tc_task_begin(&prefetch->helpers[i], prefetch->ctx, true, help, prefetch);
}

/* Waits for the next segment in order, and works meanwhile. NULL after a failure. */
static struct slot *next_slot(struct prefetch *prefetch)
{
	struct slot *slot = &prefetch->slots[prefetch->done_count % SLOT_COUNT];

	pthread_mutex_lock(&prefetch->lock);
	while (!slot->ready && !(prefetch->ended && prefetch->read_count == prefetch->done_count)) {
		if (can_read(prefetch))
			work(prefetch);
		else
			pthread_cond_wait(&prefetch->news, &prefetch->lock);
	}
	/* With the whole source in the first segment there is nothing for helpers. */
	bool is_cut = prefetch->done_count == 0 && !prefetch->ended;
	pthread_mutex_unlock(&prefetch->lock);
	if (is_cut)
		start_helpers(prefetch);
	return slot->ready && !tc_ctx_failed(prefetch->ctx) ? slot : NULL;
}

/* Gives the segment back. taken says whether decoding it ahead was of use. */
static void end_slot(struct prefetch *prefetch, struct slot *slot, bool taken)
{
	pthread_mutex_lock(&prefetch->lock);
	slot->ready = false;
	if (slot->decoded)
		prefetch->loss_count += taken ? -1 : 1;
	prefetch->done_count++;
	pthread_cond_signal(&prefetch->room);
	pthread_mutex_unlock(&prefetch->lock);
}

static enum tc_status feed_slots(
	struct prefetch *prefetch, struct tc_decoder *decoder, tc_fed_fn fed, void *user)
{
	enum tc_status status = TC_OK;
	bool is_last = false;

	while (!status && !is_last) {
		struct slot *slot = next_slot(prefetch);
		bool taken;
		if (!slot)
			return tc_ctx_status(prefetch->ctx);
		status = tc_segment_feed(decoder, &slot->segment, &taken);
		if (fed)
			fed(user, slot->read_bytes, taken);
		is_last = slot->last;
		end_slot(prefetch, slot, taken);
	}
	return status;
}

/* Ends the threads. */
static void end(struct prefetch *prefetch)
{
	pthread_mutex_lock(&prefetch->lock);
	prefetch->closed = true;
	pthread_cond_broadcast(&prefetch->room);
	pthread_mutex_unlock(&prefetch->lock);
	for (int i = 0; i < HELPERS_MAX; i++)
		tc_task_end(&prefetch->helpers[i]);
	for (int i = 0; i < SLOT_COUNT; i++) {
		tc_segment_clear(&prefetch->slots[i].segment);
		tc_free(prefetch->slots[i].bytes);
	}
	tc_buf_clear(&prefetch->input.tail);
	pthread_cond_destroy(&prefetch->news);
	pthread_cond_destroy(&prefetch->room);
	pthread_mutex_destroy(&prefetch->lock);
	tc_free(prefetch);
}

enum tc_status tc_prefetch_feed(struct tc_decoder *decoder, struct tc_ctx *ctx,
	struct tc_source *source, size_t segment_bytes, tc_fed_fn fed, void *user)
{
	struct prefetch *prefetch = tc_calloc(1, sizeof(*prefetch));

	if (!prefetch)
		return tc_no_memory(ctx);
	prefetch->ctx = prefetch->input.tail.ctx = ctx;
	prefetch->input.source = source;
	prefetch->segment_bytes = segment_bytes;
	pthread_mutex_init(&prefetch->lock, NULL);
	pthread_cond_init(&prefetch->room, NULL);
	pthread_cond_init(&prefetch->news, NULL);
	enum tc_status status = feed_slots(prefetch, decoder, fed, user);
	end(prefetch);
	return status;
}
