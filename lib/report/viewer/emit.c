#include "report/viewer/emit.h"

#include "core/alloc.h"
#include "core/buf.h"
#include "core/saturate.h"

/* False when memory is out. */
static bool add_line(struct tc_emit *emit, struct tc_emit_track *track)
{
	struct tc_buf name = TC_BUF_EMPTY;

	tc_buf_append_string(&name, track->name);
	if (track->count > 0)
		tc_buf_format(&name, " (%zu)", track->count + 1);
	if (tc_buf_failed(&name))
		tc_no_memory(emit->ctx);
	bool added = TC_PUSH(emit->ctx, track->lines, track->count, track->capacity,
		(struct tc_emit_line){emit->form->line(emit, tc_buf_text(&name)), INT64_MIN});
	tc_buf_clear(&name);
	return added;
}

bool tc_emit_slice(
	struct tc_emit *emit, struct tc_emit_track *track, const struct tc_emit_slice *slice)
{
	size_t at = 0;

	while (at < track->count && track->lines[at].end_ns > slice->ts)
		at++;
	if (at == track->count && !add_line(emit, track))
		return false;
	track->lines[at].end_ns = tc_add_saturated(slice->ts, slice->dur);
	emit->line = track->lines[at].number;
	emit->slice = *slice;
	emit->form->slice(emit);
	return true;
}

void tc_emit_track_clear(struct tc_emit_track *track)
{
	tc_free(track->lines);
	*track = (struct tc_emit_track){0};
}
