/* The words that a store has for meanings of labels; see label.h. */
#include "names/label.h"

#include <stddef.h>

/* tc_<noun>_name() looks the word up in <noun>_names; a value that is not listed has none. */
#define NAME_FUNCTION(noun, type)                                                                  \
	const char *tc_##noun##_name(enum tc_##type value)                                         \
	{                                                                                          \
		return noun##_names[value];                                                        \
	}

static const char *const role_names[] = {
#define TC_ROLE(id, name, help) [TC_ROLE_##id] = name,
#include "names/roles.def"
#undef TC_ROLE
};
NAME_FUNCTION(role, role)

static const char *const engine_names[TC_ENGINE_COUNT] = {
	[TC_ENGINE_MME] = "mme",
	[TC_ENGINE_TPC] = "tpc",
	[TC_ENGINE_DMA] = "dma",
	[TC_ENGINE_NIC] = "nic",
	[TC_ENGINE_OTHER] = "other",
	[TC_ENGINE_COMPUTE] = "compute",
	[TC_ENGINE_COMMUNICATION] = "communication",
	[TC_ENGINE_COPY] = "copy",
};
NAME_FUNCTION(engine, engine)

bool tc_engine_is_gaudi(enum tc_engine engine)
{
	return engine >= TC_ENGINE_MME && engine <= TC_ENGINE_NIC;
}

static const char *const op_kind_names[] = {
	[TC_OP_KERNEL] = "kernel",
	[TC_OP_MEMCPY] = "memcpy",
	[TC_OP_MEMSET] = "memset",
	[TC_OP_OTHER] = "other",
};
NAME_FUNCTION(op_kind, op_kind)

static const char *const class_names[] = {
#define TC_CLASS(id, name, help) [TC_CLASS_##id] = name,
#include "names/classes.def"
#undef TC_CLASS
};
NAME_FUNCTION(class, name_class)

static const char *const precision_names[] = {
	[TC_PRECISION_UNKNOWN] = "unknown",
#define TC_PRECISION(id, name, help) [TC_PRECISION_##id] = name,
#include "names/precisions.def"
};
NAME_FUNCTION(precision, precision)

bool tc_precision_is_low(enum tc_precision precision)
{
	return precision == TC_PRECISION_FP16 || precision == TC_PRECISION_BF16 ||
	       precision == TC_PRECISION_FP8 || precision == TC_PRECISION_FP4;
}

static const char *const collective_names[] = {
#define TC_COLLECTIVE(id, name, help) [TC_COLLECTIVE_##id] = name,
#include "names/collectives.def"
#undef TC_COLLECTIVE
};
NAME_FUNCTION(collective, collective)

static const char *const mark_names[] = {
#define TC_MARK(id, name, help) [TC_MARK_##id] = name,
#include "names/marks.def"
#undef TC_MARK
};
NAME_FUNCTION(mark, mark)

static const char *const phase_names[] = {
	[TC_PHASE_BACKWARD] = "backward",
	[TC_PHASE_OPTIMIZER] = "optimizer",
};
NAME_FUNCTION(phase, phase)

static const char *const direction_names[] = {
	[TC_DIRECTION_HTOD] = "HtoD",
	[TC_DIRECTION_DTOH] = "DtoH",
	[TC_DIRECTION_DTOD] = "DtoD",
	[TC_DIRECTION_PTOP] = "PtoP",
	[TC_DIRECTION_HTOH] = "HtoH",
};
NAME_FUNCTION(direction, direction)

static const char *const vendor_names[] = {
#define TC_VENDOR(id, name) [TC_VENDOR_##id] = name,
#include "names/vendors.def"
#undef TC_VENDOR
};
NAME_FUNCTION(vendor, vendor)

static const char *const architecture_names[] = {
#define TC_ARCHITECTURE(id, name) [TC_ARCHITECTURE_##id] = name,
#include "names/architectures.def"
#undef TC_ARCHITECTURE
};
NAME_FUNCTION(architecture, architecture)
