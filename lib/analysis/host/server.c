#include "analysis/host/server.h"

#include "core/alloc.h"
#include "core/array.h"

void tc_server_see(struct tc_server *server, const struct tc_label *label)
{
	server->has_loop |= label->phase != TC_PHASE_NONE || label->role == TC_ROLE_DATALOADER;
	server->has_layers |= label->is_op && (label->name_class == TC_CLASS_MATRIX ||
						      label->name_class == TC_CLASS_CONVOLUTION ||
						      label->name_class == TC_CLASS_ATTENTION ||
						      label->name_class == TC_CLASS_EMBEDDING);
}

TC_ORDER(compare_pauses, int64_t, TC_UP_ITSELF);

/*
 * A loop that pauses about as long between most of its turns does work of its own there: it
 * schedules, samples, answers. Only a pause that is longer than those waits for a request.
 */
static enum tc_status find_usual_pause(struct tc_server *server, const struct tc_timeline *timeline)
{
	const struct tc_step *steps = timeline->steps;
	size_t count = 0;

	server->no_work_min_ns = TC_NO_WORK_MIN_NS;
	if (!server->is_server || timeline->step_count < TC_USUAL_PAUSE_TURNS)
		return TC_OK;
	int64_t *pauses = tc_calloc(timeline->step_count, sizeof(*pauses));
	if (!pauses)
		return tc_no_memory(timeline->ctx);
	for (size_t i = 1; i < timeline->step_count; i++)
		pauses[count++] = steps[i].ts_ns - (steps[i - 1].ts_ns + steps[i - 1].dur_ns);
	TC_SORT(pauses, count, compare_pauses);
	int64_t usual_ns = pauses[count / 2];
	if (usual_ns <= TC_USUAL_PAUSE_MAX_NS && 2 * usual_ns > server->no_work_min_ns)
		server->no_work_min_ns = 2 * usual_ns;
	tc_free(pauses);
	return TC_OK;
}

/* A loop over batches has steps, a loader, or what only training has. Inference without any of them
 * is a server: layers of a model without a loop. */
enum tc_status tc_server_find(struct tc_server *server, const struct tc_timeline *timeline)
{
	server->has_loop |= timeline->step_count > 0 && !timeline->steps_are_iterations;
	server->is_server = server->has_layers && !server->has_loop;
	return find_usual_pause(server, timeline);
}
