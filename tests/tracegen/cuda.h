/*
 * What the files of the CUDA workload share: runtime calls, streams and operations that launch.
 */
#ifndef TC_TOOLS_CUDA_H
#define TC_TOOLS_CUDA_H

#include "kineto.h"

enum tg_cuda_mark { TG_PLAIN, TG_MATMUL, TG_POINTWISE, TG_ATTENTION_CORE };

/* An operation of the framework and the kernel it launches. */
struct tg_kernel_op {
	const char *name;
	const char *inner;              /* nested operation that launches, or NULL */
	const char *kernel;             /* NULL: launches nothing */
	uint8_t mark;                   /* enum tg_cuda_mark */
	int us;                         /* of the kernel */
	int host_us;                    /* of the host; 0: as most operations */
	const struct tg_inputs *inputs; /* NULL: as most operations */
};

#define TG_VECTORIZED "void at::native::vectorized_elementwise_kernel<4, at::native::"
#define TG_NODE "autograd::engine::evaluate_function: "

/* cuda.c: operations of a healthy step, and blocks of the model */
int tg_cuda_op_count(const struct tg_sim *sim);
int tg_cuda_blocks(const struct tg_sim *sim);

/* How many of `count` things per step fall to this block. */
int tg_cuda_share_count(const struct tg_sim *sim, int count, int block);

/* cuda_ops.c */
size_t tg_cuda_open_runtime(struct tg_sim *sim, const char *name);
void tg_cuda_block_in(struct tg_sim *sim, const char *name, int64_t until_ns);
void tg_cuda_launch(struct tg_sim *sim, const char *kernel, enum tg_class cls, int64_t dur_ns);
void tg_cuda_run_op(
	struct tg_sim *sim, const struct tg_kernel_op *op, int64_t dur_ns, bool numbered);
/* The same with the kernel time of the table. */
void tg_cuda_run(struct tg_sim *sim, const struct tg_kernel_op *op);
/* A copy on a stream behind its work, not before `ready_ns`; returns its end. */
int64_t tg_cuda_copy_on(struct tg_sim *sim, int stream, const char *name, int64_t ready_ns,
	int64_t dur_ns, int64_t bytes);
void tg_cuda_copy(struct tg_sim *sim, const char *name, int64_t dur_ns, int64_t bytes);
void tg_cuda_item(struct tg_sim *sim);

/* cuda_habits.c: problems of a model's own code, each at its place in the step */
void tg_cuda_before_block(struct tg_sim *sim, int block);
/* May change the operation and its time. */
void tg_cuda_before_matmul(struct tg_sim *sim, struct tg_kernel_op *op, int64_t *dur_ns);
void tg_cuda_before_backward_block(struct tg_sim *sim, int block);
void tg_cuda_after_node(struct tg_sim *sim);

/* cuda_ddp.c: what DistributedDataParallel does around and in a pass */
void tg_cuda_fill_bucket(struct tg_sim *sim, int block);
void tg_cuda_reduce_bucket(struct tg_sim *sim, int bucket, int buckets);
void tg_cuda_finish_buckets(struct tg_sim *sim, int buckets);

#endif
