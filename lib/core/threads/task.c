#include "core/threads/task.h"

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
