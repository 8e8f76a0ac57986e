/*
 * tracegen: traces of simulated training runs with a known truth, for tests and benchmarks. It
 * shares no code with the reader of traces, so that the two can disagree.
 */
#include "tracegen.h"

#include <errno.h>
#include <string.h>

static bool write_trace(struct tg_out *out, const struct tg_options *opt)
{
	return opt->format == TG_GAUDI_LAZY ? tg_write_lazy(out, opt) : tg_write_kineto(out, opt);
}

static int64_t bytes_of(const struct tg_options *opt, int64_t steps)
{
	struct tg_options probe = *opt;
	struct tg_out out;
	int64_t bytes = -1;

	probe.steps = steps;
	if (tg_out_open(&out, NULL)) {
		bool ok = write_trace(&out, &probe);

		tg_out_close(&out);
		bytes = ok ? out.written : -1;
	}
	return bytes;
}

static bool stop_at_events(struct tg_sim *sim, void *data)
{
	struct tg_options *opt = data;

	sim->counts.events += (int64_t)sim->count;
	opt->steps = (int64_t)sim->step + 1;
	return sim->counts.events < opt->min_events;
}

/* How many steps the asked-for size needs. */
static bool choose_steps(struct tg_options *opt)
{
	enum { FEW = 2, MORE = 12, FOREVER = 100000000 };

	if (opt->min_events > 0) {
		struct tg_options endless = *opt;
		struct tg_sim sim;

		endless.steps = FOREVER;
		tg_sim_init(&sim, &endless);
		sim.want_lanes = true;
		return tg_run(&sim, &endless, stop_at_events, opt);
	}
	if (opt->min_bytes > 0) {
		int64_t few = bytes_of(opt, FEW);
		int64_t more = bytes_of(opt, MORE);
		int64_t per_step = (more - few) / (MORE - FEW);

		if (few < 0 || more < 0 || per_step <= 0) {
			return false;
		}
		opt->steps = (opt->min_bytes - few + per_step - 1) / per_step + FEW;
		opt->steps = opt->steps < 1 ? 1 : opt->steps;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct tg_options opt;
	struct tg_out out;
	int code = tg_options_parse(&opt, argc, argv);
	bool ok;

	if (code != 0) {
		return code - 1;
	}
	if (!choose_steps(&opt)) {
		fprintf(stderr, "tracegen: not enough memory\n");
		return 4;
	}
	if (!tg_out_open(&out, opt.output)) {
		fprintf(stderr, "tracegen: cannot write %s: %s\n", opt.output, strerror(errno));
		return 4;
	}
	ok = write_trace(&out, &opt);
	if (!tg_out_close(&out) || !ok) {
		fprintf(stderr, "tracegen: writing %s failed: %s\n", opt.output, strerror(errno));
		return 4;
	}
	if (opt.truth != NULL && !tg_write_truth(&opt, opt.truth)) {
		fprintf(stderr, "tracegen: writing %s failed: %s\n", opt.truth, strerror(errno));
		return 4;
	}
	return 0;
}
