/* A ring of segments between the threads that fill it and the caller; see ahead.h. */
#include "import/ahead.h"

#include <pthread.h>

#include "core/alloc.h"

enum {
	THREAD_COUNT = 2,
	SLOT_COUNT = 6,
	LOSS_MAX = 8,
};

struct slot {
	struct tc_ahead_segment ahead;
	char *bytes;
	enum tc_status status;
	bool decoded, last, ready;
};

struct tc_ahead {
	struct tc_ctx *ctx;
	struct tc_source *source;
	size_t segment_bytes;
	pthread_t threads[THREAD_COUNT];
	int thread_count;

	pthread_mutex_t reading; /* taken before lock; guards the source and: */
	struct tc_buf tail;      /* what was read behind the last cut */
	int64_t offset;          /* of the next segment */
	bool cut;                /* the last segment ended at a cut */
	bool ended;
	int64_t read_count;

	pthread_mutex_t lock; /* guards ready and: */
	pthread_cond_t changed;
	int64_t done_count;
	int loss_count; /* decoded in vain, less those of use */
	bool closed, last_done;

	struct slot slots[SLOT_COUNT]; /* segment n has slot n modulo their count */
};

enum tc_status tc_ahead_new(
	struct tc_ahead **out, struct tc_ctx *ctx, struct tc_source *source, size_t segment_bytes)
{
	struct tc_ahead *ahead = tc_calloc(1, sizeof(*ahead));

	if (!ahead)
		return tc_fail(ctx, TC_ERR_NOMEM, "no memory for the stages");
	ahead->ctx = ctx;
	ahead->source = source;
	ahead->segment_bytes = segment_bytes;
	pthread_mutex_init(&ahead->reading, NULL);
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	*out = ahead;
	return TC_OK;
}

/* Fills the slot's memory behind what the last cut has left. */
static enum tc_status fill(struct tc_ahead *ahead, struct slot *slot, size_t *filled)
{
	size_t len = ahead->tail.len, got = 1;
	enum tc_status status = TC_OK;

	if (!slot->bytes)
		slot->bytes = tc_malloc(ahead->segment_bytes);
	if (!slot->bytes)
		return tc_fail(ahead->ctx, TC_ERR_NOMEM, "no memory to read");
	if (len > 0)
		memcpy(slot->bytes, ahead->tail.ptr, len);
	while (!status && got > 0 && len < ahead->segment_bytes) {
		if (tc_ctx_interrupted(ahead->ctx))
			return tc_fail(ahead->ctx, TC_ERR_INTERRUPTED, "interrupted");
		got = 0;
		status = tc_source_read(
			ahead->source, slot->bytes + len, ahead->segment_bytes - len, &got);
		len += got;
	}
	slot->last = got == 0;
	*filled = len;
	return status;
}

/* Takes what is left behind the cut over to the next segment. */
static enum tc_status keep_tail(struct tc_ahead *ahead, const char *bytes, size_t len)
{
	tc_buf_reset(&ahead->tail);
	tc_buf_append(&ahead->tail, bytes, len);
	return tc_buf_failed(&ahead->tail) ? tc_fail(ahead->ctx, TC_ERR_NOMEM, "no memory to read")
					   : TC_OK;
}

/* Reads the next segment into its slot. True when both of its ends are cuts. */
static bool read_segment(struct tc_ahead *ahead, struct slot *slot)
{
	bool follows_cut = ahead->cut;
	size_t len = 0, cut = 0;

	slot->status = fill(ahead, slot, &len);
	if (!slot->status && !slot->last)
		cut = tc_segment_cut((struct tc_text){slot->bytes, len});
	ahead->cut = cut > 0;
	if (cut == 0)
		cut = len;
	if (!slot->status)
		slot->status = keep_tail(ahead, slot->bytes + cut, len - cut);
	slot->ahead.segment.text = (struct tc_text){slot->bytes, cut};
	slot->ahead.segment.offset = ahead->offset;
	slot->ahead.segment.clean = false;
	slot->decoded = false;
	slot->ahead.read_bytes = tc_source_read_bytes(ahead->source);
	ahead->offset += (int64_t)cut;
	ahead->ended = slot->last || slot->status;
	ahead->read_count++;
	return follows_cut && ahead->cut;
}

