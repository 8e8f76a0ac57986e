/* A ring of segments that the helpers and the caller fill; see prefetch.h. */

#include "decode/prefetch/prefetch.h"

#include <pthread.h>
#include <unistd.h>

#include "core/alloc.h"
#include "decode/json/json_text.h"
#include "decode/json/repair.h"

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

/* Empties the batch, for events that are decoded from source. */
static void event_batch_reset(
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
 * all stores before it have reached the cache. False when memory is out. */
static bool event_batch_add(struct tc_event_batch *batch, const struct tc_raw_event *event)
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

static void event_reader_init(struct tc_event_reader *reader, const struct tc_event_batch *batch)
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

/* The next event, borrowed until the next call; NULL at the end. */
static const struct tc_raw_event *event_reader_next(struct tc_event_reader *reader)
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
	tc_event_batch_clear(&segment->events);
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

	return event_batch_add(&segment->events, event) ? TC_OK : TC_ERR_NOMEM;
}

/* What is no event ends the decoding ahead. */
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

static enum tc_status decode(struct tc_segment *segment, struct tc_ctx *ctx, bool plain)
{
	const struct tc_decode_sink sink = {segment, add_event, refuse_meta, refuse_log};
	struct tc_decoder *d;
	enum tc_status status = tc_decoder_new(&d, ctx, &sink);

	if (status)
		return status;
	event_batch_reset(&segment->events, segment->text, segment->offset);
	segment->clean = true;
	status = tc_decoder_start_in_list(d, segment->offset, plain);
	if (!status)
		status = tc_decoder_feed(d, segment->text.ptr, segment->text.len);
	if (status == TC_ERR_INPUT)
		segment->clean = false;
	if (!segment->clean)
		status = TC_OK;
	else if (status == TC_ERR_NOMEM)
		tc_fail(ctx, status, "out of memory while decoding ahead");
	segment->clean = segment->clean && tc_decoder_stayed_in_list(d);
	tc_decoder_mark(d, &segment->end);
	tc_decoder_free(d);
	return status;
}

enum tc_status tc_segment_decode(struct tc_segment *segment, struct tc_ctx *ctx)
{
	enum tc_status status = decode(segment, ctx, true);

	if (!status && !segment->clean)
		status = decode(segment, ctx, false);
	return status;
}

static enum tc_status deliver(struct tc_decoder *d, const struct tc_event_batch *events)
{
	enum tc_status status = TC_OK;
	struct tc_event_reader reader;
	const struct tc_raw_event *event;

	event_reader_init(&reader, events);
	while (!status && (event = event_reader_next(&reader)))
		status = tc_decoder_deliver(d, event);
	return status;
}

enum tc_status tc_segment_feed(struct tc_decoder *d, const struct tc_segment *segment, bool *taken)
{
	*taken = segment->clean && tc_decoder_between_elements(d) &&
		 tc_decoder_byte_count(d) == segment->offset;
	if (!*taken)
		return tc_decoder_feed(d, segment->text.ptr, segment->text.len);
	tc_decoder_jump(d, &segment->end);
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
	struct tc_prefetch_segment fetched;
	char *bytes;
	enum tc_status status;
	bool decoded, last, ready;
};

struct tc_prefetch {
	struct tc_ctx *ctx;
	struct tc_source *source;
	size_t segment_bytes;
	pthread_t helpers[HELPERS_MAX];
	int helper_count;
	bool last_done;

	/* Of the thread that is reading, as the source is: */
	struct tc_buf tail; /* what was read behind the last cut */
	int64_t offset;     /* of the next segment */
	bool cut;           /* the last segment ended at a cut */
	bool drained;       /* the source has no more */

	pthread_mutex_t lock; /* guards what follows, and ready of the slots */
	pthread_cond_t room;  /* helpers wait for it: the next segment can be read */
	pthread_cond_t news;  /* the caller does: so it can, or a segment is ready */
	bool reading;         /* a thread is */
	bool ended;           /* all is read */
	bool closed;
	int64_t read_count, done_count;
	int loss_count; /* decoded in vain, less those of use */

