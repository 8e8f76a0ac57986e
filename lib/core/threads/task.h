/*
 * Task: a part of a job that may run on a thread of its own beside the caller's. Without one it
 * runs when its result is asked for, so what it does must not depend on when it runs.
 */
#pragma once

#include <pthread.h>

#include "core/context.h"

typedef enum tc_status (*tc_task_fn)(void *user);

/* All zero is a task that is done, with TC_OK. Tasks do not move once they are begun. */
struct tc_task {
	tc_task_fn run; /* NULL once it is done */
	void *user;
	bool has_thread;
	pthread_t thread;
	enum tc_status status;
};

/* on_thread: begins it on a thread, or fails. tc_task_end() afterwards where it succeeds. */
enum tc_status tc_task_begin(
	struct tc_task *task, struct tc_ctx *ctx, bool on_thread, tc_task_fn run, void *user);
/* Waits for it, or runs it, and returns how it went. The second time it only returns that. */
enum tc_status tc_task_end(struct tc_task *task);
/* Waits for it where it runs on a thread; one that has not begun will not run. */
void tc_task_drop(struct tc_task *task);
