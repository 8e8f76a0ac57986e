/* Patterns to meanings; see classify.h. Called once per distinct label, so it need not be fast. */
#include "names/classify.h"

#include "names/pattern.h"

static bool any_matches(const char *const *patterns, size_t count, struct tc_text text)
{
	for (size_t i = 0; i < count; i++)
		if (tc_pattern_match(patterns[i], text))
			return true;
	return false;
}

static enum tc_role role_of(struct tc_text name)
{
	static const struct {
		const char *pattern;
		enum tc_role role;
	} rows[] = {
#define TC_NAME_ROLE(pattern, role) {pattern, TC_ROLE_##role},
#include "names/names.def"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (tc_pattern_match(rows[i].pattern, name))
			return rows[i].role;
	return TC_ROLE_NONE;
}

static bool is_launch_call(struct tc_text name)
{
	static const char *const patterns[] = {
#define TC_LAUNCH_CALL(pattern) pattern,
#include "names/names.def"
	};

	return any_matches(patterns, sizeof(patterns) / sizeof(patterns[0]), name);
}

static enum tc_call_class call_class_of(struct tc_text name)
{
	static const struct {
		const char *pattern;
		enum tc_call_class call_class;
	} rows[] = {
#define TC_RECIPE_CALL(pattern, call_class) {pattern, TC_CALL_##call_class},
#include "names/names.def"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (tc_pattern_match(rows[i].pattern, name))
			return rows[i].call_class;
	return TC_CALL_NONE;
}

static bool is_note(const struct tc_label *label)
{
	static const struct {
		const char *category, *name;
	} rows[] = {
#define TC_NOTE_CATEGORY(category) {category, "*"},
#define TC_NOTE_NAME(category, name) {category, name},
#include "names/names.def"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (tc_pattern_match(rows[i].category, label->category) &&
			tc_pattern_match(rows[i].name, label->name))
			return true;
	return false;
}

static bool is_meta_category(struct tc_text category)
{
	static const char *const patterns[] = {
#define TC_META_CATEGORY(category) category,
#include "names/names.def"
	};

	return any_matches(patterns, sizeof(patterns) / sizeof(patterns[0]), category);
}

static bool is_host_category(struct tc_text category)
{
	static const char *const patterns[] = {
#define TC_HOST_CATEGORY(category) category,
#include "names/names.def"
	};

	return any_matches(patterns, sizeof(patterns) / sizeof(patterns[0]), category);
}

static bool is_step_name(struct tc_text name)
{
	static const char *const prefixes[] = {
#define TC_STEP_PREFIX(text) text,
#include "names/names.def"
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (name.ptr && tc_text_starts(name, tc_text_from(prefixes[i])))
			return true;
	return false;
}

static bool is_collective_kernel(struct tc_text name)
{
	static const char *const patterns[] = {
#define TC_COLLECTIVE_KERNEL(pattern) pattern,
#include "names/names.def"
	};

	return any_matches(patterns, sizeof(patterns) / sizeof(patterns[0]), name);
}

static enum tc_engine task_engine_of(struct tc_text name)
{
	static const struct {
		const char *pattern;
		enum tc_engine engine;
	} rows[] = {
#define TC_STREAM_TASK(pattern, engine) {pattern, TC_ENGINE_##engine},
#include "names/names.def"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (tc_pattern_match(rows[i].pattern, name))
			return rows[i].engine;
	return is_collective_kernel(name) ? TC_ENGINE_COMMUNICATION : TC_ENGINE_NONE;
}

bool tc_is_device_wait(struct tc_text name)
{
	static const char *const patterns[] = {
#define TC_DEVICE_WAIT(pattern) pattern,
#include "names/names.def"
	};

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (tc_pattern_match(patterns[i], name))
			return true;
	return false;
}

static void classify_device_category(struct tc_label *label)
{
	static const struct {
		const char *category;
		enum tc_engine engine;
		enum tc_op_kind kind;
	} rows[] = {
#define TC_DEVICE_CATEGORY(category, engine, kind) {category, TC_ENGINE_##engine, TC_OP_##kind},
#include "names/names.def"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!tc_pattern_match(rows[i].category, label->category))
			continue;
		label->engine = rows[i].engine;
		label->kind = rows[i].kind;
	}
	if (label->kind == TC_OP_KERNEL && is_collective_kernel(label->name))
		label->engine = TC_ENGINE_COMMUNICATION;
}

static bool is_queue_category(struct tc_text category)
{
	static const char *const patterns[] = {
#define TC_QUEUE_CATEGORY(category) category,
#include "names/names.def"
	};

	return any_matches(patterns, sizeof(patterns) / sizeof(patterns[0]), category);
}

static enum tc_op_kind copy_kind(struct tc_text name)
{
	static const struct {
		const char *pattern;
		enum tc_op_kind kind;
	} rows[] = {
#define TC_COPY_NAME(pattern, kind) {pattern, TC_OP_##kind},
#include "names/names.def"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (tc_pattern_match(rows[i].pattern, name))
			return rows[i].kind;
	return TC_OP_NONE;
}

static const char *direction_of(struct tc_text name)
{
	static const struct {
		const char *pattern, *direction;
	} rows[] = {
#define TC_DIRECTION(pattern, direction) {pattern, direction},
#include "names/names.def"
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (tc_pattern_match(rows[i].pattern, name))
			return rows[i].direction;
	return NULL;
}

static enum tc_framework_kind framework_kind_of(struct tc_text name)
{
	static const struct {
		const char *pattern;
		enum tc_framework_kind kind;
	} rows[] = {
#define TC_FRAMEWORK_NAME(pattern, id) {pattern, TC_FRAMEWORK_##id},
#include "names/framework_kinds.def"
	};

	for (size_t i = 0; name.ptr && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (tc_pattern_match(rows[i].pattern, name))
			return rows[i].kind;
	return TC_FRAMEWORK_NONE;
}

static bool category_is(const struct tc_label *label, const char *category)
{
	return tc_pattern_match(category, label->category);
}

/* Sets engine, kind and direction. */
static void classify_work(struct tc_label *label)
{
	if (!label->is_note)
		classify_device_category(label);
	if (label->kind == TC_OP_NONE)
		label->kind = copy_kind(label->name);
	if (is_queue_category(label->category)) {
		label->engine = label->task_engine != TC_ENGINE_NONE ? label->task_engine
								     : TC_ENGINE_COMPUTE;
		label->kind = label->kind == TC_OP_NONE ? TC_OP_KERNEL : label->kind;
	}
	if (label->kind == TC_OP_MEMCPY)
		label->direction = direction_of(label->name);
}

void tc_classify_label(struct tc_label *label)
{
	label->role = TC_ROLE_NONE;
	label->engine = TC_ENGINE_NONE;
	label->task_engine = task_engine_of(label->name);
	label->kind = TC_OP_NONE;
	label->direction = NULL;
	label->is_python = category_is(label, "python_function");
	label->is_op = category_is(label, "cpu_op") || category_is(label, "operator");
	label->is_launch = false;
	label->framework = TC_FRAMEWORK_NONE;
	label->call_class = TC_CALL_NONE;
	label->is_note = is_note(label);
	label->is_host = is_host_category(label->category);
	label->is_meta = is_meta_category(label->category);
	label->is_step = !label->is_note && is_step_name(label->name);
	classify_work(label);
	if (label->engine != TC_ENGINE_NONE)
		return;
	label->role = role_of(label->name);
	label->framework = framework_kind_of(label->name);
	label->is_launch = is_launch_call(label->name);
	if (label->is_launch)
		label->call_class = (uint8_t)call_class_of(label->name);
	if (label->role == TC_ROLE_NONE && label->is_launch)
		label->role = TC_ROLE_LAUNCH;
	if (label->role == TC_ROLE_NONE && label->is_op &&
		!tc_pattern_match("ProfilerStep*", label->name))
		label->role = TC_ROLE_DISPATCH;
}

/* Thread numbers are class * 1000 + engine; class is the position of the engine's prefix in the
 * writer's table. */
static enum tc_engine lane_of_tid(int64_t tid)
{
	static const enum tc_engine by_class[] = {TC_ENGINE_DMA, TC_ENGINE_MME, TC_ENGINE_TPC,
		TC_ENGINE_DMA, TC_ENGINE_DMA, TC_ENGINE_DMA, TC_ENGINE_MME, TC_ENGINE_TPC,
		TC_ENGINE_OTHER, TC_ENGINE_OTHER, TC_ENGINE_OTHER, TC_ENGINE_OTHER, TC_ENGINE_OTHER,
		TC_ENGINE_OTHER, TC_ENGINE_NIC, TC_ENGINE_NIC, TC_ENGINE_NIC, TC_ENGINE_NIC};

	/* Thread 0 also holds Python frames of process 0; engine numbers start above it. */
	if (tid <= 0 || tid / 1000 >= (int64_t)(sizeof(by_class) / sizeof(by_class[0])))
		return TC_ENGINE_NONE;
	return by_class[tid / 1000];
}

enum tc_engine tc_classify_gaudi_lane(struct tc_text thread_name, bool has_tid, int64_t tid)
{
	static const struct {
		const char *pattern;
		enum tc_engine engine;
	} rows[] = {
		{"*MME*", TC_ENGINE_MME},
		{"*TPC*", TC_ENGINE_TPC},
		{"*DMA*", TC_ENGINE_DMA},
		{"*NIC*", TC_ENGINE_NIC},
		{"*ROTATOR*", TC_ENGINE_OTHER},
		{"*ARC*", TC_ENGINE_OTHER},
		{"*PSOC*", TC_ENGINE_OTHER},
		{"*PMMU*", TC_ENGINE_OTHER},
		{"*DECODER*", TC_ENGINE_OTHER},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (thread_name.ptr && tc_pattern_match(rows[i].pattern, thread_name))
			return rows[i].engine;
	return has_tid ? lane_of_tid(tid) : TC_ENGINE_NONE;
}
