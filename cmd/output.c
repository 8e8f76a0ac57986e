/* See output.h. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "input.h"
#include "tracecoach/outfile.h"

static int no_memory(void)
{
	return tc_cli_error(TC_EXIT_INTERNAL, "out of memory");
}

/* Enters what will be read, so that no hour of reading ends in a name that cannot be used. */
static int expect_inputs(const struct tc_cli *cli)
{
	const struct tc_import_options options = tc_input_options(cli);

	return tc_import_expect(cli->ctx, cli->args, cli->arg_count, &options) == TC_OK
		       ? 0
		       : tc_cli_fail(cli, false);
}

/* By what is known now: again before the output gets its name. */
static int check_path(const struct tc_cli *cli, const char *path)
{
	static const char *const whys[] = {
		[TC_OUTFILE_READ] = "is read, so it is not written over: give -o another name",
		[TC_OUTFILE_STORE] = "--db makes the store there: give -o another name",
		[TC_OUTFILE_JOURNAL] = "is where SQLite looks for changes to the store beside it: "
				       "give -o another name",
		[TC_OUTFILE_DATABASE] = "is an SQLite database, so no report is written over it: "
					"give -o another name",
	};
	enum tc_outfile_conflict conflict = tc_outfile_check(cli->ctx, path, cli->options->db);

	if (conflict == TC_OUTFILE_FREE)
		return 0;
	return tc_cli_error(TC_EXIT_USAGE, "%s: %s", path, whys[conflict]);
}

/* What a name leads to. */
enum target {
	TARGET_FILE,       /* a file to be made or replaced */
	TARGET_DESCRIPTOR, /* what is open already: somebody may append with it */
	TARGET_SPECIAL,    /* a device or a pipe */
	TARGET_OTHER,      /* an open file of another process */
};

/* The file that the shell has opened for standard output, by its own name. A device is opened once
 * more, which does no harm. */
static bool is_standard(const struct stat *named)
{
	struct stat standard;

	return !S_ISCHR(named->st_mode) && fstat(STDOUT_FILENO, &standard) == 0 &&
	       named->st_dev == standard.st_dev && named->st_ino == standard.st_ino;
}

/* Sets *fd for TARGET_DESCRIPTOR. */
static enum target target_of(int *fd, const char *path)
{
	struct stat named;
	bool is_there, is_descriptor;

	*fd = STDOUT_FILENO;
	if (!path || strcmp(path, "-") == 0)
		return TARGET_DESCRIPTOR;
	is_there = stat(path, &named) == 0;
	is_descriptor = tc_outfile_is_descriptor(fd, path);
	if (is_descriptor && *fd >= 0)
		return TARGET_DESCRIPTOR;
	*fd = STDOUT_FILENO;
	if (is_there && is_standard(&named))
		return TARGET_DESCRIPTOR;
	if (is_there && !S_ISREG(named.st_mode) && !S_ISDIR(named.st_mode))
		return TARGET_SPECIAL;
	return is_descriptor ? TARGET_OTHER : TARGET_FILE;
}

static int cannot_write(const char *path, int error)
{
	return tc_cli_error(TC_EXIT_INTERNAL,
		"%s: cannot write there: %s: choose another place with -o", path, strerror(error));
}

/* Asked before the program opens files, which could get the number. */
static int check_descriptor(const struct tc_cli *cli, int fd)
{
	const char *path = cli->options->output;
	int flags = fd == STDOUT_FILENO ? O_WRONLY : fcntl(fd, F_GETFL);

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return cannot_write(path, EBADF);
	if (!tc_outfile_is_read(cli->ctx, fd))
		return 0;
	return tc_cli_error(TC_EXIT_USAGE,
		"%s: goes to a file that is read, so nothing is written to it: send it to another "
		"file",
		fd == STDOUT_FILENO ? "standard output" : path);
}

static int check_file(const struct tc_cli *cli, const char *path)
{
	struct tc_outfile *probe;
	int code = check_path(cli, path);

	if (code != 0)
		return code;
	if (tc_outfile_open(&probe, cli->ctx, path) != TC_OK)
		return tc_cli_fail(cli, false);
	tc_outfile_close(probe);
	return 0;
}

