/*
 * Shared declarations of tracegen, the generator of traces with a known truth.
 *
 * A run is a small simulation: one host clock that moves between threads, device engines that
 * work through what was launched, in order. The simulation is a pure function of the options, so
 * it is replayed once for each section of the output instead of being kept in memory: memory is
 * bounded by one step, whatever the size of the trace. All times are integer nanoseconds.
 */
#ifndef TC_TOOLS_TRACEGEN_H
#define TC_TOOLS_TRACEGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum tg_problem {
#define TG_PROBLEM(ident, name, unit, size, formats, help) TG_##ident,
#include "problems.def"
#undef TG_PROBLEM
	TG_PROBLEM_COUNT
};

enum tg_unit { TG_UNIT_PCT_STEP, TG_UNIT_PCT, TG_UNIT_COUNT };

struct tg_problem_info {
	const char *name;
	enum tg_unit unit;
	int default_size;
	unsigned formats; /* bits of enum tg_format */
	const char *help;
};

extern const struct tg_problem_info tg_problem_infos[TG_PROBLEM_COUNT];

/* FIXED keeps what a problem needs to hurt, but not the problem itself. */
enum tg_state { TG_OFF, TG_ON, TG_FIXED };

enum tg_format { TG_GAUDI_LAZY, TG_GAUDI_KINETO, TG_CUDA };

enum {
	TG_FOR_LAZY = 1 << TG_GAUDI_LAZY,
	TG_FOR_GAUDI = TG_FOR_LAZY | 1 << TG_GAUDI_KINETO,
	TG_FOR_CUDA = 1 << TG_CUDA,
	TG_FOR_ALL = TG_FOR_GAUDI | TG_FOR_CUDA
};

struct tg_sample;

struct tg_options {
	enum tg_format format;
	uint64_t seed;
	int64_t steps;
	int64_t min_events; /* 0: not asked for */
	int64_t min_bytes;  /* 0: not asked for */
	int nodes;          /* graph size, in percent of the default */
	int rank;
	int world_size;
	bool relative_ts; /* gaudi-lazy: ns precision, as PyTorch >= 2.4 */
	enum tg_state state[TG_PROBLEM_COUNT];
	int size[TG_PROBLEM_COUNT];
	const struct tg_sample *sample;
	const char *output;
	const char *truth;
};

/* Which part of the file an event belongs to. */
enum tg_section {
	TG_SEC_CPU,     /* kineto's own host events */
	TG_SEC_DEVICE,  /* engine lanes or streams */
	TG_SEC_SYNAPSE, /* the Synapse host profiler */
	TG_SEC_BRIDGE,  /* the framework bridge */
	TG_SEC_LOGGER,  /* the Synapse API logger */
	TG_SEC_MEMORY,  /* allocations of device memory */
	TG_SEC_COUNT
};

/* What an event's args hold; a, b and c are the event's fields. */
enum tg_args {
	TG_ARGS_NONE,
	TG_ARGS_STEP,   /* a: external id */
	TG_ARGS_OP,     /* a: external id, b: sequence number or 0, c: input dims (batch) or 0 */
	TG_ARGS_DEVICE, /* a: recipe, b: enum tg_dtype, c: correlation */
	TG_ARGS_COPY,   /* a: recipe, c: bytes */
	TG_ARGS_COMM,   /* a: recipe, c: bytes */
	TG_ARGS_HOST,   /* a: recipe */
	TG_ARGS_SIZE,   /* c: bytes; closes with a status */
	TG_ARGS_LAUNCH, /* a: number of tensors; closes with a status */
	TG_ARGS_STATUS, /* nothing; closes with a status */
	TG_ARGS_MEMORY, /* c: bytes, negative when freed; a: event index */
	TG_ARGS_CUDA,   /* a: external id, c: correlation */
	TG_ARGS_PYTHON  /* a: python id, b: parent */
};

enum tg_dtype { TG_DTYPE_NONE, TG_DTYPE_BF16, TG_DTYPE_F32 };

/* Recorded inputs of an operation, each a JSON list. */
struct tg_inputs {
	const char *dims;
	const char *types;
	const char *concrete; /* NULL: tensors only */
};

