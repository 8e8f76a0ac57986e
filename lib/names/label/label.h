/*
 * A label: a pair of category and name, and what it means. Every slice of a trace has one; its
 * meaning is looked up once, in names.def, whatever the number of its slices.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/buf.h"
#include "core/text.h"

/* Roles of host slices, in order of priority; TC_ROLE_NONE inherits from the slice around it. */
enum tc_role {
	TC_ROLE_NONE = 0,
#define TC_ROLE(id, name, title, help) TC_ROLE_##id,
#include "names/label/roles.def"
	TC_ROLE_COUNT
};
const char *tc_role_name(enum tc_role role);    /* "dataloader"; NULL for NONE */
const char *tc_role_title(enum tc_role role);   /* "data loader": in tables; NULL for NONE */
enum tc_role tc_role_find(struct tc_text name); /* NONE for a text that is no role */

/* Why a device is idle; see docs/gaps.md. */
enum tc_cause {
#define TC_CAUSE(id, name, phrase, help) TC_CAUSE_##id,
#include "names/label/causes.def"
	TC_CAUSE_COUNT
};
const char *tc_cause_name(enum tc_cause cause);
enum tc_cause tc_cause_find(struct tc_text name); /* COUNT for a text that is no cause */
/* "the host fetches the next batch" for dataloader; a text that is no cause stays. */
struct tc_text tc_cause_phrase(struct tc_text name);
/* The cause while the thread that launches is in a role, or in none. */
extern const enum tc_cause tc_cause_of_role[TC_ROLE_COUNT];

/* Why the host records nothing for long (analysis/silence.h): it pauses, or compiles until it loads
 * the code. */
enum tc_silence_kind { TC_SILENCE_PAUSE, TC_SILENCE_COMPILE, TC_SILENCE_KINDS };
const char *tc_silence_name(enum tc_silence_kind kind); /* "pause"; NULL for no kind */

/* Engines in order of priority in the partition of device time (Gaudi first, then the others). */
enum tc_engine {
	TC_ENGINE_NONE = 0, /* no device work */
	TC_ENGINE_MME,
	TC_ENGINE_TPC,
	TC_ENGINE_DMA,
	TC_ENGINE_NIC,
	TC_ENGINE_OTHER, /* Gaudi lanes that are none of these (ARC, PMMU), tasks that steer a
			    stream of an Ascend: not part of busy time */
	TC_ENGINE_COMPUTE,
	TC_ENGINE_COMMUNICATION,
	TC_ENGINE_COPY,
	TC_ENGINE_COUNT
};
const char *tc_engine_name(enum tc_engine engine);   /* "mme"; NULL for NONE */
struct tc_text tc_engine_title(struct tc_text name); /* "MME" for mme; other texts stay */
bool tc_engine_is_gaudi(enum tc_engine engine);      /* one that only a Gaudi has */
/* Whether its work is collectives. */
static inline bool tc_engine_is_collective(enum tc_engine engine)
{
	return engine == TC_ENGINE_NIC || engine == TC_ENGINE_COMMUNICATION;
}

/* Whether it runs kernels that compute. */
static inline bool tc_engine_computes(enum tc_engine engine)
{
	return engine == TC_ENGINE_MME || engine == TC_ENGINE_TPC || engine == TC_ENGINE_COMPUTE;
}

enum tc_op_kind { TC_OP_NONE = 0, TC_OP_KERNEL, TC_OP_MEMCPY, TC_OP_MEMSET, TC_OP_OTHER };
const char *tc_op_kind_name(enum tc_op_kind kind);

/* The kind of work that a name tells; NONE where it does not. */
enum tc_name_class {
	TC_CLASS_NONE = 0,
#define TC_CLASS(id, name, help) TC_CLASS_##id,
#include "names/label/classes.def"
	TC_CLASS_COUNT
};
const char *tc_class_name(enum tc_name_class name_class); /* "matrix"; NULL for NONE */

enum tc_precision {
	TC_PRECISION_UNKNOWN = 0,
#define TC_PRECISION(id, name, help) TC_PRECISION_##id,
#include "names/label/precisions.def"
	TC_PRECISION_COUNT
};
const char *tc_precision_name(enum tc_precision precision); /* "bf16"; "unknown" */

