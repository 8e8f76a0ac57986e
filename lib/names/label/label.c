/* The words that a store has for meanings of labels; see label.h. */
#include "names/label/label.h"

#include <stddef.h>
#include <string.h>

const char *tc_role_name(enum tc_role role)
{
	static const char *const names[] = {
		[TC_ROLE_NONE] = NULL,
#define TC_ROLE(id, name, help) [TC_ROLE_##id] = name,
#include "names/label/roles.def"
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

const char *tc_class_name(enum tc_name_class name_class)
{
	static const char *const names[] = {
		[TC_CLASS_NONE] = NULL,
#define TC_CLASS(id, name, help) [TC_CLASS_##id] = name,
#include "names/label/classes.def"
#undef TC_CLASS
	};

	return names[name_class];
}

const char *tc_precision_name(enum tc_precision precision)
{
	static const char *const names[] = {
		[TC_PRECISION_UNKNOWN] = "unknown",
#define TC_PRECISION(id, name, help) [TC_PRECISION_##id] = name,
#include "names/label/precisions.def"
	};

	return names[precision];
}

bool tc_precision_is_low(enum tc_precision precision)
{
	return precision == TC_PRECISION_FP16 || precision == TC_PRECISION_BF16 ||
	       precision == TC_PRECISION_FP8 || precision == TC_PRECISION_FP4;
}

const char *tc_collective_name(enum tc_collective collective)
{
	static const char *const names[] = {
		[TC_COLLECTIVE_NONE] = NULL,
#define TC_COLLECTIVE(id, name, help) [TC_COLLECTIVE_##id] = name,
#include "names/label/collectives.def"
#undef TC_COLLECTIVE
	};

	return names[collective];
}

const char *tc_mark_name(enum tc_mark mark)
{
	static const char *const names[] = {
		[TC_MARK_NONE] = NULL,
#define TC_MARK(id, name, help) [TC_MARK_##id] = name,
#include "names/label/marks.def"
#undef TC_MARK
	};

	return names[mark];
}

const char *tc_work_name(enum tc_work_kind work)
{
	static const char *const names[] = {
		[TC_WORK_NONE] = NULL,
#define TC_WORK(id, name, help) [TC_WORK_##id] = name,
#include "names/label/works.def"
#undef TC_WORK
	};

	return names[work];
}

const char *tc_phase_name(enum tc_phase phase)
{
	static const char *const names[] = {
		[TC_PHASE_NONE] = NULL,
		[TC_PHASE_BACKWARD] = "backward",
		[TC_PHASE_OPTIMIZER] = "optimizer",
	};

	return names[phase];
}

const char *tc_direction_name(enum tc_direction direction)
{
	static const char *const names[] = {
		[TC_DIRECTION_NONE] = NULL,
		[TC_DIRECTION_HTOD] = "HtoD",
		[TC_DIRECTION_DTOH] = "DtoH",
		[TC_DIRECTION_DTOD] = "DtoD",
		[TC_DIRECTION_PTOP] = "PtoP",
		[TC_DIRECTION_HTOH] = "HtoH",
	};

	return names[direction];
}

const char *tc_vendor_name(enum tc_vendor vendor)
{
	static const char *const names[] = {
		[TC_VENDOR_NONE] = NULL,
#define TC_VENDOR(id, name) [TC_VENDOR_##id] = name,
#include "names/label/vendors.def"
#undef TC_VENDOR
	};

	return names[vendor];
}

const char *tc_architecture_name(enum tc_architecture architecture)
{
	static const char *const names[] = {
		[TC_ARCHITECTURE_NONE] = NULL,
#define TC_ARCHITECTURE(id, name) [TC_ARCHITECTURE_##id] = name,
#include "names/label/architectures.def"
#undef TC_ARCHITECTURE
	};

	return names[architecture];
}

enum { HAS_CATEGORY = 1, HAS_NAME = 2 }; /* bits of the first character of a key, from '0' */

void tc_label_key(struct tc_buf *key, struct tc_text category, struct tc_text name)
{
	tc_buf_reset(key);
	tc_buf_append_char(
		key, (char)('0' + (category.ptr ? HAS_CATEGORY : 0) + (name.ptr ? HAS_NAME : 0)));
	tc_buf_append_text(key, category);
	tc_buf_append_char(key, '\0');
	tc_buf_append_text(key, name);
}

void tc_label_set_key(struct tc_label *label, struct tc_text key)
{
	size_t category_bytes = strlen(key.ptr + 1);

	label->key = key.ptr;
	label->key_bytes = (uint32_t)key.len;
	label->category_bytes = category_bytes < UINT16_MAX ? (uint16_t)category_bytes : UINT16_MAX;
}

static bool has(const struct tc_label *label, int which)
{
	return label->key && ((label->key[0] - '0') & which);
}

static size_t category_len(const struct tc_label *label)
{
	return label->category_bytes < UINT16_MAX ? label->category_bytes : strlen(label->key + 1);
}

struct tc_text tc_label_category(const struct tc_label *label)
{
	return has(label, HAS_CATEGORY) ? (struct tc_text){label->key + 1, category_len(label)}
					: TC_TEXT_NONE;
}

struct tc_text tc_label_name(const struct tc_label *label)
{
	if (!has(label, HAS_NAME))
		return TC_TEXT_NONE;
	size_t before = category_len(label) + 2;
	return (struct tc_text){label->key + before, label->key_bytes - before};
}
