/* Tasks on threads of their own, and those that run when their result is asked for. */
#include "core/threads/task.h"

static void *run_on_thread(void *user)
{
	struct tc_task *task = user;

	task->run(task->user);
	return NULL;
}

void tc_task_begin(
	struct tc_task *task, struct tc_ctx *ctx, bool on_thread, tc_task_fn run, void *user)
{
	*task = (struct tc_task){.run = run, .user = user, .has_thread = on_thread};
	if (!on_thread || pthread_create(&task->thread, NULL, run_on_thread, task) == 0)
		return;
	*task = (struct tc_task){0};
	tc_fail(ctx, TC_ERR_NOMEM, "cannot start a thread");
}

void tc_task_end(struct tc_task *task)
{
	if (task->run && task->has_thread)
		pthread_join(task->thread, NULL);
	else if (task->run)
		task->run(task->user);
	task->run = NULL;
}

void tc_task_drop(struct tc_task *task)
{
	if (task->has_thread)
		tc_task_end(task);
	task->run = NULL;
}
