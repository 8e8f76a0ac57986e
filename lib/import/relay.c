/* Two queues of batches, full ones and free ones; see relay.h. */
#include "import/relay.h"

enum tc_status tc_relay_init(struct tc_relay *relay, struct tc_ctx *ctx, size_t batch_count)
{
	*relay = (struct tc_relay){ctx, tc_queue_new(batch_count), tc_queue_new(batch_count)};
	if (!relay->free || !relay->full)
		return tc_no_memory(ctx);
	for (size_t i = 0; i < batch_count; i++) {
		struct tc_batch *batch = tc_batch_new();
		if (!batch)
			return tc_no_memory(ctx);
		tc_queue_put(relay->free, batch);
	}
	return TC_OK;
}

static void drain(struct tc_queue *queue)
{
	struct tc_batch *batch;

	while (queue && (batch = tc_queue_try_take(queue)))
		tc_batch_free(batch);
	tc_queue_free(queue);
}

void tc_relay_clear(struct tc_relay *relay)
{
	drain(relay->free);
	drain(relay->full);
	*relay = (struct tc_relay){0};
}

/* The writing side has failed, or wants no more. */
static enum tc_status closed(const struct tc_relay *relay)
{
	enum tc_status status = tc_ctx_status(relay->ctx);

	return status ? status : TC_ERR_INTERRUPTED;
}

enum tc_status tc_relay_take_batch(void *user, struct tc_batch **batch)
{
	struct tc_relay *relay = user;

	if (*batch && !tc_queue_put(relay->full, *batch))
		return closed(relay);
	*batch = tc_queue_take(relay->free);
	return *batch ? TC_OK : closed(relay);
}

void tc_relay_end(struct tc_relay *relay)
{
	tc_queue_close(relay->full);
}

void tc_relay_close(struct tc_relay *relay)
{
	tc_queue_close(relay->full);
	tc_queue_close(relay->free);
}

enum tc_status tc_relay_write(struct tc_relay *relay, struct tc_writer *writer)
{
	enum tc_status status = TC_OK;
	struct tc_batch *batch;

	while (!status && (batch = tc_queue_take(relay->full))) {
		status = tc_writer_take_batch(writer, &batch);
		if (!tc_queue_put(relay->free, batch))
			tc_batch_free(batch);
	}
	/* After a failure the filling side must not wait for us. */
	tc_relay_close(relay);
	return status;
}
