/* Facts in words, for the docs; see names.h. */
#include <stddef.h>

#include "names/names.h"

static const char *yes(unsigned value)
{
	return value ? "yes" : NULL;
}

static const char *framework_name(unsigned value)
{
	static const char *const names[TC_FRAMEWORK_COUNT] = {
#define TC_FRAMEWORK_KIND(id, kind) [TC_FRAMEWORK_##id] = #id,
#include "names/label/framework_kinds.def"
	};

	return names[value];
}

#define WORDS(function, type)                                                                      \
	static const char *function##_of(unsigned value)                                           \
	{                                                                                          \
		return function((enum type)value);                                                 \
	}
WORDS(tc_role_name, tc_role)
WORDS(tc_engine_name, tc_engine)
WORDS(tc_op_kind_name, tc_op_kind)
WORDS(tc_direction_name, tc_direction)
WORDS(tc_class_name, tc_name_class)
WORDS(tc_precision_name, tc_precision)
WORDS(tc_collective_name, tc_collective)
WORDS(tc_phase_name, tc_phase)
WORDS(tc_mark_name, tc_mark)
WORDS(tc_work_name, tc_work_kind)
WORDS(tc_vendor_name, tc_vendor)
WORDS(tc_architecture_name, tc_architecture)

static const struct {
	const char *name;
	const char *(*value)(unsigned value);
} facts[TC_FACT_COUNT] = {
	[TC_FACT_ROLE] = {"role", tc_role_name_of},
	[TC_FACT_LAUNCH] = {"launch", yes},
	[TC_FACT_CALL] = {"recipe call", yes},
	[TC_FACT_ENGINE] = {"engine", tc_engine_name_of},
	[TC_FACT_KIND] = {"kind", tc_op_kind_name_of},
	[TC_FACT_TASK] = {"task_engine", tc_engine_name_of},
	[TC_FACT_DIRECTION] = {"direction", tc_direction_name_of},
	[TC_FACT_CLASS] = {"class", tc_class_name_of},
	[TC_FACT_PRECISION] = {"precision", tc_precision_name_of},
	[TC_FACT_COLLECTIVE] = {"collective", tc_collective_name_of},
	[TC_FACT_PHASE] = {"phase", tc_phase_name_of},
	[TC_FACT_MARK] = {"mark", tc_mark_name_of},
	[TC_FACT_FRAMEWORK] = {"framework_op", framework_name},
	[TC_FACT_WORK] = {"work", tc_work_name_of},
	[TC_FACT_STEP] = {"step", yes},
	[TC_FACT_ITERATION] = {"iteration", yes},
	[TC_FACT_QUEUE] = {"queue", yes},
	[TC_FACT_META] = {"metadata", yes},
	[TC_FACT_NOTE] = {"note", yes},
	[TC_FACT_EVENT] = {"event", yes},
	[TC_FACT_DRAIN] = {"drain", yes},
	[TC_FACT_OF_HOST] = {"host", yes},
	[TC_FACT_PYTHON] = {"Python", yes},
	[TC_FACT_MODULE] = {"module", yes},
	[TC_FACT_RANGE] = {"range", yes},
	[TC_FACT_OP] = {"operation", yes},
	[TC_FACT_BRIDGE] = {"Gaudi bridge", yes},
	[TC_FACT_LAZY] = {"lazy mode", yes},
	[TC_FACT_VENDOR] = {"vendor", tc_vendor_name_of},
	[TC_FACT_CALL_VENDOR] = {"call of vendor", tc_vendor_name_of},
	[TC_FACT_ARCHITECTURE] = {"architecture", tc_architecture_name_of},
};

const char *tc_fact_name(enum tc_fact fact)
{
	return facts[fact].name;
}

const char *tc_fact_value_name(enum tc_fact fact, uint8_t value)
{
	const char *name = value > 1 ? facts[fact].value(value - 1u) : NULL;

	return name ? name : "none";
}
