/* See input.h. The hook runs on the reading thread, which is the only one to touch the state
 * between begin and end. */
#include "input.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "terminal.h"

static struct {
	int64_t start_ns;   /* of the file being read */
	int64_t read_bytes; /* at the last call */
} state;

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void show(void *user, const struct tc_progress *progress)
{
	double mb = (double)progress->read_bytes / 1e6;
	double seconds;
	char share[24] = "";
	char line[256];

	(void)user;
	if (progress->read_bytes < state.read_bytes)
		state.start_ns = tc_terminal_now_ns(); /* the next file */
	state.read_bytes = progress->read_bytes;
	seconds = (double)(tc_terminal_now_ns() - state.start_ns) / 1e9;
	if (progress->total_bytes > 0)
		snprintf(share, sizeof(share), " (%.0f %%)",
			100.0 * (double)progress->read_bytes / (double)progress->total_bytes);
	snprintf(line, sizeof(line), "%.1f MB%s, %.0f MB/s, %lld events  %.80s", mb, share,
		seconds > 0 ? mb / seconds : 0.0, (long long)progress->event_count,
		base_name(progress->path));
	tc_terminal_show(line);
}

void tc_progress_begin(const struct tc_cli *cli)
{
	if (cli->options->quiet || !tc_terminal_live(STDERR_FILENO))
		return;
	state.start_ns = tc_terminal_now_ns();
	state.read_bytes = 0;
	tc_ctx_set_progress(cli->ctx, show, NULL);
}

void tc_progress_end(const struct tc_cli *cli)
{
	tc_ctx_set_progress(cli->ctx, NULL, NULL);
	tc_terminal_erase();
}
