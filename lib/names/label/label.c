/* The words for the meanings of labels, from the lists of this folder: those of a store and those
 * of a report. And how a label keeps its two texts as one. */
#include "names/label/label.h"

#include <string.h>

#include "core/array.h"

/* The names of a list, in its order. */
static const char *const roles[] = {
	NULL,
#define TC_ROLE(id, name, title, help) name,
#include "names/label/roles.def"
};

static const char *const role_titles[] = {
	NULL,
#define TC_ROLE(id, name, title, help) title,
#include "names/label/roles.def"
};

const enum tc_cause tc_cause_of_role[] = {
	TC_CAUSE_OTHER,
#define TC_ROLE(id, name, title, help) TC_CAUSE_##id,
#include "names/label/roles.def"
};

static const struct {
	const char *name, *phrase;
} causes[] = {
#define TC_CAUSE(id, name, phrase, help) {name, phrase},
#define TC_CAUSE_WORDS(name, phrase) {name, phrase},
#include "names/label/causes.def"
};

static const char *const classes[] = {
	NULL,
#define TC_CLASS(id, name, help) name,
#include "names/label/classes.def"
};

static const char *const precisions[] = {
	"unknown",
#define TC_PRECISION(id, name, help) name,
#include "names/label/precisions.def"
};

static const char *const collectives[] = {
	NULL,
#define TC_COLLECTIVE(id, name, help) name,
#include "names/label/collectives.def"
};

static const char *const marks[] = {
	NULL,
#define TC_MARK(id, name, help) name,
#include "names/label/marks.def"
};

static const char *const works[] = {
	NULL,
#define TC_WORK(id, name, help) name,
#include "names/label/works.def"
};

static const char *const vendors[] = {
	NULL,
#define TC_VENDOR(id, name) name,
#include "names/label/vendors.def"
};

static const char *const architectures[] = {
	NULL,
#define TC_ARCHITECTURE(id, name) name,
#include "names/label/architectures.def"
};

static const char *const engines[TC_ENGINE_COUNT] = {
	NULL, "mme", "tpc", "dma", "nic", "other", "compute", "communication", "copy"};
static const char *const op_kinds[] = {NULL, "kernel", "memcpy", "memset", "other"};
static const char *const phases[TC_PHASE_COUNT] = {NULL, "backward", "optimizer"};
static const char *const directions[TC_DIRECTION_COUNT] = {
	NULL, "HtoD", "DtoH", "DtoD", "PtoP", "HtoH"};

#define NAME_OF(function, type, names)                                                             \
	const char *function(enum type value)                                                      \
	{                                                                                          \
		return names[value];                                                               \
	}
NAME_OF(tc_role_name, tc_role, roles)
NAME_OF(tc_role_title, tc_role, role_titles)
NAME_OF(tc_engine_name, tc_engine, engines)
NAME_OF(tc_op_kind_name, tc_op_kind, op_kinds)
NAME_OF(tc_class_name, tc_name_class, classes)
NAME_OF(tc_precision_name, tc_precision, precisions)
NAME_OF(tc_collective_name, tc_collective, collectives)
NAME_OF(tc_mark_name, tc_mark, marks)
NAME_OF(tc_work_name, tc_work_kind, works)
NAME_OF(tc_phase_name, tc_phase, phases)
NAME_OF(tc_direction_name, tc_direction, directions)
NAME_OF(tc_vendor_name, tc_vendor, vendors)
NAME_OF(tc_architecture_name, tc_architecture, architectures)

/* The number of a name in a list; 0 when it is not there. */
static int find(const char *const *names, int count, struct tc_text name)
{
	for (int i = 1; i < count; i++)
		if (tc_text_equal(tc_text_from(names[i]), name))
			return i;
	return 0;
}

enum tc_role tc_role_find(struct tc_text name)
{
	return (enum tc_role)find(roles, TC_ROLE_COUNT, name);
}

static enum tc_engine engine_find(struct tc_text name)
{
	return (enum tc_engine)find(engines, TC_ENGINE_COUNT, name);
}

struct tc_text tc_engine_title(struct tc_text name)
{
	static const char *const titles[TC_ENGINE_COUNT] = {[TC_ENGINE_MME] = "MME",
		[TC_ENGINE_TPC] = "TPC",
		[TC_ENGINE_DMA] = "DMA",
		[TC_ENGINE_NIC] = "NIC"};
	const char *title = titles[engine_find(name)];

	return title ? tc_text_from(title) : name;
}

static size_t find_cause(struct tc_text name)
{
	size_t at = 0;

	while (at < TC_COUNT_OF(causes) && !tc_text_equal(tc_text_from(causes[at].name), name))
		at++;
	return at;
}

const char *tc_silence_name(enum tc_silence_kind kind)
{
	static const char *const names[] = {"pause", "compile"};

	return kind < TC_SILENCE_KINDS ? names[kind] : NULL;
}

const char *tc_cause_name(enum tc_cause cause)
{
	return causes[cause].name;
}

enum tc_cause tc_cause_find(struct tc_text name)
{
	size_t at = find_cause(name);

	return at < TC_CAUSE_COUNT ? (enum tc_cause)at : TC_CAUSE_COUNT;
}

struct tc_text tc_cause_phrase(struct tc_text name)
{
	size_t at = find_cause(name);

	return at < TC_COUNT_OF(causes) ? tc_text_from(causes[at].phrase) : name;
}

static const struct tc_writer writers[] = {
#define TC_WRITER(id, what, shows, remedy) {TC_MARK_##id, what, shows, remedy},
#include "names/label/writers.def"
};

const struct tc_writer *tc_writer_find(struct tc_text format)
{
	for (size_t i = 0; i < TC_COUNT_OF(writers); i++)
		if (tc_text_equal(format, tc_text_from(tc_mark_name(writers[i].mark))))
			return &writers[i];
	return NULL;
}

bool tc_engine_is_gaudi(enum tc_engine engine)
{
	return engine >= TC_ENGINE_MME && engine <= TC_ENGINE_NIC;
}

bool tc_row_loop_goes_on(int64_t pause_ns, int64_t loop_ns, size_t count)
{
	enum { PAUSE_MAX_NS = 1000000, STEADY_COUNT = 4, USUAL_MULTIPLE = 4 };

	if (count < STEADY_COUNT)
		return pause_ns <= PAUSE_MAX_NS;
	return pause_ns <= PAUSE_MAX_NS && pause_ns / USUAL_MULTIPLE <= loop_ns / (int64_t)count;
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
