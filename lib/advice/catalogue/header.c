/* See header.h. */
#include "advice/catalogue/header.h"

#include "core/context.h"

enum tc_status tc_header_fault(const struct tc_header *header, int line, const char *format, ...)
{
	const char *path = header->source->path;
	struct tc_buf text = TC_BUF_EMPTY;
	enum tc_status status;
	va_list args;

	va_start(args, format);
	tc_buf_vformat(&text, format, args);
	va_end(args);
	const char *message = tc_buf_string(&text);
	if (message && line > 0)
		status = tc_fail(header->ctx, TC_ERR_USAGE, "%s:%d: %s", path, line, message);
	else if (message)
		status = tc_fail(header->ctx, TC_ERR_USAGE, "%s: %s", path, message);
	else
		status = tc_no_memory(header->ctx);
	tc_buf_clear(&text);
	return status;
}
