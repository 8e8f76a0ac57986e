/*
 * tracecoach batch: the traces of many jobs into one index, on every core.
 *
 * Worker processes each read one job and end, so that the damage a trace does to its process (a
 * signal, all memory) is one row of the index, and memory does not grow with the number of jobs. A
 * worker reports through a pipe what it does: messages of a letter, a length and as many bytes. 'T'
 * is the number of the trace that it opens, 'R' what it has read, 'E' why it could not.
 */
#define _GNU_SOURCE /* sched_getaffinity() */
#include "jobs.h"

#include <errno.h>
#include <glob.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "terminal.h"

static struct {
	int keep_stores;
	char *shard, *owner, *commit, *price;
} asked;

static struct poptOption index_rows[] = {
	TC_ROW_OUTPUT(
		"The directory for the index; a batch of the same inputs goes on there", "OUT"),
	TC_FLAG("keep-stores", '\0', asked.keep_stores,
		"Keep store, JSON report and page of each job, in OUT/jobs"),
	TC_TEXT("shard", '\0', asked.shard,
		"Read shard K of N, from 0; auto or auto/N: what Slurm or Kubernetes says", "K/N"),
	TC_END};
static struct poptOption note_rows[] = {
	TC_TEXT("owner", '\0', asked.owner, "Whose jobs these are", "NAME"),
	TC_TEXT("commit", '\0', asked.commit, "The commit of the code that ran", "ID"),
	TC_TEXT("price", '\0', asked.price, "What a device hour costs", "PRICE"), TC_END};
static struct poptOption process_rows[] = {
	TC_ROWS_PROCESSES("Read N jobs at once (default: one a core)"), TC_ROWS_PEAKS,
	TC_ROW_NO_SIDE_FILES,
	TC_FLAG("one-thread", '\0', tc_given.input.one_thread,
		"Read each job on one thread; same result"),
	TC_END};
struct poptOption tc_options_batch[] = {TC_GROUP(index_rows, "Index:"),
	TC_GROUP(note_rows, "Jobs whose job.ini does not say it:"),
	TC_GROUP(process_rows, "Processes:"), TC_GROUP(tc_rows_advice, "Advice:"),
	TC_GROUP(tc_rows_common, "Other:"), TC_END};

enum {
	TICK_MS = 200,
	STOPS_MAX = 3, /* processes that may die of a job's traces before the rest is left */
	GIVE_UP = 8,   /* more is a fault of ours */
	HEAD_BYTES = 1 + sizeof(uint64_t),
};

struct worker {
	pid_t pid; /* 0: free */
	int fd;
	size_t job, trace;
	bool has_trace;
	char *bytes; /* what it said */
	size_t len, capacity;
	char *record, *error; /* point into bytes */
	size_t record_len, error_len;
};

struct pool {
	struct tc_batch *batch;
	int count; /* processes at once */
	struct worker *workers;
	int running;
	unsigned char *stops; /* of each job: processes that died of it */
	struct pollfd *fds;
};

/* Cores that this process may use. */
static int core_count(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
		cores = CPU_COUNT(&set);
	return cores > 1 ? (int)cores : 1;
}

/* In the worker. When nobody listens any more there is nothing left to do. */
static void send_bytes(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;

	while (len > 0) {
		ssize_t done = write(fd, at, len);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			_exit(TC_EXIT_INTERNAL);
		at += done;
		len -= (size_t)done;
	}
}

static void send_message(int fd, char letter, const void *bytes, size_t len)
{
	uint64_t size = len;

	send_bytes(fd, &letter, 1);
	send_bytes(fd, &size, sizeof(size));
	send_bytes(fd, bytes, len);
}

static void send_trace(void *user, size_t trace)
{
	uint64_t number = trace;

	send_message(*(const int *)user, 'T', &number, sizeof(number));
}

static void send_record(void *user, const char *bytes, size_t len)
{
	send_message(*(const int *)user, 'R', bytes, len);
}

/* The limit with amount as what holds; 0 leaves it. */
static struct rlimit lowered(struct rlimit limit, uint64_t amount)
{
	if (amount > 0)
		limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || amount < limit.rlim_max
					 ? (rlim_t)amount
					 : limit.rlim_max;
	return limit;
}

