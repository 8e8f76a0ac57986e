/*
 * The truth of a run, taken from the simulation itself: every device slice adds to a sweep that
 * knows for each moment which classes of engines work; host windows and counts come with it.
 *
 * The sweep is settled step by step up to the host's clock, because later launches cannot start
 * before it, so that memory is bounded by the work in flight. Costs of problems are measured by
 * running everything again without the one problem.
 */
#include "tracegen.h"

#include <stdlib.h>
#include <string.h>

enum { MASKS = 1 << TG_CLASS_COUNT };

struct interval {
	int64_t start_ns, end_ns;
	int cls;
};

struct edge {
	int64_t at_ns;
	int cls;
	int delta;
};

struct step_window {
	int64_t ts_ns, dur_ns;
};

struct truth {
	struct interval *pending;
	size_t count, capacity;
	struct edge *edges;
	size_t edge_capacity;
	int64_t mask_ns[MASKS]; /* time during which exactly these classes work */
	int64_t first_ns, last_ns;
	struct step_window *steps;
	size_t step_count, step_capacity;
	struct tg_counts counts;
};

static bool grow(void **array, size_t *capacity, size_t needed, size_t size)
{
	size_t wanted = *capacity == 0 ? 1024 : *capacity;
	void *grown;

	while (wanted < needed) {
		wanted *= 2;
	}
	if (wanted == *capacity) {
		return true;
	}
	grown = realloc(*array, wanted * size);
	if (grown == NULL) {
		return false;
	}
	*array = grown;
	*capacity = wanted;
	return true;
}

static int compare_edges(const void *left, const void *right)
{
	const struct edge *a = left;
	const struct edge *b = right;

	return a->at_ns < b->at_ns ? -1 : a->at_ns > b->at_ns;
}

static size_t make_edges(struct truth *t, int64_t until_ns)
{
	size_t edges = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct interval *it = &t->pending[i];

		if (it->start_ns < until_ns) {
			int64_t end = it->end_ns < until_ns ? it->end_ns : until_ns;

			t->edges[edges++] = (struct edge){it->start_ns, it->cls, 1};
			t->edges[edges++] = (struct edge){end, it->cls, -1};
		}
	}
	qsort(t->edges, edges, sizeof(*t->edges), compare_edges);
	return edges;
}

static void sweep(struct truth *t, size_t edges)
{
	int depth[TG_CLASS_COUNT] = {0};
	unsigned mask = 0;

	for (size_t i = 0; i < edges; i++) {
		const struct edge *edge = &t->edges[i];

		if (i > 0) {
			t->mask_ns[mask] += edge->at_ns - t->edges[i - 1].at_ns;
		}
		depth[edge->cls] += edge->delta;
		mask = depth[edge->cls] > 0 ? mask | 1U << edge->cls : mask & ~(1U << edge->cls);
	}
}

/* Counts everything before `until_ns` and keeps the rest. */
static bool settle(struct truth *t, int64_t until_ns)
{
	size_t kept = 0;

	if (!grow((void **)&t->edges, &t->edge_capacity, t->count * 2, sizeof(*t->edges))) {
		return false;
	}
	sweep(t, make_edges(t, until_ns));
	for (size_t i = 0; i < t->count; i++) {
		struct interval it = t->pending[i];

		if (it.end_ns > until_ns) {
			it.start_ns = it.start_ns > until_ns ? it.start_ns : until_ns;
			t->pending[kept++] = it;
		}
	}
	t->count = kept;
	return true;
}

