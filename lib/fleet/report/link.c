/* Links from the page of an index to the pages of its jobs, which --keep-stores writes beside the
 * index. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/buf.h"
#include "fleet/report/formats.h"

/* The directory of the index; the path may be that directory or the file in it. */
static void append_directory(struct tc_buf *buf, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct stat info;

	if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
		tc_buf_format(buf, "%s/", path);
	else if (slash)
		tc_buf_append(buf, path, (size_t)(slash + 1 - path));
}

/* A path as part of a URL. */
static void append_escaped(struct tc_buf *buf, struct tc_text path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_.~/";

	for (size_t i = 0; i < path.len; i++) {
		if (memchr(plain, path.ptr[i], sizeof(plain) - 1))
			tc_buf_append_char(buf, path.ptr[i]);
		else
			tc_buf_format(buf, "%%%02X", (unsigned char)path.ptr[i]);
	}
}

void tc_fleet_put_link(struct tc_doc *doc, const struct tc_fleet *fleet, struct tc_text job)
{
	struct tc_text name = tc_text_equal(job, TC_TEXT(".")) ? TC_TEXT("root") : job;
	struct tc_buf path = TC_BUF_EMPTY;

	if (!fleet->has_links)
		return;
	append_directory(&path, fleet->sides[TC_AFTER].path);
	tc_buf_format(&path, "jobs/%.*s.html", (int)name.len, name.ptr);
	const char *file = tc_buf_string(&path);
	if (file && access(file, R_OK) == 0) {
		tc_buf_append_string(tc_doc_link(doc), "jobs/");
		append_escaped(&doc->text, name);
		tc_buf_append_string(&doc->text, ".html");
	}
	tc_buf_end(&doc->text, &path);
}