int tc_output_check(const struct tc_cli *cli)
{
	const char *path = cli->options->output;
	int fd, code = expect_inputs(cli);

	if (code != 0)
		return code;
	if (path && !*path)
		return tc_cli_error(TC_EXIT_USAGE,
			"-o: an empty name: give the name of a file, or - for standard output");
	switch (target_of(&fd, path)) {
	case TARGET_DESCRIPTOR: return check_descriptor(cli, fd);
	case TARGET_OTHER:
		return tc_cli_error(TC_EXIT_USAGE,
			"%s: a file that another process has open: give the name of a file", path);
	case TARGET_FILE: return check_file(cli, path);
	case TARGET_SPECIAL: break;
	}
	return 0;
}

/* A stream on a copy of the descriptor, which stays open. */
static FILE *open_copy(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *file = copy >= 0 ? fdopen(copy, "w") : NULL;

	if (!file && copy >= 0)
		close(copy);
	return file;
}

/* Opening a FIFO waits for its reader, so a signal may come in between. */
static int open_special(struct tc_output *output)
{
	struct tc_ctx *ctx = output->cli->ctx;

	do {
		output->file = fopen(output->path, "w");
	} while (!output->file && errno == EINTR && !tc_ctx_interrupted(ctx));
	if (output->file)
		return 0;
	int error = errno;
	return tc_ctx_interrupted(ctx) ? tc_cli_fail(output->cli, false)
				       : cannot_write(output->path, error);
}

static int open_outfile(struct tc_output *output)
{
	const struct tc_cli *cli = output->cli;
	int code = check_path(cli, output->path);

	if (code != 0)
		return code;
	if (tc_outfile_open(&output->outfile, cli->ctx, output->path) != TC_OK)
		return tc_cli_fail(cli, false);
	output->file = open_copy(tc_outfile_fd(output->outfile));
	if (output->file)
		return 0;
	tc_outfile_close(output->outfile);
	return no_memory();
}

int tc_output_open(struct tc_output *output, const struct tc_cli *cli)
{
	const char *path = cli->options->output;
	int fd;
	enum target target = target_of(&fd, path);

	*output = (struct tc_output){.file = stdout, .cli = cli};
	if (target == TARGET_DESCRIPTOR && fd == STDOUT_FILENO)
		return 0;
	output->path = path;
	if (target == TARGET_SPECIAL)
		return open_special(output);
	if (target == TARGET_FILE)
		return open_outfile(output);
	output->file = target == TARGET_DESCRIPTOR ? open_copy(fd) : NULL;
	return output->file ? 0 : cannot_write(path, errno);
}

bool tc_output_failed(const struct tc_output *output)
{
	return output->error != 0;
}

int tc_output_write(void *user, const char *bytes, size_t len)
{
	struct tc_output *output = user;

	if (output->error == 0 && len > 0 && fwrite(bytes, 1, len, output->file) != len)
		output->error = errno ? errno : EIO;
	return output->error ? -1 : 0;
}

static int tell_error(const struct tc_output *output)
{
	if (tc_ctx_interrupted(output->cli->ctx))
		return tc_cli_fail(output->cli, false);
	return tc_cli_error(TC_EXIT_INTERNAL, "%s: cannot write: %s: %s",
		output->path ? output->path : "standard output", strerror(output->error),
		output->error == ENOSPC ? "make room and run again"
					: "check where the output goes");
}

static int publish(struct tc_output *output)
{
	int code = check_path(output->cli, output->path);

	if (code == 0 && tc_outfile_publish(output->outfile, output->cli->ctx) != TC_OK)
		code = tc_cli_fail(output->cli, false);
	return code;
}

int tc_output_close(struct tc_output *output, bool failed)
{
	bool standard = output->path == NULL;
	int code = 0;

	if (fflush(output->file) != 0 && output->error == 0)
		output->error = errno;
	if (!standard && fclose(output->file) != 0 && output->error == 0)
		output->error = errno;
	if (standard)
		clearerr(stdout); /* said here, not again at exit */
	if (output->error && !failed && !(output->error == EPIPE && standard))
		code = tell_error(output);
	else if (!failed && output->outfile)
		code = publish(output);
	tc_outfile_close(output->outfile);
	return code;
}