static bool add_slice(struct truth *t, const struct tg_event *event)
{
	int64_t end = event->ts_ns + event->dur_ns;

	if (!grow((void **)&t->pending, &t->capacity, t->count + 1, sizeof(*t->pending))) {
		return false;
	}
	t->pending[t->count++] = (struct interval){event->ts_ns, end, event->cls};
	t->counts.device_slices++;
	if (event->category == TG_CAT_KERNEL) {
		t->counts.kernels++;
	}
	if (event->cls == TG_MME) {
		t->counts.mme_slice_ns += event->dur_ns;
		t->counts.mme_low_slice_ns += event->b == TG_DTYPE_BF16 ? event->dur_ns : 0;
	}
	if (t->first_ns == 0 || event->ts_ns < t->first_ns) {
		t->first_ns = event->ts_ns;
	}
	if (end > t->last_ns) {
		t->last_ns = end;
	}
	return true;
}

static bool observe(struct tg_sim *sim, void *data)
{
	struct truth *t = data;

	if (!grow((void **)&t->steps, &t->step_capacity, t->step_count + 1, sizeof(*t->steps))) {
		sim->failed = true;
		return false;
	}
	t->steps[t->step_count].ts_ns = sim->step_start_ns;
	t->steps[t->step_count++].dur_ns = sim->step_end_ns - sim->step_start_ns;
	t->counts.events += (int64_t)sim->count;
	for (size_t i = 0; i < sim->count; i++) {
		if (sim->events[i].section == TG_SEC_DEVICE && !add_slice(t, &sim->events[i])) {
			sim->failed = true;
			return false;
		}
	}
	if (!settle(t, sim->now_ns)) {
		sim->failed = true;
	}
	return !sim->failed;
}

/* Time of all masks that hold any of `any` and none of `none`. */
static int64_t sum_masks(const struct truth *t, unsigned any, unsigned none)
{
	int64_t sum = 0;

	for (unsigned mask = 1; mask < MASKS; mask++) {
		if ((mask & any) != 0 && (mask & none) == 0) {
			sum += t->mask_ns[mask];
		}
	}
	return sum;
}

static void put_value(FILE *file, const char *name, int64_t value)
{
	fprintf(file, "  \"%s\": %lld,\n", name, (long long)value);
}

static void put_device(FILE *file, const struct truth *t)
{
	enum { MME = 1 << TG_MME, TPC = 1 << TG_TPC, DMA = 1 << TG_DMA, NIC = 1 << TG_NIC };
	int64_t busy = sum_masks(t, MASKS - 1, 0);
	int64_t both = 0;

	for (unsigned mask = 0; mask < MASKS; mask++) {
		both += (mask & (MME | TPC)) == (MME | TPC) ? t->mask_ns[mask] : 0;
	}
	put_value(file, "device_busy_ns", busy);
	put_value(file, "device_span_ns", t->last_ns - t->first_ns);
	put_value(file, "device_idle_ns", t->last_ns - t->first_ns - busy);
	put_value(file, "device_start_ns", t->first_ns);
	put_value(file, "device_end_ns", t->last_ns);
	put_value(file, "compute_busy_ns", sum_masks(t, MME | TPC, 0));
	put_value(file, "mme_busy_ns", sum_masks(t, MME, 0));
	put_value(file, "tpc_busy_ns", sum_masks(t, TPC, 0));
	put_value(file, "dma_busy_ns", sum_masks(t, DMA, 0));
	put_value(file, "communication_busy_ns", sum_masks(t, NIC, 0));
	put_value(file, "mme_tpc_overlap_ns", both);
	put_value(file, "tpc_exclusive_ns", sum_masks(t, TPC, MME));
	put_value(file, "dma_exclusive_ns", sum_masks(t, DMA, MME | TPC));
	put_value(file, "exposed_communication_ns", sum_masks(t, NIC, MME | TPC));
	put_value(file, "mme_slice_ns", t->counts.mme_slice_ns);
	put_value(file, "mme_low_precision_slice_ns", t->counts.mme_low_slice_ns);
}

