/* See found.h. */
#include "import/inputs/found.h"

#include <string.h>

#include "core/alloc.h"

const char *tc_found_path(struct tc_buf *path, const char *root, const char *name)
{
	size_t len = strlen(root);

	tc_buf_reset(path);
	if (strcmp(root, ".") == 0) /* "a/b" reads better than "./a/b" */
		tc_buf_append_string(path, *name ? name : root);
	else {
		tc_buf_append_string(path, root);
		if (*name && len > 0 && root[len - 1] != '/')
			tc_buf_append_char(path, '/');
		tc_buf_append_string(path, name);
	}
	return tc_buf_string(path);
}

static void free_entries(struct tc_found *found)
{
	for (size_t i = 0; i < found->entry_count; i++) {
		tc_free(found->entries[i].trace.path);
		tc_free(found->entries[i].run);
	}
	tc_free(found->entries);
}

static void free_jobs(struct tc_found *found)
{
	for (size_t i = 0; i < found->job_count; i++) {
		struct tc_found_job *job = &found->jobs[i];
		for (size_t k = 0; k < job->trace_count; k++)
			tc_free(job->traces[k].path);
		tc_free(job->traces);
		tc_free(job->path);
	}
	tc_free(found->jobs);
}

void tc_found_free(struct tc_found *found)
{
	if (!found)
		return;
	free_entries(found);
	free_jobs(found);
	for (size_t i = 0; i < found->left_out_count; i++) {
		tc_free(found->left_out[i].path);
		tc_free(found->left_out[i].reason);
	}
	tc_free(found->left_out);
	tc_free(found->root);
	tc_free(found);
}