/* Classes of device work whose unions make the truth. On CUDA kernels are TG_TPC. */
enum tg_class { TG_MME, TG_TPC, TG_DMA, TG_NIC, TG_CLASS_COUNT };

struct tg_event {
	int64_t ts_ns;
	int64_t dur_ns;   /* < 0: an instant */
	const char *name; /* static; `number` is printed behind a name that ends in '#' or '_' */
	uint32_t number;
	uint8_t section;
	uint8_t args;
	uint8_t cls;      /* TG_SEC_DEVICE: enum tg_class */
	uint8_t category; /* enum tg_category */
	uint16_t lane;    /* index within the class, or host thread */
	uint16_t variant; /* MME: write buffer 0 or 1 */
	uint32_t a, b;
	int64_t c;
	const struct tg_inputs *inputs; /* TG_ARGS_OP: what it was called with; NULL: the usual */
};

enum tg_category {
	TG_CAT_OP,
	TG_CAT_ANNOTATION,
	TG_CAT_KERNEL,
	TG_CAT_MEMCPY,
	TG_CAT_MEMSET,
	TG_CAT_OTHER, /* device work that is neither, and host runtime slices */
	TG_CAT_PYTHON
};

enum tg_thread { TG_MAIN, TG_AUTOGRAD, TG_LAUNCHER, TG_THREAD_COUNT };

enum tg_dev { TG_MAX_LANES = 64 };

/* What one pass does with the events of each finished step. Returns false to stop the run. */
struct tg_sim;
typedef bool (*tg_sink)(struct tg_sim *sim, void *data);

struct tg_counts {
	int64_t events;
	int64_t device_slices;
	int64_t kernels; /* slices of MME and TPC, or kernels */
	int64_t nodes;   /* device operations, one for all their lanes */
	int64_t launches;
	int64_t compiles;
	int64_t compile_ns;
	int64_t blocking_waits; /* the host stopped until the device was done */
	int64_t blocked_ns;
	int64_t items;
	int64_t fallbacks;
	int64_t loader_ns;
	int64_t input_copy_ns;
	int64_t mme_slice_ns;     /* summed over lanes */
	int64_t mme_low_slice_ns; /* of it in bf16 */
};

struct tg_sim {
	const struct tg_options *opt;
	int64_t host_quantum_ns;
	int64_t device_quantum_ns;
	bool want_lanes; /* device slices are needed, not only their times */
	int64_t base_ns; /* what the first step's start is */

	int64_t now_ns;
	enum tg_thread thread;
	int64_t launcher_ns; /* clock of the launching thread, where there is one */
	uint32_t step;
	int64_t step_start_ns;
	int64_t step_end_ns;

	int64_t compute_free_ns;
	int64_t copy_free_ns;
	int64_t comm_free_ns;
	int deferred_first, deferred_last; /* forward blocks built but not launched */
	int64_t input_ready_ns;
	int64_t straggler_ns; /* when the slow rank would have been ready in the first step */
	int64_t first_device_ns;
	int64_t last_device_ns;
	int64_t step_device_end_ns[4]; /* ring over steps */
	int64_t bucket_end_ns[4];      /* when the gradients of a bucket are reduced */
	int64_t queue_ns[1024];        /* cuda: when the kernels last launched started */

	int64_t healthy_step_ns;
	int64_t slack_ns; /* host time that a healthy step leaves unused */
	int64_t amount_ns[TG_PROBLEM_COUNT];
	int64_t throttle_ns; /* waited for the device to catch up, in this step */
	int64_t injected_ns[TG_PROBLEM_COUNT];

	uint32_t op_serial; /* place of the operation in its step: the salt of its jitter */
	uint32_t external_id;
	uint32_t correlation;
	uint32_t sequence;
	uint32_t memory_index;
	uint32_t python_id;
	uint32_t recipe_serial;
	int64_t allocated_bytes;
	int64_t block_bytes[8]; /* blocks that are allocated; 0: free */
	struct tg_counts counts;

	struct tg_event *events;
	size_t count;
	size_t capacity;
	bool failed;
};

/* A buffered output that can also only count. */
struct tg_out {
	FILE *file; /* NULL: count only */
	char *buffer;
	size_t used;
	int64_t written;
	bool failed;
};