static void put_counts(FILE *file, const struct truth *t, const struct tg_sim *sim)
{
	put_value(file, "event_count", t->counts.events);
	put_value(file, "device_slice_count", t->counts.device_slices);
	put_value(file, "kernel_slice_count", t->counts.kernels);
	put_value(file, "device_op_count", sim->counts.nodes);
	put_value(file, "launch_count", sim->counts.launches);
	put_value(file, "compile_count", sim->counts.compiles);
	put_value(file, "compile_ns", sim->counts.compile_ns);
	put_value(file, "blocking_wait_count", sim->counts.blocking_waits);
	put_value(file, "blocked_ns", sim->counts.blocked_ns);
	put_value(file, "item_count", sim->counts.items);
	put_value(file, "cpu_fallback_count", sim->counts.fallbacks);
	put_value(file, "dataloader_ns", sim->counts.loader_ns);
	put_value(file, "input_copy_ns", sim->counts.input_copy_ns);
}

static void put_problems(
	FILE *file, const struct tg_options *opt, const struct tg_sim *sim, int64_t wall_ns)
{
	const char *comma = "";

	fprintf(file, "  \"problems\": [");
	for (int p = 0; p < TG_PROBLEM_COUNT; p++) {
		struct tg_options without = *opt;

		if (opt->state[p] != TG_ON) {
			continue;
		}
		without.state[p] = TG_FIXED;
		fprintf(file,
			"%s\n    {\"name\": \"%s\", \"size\": %d, \"injected_ns\": %lld, "
			"\"cost_ns\": %lld}",
			comma, tg_problem_infos[p].name, opt->size[p],
			(long long)sim->injected_ns[p],
			(long long)(wall_ns - tg_measure(&without).wall_ns));
		comma = ",";
	}
	fprintf(file, "\n  ],\n");
}

static void put_steps(FILE *file, const struct truth *t)
{
	fprintf(file, "  \"steps\": [");
	for (size_t i = 0; i < t->step_count; i++) {
		fprintf(file, "%s\n    {\"ts_ns\": %lld, \"dur_ns\": %lld}", i > 0 ? "," : "",
			(long long)t->steps[i].ts_ns, (long long)t->steps[i].dur_ns);
	}
	fprintf(file, "\n  ]\n");
}

static void put_truth(FILE *file, const struct truth *t, const struct tg_sim *sim)
{
	int64_t end = sim->step_end_ns > t->last_ns ? sim->step_end_ns : t->last_ns;
	int64_t host = 0;

	for (size_t i = 0; i < t->step_count; i++) {
		host += t->steps[i].dur_ns;
	}
	static const char *const formats[] = {"gaudi-lazy", "gaudi-kineto", "cuda"};

	fprintf(file, "{\n  \"format\": \"%s\",\n", formats[sim->opt->format]);
	put_value(file, "start_ns", sim->base_ns);
	put_value(file, "wall_ns", end - sim->base_ns);
	put_value(file, "host_steps_ns", host);
	put_value(file, "healthy_step_ns", sim->healthy_step_ns);
	put_value(file, "slack_ns", sim->slack_ns);
	put_value(file, "step_count", (int64_t)t->step_count);
	put_device(file, t);
	put_counts(file, t, sim);
	put_problems(file, sim->opt, sim, end - sim->base_ns);
	put_steps(file, t);
	fprintf(file, "}\n");
}

bool tg_write_truth(const struct tg_options *opt, const char *path)
{
	struct truth t;
	struct tg_sim sim;
	FILE *file = NULL;
	bool ok;

	memset(&t, 0, sizeof(t));
	tg_sim_init(&sim, opt);
	sim.want_lanes = true;
	ok = tg_run(&sim, opt, observe, &t) && settle(&t, INT64_MAX);
	if (ok) {
		file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
		ok = file != NULL;
	}
	if (ok) {
		put_truth(file, &t, &sim);
		ok = ferror(file) == 0;
		ok = (file == stdout ? fflush(file) : fclose(file)) == 0 && ok;
	}
	free(t.pending);
	free(t.edges);
	free(t.steps);
	return ok;
}
