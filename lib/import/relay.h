/*
 * Relay: batches from the thread that fills them to the one that writes them, a few in flight.
 * One thread on each side.
 */
#ifndef TC_IMPORT_RELAY_H
#define TC_IMPORT_RELAY_H

#include "core/threads/queue.h"
#include "store/writer.h"

struct tc_relay {
	struct tc_ctx *ctx;
	struct tc_queue *free, *full;
};

/* Empty batches, ready to be filled. After a failure there is still tc_relay_clear() to call. */
enum tc_status tc_relay_init(struct tc_relay *relay, struct tc_ctx *ctx, size_t batch_count);
/* Ends it from the writing side, whatever is still in it. */
void tc_relay_close(struct tc_relay *relay);
/* Frees what is in flight; both threads have ended. */
void tc_relay_clear(struct tc_relay *relay);

/* The filling side, a tc_take_batch_fn: user is the relay. Fails when the writing side has failed,
 * whose error is in the context. */
enum tc_status tc_relay_take_batch(void *user, struct tc_batch **batch);
/* No more batches will come. */
void tc_relay_end(struct tc_relay *relay);

/* The writing side: writes what comes, in order, until the end. */
enum tc_status tc_relay_write(struct tc_relay *relay, struct tc_writer *writer);

#endif
