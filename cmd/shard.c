/* See batch_run.h. Slurm's task ids start anywhere and may have a step; Kubernetes' start at 0. */
#include "batch_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

static int bad(const char *text, const char *why)
{
	return tc_cli_error(TC_EXIT_USAGE,
		"--shard %s: %s: give K/N with K from 0 to N - 1, or auto, or auto/N", text, why);
}

/* A number and nothing else, not negative; -1 for none. */
static int64_t number(const char *text)
{
	char *end;

	if (!text || !*text || strspn(text, "0123456789") != strlen(text))
		return -1;
	errno = 0;
	long long value = strtoll(text, &end, 10);
	return errno || *end ? -1 : value;
}

static int64_t from_environment(const char *name)
{
	return number(getenv(name));
}

/* Sets those of the two that an engine says; the others are -1. */
static void ask_engine(int64_t *shard, int64_t *count)
{
	int64_t id = from_environment("SLURM_ARRAY_TASK_ID"),
		first = from_environment("SLURM_ARRAY_TASK_MIN"),
		step = from_environment("SLURM_ARRAY_TASK_STEP");

	*count = -1;
	*shard = from_environment("JOB_COMPLETION_INDEX");
	if (id < 0 || first < 0)
		return;
	*shard = (id - first) / (step > 0 ? step : 1);
	*count = from_environment("SLURM_ARRAY_TASK_COUNT");
}

static int check(const char *text, int64_t shard, int64_t count)
{
	if (shard < 0)
		return bad(text, "neither SLURM_ARRAY_TASK_ID and _MIN nor JOB_COMPLETION_INDEX"
				 " are set");
	if (count < 1)
		return bad(text, "how many shards there are is not said");
	if (count > TC_SHARD_MAX_COUNT)
		return bad(text, "there are too many shards");
	if (shard >= count)
		return bad(text, "there is no such shard");
	return 0;
}

int tc_shard_parse(int64_t *shard, int64_t *count, const char *text)
{
	const char *slash = text ? strchr(text, '/') : NULL;
	char first[32] = "";

	*shard = *count = 0;
	if (!text)
		return 0;
	size_t len = slash ? (size_t)(slash - text) : strlen(text);
	if (len >= sizeof(first))
		return bad(text, "it is not two numbers");
	memcpy(first, text, len);
	if (strcmp(first, "auto") == 0) {
		ask_engine(shard, count);
		if (slash)
			*count = number(slash + 1);
		return check(text, *shard, *count);
	}
	*shard = number(first);
	*count = slash ? number(slash + 1) : 0;
	return *shard < 0 || *count < 0 ? bad(text, "it is not two numbers")
					: check(text, *shard, *count);
}