enum tc_collective {
	TC_COLLECTIVE_NONE = 0,
#define TC_COLLECTIVE(id, name, help) TC_COLLECTIVE_##id,
#include "names/label/collectives.def"
	TC_COLLECTIVE_COUNT
};
const char *tc_collective_name(enum tc_collective collective); /* "all_reduce"; NULL for NONE */

/* Work that only training has. */
enum tc_phase { TC_PHASE_NONE = 0, TC_PHASE_BACKWARD, TC_PHASE_OPTIMIZER, TC_PHASE_COUNT };
const char *tc_phase_name(enum tc_phase phase); /* NULL for NONE */

enum tc_mark {
	TC_MARK_NONE = 0,
#define TC_MARK(id, name, help) TC_MARK_##id,
#include "names/label/marks.def"
	TC_MARK_COUNT
};
const char *tc_mark_name(enum tc_mark mark); /* "zero_grad"; NULL for NONE */

/* A writer that records no framework and no device; writers.def says what these are. */
struct tc_writer {
	enum tc_mark mark;
	const char *what, *shows, *remedy; /* "a timeline of Horovod"; a sentence; a clause */
};
const struct tc_writer *tc_writer_find(struct tc_text format); /* of a trace; NULL for others */

/* The formula by which the inputs of a framework operation give its FLOPs and bytes. */
enum tc_work_kind {
	TC_WORK_NONE = 0,
#define TC_WORK(id, name, help) TC_WORK_##id,
#include "names/label/works.def"
	TC_WORK_COUNT
};
const char *tc_work_name(enum tc_work_kind work); /* "product"; NULL for NONE */

enum tc_vendor {
	TC_VENDOR_NONE = 0,
#define TC_VENDOR(id, name) TC_VENDOR_##id,
#include "names/label/vendors.def"
	TC_VENDOR_COUNT
};
const char *tc_vendor_name(enum tc_vendor vendor); /* "cuda"; NULL for NONE */

/* Architectures that kernels are made for, oldest first. */
enum tc_architecture {
	TC_ARCHITECTURE_NONE = 0,
#define TC_ARCHITECTURE(id, name) TC_ARCHITECTURE_##id,
#include "names/label/architectures.def"
	TC_ARCHITECTURE_COUNT
};
const char *tc_architecture_name(enum tc_architecture architecture); /* "volta"; NULL for NONE */

/* Where a copy goes. */
enum tc_direction {
	TC_DIRECTION_NONE = 0,
	TC_DIRECTION_HTOD,
	TC_DIRECTION_DTOH,
	TC_DIRECTION_DTOD,
	TC_DIRECTION_PTOP,
	TC_DIRECTION_HTOH,
	TC_DIRECTION_COUNT
};
const char *tc_direction_name(enum tc_direction direction); /* "HtoD"; NULL for NONE */

/* Host slices that advice recognizes by their arguments or their order on a thread. */
enum tc_framework_kind {
	TC_FRAMEWORK_NONE = 0,
#define TC_FRAMEWORK_KIND(id, kind) TC_FRAMEWORK_##id,
#include "names/label/framework_kinds.def"
	TC_FRAMEWORK_COUNT
};

/* A loop over rows has at least so many selects: shorter ones cost little. Our default, no
 * published source. */
#define TC_ROW_LOOP_MIN_COUNT 16

/* Whether a select that follows `pause_ns` after the last one belongs to the same loop of `count`
 * selects in `loop_ns`: it is at most 1 ms later, and not much later than is usual in the loop.
 * Otherwise two loops and the layer between them would be one. */
bool tc_row_loop_goes_on(int64_t pause_ns, int64_t loop_ns, size_t count);

/* An operation that calls no device and takes this long computes on the CPU. Our default, no
 * published source. */
#define TC_ON_CPU_MIN_NS INT64_C(50000)

/*
 * Runtime calls that launch recipes, the one nearest to the launching thread first; then those
 * that copy outside of recipes, and the framework's operations that do, for traces without such
 * calls; then calls for collectives, those of the library first.
 */
