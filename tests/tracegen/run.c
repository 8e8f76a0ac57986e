/*
 * Whole runs: calibration against the healthy run, then step after step into a sink. The healthy
 * run of the same options says how long a step is and how much of it the host has to spare;
 * problems that are sized in percent of a step are scaled with that.
 */
#include "tracegen.h"

#include <string.h>

enum { TG_CALIBRATION_STEPS = 10, TG_CALIBRATION_FIRST = 5 };

typedef void (*tg_step_fn)(struct tg_sim *sim);

static const tg_step_fn step_of[] = {
	[TG_GAUDI_LAZY] = tg_step_gaudi,
	[TG_GAUDI_KINETO] = tg_step_gaudi,
	[TG_CUDA] = tg_step_cuda,
};

const struct tg_problem_info tg_problem_infos[TG_PROBLEM_COUNT] = {
#define TG_PROBLEM(ident, name, unit, size, formats, help)                                         \
	{name, TG_UNIT_##unit, size, formats, help},
#include "problems.def"
#undef TG_PROBLEM
};

static bool run_steps(struct tg_sim *sim, tg_sink sink, void *data)
{
	tg_step_fn step = sim->opt->sample != NULL ? tg_step_sample : step_of[sim->opt->format];

	for (int64_t i = 0; i < sim->opt->steps && !sim->failed; i++) {
		sim->step = (uint32_t)i;
		sim->throttle_ns = 0;
		step(sim);
		if (!sim->failed && sink != NULL && !sink(sim, data)) {
			return !sim->failed;
		}
		sim->count = 0;
	}
	return !sim->failed;
}

struct calibration {
	int64_t start_ns, end_ns, throttle_ns;
};

static bool calibrate_step(struct tg_sim *sim, void *data)
{
	struct calibration *sum = data;

	if (sim->step == TG_CALIBRATION_FIRST) {
		sum->start_ns = sim->step_start_ns;
	}
	if (sim->step >= TG_CALIBRATION_FIRST && sim->step < TG_CALIBRATION_STEPS - 1) {
		sum->throttle_ns += sim->throttle_ns;
	}
	sum->end_ns = sim->step_start_ns;
	return true;
}

/* The healthy step of these options: its length and the host time it leaves unused. */
static void calibrate(struct tg_sim *sim, const struct tg_options *opt)
{
	struct tg_options healthy = *opt;
	struct tg_sim dry;
	struct calibration sum = {0, 0, 0};
	int64_t steps = TG_CALIBRATION_STEPS - 1 - TG_CALIBRATION_FIRST;

	memset(healthy.state, 0, sizeof(healthy.state));
	healthy.steps = TG_CALIBRATION_STEPS;
	tg_sim_init(&dry, &healthy);
	if (run_steps(&dry, calibrate_step, &sum)) {
		sim->healthy_step_ns = (sum.end_ns - sum.start_ns) / steps;
		sim->slack_ns = sum.throttle_ns / steps;
	} else {
		sim->failed = true;
	}
	tg_sim_clear(&dry);
}

static void size_problems(struct tg_sim *sim)
{
	for (int p = 0; p < TG_PROBLEM_COUNT; p++) {
		if (tg_problem_infos[p].unit == TG_UNIT_PCT_STEP) {
			sim->amount_ns[p] =
				sim->healthy_step_ns / 100 * tg_size(sim, (enum tg_problem)p);
		}
	}
}

bool tg_run(struct tg_sim *sim, const struct tg_options *opt, tg_sink sink, void *data)
{
	bool ok;

	if (opt->sample == NULL) {
		calibrate(sim, opt);
		size_problems(sim);
	}
	ok = run_steps(sim, sink, data);
	tg_sim_clear(sim);
	return ok;
}

struct tg_measure tg_measure(const struct tg_options *opt)
{
	struct tg_measure result = {0, 0, 0};
	struct tg_sim sim;

	tg_sim_init(&sim, opt);
	if (tg_run(&sim, opt, NULL, NULL)) {
		result.wall_ns = (sim.last_device_ns > sim.step_end_ns ? sim.last_device_ns
								       : sim.step_end_ns) -
				 sim.base_ns;
		result.step_ns = sim.healthy_step_ns;
		result.slack_ns = sim.slack_ns;
	}
	return result;
}
