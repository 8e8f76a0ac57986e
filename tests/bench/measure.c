/*
 * Runs commands in turn, several rounds, and prints medians: time, memory, and the ratio to another
 * command of the same round, so that whatever slows a whole round slows both.
 *
 * Usage: measure ROUNDS <JOBS
 * A job is a line of four fields separated by tabs: name, yardstick (the name of an earlier job, or
 * -), a file to remove before each run (or -), and a command for sh. The output of commands is
 * discarded; a command that fails ends the measurement. Prints per job, separated by tabs: name,
 * median ms, median ratio to its yardstick (or -), peak memory in KiB, CPU ms. The peak is the
 * largest of all rounds, of the command's own process.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* wait4() is not POSIX, but every system that reports memory per child has it. */
pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage);

#define ROUNDS_MAX 99
#define JOBS_MAX 64
#define LINE_MAX_BYTES 4096
#define YARDSTICK_NONE (-1)

struct job {
	char line[LINE_MAX_BYTES];
	const char *name, *remove, *command;
	int yardstick; /* index of a job, or YARDSTICK_NONE */
	double wall_ms[ROUNDS_MAX], cpu_ms[ROUNDS_MAX], ratio[ROUNDS_MAX];
	long peak_kib;
};

static struct job jobs[JOBS_MAX];
static int job_count;

static int find_job(const char *name)
{
	for (int i = 0; i < job_count; i++)
		if (strcmp(jobs[i].name, name) == 0)
			return i;
	return YARDSTICK_NONE;
}

/* Ends the first field of *rest and returns it; *rest is NULL after the last field. */
static const char *take_field(char **rest)
{
	char *field = *rest;
	char *tab = field ? strchr(field, '\t') : NULL;

	if (tab)
		*tab++ = '\0';
	*rest = tab;
	return field;
}

static bool read_jobs(void)
{
	for (;; job_count++) {
		if (job_count == JOBS_MAX)
			return false;
		struct job *job = &jobs[job_count];
		char *rest = job->line;
		if (!fgets(job->line, sizeof(job->line), stdin))
			return job_count > 0;
		job->line[strcspn(job->line, "\n")] = '\0';
		job->name = take_field(&rest);
		const char *yardstick = take_field(&rest);
		job->remove = take_field(&rest);
		job->command = rest;
		if (!job->command)
			return false;
		job->yardstick = find_job(yardstick);
		if (job->yardstick == YARDSTICK_NONE && strcmp(yardstick, "-") != 0)
			return false;
	}
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double time_ms(struct timeval time)
{
	return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

static void become(const char *command)
{
	int null = open("/dev/null", O_RDWR);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static bool run(struct job *job, int round)
{
	struct rusage usage;
	int status = 0;

	if (strcmp(job->remove, "-") != 0 && unlink(job->remove) != 0 && errno != ENOENT)
		return false;
	double start_ms = now_ms();
	pid_t pid = fork();
	if (pid == 0)
		become(job->command);
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status != 0)
		return false;
	job->wall_ms[round] = now_ms() - start_ms;
	job->cpu_ms[round] = time_ms(usage.ru_utime) + time_ms(usage.ru_stime);
	if (usage.ru_maxrss > job->peak_kib)
		job->peak_kib = usage.ru_maxrss;
	if (job->yardstick != YARDSTICK_NONE)
		job->ratio[round] = job->wall_ms[round] / jobs[job->yardstick].wall_ms[round];
	return true;
}

static int compare(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static double median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof(*values), compare);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void print(struct job *job, int rounds)
{
	printf("%s\t%.1f\t", job->name, median(job->wall_ms, rounds));
	if (job->yardstick == YARDSTICK_NONE)
		printf("-");
	else
		printf("%.3f", median(job->ratio, rounds));
	printf("\t%ld\t%.1f\n", job->peak_kib, median(job->cpu_ms, rounds));
}

int main(int argc, char **argv)
{
	long rounds = argc == 2 ? strtol(argv[1], NULL, 10) : 0;

	if (rounds < 1 || rounds > ROUNDS_MAX || !read_jobs()) {
		fprintf(stderr, "usage: measure ROUNDS <JOBS\n");
		return 2;
	}
	for (int round = 0; round < (int)rounds; round++)
		for (int i = 0; i < job_count; i++)
			if (!run(&jobs[i], round)) {
				fprintf(stderr, "measure: %s failed: %s\n", jobs[i].name,
					jobs[i].command);
				return 1;
			}
	for (int i = 0; i < job_count; i++)
		print(&jobs[i], (int)rounds);
	return 0;
}
