/*
 * Decides whether a job is unchanged since it was read. Equal size and time are enough, unless the
 * time is recent; then the content is compared. A job that was stopped counts as changed, so it is
 * tried again.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "core/files/reads.h"
#include "fleet/batch/state.h"
#include "side/side.h"
#include "core/context.h"

/* Some file systems store times in units of 2 s: within that, a file may change and keep its
 * time. */
#define FRESH_NS 2000000000

enum { CHUNK_BYTES = 256 * 1024 };

bool tc_fleet_hash_file(uint64_t *out, struct tc_ctx *ctx, const char *path)
{
	struct tc_hash hash;
	struct stat file;
	char *chunk = tc_malloc(CHUNK_BYTES);
	int fd = chunk && stat(path, &file) == 0 && S_ISREG(file.st_mode) ? tc_reads_open(ctx, path)
									  : -1;
	ssize_t len = fd < 0 ? -1 : 1;

	tc_hash_init(&hash);
	while (len > 0) {
		len = tc_reads_some(ctx, fd, chunk, CHUNK_BYTES);
		if (len > 0)
			tc_hash_add(&hash, chunk, (size_t)len);
	}
	if (fd >= 0)
		close(fd);
	tc_free(chunk);
	*out = tc_hash_value(&hash);
	return len == 0;
}

uint64_t tc_fleet_hash_side(const struct tc_fleet *batch, const char *path)
{
	struct tc_buf name = TC_BUF_EMPTY;
	struct tc_hash hash;
	struct stat file;
	bool is_any = false;

	tc_hash_init(&hash);
	for (size_t i = 0; !batch->options.no_side_files && tc_side_beside(&name, path, i); i++) {
		const char *side = tc_buf_string(&name);
		if (!side || stat(side, &file))
			continue;
		const int64_t facts[] = {
			(int64_t)i, file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec};
		tc_hash_add(&hash, facts, sizeof(facts));
		is_any = true;
	}
	tc_buf_clear(&name);
	return is_any ? tc_hash_value(&hash) : 0;
}

static bool is_text(const struct tc_sql_value *value, const char *text)
{
	return value->kind == TC_SQL_TEXT && tc_text_equal(value->text, tc_text_from(text));
}

/* A recent time, or a later one, as clocks of other machines may give. */
static bool is_fresh(const struct tc_fleet *batch, int64_t mtime_ns)
{
	return mtime_ns > batch->now_ns - FRESH_NS;
}

static bool same_content(bool *touched, struct tc_fleet *batch, const char *path,
	const struct tc_found_trace *trace, const struct tc_row *row)
{
	bool same_time = row->values[TC_TRACE_MTIME].i64 == trace->mtime_ns;
	uint64_t hash;

	if (row->values[TC_TRACE_SIZE].i64 != trace->size_bytes)
		return false;
	if (same_time && !is_fresh(batch, trace->mtime_ns))
		return true;
	if (trace->is_special || !tc_fleet_hash_file(&hash, batch->ctx, path) ||
		row->values[TC_TRACE_HASH].i64 != (int64_t)hash)
		return false;
	*touched |= !same_time;
	return true;
}

static bool same_trace(bool *touched, struct tc_fleet *batch, const char *path,
	const struct tc_found_trace *trace, const struct tc_row *row)
{
	return is_text(&row->values[TC_TRACE_PATH], trace->path) &&
	       !is_text(&row->values[TC_TRACE_STATE], "stopped") &&
	       row->values[TC_TRACE_SIDE_HASH].i64 == (int64_t)tc_fleet_hash_side(batch, path) &&
	       same_content(touched, batch, path, trace, row);
}

bool tc_fleet_same(bool *touched, struct tc_fleet *batch, size_t job, struct tc_text record)
{
	const struct tc_found_job *found = &batch->found->jobs[job];
	struct tc_buf path = TC_BUF_EMPTY;
	struct tc_row row;
	size_t count = 0;

	*touched = false;
	bool same = tc_record_next(&row, &record) && row.kind == TC_ROW_JOB &&
		    row.values[TC_JOB_REASON].kind == TC_SQL_NULL;
	while (same && tc_record_next(&row, &record)) {
		if (row.kind != TC_ROW_TRACE)
			continue;
		const struct tc_found_trace *trace = &found->traces[count];
		const char *full = count < found->trace_count
					   ? tc_found_path(&path, batch->found->root, trace->path)
					   : "";
		if (!full)
			tc_no_memory(batch->ctx);
		same = full && count < found->trace_count &&
		       same_trace(touched, batch, full, trace, &row);
		count++;
	}
	tc_buf_clear(&path);
	return same && count == found->trace_count;
}
