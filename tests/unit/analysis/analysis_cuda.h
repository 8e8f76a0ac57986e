/* A small CUDA-like trace to try one rule of the tallies on. */
#ifndef TC_TESTS_ANALYSIS_CUDA_H
#define TC_TESTS_ANALYSIS_CUDA_H

#include "analysis_fixture.h"

/* A CUDA-like trace: main thread 0, one device "0" with two streams. */
struct cuda {
	struct fixture f;
	uint32_t python, op, launch, loader, sync, step;
	uint32_t kernel, nccl, copy, annotation;
	uint32_t main, stream[2];
};

static inline void cuda_open(struct cuda *c)
{
	struct fixture *f = &c->f;

	fixture_open(f);
	c->python = add_label(f, "python_function", "train.py(3): main", TC_ROLE_NONE, 0);
	c->op = add_label(f, "cpu_op", "aten::mm", TC_ROLE_DISPATCH, 0);
	c->launch = add_label(f, "cuda_runtime", "cudaLaunchKernel", TC_ROLE_LAUNCH, 0);
	c->loader = add_label(f, "user_annotation", "enumerate(DataLoader)", TC_ROLE_DATALOADER, 0);
	c->sync = add_label(f, "cuda_runtime", "cudaDeviceSynchronize", TC_ROLE_SYNC, 0);
	c->step = add_label(f, "user_annotation", "ProfilerStep#1", TC_ROLE_NONE, 0);
	c->kernel = add_label(f, "kernel", "gemm", TC_ROLE_NONE, TC_ENGINE_COMPUTE);
	c->nccl = add_label(f, "kernel", "nccl", TC_ROLE_NONE, TC_ENGINE_COMMUNICATION);
	c->copy = add_label(f, "gpu_memcpy", "Memcpy HtoD", TC_ROLE_NONE, TC_ENGINE_COPY);
	c->annotation = add_label(f, "gpu_user_annotation", "step", TC_ROLE_NONE, 0);
	c->main = add_thread(f, "thread 1 (python)", 0);
	int device = add_device(f, "0");
	c->stream[0] = add_lane(f, device, TC_ENGINE_NONE);
	c->stream[1] = add_lane(f, device, TC_ENGINE_NONE);
}

struct work {
	uint32_t track, label;
	int64_t ts_ns, dur_ns;
};

static inline void launch_work(
	struct fixture *f, const struct work *work, const struct tc_span *launch, int step)
{
	struct tc_span span = make_span(f, work->track, work->label, work->ts_ns, work->dur_ns);

	add_launched(f, &span, launch, step);
}

#endif
