/*
 * Bounded queue of pointers between two threads: one thread puts, one takes. It owns nothing;
 * what is left inside at tc_queue_free() is the caller's to drain first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct tc_queue;

/* A queue for at most capacity items; NULL when memory is out. */
struct tc_queue *tc_queue_new(size_t capacity);
void tc_queue_free(struct tc_queue *queue);

/* Waits for room and adds item (not NULL). False, item not taken, once the queue is closed. */
bool tc_queue_put(struct tc_queue *queue, void *item);
/* Waits for an item. NULL once the queue is closed and empty. */
void *tc_queue_take(struct tc_queue *queue);
/* Takes an item if one is there, else NULL; never waits. */
void *tc_queue_try_take(struct tc_queue *queue);
/* No more puts; takers drain what is there. May be called by either side, more than once. */
void tc_queue_close(struct tc_queue *queue);