static void limit_worker(const struct tc_batch *batch, size_t job)
{
	struct rlimit cpu, memory;

	if (!getrlimit(RLIMIT_CPU, &cpu)) {
		cpu = lowered(cpu, (uint64_t)tc_given.processes.max_cpu *
					   tc_fleet_job_traces(batch->fleet, job));
		setrlimit(RLIMIT_CPU, &cpu);
	}
	if (!getrlimit(RLIMIT_AS, &memory)) {
		memory = lowered(memory, (uint64_t)tc_given.processes.max_memory << 20);
		setrlimit(RLIMIT_AS, &memory);
	}
}

/* The life of a worker. */
static _Noreturn void work(const struct pool *pool, size_t job, int fd, pid_t parent)
{
	const struct tc_batch *batch = pool->batch;
	/* Without traces to read, a job needs none. */
	bool is_limited = pool->stops[job] < STOPS_MAX;
	const struct tc_fleet_reader reader = {send_trace, send_record, &fd};

#ifdef __linux__
	/* A batch that is killed takes its workers with it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	if (getppid() != parent)
		_exit(TC_EXIT_INTERNAL);
	tc_fleet_detach(batch->fleet);
	if (is_limited)
		limit_worker(batch, job);
	/* Where the system kept it from reading, the record was sent all the same. */
	if (tc_fleet_read(batch->fleet, job, &reader) != TC_OK) {
		const char *error = tc_ctx_error(batch->cli->ctx);
		send_message(fd, 'E', error, strlen(error));
		_exit(TC_EXIT_INTERNAL);
	}
	_exit(TC_EXIT_DONE);
}

static struct worker *free_worker(struct pool *pool)
{
	struct worker *worker = pool->workers;

	while (worker->pid)
		worker++;
	return worker;
}

static int start(struct pool *pool, size_t job)
{
	struct worker *worker = free_worker(pool);
	pid_t parent = getpid();
	int pipes[2];

	if (pipe(pipes))
		return tc_cli_error(TC_EXIT_INTERNAL,
			"cannot make a pipe: %s: raise the limit of open files (ulimit -n), or "
			"give a smaller number with --jobs",
			strerror(errno));
	pid_t pid = fork();
	int error = errno;
	if (pid == 0) {
		close(pipes[0]);
		work(pool, job, pipes[1], parent);
	}
	close(pipes[1]);
	if (pid < 0) {
		close(pipes[0]);
		return tc_cli_error(TC_EXIT_INTERNAL,
			"cannot start a process: %s: give a smaller number with --jobs",
			strerror(error));
	}
	*worker = (struct worker){.pid = pid,
		.fd = pipes[0],
		.job = job,
		.bytes = worker->bytes,
		.capacity = worker->capacity};
	pool->running++;
	return 0;
}

/* Understands what a worker has said, when it says no more. */
static void understand(struct worker *worker)
{
	size_t at = 0;
	uint64_t len;

	while (worker->len - at >= HEAD_BYTES) {
		memcpy(&len, worker->bytes + at + 1, sizeof(len));
		if (worker->len - at - HEAD_BYTES < len)
			break;
		char *body = worker->bytes + at + HEAD_BYTES;
		if (worker->bytes[at] == 'T') {
			uint64_t trace;
			memcpy(&trace, body, sizeof(trace));
			worker->trace = (size_t)trace;
			worker->has_trace = true;
		} else if (worker->bytes[at] == 'R') {
			worker->record = body;
			worker->record_len = (size_t)len;
		} else {
			worker->error = body;
			worker->error_len = (size_t)len;
		}
		at += HEAD_BYTES + (size_t)len;
	}
}

/* Reads what a worker says; *ended when it says no more. */
static int listen_to(bool *ended, struct worker *worker)
{
	*ended = false;
	if (worker->capacity - worker->len < 65536) {
		size_t capacity = worker->capacity * 2 + 65536;
		char *bytes = realloc(worker->bytes, capacity);
		if (!bytes)
			return tc_cli_error(TC_EXIT_INTERNAL, "out of memory");
		worker->bytes = bytes;
		worker->capacity = capacity;
	}
	ssize_t got = read(worker->fd, worker->bytes + worker->len, worker->capacity - worker->len);
	if (got > 0)
		worker->len += (size_t)got;
	else
		*ended = got == 0 || errno != EINTR;
	return 0;
}