enum tc_call_class {
	TC_CALL_NONE = 0,
	TC_CALL_SYN_LAUNCH,
	TC_CALL_LAUNCH_RECIPE,
	TC_CALL_LAUNCH_TASK,
	TC_CALL_ENQUEUE,
	TC_CALL_REPLAY_V3,
	TC_CALL_REPLAY_V2,
	TC_CALL_REPLAY_GRAPH,
	TC_CALL_SYN_COPY,
	TC_CALL_COPY,
	TC_CALL_FRAMEWORK_COPY,
	TC_CALL_HCCL,
	TC_CALL_BRIDGE_COLLECTIVE,
	TC_CALL_FRAMEWORK_COLLECTIVE,
	TC_CALL_COUNT,
};

/* A pair of category and name, and what it means. label.id of the store is label_base + index. A
 * trace may have a million of them. */
struct tc_label {
	const char *key; /* of tc_label_key(), borrowed; NULL: neither category nor name */
	uint32_t key_bytes;
	uint16_t category_bytes; /* UINT16_MAX: as many or more */
	enum tc_role role : 8;
	enum tc_engine engine : 8;      /* of the category alone; NONE for host labels */
	enum tc_engine task_engine : 8; /* of such a task on a COMPUTE lane; NONE: the lane's */
	enum tc_op_kind kind : 8;
	enum tc_name_class name_class : 8;
	enum tc_precision precision : 8;
	enum tc_collective collective : 8;
	enum tc_phase phase : 8;
	enum tc_mark mark : 8;
	enum tc_vendor vendor : 8;             /* whose writer alone has the category */
	enum tc_vendor call_vendor : 8;        /* whose runtime has a call of that name */
	enum tc_architecture architecture : 8; /* of the device, or older than it */
	enum tc_framework_kind framework : 8;
	enum tc_work_kind work : 8;
	enum tc_direction direction : 8; /* of copies */
	uint8_t call_class;              /* enum tc_call_class of such a call on Gaudi */
	bool is_python : 1;              /* a Python stack frame */
	bool is_module : 1;              /* such a frame, of a call of a module */
	bool is_range : 1;      /* drawn by the user or the framework around what it does */
	bool is_op : 1;         /* a framework operation (cpu_op), not a step */
	bool is_host : 1;       /* of a category that only threads of the host carry */
	bool is_launch : 1;     /* a runtime call that may hand work to the device */
	bool is_step : 1;       /* named as profilers name their steps */
	bool is_iteration : 1;  /* one turn of a loop, as a framework calls it */
	bool is_meta : 1;       /* a slice that names a process or a thread */
	bool is_event_wait : 1; /* a call that waits for one event, not for all work of a stream */
	bool is_drain : 1; /* other work, for which the call first waits until the device is idle */
	bool is_note : 1;  /* drawn by the profiler on lanes of a device, no work of it */
	bool is_bridge : 1; /* recorded by the Gaudi bridge alone */
	bool is_lazy : 1;   /* such a slice of an operation in lazy mode */
};
_Static_assert(sizeof(struct tc_label) <= 32, "labels are small");

/* What tensor and matrix cores compute. */
static inline bool tc_label_is_matrix(const struct tc_label *label)
{
	return label->name_class == TC_CLASS_MATRIX || label->name_class == TC_CLASS_CONVOLUTION ||
	       label->name_class == TC_CLASS_ATTENTION;
}

/* Which of several slices of one thread, start and end encloses the others, as far as names tell: a
 * step what is in it, a frame of Python the operation that it calls, and that the call of a
 * runtime. Profilers that count whole microseconds write the operation first. */
enum { TC_LAYER_STEP, TC_LAYER_OTHER, TC_LAYER_OP, TC_LAYER_CALL };
static inline uint8_t tc_label_layer(const struct tc_label *label)
{
	if (label->is_step || label->is_iteration)
		return TC_LAYER_STEP;
	if (label->is_launch || label->call_vendor != TC_VENDOR_NONE)
		return TC_LAYER_CALL;
	return label->is_op ? TC_LAYER_OP : TC_LAYER_OTHER;
}

/* The texts of a label as one: which of them there are, the category, a NUL, the name. The category
 * contains no NUL. An absent text has ptr NULL. */
void tc_label_key(struct tc_buf *key, struct tc_text category, struct tc_text name);
/* Gives a label its texts; the key lives at least as long. */
void tc_label_set_key(struct tc_label *label, struct tc_text key);

/* ptr NULL when absent. */
struct tc_text tc_label_category(const struct tc_label *label);
struct tc_text tc_label_name(const struct tc_label *label);
