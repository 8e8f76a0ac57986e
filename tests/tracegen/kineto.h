/*
 * Between the kineto writer and the part of it that knows CUDA.
 */
#ifndef TC_TOOLS_KINETO_H
#define TC_TOOLS_KINETO_H

#include "tracegen.h"

enum { TG_STREAM_COMPUTE = 7, TG_STREAM_COMM = 20, TG_STREAM_HOST_LINK = 24 };

#define TG_CUDA_PROPERTIES                                                                         \
	"\"id\": 0, \"name\": \"NVIDIA H100 80GB HBM3\", \"totalGlobalMem\": 85018279936,\n"       \
	"      \"computeMajor\": 9, \"computeMinor\": 0,\n"                                        \
	"      \"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": 2048,\n"             \
	"      \"regsPerBlock\": 65536, \"warpSize\": 32,\n"                                       \
	"      \"sharedMemPerBlock\": 49152, \"numSms\": 132"

struct tg_kineto {
	struct tg_out *out;
	const struct tg_options *opt;
	bool first;
	bool cpu; /* this replay writes framework operations, the other one all else */
	int64_t base_ns, end_ns;
};

void tg_kineto_field(struct tg_kineto *k, const char *key, int64_t value);
void tg_kineto_slice(struct tg_kineto *k, const struct tg_event *event, const char *category);
void tg_kineto_arrow(struct tg_kineto *k, const struct tg_event *event, bool starts);

/* write_cuda.c */
void tg_kineto_put_cuda(struct tg_kineto *k, const struct tg_event *event);

#endif
