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

void tc_found_free(struct tc_found *found)
{
	if (!found)
		return;
	tc_free(found->entries);
	tc_free(found->jobs);
	tc_free(found->left_out);
	tc_arena_clear(&found->arena);
	tc_free(found);
}