/* Waits until the slot of the next segment to be read is free; false when there is no point in
 * reading on. *worth tells whether decoding ahead is. */
static bool wait_for_room(struct tc_ahead *ahead, bool *worth)
{
	pthread_mutex_lock(&ahead->lock);
	while (!ahead->closed && ahead->read_count - ahead->done_count >= SLOT_COUNT)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	bool room = !ahead->closed;
	*worth = ahead->loss_count < LOSS_MAX;
	pthread_mutex_unlock(&ahead->lock);
	return room;
}

static void set_ready(struct tc_ahead *ahead, struct slot *slot)
{
	pthread_mutex_lock(&ahead->lock);
	slot->ready = true;
	pthread_cond_broadcast(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
}

/* Reads a segment and decodes it. False when there are no more. */
static bool work(struct tc_ahead *ahead)
{
	bool worth = false, between_cuts = false;
	struct slot *slot = NULL;

	pthread_mutex_lock(&ahead->reading);
	if (!ahead->ended && wait_for_room(ahead, &worth)) {
		slot = &ahead->slots[ahead->read_count % SLOT_COUNT];
		between_cuts = read_segment(ahead, slot);
	}
	pthread_mutex_unlock(&ahead->reading);
	if (!slot)
		return false;
	if (!slot->status && between_cuts && worth) {
		slot->status = tc_segment_decode(&slot->ahead.segment, ahead->ctx);
		slot->decoded = true;
	}
	set_ready(ahead, slot);
	return true;
}

static void *worker_thread(void *user)
{
	while (work(user)) {
	}
	return NULL;
}

static enum tc_status start_threads(struct tc_ahead *ahead)
{
	while (ahead->thread_count < THREAD_COUNT) {
		if (pthread_create(
			    &ahead->threads[ahead->thread_count], NULL, worker_thread, ahead))
			return tc_fail(ahead->ctx, TC_ERR_NOMEM, "cannot start a thread");
		ahead->thread_count++;
	}
	return TC_OK;
}

/* The first segment is read here: with the whole source in it there is nothing to share. */
static enum tc_status read_first(struct tc_ahead *ahead)
{
	struct slot *slot = &ahead->slots[0];

	read_segment(ahead, slot);
	slot->ready = true;
	return ahead->ended ? TC_OK : start_threads(ahead);
}

enum tc_status tc_ahead_next(struct tc_ahead *ahead, const struct tc_ahead_segment **out)
{
	struct slot *slot = &ahead->slots[ahead->done_count % SLOT_COUNT];
	enum tc_status status = TC_OK;

	*out = NULL;
	if (ahead->last_done)
		return TC_OK;
	if (ahead->done_count == 0)
		status = read_first(ahead);
	pthread_mutex_lock(&ahead->lock);
	while (!status && !slot->ready)
		pthread_cond_wait(&ahead->changed, &ahead->lock);
	pthread_mutex_unlock(&ahead->lock);
	if (!status)
		status = slot->status;
	if (!status)
		*out = &slot->ahead;
	return status;
}

void tc_ahead_done(struct tc_ahead *ahead, bool taken)
{
	struct slot *slot = &ahead->slots[ahead->done_count % SLOT_COUNT];

	pthread_mutex_lock(&ahead->lock);
	ahead->last_done = slot->last;
	slot->ready = false;
	if (slot->decoded)
		ahead->loss_count += taken ? -1 : 1;
	ahead->done_count++;
	pthread_cond_broadcast(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
}

void tc_ahead_free(struct tc_ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->lock);
	ahead->closed = true;
	pthread_cond_broadcast(&ahead->changed);
	pthread_mutex_unlock(&ahead->lock);
	for (int i = 0; i < ahead->thread_count; i++)
		pthread_join(ahead->threads[i], NULL);
	for (int i = 0; i < SLOT_COUNT; i++) {
		tc_segment_clear(&ahead->slots[i].ahead.segment);
		tc_free(ahead->slots[i].bytes);
	}
	tc_buf_clear(&ahead->tail);
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->lock);
	pthread_mutex_destroy(&ahead->reading);
	tc_free(ahead);
}