bool tg_out_open(struct tg_out *out, const char *path);
bool tg_out_close(struct tg_out *out);
void tg_put(struct tg_out *out, const char *text);
void tg_put_int(struct tg_out *out, int64_t value);
void tg_put_hex(struct tg_out *out, uint64_t value);
void tg_put_json(struct tg_out *out, const char *text);
/* Nanoseconds as microseconds: what printing the shortest double gives, "100.5", "2800.0". */
void tg_put_us_double(struct tg_out *out, int64_t ns);
/* The same with exactly three decimals, as kineto prints. */
void tg_put_us_fixed(struct tg_out *out, int64_t ns);

/* A value that depends on its arguments only, so that a problem shifts nothing else. */
uint64_t tg_hash(uint64_t seed, uint64_t a, uint64_t b, uint64_t c);
int64_t tg_jitter(const struct tg_sim *sim, int64_t value, int percent, uint64_t salt);

/* sim.c */
void tg_sim_init(struct tg_sim *sim, const struct tg_options *opt);
void tg_sim_clear(struct tg_sim *sim);
bool tg_on(const struct tg_sim *sim, enum tg_problem problem);
int tg_size(const struct tg_sim *sim, enum tg_problem problem);
/* Whether a problem or what it needs to hurt is there; then how much of it. */
bool tg_planted(const struct tg_sim *sim, enum tg_problem problem);
int tg_planted_size(const struct tg_sim *sim, enum tg_problem problem);
int64_t tg_round_up(int64_t value, int64_t quantum);
void tg_spend(struct tg_sim *sim, int64_t ns);
int64_t tg_wait(struct tg_sim *sim, int64_t until_ns);
struct tg_event *tg_add(struct tg_sim *sim, enum tg_section section, const char *name);
size_t tg_open(struct tg_sim *sim, enum tg_section section, const char *name);
void tg_close(struct tg_sim *sim, size_t index);
size_t tg_open_op(struct tg_sim *sim, const char *name);
size_t tg_open_op_with(struct tg_sim *sim, const char *name, const struct tg_inputs *inputs);
size_t tg_open_annotation(struct tg_sim *sim, const char *name);
size_t tg_open_python(struct tg_sim *sim, const char *name);
void tg_memory(struct tg_sim *sim, int64_t bytes);
void tg_count_device(struct tg_sim *sim, int64_t ts_ns, int64_t end_ns);

/* How long the first collective of a step waits for the slow rank. */
int64_t tg_straggler_wait_ns(struct tg_sim *sim);

/* One step of the workload of each format. */
void tg_step_gaudi(struct tg_sim *sim);
void tg_step_cuda(struct tg_sim *sim);

/* sample.c: traces laid out from public outputs of habana_perf_tool; NULL: no such sample */
const struct tg_sample *tg_sample_find(const char *name);
bool tg_sample_is_relative(const struct tg_sample *sample);
void tg_step_sample(struct tg_sim *sim);

/* run.c: whole runs */
struct tg_measure {
	int64_t wall_ns;
	int64_t step_ns;
	int64_t slack_ns;
};
bool tg_run(struct tg_sim *sim, const struct tg_options *opt, tg_sink sink, void *data);
struct tg_measure tg_measure(const struct tg_options *opt);

/* Writers: the whole file. `steps` of opt is final. */
bool tg_write_lazy(struct tg_out *out, const struct tg_options *opt);
bool tg_write_kineto(struct tg_out *out, const struct tg_options *opt);
bool tg_write_truth(const struct tg_options *opt, const char *path);

/* options.c: 0 to go on, else the exit code plus one. */
int tg_options_parse(struct tg_options *opt, int argc, char **argv);

/* habits.c */
/* The value is read, then written to the terminal and to a log; every 20th step when fixed. */
void tg_print_progress(struct tg_sim *sim, void (*read_value)(struct tg_sim *sim));
/* The pass of DistributedDataParallel, recorded where its time or its calls matter: the slice to
 * close, or SIZE_MAX. */
size_t tg_open_ddp(struct tg_sim *sim);
void tg_search_unused(struct tg_sim *sim);

#endif