	struct slot slots[SLOT_COUNT]; /* segment n has slot n modulo their count */
};

enum tc_status tc_prefetch_new(struct tc_prefetch **out, struct tc_ctx *ctx,
	struct tc_source *source, size_t segment_bytes)
{
	struct tc_prefetch *prefetch = tc_calloc(1, sizeof(*prefetch));

	if (!prefetch)
		return tc_no_memory(ctx);
	prefetch->ctx = ctx;
	prefetch->source = source;
	prefetch->segment_bytes = segment_bytes;
	pthread_mutex_init(&prefetch->lock, NULL);
	pthread_cond_init(&prefetch->room, NULL);
	pthread_cond_init(&prefetch->news, NULL);
	*out = prefetch;
	return TC_OK;
}

/* Fills the slot's memory behind what the last cut has left. It is the last segment when nothing
 * was left to read, or all was read at once. */
static enum tc_status fill(struct tc_prefetch *prefetch, struct slot *slot, size_t *filled)
{
	size_t len = prefetch->tail.len, wanted = prefetch->segment_bytes;
	bool whole = prefetch->drained;
	enum tc_status status = TC_OK;

	if (!slot->bytes)
		slot->bytes = tc_malloc(prefetch->segment_bytes);
	if (!slot->bytes)
		return tc_no_memory(prefetch->ctx);
	if (len > 0)
		memcpy(slot->bytes, prefetch->tail.ptr, len);
	if (prefetch->offset == 0 && wanted > FIRST_BYTES)
		wanted = FIRST_BYTES;
	while (!status && !prefetch->drained && len < wanted) {
		size_t got = 0;
		if (tc_ctx_interrupted(prefetch->ctx))
			return tc_fail(prefetch->ctx, TC_ERR_INTERRUPTED, "interrupted");
		status = tc_source_read(prefetch->source, slot->bytes + len, wanted - len, &got);
		len += got;
		prefetch->drained = got == 0;
	}
	/* What is read last is still cut, so that all but its last event can be decoded ahead. */
	slot->last = prefetch->drained && (whole || prefetch->offset == 0);
	*filled = len;
	return status;
}

/* Takes what is left behind the cut over to the next segment. */
static enum tc_status keep_tail(struct tc_prefetch *prefetch, const char *bytes, size_t len)
{
	tc_buf_reset(&prefetch->tail);
	tc_buf_append(&prefetch->tail, bytes, len);
	return tc_buf_failed(&prefetch->tail) ? tc_no_memory(prefetch->ctx) : TC_OK;
}

/* Reads the next segment into its slot. True when both of its ends are cuts. */
static bool read_segment(struct tc_prefetch *prefetch, struct slot *slot)
{
	bool follows_cut = prefetch->cut;
	size_t len = 0, cut = 0;

	slot->status = fill(prefetch, slot, &len);
	if (!slot->status && !slot->last)
		cut = tc_segment_cut((struct tc_text){slot->bytes, len});
	prefetch->cut = cut > 0;
	if (cut == 0)
		cut = len;
	if (!slot->status)
		slot->status = keep_tail(prefetch, slot->bytes + cut, len - cut);
	slot->fetched.segment.text = (struct tc_text){slot->bytes, cut};
	slot->fetched.segment.offset = prefetch->offset;
	slot->fetched.segment.clean = false;
	slot->decoded = false;
	slot->fetched.read_bytes = tc_source_read_bytes(prefetch->source);
	prefetch->offset += (int64_t)cut;
	return follows_cut && prefetch->cut;
}

/* The lock is held. */
static bool can_read(const struct tc_prefetch *prefetch)
{
	return !prefetch->reading && !prefetch->ended &&
	       prefetch->read_count - prefetch->done_count < SLOT_COUNT;
}

