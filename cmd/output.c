/* See output.h. */
#include "output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "folder.h"

static bool is_file(const struct stat *file, const char *path)
{
	struct stat status;

	return path && stat(path, &status) == 0 && status.st_dev == file->st_dev &&
	       status.st_ino == file->st_ino;
}

static bool is_used(const struct stat *file, const struct tc_cli *cli, const struct tc_paths *paths)
{
	bool used = is_file(file, cli->options->db);

	for (size_t i = 0; i < paths->count && !used; i++)
		used = is_file(file, paths->items[i]);
	for (size_t i = 0; cli->options->with && cli->options->with[i] && !used; i++)
		used = is_file(file, cli->options->with[i]);
	return used;
}

int tc_output_check(const struct tc_cli *cli)
{
	struct stat file;
	struct tc_paths paths;
	const char *path = cli->options->output;

	if (!path || strcmp(path, "-") == 0 || stat(path, &file) != 0 || !S_ISREG(file.st_mode))
		return 0;
	int code = tc_paths_list(&paths, cli);
	if (code == 0 && is_used(&file, cli, &paths))
		code = tc_cli_error(TC_EXIT_USAGE,
			"%s: is read, so it is not written over: give -o another name", path);
	tc_paths_clear(&paths);
	return code;
}

int tc_output_open(struct tc_output *output, const struct tc_cli *cli)
{
	const char *path = cli->options->output;
	int code = tc_output_check(cli);

	*output = (struct tc_output){.file = stdout};
	if (code != 0 || !path || strcmp(path, "-") == 0)
		return code;
	output->path = path;
	output->file = fopen(path, "w");
	if (!output->file)
		return tc_cli_error(TC_EXIT_INTERNAL,
			"%s: cannot write there: %s: choose another place with -o", path,
			strerror(errno));
	return 0;
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

/* Half a report is worse than none; but links, /dev/full and the like are not ours to remove. */
static void remove_regular(const char *path)
{
	struct stat name, file;

	if (lstat(path, &name) != 0 || stat(path, &file) != 0 || !S_ISREG(file.st_mode))
		return;
	if (S_ISREG(name.st_mode))
		unlink(path);
	else
		(void)!truncate(path, 0);
}

static int tell_error(const struct tc_output *output)
{
	return tc_cli_error(TC_EXIT_INTERNAL, "%s: cannot write: %s: %s",
		output->path ? output->path : "standard output", strerror(output->error),
		output->error == ENOSPC ? "make room and run again"
					: "check where the output goes");
}

int tc_output_close(struct tc_output *output, bool failed)
{
	bool standard = output->path == NULL;

	if (fflush(output->file) != 0 && output->error == 0)
		output->error = errno;
	if (!standard && fclose(output->file) != 0 && output->error == 0)
		output->error = errno;
	if (standard)
		clearerr(stdout); /* said here, not again at exit */
	else if (failed || output->error)
		remove_regular(output->path);
	if (failed || output->error == 0 || (output->error == EPIPE && standard))
		return 0;
	return tell_error(output);
}
