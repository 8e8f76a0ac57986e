/*
 * Work on threads of its own: a task is a part of a job that may run beside its caller, and a queue
 * carries pointers from one thread to another.
 *
 * The queue is a ring under one lock. Invariant: count items stand in items[first ..] modulo
 * capacity; once closed it only shrinks.
 */
#include <pthread.h>
#include <stdint.h>

#include "core/alloc.h"
#include "core/threads/queue.h"
#include "core/threads/task.h"

struct tc_queue {
	pthread_mutex_t lock;
	pthread_cond_t may_put, may_take;
	bool closed;
	size_t first, count, capacity;
	void *items[];
};

struct tc_queue *tc_queue_new(size_t capacity)
{
	if (capacity == 0 || capacity > (SIZE_MAX - sizeof(struct tc_queue)) / sizeof(void *))
		return NULL;
	struct tc_queue *queue = tc_malloc(sizeof(*queue) + capacity * sizeof(queue->items[0]));
	if (!queue)
		return NULL;
	queue->closed = false;
	queue->first = queue->count = 0;
	queue->capacity = capacity;
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->may_put, NULL);
	pthread_cond_init(&queue->may_take, NULL);
	return queue;
}

void tc_queue_free(struct tc_queue *queue)
{
	if (!queue)
		return;
	pthread_cond_destroy(&queue->may_take);
	pthread_cond_destroy(&queue->may_put);
	pthread_mutex_destroy(&queue->lock);
	tc_free(queue);
}

bool tc_queue_put(struct tc_queue *queue, void *item)
{
	pthread_mutex_lock(&queue->lock);
	while (!queue->closed && queue->count == queue->capacity)
		pthread_cond_wait(&queue->may_put, &queue->lock);
	bool taken = !queue->closed;
	if (taken) {
		queue->items[(queue->first + queue->count++) % queue->capacity] = item;
		pthread_cond_signal(&queue->may_take);
	}
	pthread_mutex_unlock(&queue->lock);
	return taken;
}

/* The oldest item or NULL; the lock is held. */
static void *take_first(struct tc_queue *queue)
{
	if (queue->count == 0)
		return NULL;
	void *item = queue->items[queue->first];
	queue->first = (queue->first + 1) % queue->capacity;
	queue->count--;
	pthread_cond_signal(&queue->may_put);
	return item;
}

void *tc_queue_take(struct tc_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	while (!queue->closed && queue->count == 0)
		pthread_cond_wait(&queue->may_take, &queue->lock);
	void *item = take_first(queue);
	pthread_mutex_unlock(&queue->lock);
	return item;
}

void *tc_queue_try_take(struct tc_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	void *item = take_first(queue);
	pthread_mutex_unlock(&queue->lock);
	return item;
}

void tc_queue_close(struct tc_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->closed = true;
	pthread_cond_broadcast(&queue->may_put);
	pthread_cond_broadcast(&queue->may_take);
	pthread_mutex_unlock(&queue->lock);
}

static void *run_on_thread(void *user)
{
	struct tc_task *task = user;

	task->status = task->run(task->user);
	return NULL;
}

enum tc_status tc_task_begin(
	struct tc_task *task, struct tc_ctx *ctx, bool on_thread, tc_task_fn run, void *user)
{
	*task = (struct tc_task){.run = run, .user = user, .has_thread = on_thread};
	if (!on_thread || pthread_create(&task->thread, NULL, run_on_thread, task) == 0)
		return TC_OK;
	*task = (struct tc_task){0};
	return tc_fail(ctx, TC_ERR_NOMEM, "cannot start a thread");
}

enum tc_status tc_task_end(struct tc_task *task)
{
	if (task->run && task->has_thread)
		pthread_join(task->thread, NULL);
	else if (task->run)
		task->status = task->run(task->user);
	task->run = NULL;
	return task->status;
}

void tc_task_drop(struct tc_task *task)
{
	if (task->has_thread)
		tc_task_end(task);
	task->run = NULL;
}
