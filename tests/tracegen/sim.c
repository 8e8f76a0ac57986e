/*
 * The timeline under every workload: one host clock that moves between threads, events appended
 * in the order in which they start, device work counted as it is scheduled.
 *
 * Host times are multiples of the host quantum, device starts of the device quantum, so that what
 * the writers print is exact.
 */
#include "tracegen.h"

#include <stdlib.h>
#include <string.h>

#define EPOCH_NS INT64_C(1689804264000000000)
#define RELATIVE_NS INT64_C(3001234567000000)

uint64_t tg_hash(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15) + a * UINT64_C(0xbf58476d1ce4e5b9) +
		     b * UINT64_C(0x94d049bb133111eb) + c * UINT64_C(0xd6e8feb86659fd93);
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

int64_t tg_jitter(const struct tg_sim *sim, int64_t value, int percent, uint64_t salt)
{
	uint64_t draw = tg_hash(sim->opt->seed, sim->step, salt, 0) % 2001;

	return value + value / 100000 * percent * ((int64_t)draw - 1000);
}

void tg_sim_init(struct tg_sim *sim, const struct tg_options *opt)
{
	bool epoch = opt->format == TG_GAUDI_LAZY && !opt->relative_ts;

	memset(sim, 0, sizeof(*sim));
	sim->opt = opt;
	sim->host_quantum_ns = epoch ? 1000 : 1;
	sim->device_quantum_ns = epoch ? 500 : 1;
	sim->base_ns = (epoch ? EPOCH_NS : RELATIVE_NS) + INT64_C(37000) * opt->rank;
	sim->now_ns = sim->base_ns;
	sim->launcher_ns = sim->base_ns;
	sim->compute_free_ns = sim->base_ns;
	sim->copy_free_ns = sim->base_ns;
	sim->comm_free_ns = sim->base_ns;
	sim->sequence = 1000;
	sim->allocated_bytes = INT64_C(4123456512);
}

void tg_sim_clear(struct tg_sim *sim)
{
	free(sim->events);
	sim->events = NULL;
	sim->count = 0;
	sim->capacity = 0;
}

bool tg_on(const struct tg_sim *sim, enum tg_problem problem)
{
	return sim->opt->state[problem] == TG_ON;
}

int tg_size(const struct tg_sim *sim, enum tg_problem problem)
{
	return tg_on(sim, problem) ? sim->opt->size[problem] : 0;
}

bool tg_planted(const struct tg_sim *sim, enum tg_problem problem)
{
	return sim->opt->state[problem] != TG_OFF;
}

int tg_planted_size(const struct tg_sim *sim, enum tg_problem problem)
{
	return tg_planted(sim, problem) ? sim->opt->size[problem] : 0;
}

int64_t tg_round_up(int64_t value, int64_t quantum)
{
	int64_t rest = value % quantum;

	return rest == 0 ? value : value + quantum - rest;
}

void tg_spend(struct tg_sim *sim, int64_t ns)
{
	sim->now_ns += tg_round_up(ns, sim->host_quantum_ns);
}

/* Moves the host to `until_ns` if that is later; returns how long it waited. */
int64_t tg_wait(struct tg_sim *sim, int64_t until_ns)
{
	int64_t waited = tg_round_up(until_ns, sim->host_quantum_ns) - sim->now_ns;

	if (waited <= 0) {
		return 0;
	}
	sim->now_ns += waited;
	return waited;
}

static struct tg_event scratch;

/* Never fails visibly: without memory the event goes to a scratch place and the run is failed. */
struct tg_event *tg_add(struct tg_sim *sim, enum tg_section section, const char *name)
{
	struct tg_event *event;

	if (sim->count == sim->capacity) {
		size_t capacity = sim->capacity == 0 ? 4096 : sim->capacity * 2;
		struct tg_event *grown = realloc(sim->events, capacity * sizeof(*grown));

		if (grown == NULL) {
			sim->failed = true;
			return &scratch;
		}
		sim->events = grown;
		sim->capacity = capacity;
	}
	event = &sim->events[sim->count++];
	memset(event, 0, sizeof(*event));
	event->section = (uint8_t)section;
	event->name = name;
	event->ts_ns = sim->now_ns;
	event->lane = (uint16_t)sim->thread;
	event->category = TG_CAT_OTHER;
	return event;
}

size_t tg_open(struct tg_sim *sim, enum tg_section section, const char *name)
{
	tg_add(sim, section, name);
	return sim->count - 1;
}

void tg_close(struct tg_sim *sim, size_t index)
{
	if (!sim->failed && index != SIZE_MAX) {
		sim->events[index].dur_ns = sim->now_ns - sim->events[index].ts_ns;
	}
}

size_t tg_open_op(struct tg_sim *sim, const char *name)
{
	struct tg_event *event = tg_add(sim, TG_SEC_CPU, name);

	event->category = TG_CAT_OP;
	event->args = TG_ARGS_OP;
	event->a = ++sim->external_id;
	return sim->count - 1;
}

size_t tg_open_op_with(struct tg_sim *sim, const char *name, const struct tg_inputs *inputs)
{
	size_t index = tg_open_op(sim, name);

	if (!sim->failed) {
		sim->events[index].inputs = inputs;
	}
	return index;
}

size_t tg_open_annotation(struct tg_sim *sim, const char *name)
{
	size_t index = tg_open_op(sim, name);

	if (!sim->failed) {
		sim->events[index].category = TG_CAT_ANNOTATION;
		sim->events[index].args = TG_ARGS_STEP;
	}
	return index;
}

size_t tg_open_python(struct tg_sim *sim, const char *name)
{
	struct tg_event *event = tg_add(sim, TG_SEC_CPU, name);

	event->category = TG_CAT_PYTHON;
	event->args = TG_ARGS_PYTHON;
	event->a = ++sim->python_id;
	return sim->count - 1;
}

/* Where a block is put, or where the one lies that is freed. */
static uint32_t take_block(struct tg_sim *sim, int64_t bytes)
{
	uint32_t i = 0;

	while (i < 7 && sim->block_bytes[i] != (bytes > 0 ? 0 : -bytes)) {
		i++;
	}
	sim->block_bytes[i] = bytes > 0 ? bytes : 0;
	return i;
}

void tg_memory(struct tg_sim *sim, int64_t bytes)
{
	struct tg_event *event = tg_add(sim, TG_SEC_MEMORY, "[memory]");

	sim->allocated_bytes += bytes;
	event->dur_ns = -1;
	event->args = TG_ARGS_MEMORY;
	event->a = ++sim->memory_index;
	event->b = (uint32_t)(sim->allocated_bytes / 512);
	event->c = bytes;
	event->number = take_block(sim, bytes);
}

void tg_count_device(struct tg_sim *sim, int64_t ts_ns, int64_t end_ns)
{
	if (sim->first_device_ns == 0 || ts_ns < sim->first_device_ns) {
		sim->first_device_ns = ts_ns;
	}
	if (end_ns > sim->last_device_ns) {
		sim->last_device_ns = end_ns;
	}
}

/* The slow rank loses its amount in each step while the others could keep the healthy pace. */
int64_t tg_straggler_wait_ns(struct tg_sim *sim)
{
	int64_t ready = sim->compute_free_ns;
	int64_t lag = sim->amount_ns[TG_STRAGGLER];
	int64_t arrives;

	if (sim->step == 0) {
		sim->straggler_ns = ready;
	}
	arrives = sim->straggler_ns + lag + (int64_t)sim->step * (sim->healthy_step_ns + lag);
	sim->injected_ns[TG_STRAGGLER] += lag;
	return arrives > ready ? arrives - ready : 0;
}