/* The exit code of a call to the library. */
static int check(const struct pool *pool, enum tc_status status)
{
	return status == TC_OK ? 0 : tc_cli_fail(pool->batch->cli, false);
}

static const char *signal_name(int number)
{
	static const struct {
		int number;
		const char *name;
	} names[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGABRT, "SIGABRT"},
		{SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"},
		{SIGHUP, "SIGHUP"}, {SIGXFSZ, "SIGXFSZ"},
		{SIGKILL, "SIGKILL, as the system does when memory is out"},
		{SIGXCPU, "SIGXCPU, for it took more CPU time than --max-cpu allows"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].number == number)
			return names[i].name;
	return "a signal";
}

/* Why a worker that ended has read nothing. */
static void explain(char *reason, size_t size, const struct worker *worker, int status)
{
	if (WIFSIGNALED(status))
		snprintf(reason, size, "the process that read it was ended by %s",
			signal_name(WTERMSIG(status)));
	else if (worker->error)
		snprintf(reason, size, "%.*s", (int)worker->error_len, worker->error);
	else
		snprintf(reason, size, "the process that read it ended with exit code %d",
			WEXITSTATUS(status));
}

static int stop_job(struct pool *pool, const struct worker *worker, int status)
{
	struct tc_fleet *fleet = pool->batch->fleet;
	char reason[1024];
	bool is_of_trace = !worker->error && worker->has_trace;

	explain(reason, sizeof(reason), worker, status);
	if (++pool->stops[worker->job] >= GIVE_UP)
		return tc_cli_error(TC_EXIT_INTERNAL, "a job cannot be read: %s", reason);
	if (pool->stops[worker->job] >= STOPS_MAX)
		is_of_trace = false;
	return check(
		pool, tc_fleet_stop(fleet, worker->job,
			      is_of_trace ? worker->trace : tc_fleet_job_traces(fleet, worker->job),
			      reason));
}

/* Takes what a worker that has ended has read. */
static int finish(struct pool *pool, struct worker *worker)
{
	struct tc_batch *batch = pool->batch;
	char reason[1024];
	int status = 0;

	close(worker->fd);
	while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
		;
	understand(worker);
	worker->pid = 0;
	pool->running--;
	if (tc_ctx_interrupted(batch->cli->ctx))
		return 0;
	if (!worker->record || !WIFEXITED(status))
		return stop_job(pool, worker, status);
	if (worker->error) {
		explain(reason, sizeof(reason), worker, status);
		batch->failed_count++;
		if (!batch->failure)
			batch->failure = strdup(reason);
	}
	return check(
		pool, tc_fleet_take(batch->fleet, worker->job, worker->record, worker->record_len));
}

/* Waits until a worker says something, and hears all that do. */
static int hear(struct pool *pool)
{
	int code = 0;
	nfds_t count = 0;

	for (int i = 0; i < pool->count; i++)
		if (pool->workers[i].pid)
			pool->fds[count++] =
				(struct pollfd){.fd = pool->workers[i].fd, .events = POLLIN};
	if (poll(pool->fds, count, TICK_MS) < 0)
		return 0; /* a signal: the caller looks for it */
	for (nfds_t k = 0; k < count && code == 0; k++) {
		struct worker *worker = pool->workers;
		bool ended = false;
		if (!pool->fds[k].revents)
			continue;
		while (!worker->pid || worker->fd != pool->fds[k].fd)
			worker++;
		code = listen_to(&ended, worker);
		if (code == 0 && ended)
			code = finish(pool, worker);
	}
	return code;
}

