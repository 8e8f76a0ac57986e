/* See output.h. */
#include "output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "folder.h"
#include "tracecoach/import.h"
#include "tracecoach/outfile.h"

static int no_memory(void)
{
	return tc_cli_error(TC_EXIT_INTERNAL, "out of memory");
}

static int expect_input(const struct tc_cli *cli, const char *path)
{
	return tc_import_expect(cli->ctx, path, !cli->options->no_side_files) == TC_OK
		       ? 0
		       : tc_cli_fail(cli, false);
}

/* Enters what will be read, so that no hour of reading ends in a name that cannot be used. */
static int expect_inputs(const struct tc_cli *cli)
{
	struct tc_strings paths;
	int code = tc_paths_list(&paths, cli);

	for (size_t i = 0; i < paths.count && code == 0; i++)
		code = expect_input(cli, paths.items[i]);
	for (size_t i = 0; cli->options->with && cli->options->with[i] && code == 0; i++)
		code = expect_input(cli, cli->options->with[i]);
	tc_strings_clear(&paths);
	return code;
}

/* By what is known now: again before the output gets its name. */
static int check_path(const struct tc_cli *cli, const char *path)
{
	static const char *const whys[] = {
		[TC_OUTFILE_READ] = "is read, so it is not written over: give -o another name",
		[TC_OUTFILE_STORE] = "--db makes the store there: give -o another name",
		[TC_OUTFILE_DATABASE] = "is an SQLite database, so no report is written over it: "
					"give -o another name",
	};
	enum tc_outfile_conflict conflict = tc_outfile_check(cli->ctx, path, cli->options->db);

	if (conflict == TC_OUTFILE_FREE)
		return 0;
	return tc_cli_error(TC_EXIT_USAGE, "%s: %s", path, whys[conflict]);
}

/* A name of what standard output is already: /dev/stdout, or the file that the shell has opened. A
 * device is opened once more, which does no harm. */
static bool is_standard(const char *path)
{
	struct stat named, standard;

	return !path || strcmp(path, "-") == 0 ||
	       (stat(path, &named) == 0 && !S_ISCHR(named.st_mode) &&
		       fstat(STDOUT_FILENO, &standard) == 0 && named.st_dev == standard.st_dev &&
		       named.st_ino == standard.st_ino);
}

/* Devices and pipes are written to; they are not replaced. */
static bool is_special(const char *path)
{
	struct stat named;

	return stat(path, &named) == 0 && !S_ISREG(named.st_mode) && !S_ISDIR(named.st_mode);
}

/* The shell has opened it, to append perhaps. */
static int check_standard(const struct tc_cli *cli)
{
	if (tc_outfile_check(cli->ctx, "-", NULL) == TC_OUTFILE_FREE)
		return 0;
	return tc_cli_error(TC_EXIT_USAGE,
		"standard output: goes to a file that is read, so nothing is written to it: send "
		"it to another file");
}

int tc_output_check(const struct tc_cli *cli)
{
	const char *path = cli->options->output;
	bool standard = is_standard(path);
	struct tc_outfile *probe;
	int code = expect_inputs(cli);

	if (code == 0 && standard)
		code = check_standard(cli);
	else if (code == 0 && !is_special(path))
		code = check_path(cli, path);
	if (code != 0 || standard || is_special(path))
		return code;
	if (tc_outfile_open(&probe, cli->ctx, path) != TC_OK)
		return tc_cli_fail(cli, false);
	tc_outfile_close(probe);
	return 0;
}

/* A stream of its own on the pending file, which keeps its descriptor. */
static int open_stream(struct tc_output *output)
{
	int fd = dup(tc_outfile_fd(output->outfile));

	output->file = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!output->file && fd >= 0)
		close(fd);
	if (output->file)
		return 0;
	tc_outfile_close(output->outfile);
	return no_memory();
}

int tc_output_open(struct tc_output *output, const struct tc_cli *cli)
{
	const char *path = cli->options->output;

	*output = (struct tc_output){.file = stdout, .cli = cli};
	if (is_standard(path))
		return 0;
	output->path = path;
	if (is_special(path)) {
		output->file = fopen(path, "w");
		return output->file ? 0
				    : tc_cli_error(TC_EXIT_INTERNAL,
					      "%s: cannot write there: %s: choose another place "
					      "with -o",
					      path, strerror(errno));
	}
	int code = check_path(cli, path);
	if (code != 0)
		return code;
	if (tc_outfile_open(&output->outfile, cli->ctx, path) != TC_OK)
		return tc_cli_fail(cli, false);
	return open_stream(output);
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