/* Reads the next segment, which can be read, and decodes it. The lock is held before and after. */
static void work(struct tc_prefetch *prefetch)
{
	struct slot *slot = &prefetch->slots[prefetch->read_count++ % SLOT_COUNT];
	bool worth = prefetch->loss_count < LOSS_MAX;

	prefetch->reading = true;
	pthread_mutex_unlock(&prefetch->lock);
	bool between_cuts = read_segment(prefetch, slot);
	pthread_mutex_lock(&prefetch->lock);
	prefetch->reading = false;
	prefetch->ended = slot->last || slot->status;
	pthread_cond_signal(&prefetch->room);
	pthread_cond_signal(&prefetch->news);
	pthread_mutex_unlock(&prefetch->lock);
	if (!slot->status && between_cuts && worth) {
		slot->status = tc_segment_decode(&slot->fetched.segment, prefetch->ctx);
		slot->decoded = true;
	}
	pthread_mutex_lock(&prefetch->lock);
	slot->ready = true;
	pthread_cond_signal(&prefetch->news);
}

static void *helper_thread(void *user)
{
	struct tc_prefetch *prefetch = user;

	pthread_mutex_lock(&prefetch->lock);
	while (!prefetch->closed) {
		if (can_read(prefetch))
			work(prefetch);
		else
			pthread_cond_wait(&prefetch->room, &prefetch->lock);
	}
	pthread_mutex_unlock(&prefetch->lock);
	return NULL;
}

/* One for each core but the caller's. */
static enum tc_status start_helpers(struct tc_prefetch *prefetch)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN) - 1;

	count = count < 1 ? 1 : count > HELPERS_MAX ? HELPERS_MAX : count;
	while (prefetch->helper_count < count) {
		if (pthread_create(&prefetch->helpers[prefetch->helper_count], NULL, helper_thread,
			    prefetch))
			return tc_fail(prefetch->ctx, TC_ERR_NOMEM, "cannot start a thread");
		prefetch->helper_count++;
	}
	return TC_OK;
}

enum tc_status tc_prefetch_next(
	struct tc_prefetch *prefetch, const struct tc_prefetch_segment **out)
{
	struct slot *slot = &prefetch->slots[prefetch->done_count % SLOT_COUNT];
	enum tc_status status = TC_OK;

	*out = NULL;
	if (prefetch->last_done)
		return TC_OK;
	pthread_mutex_lock(&prefetch->lock);
	while (!slot->ready) {
		if (can_read(prefetch))
			work(prefetch);
		else
			pthread_cond_wait(&prefetch->news, &prefetch->lock);
	}
	/* With the whole source in the first segment there is nothing for helpers. */
	bool is_cut = prefetch->done_count == 0 && !prefetch->ended;
	pthread_mutex_unlock(&prefetch->lock);
	if (is_cut)
		status = start_helpers(prefetch);
	if (!status)
		status = slot->status;
	if (!status)
		*out = &slot->fetched;
	return status;
}

void tc_prefetch_done(struct tc_prefetch *prefetch, bool taken)
{
	struct slot *slot = &prefetch->slots[prefetch->done_count % SLOT_COUNT];

	pthread_mutex_lock(&prefetch->lock);
	prefetch->last_done = slot->last;
	slot->ready = false;
	if (slot->decoded)
		prefetch->loss_count += taken ? -1 : 1;
	prefetch->done_count++;
	pthread_cond_signal(&prefetch->room);
	pthread_mutex_unlock(&prefetch->lock);
}

void tc_prefetch_free(struct tc_prefetch *prefetch)
{
	if (!prefetch)
		return;
	pthread_mutex_lock(&prefetch->lock);
	prefetch->closed = true;
	pthread_cond_broadcast(&prefetch->room);
	pthread_mutex_unlock(&prefetch->lock);
	for (int i = 0; i < prefetch->helper_count; i++)
		pthread_join(prefetch->helpers[i], NULL);
	for (int i = 0; i < SLOT_COUNT; i++) {
		tc_segment_clear(&prefetch->slots[i].fetched.segment);
		tc_free(prefetch->slots[i].bytes);
	}
	tc_buf_clear(&prefetch->tail);
	pthread_cond_destroy(&prefetch->news);
	pthread_cond_destroy(&prefetch->room);
	pthread_mutex_destroy(&prefetch->lock);
	tc_free(prefetch);
}
