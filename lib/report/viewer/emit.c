/* See emit.h. */
#include "report/viewer/emit.h"

#include "core/alloc.h"
#include "core/buf.h"
#include "core/saturate.h"

static enum tc_status add_line(struct tc_emit *emit, struct tc_emit_track *track)
{
	struct tc_buf name = TC_BUF_EMPTY;

	if (!TC_GROW(track->lines, track->capacity, track->count + 1))
		return tc_no_memory(emit->ctx);
	tc_buf_append_string(&name, track->name);
	if (track->count > 0)
		tc_buf_format(&name, " (%zu)", track->count + 1);
	bool has_name = !tc_buf_failed(&name);
	track->lines[track->count++] =
		(struct tc_emit_line){emit->form->line(emit, tc_buf_text(&name)), INT64_MIN};
	tc_buf_clear(&name);
	return has_name ? TC_OK : tc_no_memory(emit->ctx);
}

enum tc_status tc_emit_slice(
	struct tc_emit *emit, struct tc_emit_track *track, const struct tc_emit_slice *slice)
{
	enum tc_status status = TC_OK;
	size_t at = 0;

	while (at < track->count && track->lines[at].end_ns > slice->ts)
		at++;
	if (at == track->count)
		status = add_line(emit, track);
	if (status != TC_OK)
		return status;
	track->lines[at].end_ns = tc_add_saturated(slice->ts, slice->dur);
	emit->line = track->lines[at].number;
	emit->slice = *slice;
	emit->form->slice(emit);
	return TC_OK;
}

void tc_emit_track_clear(struct tc_emit_track *track)
{
	tc_free(track->lines);
	*track = (struct tc_emit_track){0};
}
