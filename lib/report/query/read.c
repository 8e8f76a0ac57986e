/* SQL from a file; see tracecoach/query.h. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/buf.h"
#include "core/context.h"
#include "core/limits.h"
#include "core/files/reads.h"
#include "tracecoach/query.h"

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
	int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
					: tc_reads_open(ctx, path);
	enum tc_status status = tc_reads_all(&text, ctx, fd, TC_SQL_MAX_BYTES, "the SQL in", path);

	if (status == TC_OK)
		status = check(ctx, &text, path);
	if (status == TC_OK) {
		*sql = tc_buf_take_string(&text);
		status = *sql ? TC_OK : tc_no_memory(ctx);
	}
	tc_buf_clear(&text);
	return status;
}
