/* Output files: pending files that are asked about before. See tracecoach/outfile.h. */
#include "tracecoach/outfile.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/pending.h"
#include "core/reads.h"
#include "store/header.h"

struct tc_outfile {
	struct tc_pending pending;
};

/* Whether both names lead to the same place; nothing needs to be there yet. */
static bool is_same_place(const char *one, const char *other)
{
	struct tc_place a, b;
	struct stat in_a, in_b;
	bool same = false;

	if (tc_place_open(&a, one))
		return false;
	if (tc_place_open(&b, other) == 0) {
		same = strcmp(a.name, b.name) == 0 && fstat(a.directory, &in_a) == 0 &&
		       fstat(b.directory, &in_b) == 0 && in_a.st_dev == in_b.st_dev &&
		       in_a.st_ino == in_b.st_ino;
		tc_place_close(&b);
	}
	tc_place_close(&a);
	return same;
}

enum tc_outfile_conflict tc_outfile_check(
	struct tc_ctx *ctx, const char *path, const char *store_path)
{
	if (strcmp(path, "-") == 0)
		return tc_reads_has_open(ctx, STDOUT_FILENO) ? TC_OUTFILE_READ : TC_OUTFILE_FREE;
	if (tc_reads_has(ctx, path))
		return TC_OUTFILE_READ;
	if (store_path && is_same_place(path, store_path))
		return TC_OUTFILE_STORE;
	return tc_store_probe(path) ? TC_OUTFILE_DATABASE : TC_OUTFILE_FREE;
}

enum tc_status tc_outfile_open(struct tc_outfile **out, struct tc_ctx *ctx, const char *path)
{
	struct tc_outfile *file = tc_malloc(sizeof(*file));

	if (!file)
		return tc_fail(ctx, TC_ERR_NOMEM, "cannot create %s: out of memory", path);
	enum tc_status status = tc_pending_create(&file->pending, ctx, path);
	if (status) {
		tc_free(file);
		return status;
	}
	*out = file;
	return TC_OK;
}

int tc_outfile_fd(const struct tc_outfile *file)
{
	return file->pending.fd;
}

enum tc_status tc_outfile_publish(struct tc_outfile *file, struct tc_ctx *ctx)
{
	return tc_pending_publish(&file->pending, ctx);
}

void tc_outfile_close(struct tc_outfile *file)
{
	if (!file)
		return;
	tc_pending_discard(&file->pending);
	tc_free(file);
}
