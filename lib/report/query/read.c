/* SQL from a file; see tracecoach/query.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/buf.h"
#include "core/context.h"
#include "core/limits.h"
#include "core/files/reads.h"
#include "core/files/remedy.h"
#include "tracecoach/query.h"

static int open_sql(struct tc_ctx *ctx, const char *path)
{
	int fd;

	if (strcmp(path, "-") == 0)
		return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	do {
		fd = tc_reads_open(ctx, path, O_NOCTTY);
	} while (fd < 0 && errno == EINTR && !tc_ctx_interrupted(ctx));
	return fd;
}

static enum tc_status check(struct tc_ctx *ctx, const struct tc_buf *text, const char *path)
{
	if (text->len > TC_SQL_MAX_BYTES)
		return tc_fail(ctx, TC_ERR_USAGE, "%s: longer than %d bytes: give one statement",
			path, TC_SQL_MAX_BYTES);
	if (memchr(text->ptr ? text->ptr : "", '\0', text->len))
		return tc_fail(ctx, TC_ERR_USAGE, "%s: not a text of SQL", path);
	return TC_OK;
}

enum tc_status tc_query_read(char **sql, struct tc_ctx *ctx, const char *path)
{
	struct tc_buf text = TC_BUF_EMPTY;
	enum tc_status status;
	int fd = open_sql(ctx, path);
	int error = fd < 0 ? errno : tc_reads_rest(&text, ctx, fd, TC_SQL_MAX_BYTES);

	if (fd >= 0)
		close(fd);
	if (tc_ctx_interrupted(ctx))
		status = tc_fail(ctx, TC_ERR_INTERRUPTED, "interrupted");
	else if (error)
		status = tc_fail(ctx, error == ENOMEM ? TC_ERR_NOMEM : TC_ERR_USAGE,
			"cannot read the SQL in %s: %s%s", path, strerror(error),
			fd < 0 ? tc_remedy(error) : "");
	else
		status = check(ctx, &text, path);
	if (status == TC_OK) {
		*sql = tc_buf_take_string(&text);
		status = *sql ? TC_OK : tc_no_memory(ctx);
	}
	tc_buf_clear(&text);
	return status;
}
