/*
 * Task: a part of a job that may run on a thread of its own beside the caller's. Without one it
 * runs when its result is asked for, so what it does must not depend on when it runs.
 */
#pragma once

#include <pthread.h>

#include "core/context.h"

typedef void (*tc_task_fn)(void *user);

/* All zero is a task that is done. Tasks do not move once they are begun. */
struct tc_task {
	tc_task_fn run; /* NULL once it is done */
	void *user;
	bool has_thread;
	pthread_t thread;
};

/* on_thread: begins it on a thread; where that fails, the context has failed and the task is done.
 */
void tc_task_begin(
	struct tc_task *task, struct tc_ctx *ctx, bool on_thread, tc_task_fn run, void *user);
/* Waits for it, or runs it; nothing the second time. */
void tc_task_end(struct tc_task *task);
/* Waits for it where it runs on a thread; one that has not begun will not run. */
void tc_task_drop(struct tc_task *task);
