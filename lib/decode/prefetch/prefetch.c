/* A ring of segments that the helpers and the caller fill; see prefetch.h. */
#include "decode/prefetch/prefetch.h"

#include <pthread.h>
#include <unistd.h>

#include "core/alloc.h"

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
