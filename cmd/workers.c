/*
 * See batch_run.h. A worker reports through a pipe what it does: messages of a letter, a length and
 * as many bytes. 'T' is the number of the trace that it opens, 'R' what it has read, 'E' why it
 * could not.
 */
#define _GNU_SOURCE /* sched_getaffinity() */
#include "batch_run.h"

#include <errno.h>
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
	const struct tc_workers *options;
	struct worker *workers;
	int running;
	unsigned char *stops; /* of each job: processes that died of it */
	struct pollfd *fds;
};

int tc_workers_cores(void)
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

static void limit_worker(const struct tc_workers *options, size_t job)
{
	struct rlimit cpu, memory;

	if (!getrlimit(RLIMIT_CPU, &cpu)) {
		cpu = lowered(cpu,
			(uint64_t)options->max_cpu_s * tc_fleet_job_traces(options->batch, job));
		setrlimit(RLIMIT_CPU, &cpu);
	}
	if (!getrlimit(RLIMIT_AS, &memory)) {
		memory = lowered(memory, (uint64_t)options->max_memory_mb << 20);
		setrlimit(RLIMIT_AS, &memory);
	}
}

/* The life of a worker. */
static _Noreturn void work(const struct pool *pool, size_t job, int fd, pid_t parent)
{
	const struct tc_workers *options = pool->options;
	/* Without traces to read, a job needs none. */
	bool is_limited = pool->stops[job] < STOPS_MAX;
	const struct tc_fleet_reader reader = {send_trace, send_record, &fd};

#ifdef __linux__
	/* A batch that is killed takes its workers with it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	if (getppid() != parent)
		_exit(TC_EXIT_INTERNAL);
	tc_fleet_detach(options->batch);
	if (is_limited)
		limit_worker(options, job);
	/* Where the system kept it from reading, the record was sent all the same. */
	if (tc_fleet_read(options->batch, job, &reader) != TC_OK) {
		const char *error = tc_ctx_error(options->cli->ctx);
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
	return status == TC_OK ? 0 : tc_cli_fail(pool->options->cli, false);
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
	struct tc_fleet *batch = pool->options->batch;
	char reason[1024];
	bool is_of_trace = !worker->error && worker->has_trace;

	explain(reason, sizeof(reason), worker, status);
	if (++pool->stops[worker->job] >= GIVE_UP)
		return tc_cli_error(TC_EXIT_INTERNAL, "a job cannot be read: %s", reason);
	if (pool->stops[worker->job] >= STOPS_MAX)
		is_of_trace = false;
	return check(
		pool, tc_fleet_stop(batch, worker->job,
			      is_of_trace ? worker->trace : tc_fleet_job_traces(batch, worker->job),
			      reason));
}

/* Takes what a worker that has ended has read. */
static int finish(struct pool *pool, struct worker *worker)
{
	const struct tc_workers *options = pool->options;
	char reason[1024];
	int status = 0;

	close(worker->fd);
	while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
		;
	understand(worker);
	worker->pid = 0;
	pool->running--;
	if (tc_ctx_interrupted(options->cli->ctx))
		return 0;
	if (!worker->record || !WIFEXITED(status))
		return stop_job(pool, worker, status);
	if (worker->error) {
		explain(reason, sizeof(reason), worker, status);
		options->fail(options->user, reason);
	}
	return check(pool,
		tc_fleet_take(options->batch, worker->job, worker->record, worker->record_len));
}

/* Waits until a worker says something, and hears all that do. */
static int hear(struct pool *pool)
{
	int code = 0;
	nfds_t count = 0;

	for (int i = 0; i < pool->options->count; i++)
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
	for (int i = 0; i < pool->options->count; i++) {
		if (!pool->workers[i].pid)
			continue;
		kill(pool->workers[i].pid, SIGKILL);
		close(pool->workers[i].fd);
		while (waitpid(pool->workers[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
}

/* Gives jobs to free workers. A job whose worker died comes again. */
static int give_jobs(struct pool *pool)
{
	size_t job;
	int code = 0;

	while (code == 0 && pool->running < pool->options->count &&
		tc_fleet_next(pool->options->batch, &job))
		code = start(pool, job);
	return code;
}

static int run(struct pool *pool)
{
	const struct tc_workers *options = pool->options;
	int code = give_jobs(pool);

	while (code == 0 && pool->running > 0) {
		code = hear(pool);
		if (options->tick)
			options->tick(options->user);
		if (code == 0 && tc_ctx_interrupted(options->cli->ctx))
			code = TC_EXIT_INTERRUPTED;
		if (code == 0)
			code = give_jobs(pool);
	}
	end_all(pool);
	return code;
}

int tc_workers_run(const struct tc_workers *workers)
{
	size_t count = (size_t)workers->count;
	struct pool pool = {.options = workers,
		.workers = calloc(count, sizeof(*pool.workers)),
		.fds = calloc(count, sizeof(*pool.fds)),
		.stops = calloc((size_t)tc_fleet_count(workers->batch)->job_count + 1, 1)};
	int code = pool.workers && pool.fds && pool.stops
			   ? run(&pool)
			   : tc_cli_error(TC_EXIT_INTERNAL, "out of memory");

	for (size_t i = 0; pool.workers && i < count; i++)
		free(pool.workers[i].bytes);
	free(pool.workers);
	free(pool.fds);
	free(pool.stops);
	return code;
}
