/* Output files: pending files that are asked about before. See tracecoach/outfile.h. */
#include "tracecoach/outfile.h"

#include <string.h>
#include <sys/stat.h>

#include "core/alloc.h"
#include "core/pending.h"
#include "core/reads.h"
#include "store/header.h"
#include "store/stray.h"

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

/* Whether SQLite would take a file at path for a part of a database, or of the store to be made. */
static bool is_journal(const char *path, const char *store_path)
{
	struct tc_buf base = TC_BUF_EMPTY;
	struct tc_place place;
	bool is = false;

	if (tc_place_open(&place, path))
		return false;
	if (tc_stray_base(&base, &place))
		is = (store_path && is_same_place(base.ptr, store_path)) ||
		     tc_store_probe(base.ptr);
	tc_buf_clear(&base);
	tc_place_close(&place);
	return is;
}

bool tc_outfile_is_descriptor(int *fd, const char *path)
{
	return tc_place_is_descriptor(fd, path);
}

bool tc_outfile_is_read(struct tc_ctx *ctx, int fd)
{
	return tc_reads_has_open(ctx, fd);
}

enum tc_outfile_conflict tc_outfile_check(
	struct tc_ctx *ctx, const char *path, const char *store_path)
{
	if (tc_reads_has(ctx, path))
		return TC_OUTFILE_READ;
	if (store_path && is_same_place(path, store_path))
		return TC_OUTFILE_STORE;
	if (is_journal(path, store_path))
		return TC_OUTFILE_JOURNAL;
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
