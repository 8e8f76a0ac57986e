/* A ring of segments that the helpers and the caller fill; see ahead.h. */
#include "import/ahead.h"

#include <pthread.h>
#include <unistd.h>

#include "core/alloc.h"

enum {
	HELPERS_MAX = 2,
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
	pthread_t helpers[HELPERS_MAX];
	int helper_count;
	bool last_done;

	/* Of the thread that is reading, as the source is: */
	struct tc_buf tail; /* what was read behind the last cut */
	int64_t offset;     /* of the next segment */
	bool cut;           /* the last segment ended at a cut */

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

enum tc_status tc_ahead_new(
	struct tc_ahead **out, struct tc_ctx *ctx, struct tc_source *source, size_t segment_bytes)
{
	struct tc_ahead *ahead = tc_calloc(1, sizeof(*ahead));

	if (!ahead)
		return tc_fail(ctx, TC_ERR_NOMEM, "no memory for the stages");
	ahead->ctx = ctx;
	ahead->source = source;
	ahead->segment_bytes = segment_bytes;
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->room, NULL);
	pthread_cond_init(&ahead->news, NULL);
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
	return follows_cut && ahead->cut;
}

/* The lock is held. */
static bool can_read(const struct tc_ahead *ahead)
{
	return !ahead->reading && !ahead->ended &&
	       ahead->read_count - ahead->done_count < SLOT_COUNT;
}

/* Reads the next segment, which can be read, and decodes it. The lock is held before and after. */
static void work(struct tc_ahead *ahead)
{
	struct slot *slot = &ahead->slots[ahead->read_count++ % SLOT_COUNT];
	bool worth = ahead->loss_count < LOSS_MAX;

	ahead->reading = true;
	pthread_mutex_unlock(&ahead->lock);
	bool between_cuts = read_segment(ahead, slot);
	pthread_mutex_lock(&ahead->lock);
	ahead->reading = false;
	ahead->ended = slot->last || slot->status;
	pthread_cond_signal(&ahead->room);
	pthread_cond_signal(&ahead->news);
	pthread_mutex_unlock(&ahead->lock);
	if (!slot->status && between_cuts && worth) {
		slot->status = tc_segment_decode(&slot->ahead.segment, ahead->ctx);
		slot->decoded = true;
	}
	pthread_mutex_lock(&ahead->lock);
	slot->ready = true;
	pthread_cond_signal(&ahead->news);
}

static void *helper_thread(void *user)
{
	struct tc_ahead *ahead = user;

	pthread_mutex_lock(&ahead->lock);
	while (!ahead->closed) {
		if (can_read(ahead))
			work(ahead);
		else
			pthread_cond_wait(&ahead->room, &ahead->lock);
	}
	pthread_mutex_unlock(&ahead->lock);
	return NULL;
}

/* One for each core but the caller's. */
static enum tc_status start_helpers(struct tc_ahead *ahead)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN) - 1;

	count = count < 1 ? 1 : count > HELPERS_MAX ? HELPERS_MAX : count;
	while (ahead->helper_count < count) {
		if (pthread_create(
			    &ahead->helpers[ahead->helper_count], NULL, helper_thread, ahead))
			return tc_fail(ahead->ctx, TC_ERR_NOMEM, "cannot start a thread");
		ahead->helper_count++;
	}
	return TC_OK;
}

enum tc_status tc_ahead_next(struct tc_ahead *ahead, const struct tc_ahead_segment **out)
{
	struct slot *slot = &ahead->slots[ahead->done_count % SLOT_COUNT];
	enum tc_status status = TC_OK;

	*out = NULL;
	if (ahead->last_done)
		return TC_OK;
	pthread_mutex_lock(&ahead->lock);
	while (!slot->ready) {
		if (can_read(ahead))
			work(ahead);
		else
			pthread_cond_wait(&ahead->news, &ahead->lock);
	}
	/* With the whole source in the first segment there is nothing to share. */
	bool share = ahead->done_count == 0 && !ahead->ended;
	pthread_mutex_unlock(&ahead->lock);
	if (share)
		status = start_helpers(ahead);
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
	pthread_cond_signal(&ahead->room);
	pthread_mutex_unlock(&ahead->lock);
}

void tc_ahead_free(struct tc_ahead *ahead)
{
	if (!ahead)
		return;
	pthread_mutex_lock(&ahead->lock);
	ahead->closed = true;
	pthread_cond_broadcast(&ahead->room);
	pthread_mutex_unlock(&ahead->lock);
	for (int i = 0; i < ahead->helper_count; i++)
		pthread_join(ahead->helpers[i], NULL);
	for (int i = 0; i < SLOT_COUNT; i++) {
		tc_segment_clear(&ahead->slots[i].ahead.segment);
		tc_free(ahead->slots[i].bytes);
	}
	tc_buf_clear(&ahead->tail);
	pthread_cond_destroy(&ahead->news);
	pthread_cond_destroy(&ahead->room);
	pthread_mutex_destroy(&ahead->lock);
	tc_free(ahead);
}