static void end_all(struct pool *pool)
{
	for (int i = 0; i < pool->count; i++) {
		if (!pool->workers[i].pid)
			continue;
		kill(pool->workers[i].pid, SIGKILL);
		close(pool->workers[i].fd);
		while (waitpid(pool->workers[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
}

/* "2 min 5 s left", by the bytes that are still to be read. */
static void append_rest(
	char *line, size_t size, const struct tc_fleet_counts *counts, int64_t elapsed_ns)
{
	double rest_s;
	size_t len = strlen(line);

	if (counts->read_bytes <= 0 || elapsed_ns < 1000000000)
		return;
	rest_s = (double)elapsed_ns / 1e9 * (double)(counts->wanted_bytes - counts->read_bytes) /
		 (double)counts->read_bytes;
	if (rest_s < 60)
		snprintf(line + len, size - len, ", %.0f s left", rest_s);
	else if (rest_s < 3600)
		snprintf(line + len, size - len, ", %.0f min left", rest_s / 60);
	else
		snprintf(line + len, size - len, ", %.1f h left", rest_s / 3600);
}

static void show(struct tc_batch *batch)
{
	const struct tc_fleet_counts *counts = tc_fleet_count(batch->fleet);
	int64_t now = tc_terminal_now_ns();
	char line[256];

	if (!batch->is_live || now - batch->shown_ns < 200000000)
		return;
	batch->shown_ns = now;
	snprintf(line, sizeof(line), "%lld of %lld jobs, %lld traces read, %lld left out",
		(long long)counts->read_job_count, (long long)counts->wanted_job_count,
		(long long)counts->read_trace_count, (long long)counts->left_out_count);
	append_rest(line, sizeof(line), counts, now - batch->start_ns);
	tc_terminal_show(line);
}

/* Gives jobs to free workers. A job whose worker died comes again. */
static int give_jobs(struct pool *pool)
{
	size_t job;
	int code = 0;

	while (code == 0 && pool->running < pool->count && tc_fleet_next(pool->batch->fleet, &job))
		code = start(pool, job);
	return code;
}

static int run_pool(struct pool *pool)
{
	int code = give_jobs(pool);

	while (code == 0 && pool->running > 0) {
		code = hear(pool);
		show(pool->batch);
		if (code == 0 && tc_ctx_interrupted(pool->batch->cli->ctx))
			code = TC_EXIT_INTERRUPTED;
		if (code == 0)
			code = give_jobs(pool);
	}
	end_all(pool);
	return code;
}

/* Reads all jobs of the batch that are to be read. The process must have no other thread. */
static int run_workers(struct tc_batch *batch)
{
	size_t count = (size_t)batch->process_count;
	struct pool pool = {.batch = batch,
		.count = batch->process_count,
		.workers = calloc(count, sizeof(*pool.workers)),
		.fds = calloc(count, sizeof(*pool.fds)),
		.stops = calloc((size_t)tc_fleet_count(batch->fleet)->job_count + 1, 1)};
	int code = pool.workers && pool.fds && pool.stops
			   ? run_pool(&pool)
			   : tc_cli_error(TC_EXIT_INTERNAL, "out of memory");

	for (size_t i = 0; pool.workers && i < count; i++)
		free(pool.workers[i].bytes);
	free(pool.workers);
	free(pool.fds);
	free(pool.stops);
	return code;
}

static void hear_note(void *user, enum tc_note note, const char *text)
{
	struct tc_batch *batch = user;

	if (note == TC_NOTE_NOT_READ)
		batch->other_count++;
	else
		tc_cli_error(0, "%s", text);
}

static void hear_left_out(void *user, const char *path, const char *reason)
{
	struct tc_left_out *list = user;
	size_t path_len = strlen(path), len = path_len + strlen(reason) + 3;
	char *text = malloc(len);
	bool is_named = false;

	for (const char *at = strchr(reason, *path); at && !is_named; at = strchr(at + 1, *path))
		is_named = strncmp(at, path, path_len) == 0;
	if (text && is_named)
		memcpy(text, reason, strlen(reason) + 1);
	else if (text)
		snprintf(text, len, "%s: %s", path, reason);
	list->failed |= !text || tc_strings_add(&list->reasons, text) != 0;
	free(text);
}

/* Reads all jobs of the batch and writes the index. */
static int read_jobs(struct tc_batch *batch)
{
	batch->is_live = !batch->cli->options->terminal.quiet && tc_terminal_live(STDERR_FILENO);
	batch->start_ns = tc_terminal_now_ns();
	int code = run_workers(batch);
	tc_terminal_erase();
	if (code == 0 && tc_fleet_finish(batch->fleet) != TC_OK)
		code = tc_ctx_interrupted(batch->cli->ctx) ? TC_EXIT_INTERRUPTED
							   : tc_cli_fail(batch->cli, false);
	return code;
}

int tc_batch_open(
	struct tc_batch *batch, struct tc_cli *cli, const struct tc_fleet_options *options)
{
	struct tc_fleet_options counted = *options;

	if (counted.process_count == 0)
		counted.process_count = core_count();
	*batch = (struct tc_batch){.cli = cli, .process_count = counted.process_count};
	tc_ctx_set_note(cli->ctx, hear_note, batch);
	if (tc_fleet_open(&batch->fleet, cli->ctx, &counted) != TC_OK)
		return tc_cli_fail(cli, false);
	if (tc_fleet_count(batch->fleet)->job_count == 0 && options->shard_count == 0) {
		tc_batch_close(batch);
		return tc_cli_error(TC_EXIT_INPUT,
			"%s: no traces in or below it: name a directory with .json, .json.gz or "
			".json.zst files",
			options->paths[0]);
	}
	return 0;
}

int tc_batch_read(struct tc_store **index, struct tc_batch *batch)
{
	const struct tc_cli *cli = batch->cli;
	struct tc_store *made = NULL;
	int64_t done_count = 0;
	int code = read_jobs(batch);

	if (code != 0)
		return code;
	if (tc_index_open(&made, cli->ctx, tc_fleet_count(batch->fleet)->index_path) != TC_OK)
		return tc_cli_fail(cli, false);
	if (tc_index_left_out(&done_count, cli->ctx, made, hear_left_out, &batch->cli->left_out) !=
		TC_OK)
		code = tc_cli_fail(cli, false);
	else if (batch->failed_count > 0)
		code = tc_cli_error(TC_EXIT_INTERNAL,
			"%zu of %lld jobs were not read or kept whole: %s", batch->failed_count,
			(long long)tc_fleet_count(batch->fleet)->job_count,
			batch->failure ? batch->failure : "out of memory");
	batch->cli->left_out.are_all = done_count == 0 && batch->cli->left_out.reasons.count > 0;
	if (code == 0)
		*index = made;
	else
		tc_store_close(made);
	return code;
}

void tc_batch_close(struct tc_batch *batch)
{
	tc_fleet_close(batch->fleet);
	free(batch->failure);
	batch->fleet = NULL;
	batch->failure = NULL;
	tc_ctx_set_note(batch->cli->ctx, tc_cli_note, batch->cli);
}

static int bad_shard(const char *text, const char *why)
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

static int check_shard(const char *text, int64_t shard, int64_t count)
{
	if (shard < 0)
		return bad_shard(text,
			"neither SLURM_ARRAY_TASK_ID and _MIN nor JOB_COMPLETION_INDEX"
			" are set");
	if (count < 1)
		return bad_shard(text, "how many shards there are is not said");
	if (count > TC_SHARD_MAX_COUNT)
		return bad_shard(text, "there are too many shards");
	if (shard >= count)
		return bad_shard(text, "there is no such shard");
	return 0;
}

/* Sets *shard, from 0, and *count; a count of 0 for no text. "K/N" says it; "auto" takes both from
 * a Slurm array; "auto/N" K from it, or from a Kubernetes indexed Job. Slurm's task ids start
 * anywhere and may have a step; Kubernetes' start at 0. Returns 0, or prints what is wrong and
 * returns an exit code. */
static int parse_shard(int64_t *shard, int64_t *count, const char *text)
{
	const char *slash = text ? strchr(text, '/') : NULL;
	char first[32] = "";

	*shard = *count = 0;
	if (!text)
		return 0;
	size_t len = slash ? (size_t)(slash - text) : strlen(text);
	if (len >= sizeof(first))
		return bad_shard(text, "it is not two numbers");
	memcpy(first, text, len);
	if (strcmp(first, "auto") == 0) {
		ask_engine(shard, count);
		if (slash)
			*count = number(slash + 1);
		return check_shard(text, *shard, *count);
	}
	*shard = number(first);
	*count = slash ? number(slash + 1) : 0;
	return *shard < 0 || *count < 0 ? bad_shard(text, "it is not two numbers")
					: check_shard(text, *shard, *count);
}

static int add(struct tc_strings *paths, const char *path)
{
	return tc_strings_add(paths, path) == 0 ? 0
						: tc_cli_error(TC_EXIT_INTERNAL, "out of memory");
}

/* A pattern that no shell has expanded; what is no pattern stays. */
static int expand(struct tc_strings *paths, const char *argument)
{
	glob_t found;
	int code = 0;

	if (access(argument, F_OK) == 0 || !strpbrk(argument, "*?["))
		return add(paths, argument);
	int error = glob(argument, 0, NULL, &found);
	if (error == GLOB_NOMATCH)
		return tc_cli_error(TC_EXIT_INPUT, "%s: nothing has such a name", argument);
	for (size_t i = 0; !error && i < found.gl_pathc && code == 0; i++)
		code = add(paths, found.gl_pathv[i]);
	if (!error)
		globfree(&found);
	return error ? tc_cli_error(TC_EXIT_INTERNAL, "%s: cannot be expanded", argument) : code;
}

static void summarize(const struct tc_batch *batch)
{
	const struct tc_fleet_counts *counts = tc_fleet_count(batch->fleet);

	printf("%s: %lld job%s, %lld trace%s (%lld read now, %lld as before): %s\n", counts->root,
		(long long)counts->job_count, counts->job_count == 1 ? "" : "s",
		(long long)counts->trace_count, counts->trace_count == 1 ? "" : "s",
		(long long)counts->wanted_trace_count,
		(long long)(counts->trace_count - counts->wanted_trace_count), counts->index_path);
	if (batch->other_count > 0)
		printf("%zu other JSON file%s no trace%s.\n", batch->other_count,
			batch->other_count == 1 ? " is" : "s are",
			batch->other_count == 1 ? "" : "s");
}

static int report_interrupt(const struct tc_batch *batch)
{
	const struct tc_fleet_counts *counts = tc_fleet_count(batch->fleet);

	return tc_cli_error(TC_EXIT_INTERRUPTED,
		"interrupted: %lld of %lld jobs are kept: the same command goes on with the others",
		(long long)(counts->job_count - counts->wanted_job_count + counts->read_job_count),
		(long long)counts->job_count);
}

static int run(struct tc_cli *cli, const struct tc_fleet_options *options)
{
	struct tc_store *index = NULL;
	struct tc_batch batch;
	int code = tc_batch_open(&batch, cli, options);

	if (code != 0)
		return code;
	code = tc_batch_read(&index, &batch);
	if (code == 0 && !cli->options->terminal.quiet && !cli->left_out.are_all)
		summarize(&batch);
	if (code == TC_EXIT_INTERRUPTED)
		code = report_interrupt(&batch);
	tc_store_close(index);
	tc_batch_close(&batch);
	return code;
}

static int parse_price(double *price)
{
	char *end = NULL;

	*price = asked.price ? strtod(asked.price, &end) : 0;
	if (asked.price && (end == asked.price || *end || !(*price >= 0 && *price <= 1e9)))
		return tc_cli_error(TC_EXIT_USAGE,
			"--price %s: give what a device hour costs, as a number from 0 to 1e9",
			asked.price);
	return 0;
}

int tc_cmd_batch(struct tc_cli *cli)
{
	const char *out = cli->options->report.output;
	struct tc_strings paths = {0};
	int code = out && *out
			   ? tc_cli_settings(cli)
			   : tc_cli_error(TC_EXIT_USAGE,
				     "batch: no place for the index: name a directory with -o OUT");

	for (size_t i = 0; i < cli->arg_count && code == 0; i++)
		code = expand(&paths, cli->args[i]);
	struct tc_fleet_options options = {.paths = (const char *const *)paths.items,
		.path_count = paths.count,
		.out = out,
		.keep_stores = asked.keep_stores != 0,
		.no_side_files = cli->options->input.no_side_files != 0,
		.device = cli->options->input.device,
		.peaks_path = cli->options->input.peaks,
		.inline_stages = cli->options->input.one_thread != 0,
		.process_count = tc_given.processes.jobs,
		.settings = cli->settings,
		.owner = asked.owner,
		.commit = asked.commit};
	if (code == 0)
		code = parse_price(&options.price);
	if (code == 0)
		code = parse_shard(&options.shard, &options.shard_count, asked.shard);
	if (code == 0)
		code = run(cli, &options);
	tc_strings_clear(&paths);
	return code;
}
