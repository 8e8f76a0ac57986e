/* The words that a store has for meanings of labels; see label.h. */
#include "names/label.h"

#include <stddef.h>

const char *tc_role_name(enum tc_role role)
{
	static const char *const names[] = {
		[TC_ROLE_NONE] = NULL,
#define TC_ROLE(id, name, help) [TC_ROLE_##id] = name,
#include "names/roles.def"
#undef TC_ROLE
	};

	return names[role];
}

const char *tc_engine_name(enum tc_engine engine)
{
	static const char *const names[TC_ENGINE_COUNT] = {
		[TC_ENGINE_MME] = "mme",
		[TC_ENGINE_TPC] = "tpc",
		[TC_ENGINE_DMA] = "dma",
		[TC_ENGINE_NIC] = "nic",
		[TC_ENGINE_OTHER] = "other",
		[TC_ENGINE_COMPUTE] = "compute",
		[TC_ENGINE_COMMUNICATION] = "communication",
		[TC_ENGINE_COPY] = "copy",
	};

	return names[engine];
}

bool tc_engine_is_gaudi(enum tc_engine engine)
{
	return engine >= TC_ENGINE_MME && engine <= TC_ENGINE_NIC;
}

const char *tc_op_kind_name(enum tc_op_kind kind)
{
	static const char *const names[] = {
		[TC_OP_NONE] = NULL,
		[TC_OP_KERNEL] = "kernel",
		[TC_OP_MEMCPY] = "memcpy",
		[TC_OP_MEMSET] = "memset",
		[TC_OP_OTHER] = "other",
	};

	return names[kind];
}
