/* One thread that reads, two queues; see ahead.h. */
#include "import/ahead.h"

#include <pthread.h>
#include <stdatomic.h>

#include "core/alloc.h"
#include "core/context.h"

/* Batches of a trace that wait while the one before is written: all of a trace of a megabyte. */
enum { BATCHES_AHEAD = 12 };

struct tc_ahead {
	struct tc_ctx *ctx;
	struct tc_ahead_job job;
	struct tc_next_ids ids;
	tc_read_fn read;
	struct tc_queue *begun;    /* one: so at most two traces are in memory */
	struct tc_queue *finished; /* the same ones, when they are read */
	atomic_bool stopped;
	pthread_t thread;
};

static struct tc_reading *reading_new(struct tc_ahead *ahead, const char *path)
{
	struct tc_reading *reading = tc_calloc(1, sizeof(*reading));

	if (!reading)
		return NULL;
	reading->path = path;
	reading->ctx = tc_ctx_new_part(ahead->ctx);
	if (reading->ctx && !tc_relay_init(&reading->relay, ahead->ctx, BATCHES_AHEAD))
		return reading;
	tc_reading_free(reading);
	return NULL;
}

void tc_reading_free(struct tc_reading *reading)
{
	if (!reading)
		return;
	tc_analysed_clear(&reading->analysed);
	tc_model_free(reading->model);
	tc_relay_clear(&reading->relay);
	tc_ctx_free(reading->ctx);
	tc_free(reading);
}

/* Reads one; the ids of a trace that failed are given to the next. False to stop. */
static bool read_one(struct tc_ahead *ahead, const char *path)
{
	struct tc_reading *reading = reading_new(ahead, path);

	if (!reading || !tc_queue_put(ahead->begun, reading)) {
		tc_reading_free(reading);
		return false;
	}
	reading->ids = ahead->ids;
	reading->status = ahead->read(reading, &ahead->job);
	if (!reading->status)
		ahead->ids = reading->ids;
	tc_relay_end(&reading->relay);
	return tc_queue_put(ahead->finished, reading);
}

static void *run(void *user)
{
	struct tc_ahead *ahead = user;

	for (size_t i = 0; i < ahead->job.count && !atomic_load(&ahead->stopped); i++)
		if (!read_one(ahead, ahead->job.paths[i]))
			break;
	tc_queue_close(ahead->begun);
	tc_queue_close(ahead->finished);
	return NULL;
}

enum tc_status tc_ahead_new(struct tc_ahead **out, struct tc_ctx *ctx,
	const struct tc_ahead_job *job, const struct tc_next_ids *ids, tc_read_fn read)
{
	struct tc_ahead *ahead = tc_calloc(1, sizeof(*ahead));
	bool good = ahead != NULL;

	if (good) {
		*ahead = (struct tc_ahead){.ctx = ctx, .job = *job, .ids = *ids, .read = read};
		ahead->begun = tc_queue_new(1);
		ahead->finished = tc_queue_new(2);
		good = ahead->begun && ahead->finished &&
		       pthread_create(&ahead->thread, NULL, run, ahead) == 0;
	}
	if (!good) {
		if (ahead) {
			tc_queue_free(ahead->begun);
			tc_queue_free(ahead->finished);
		}
		tc_free(ahead);
		return tc_no_memory(ctx);
	}
	*out = ahead;
	return TC_OK;
}

void tc_ahead_free(struct tc_ahead *ahead)
{
	if (!ahead)
		return;
	atomic_store(&ahead->stopped, true);
	tc_queue_close(ahead->begun);
	/* It may be read still: its rows are not wanted. */
	struct tc_reading *reading = tc_queue_try_take(ahead->begun);
	if (reading)
		tc_relay_close(&reading->relay);
	tc_queue_close(ahead->finished);
	pthread_join(ahead->thread, NULL);
	tc_reading_free(reading);
	while (tc_queue_try_take(ahead->finished))
		;
	tc_queue_free(ahead->begun);
	tc_queue_free(ahead->finished);
	tc_free(ahead);
}

struct tc_reading *tc_ahead_next(struct tc_ahead *ahead)
{
	return tc_queue_take(ahead->begun);
}

enum tc_status tc_ahead_finished(struct tc_ahead *ahead)
{
	const struct tc_reading *reading = tc_queue_take(ahead->finished);

	return reading ? reading->status : TC_ERR_NOMEM;
}
