/*
 * What names mean, looked up in the table of names (table/names.def).
 *
 * Each pattern is filed under four letters that a name must have to match it, in a bucket by their
 * hash. A name is read once, letter by letter: only the patterns in the buckets of its own parts of
 * four letters are compared with it. "aten::linear" meets the buckets of "aten", "ten:", "en::" and
 * so on, and among them the one under which "aten::linear*" is filed. Then each fact is what the
 * first of the rows that match says of it.
 *
 * Here are also the lanes of a Gaudi, and the words for facts, which the docs show.
 */
#include "names/names.h"

#include "core/alloc.h"
#include "core/array.h"

/* Compares a pattern with a name: "*gemm_%x%*" fits "sgemm_128x64_nn". */

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Where text may go on after a '*': from at on, the next letter that is want in either case;
 * the end where there is none. Most patterns end here, so this is what classification costs. */
static size_t skip_to(char want, struct tc_text text, size_t at)
{
	char low = lower(want), high = low;

	if (want == '%')
		return at;
	if (low >= 'a' && low <= 'z')
		high = (char)(low - 'a' + 'A');
	while (at < text.len && text.ptr[at] != low && text.ptr[at] != high)
		at++;
	return at;
}

/*
 * Backtracks to the last '*' only: linear in practice, len(pattern) * len(text) at worst. '%' takes
 * all digits there are, so it needs no way back.
 */
bool tc_pattern_match(const char *pattern, struct tc_text text)
{
	const char *star = NULL;
	size_t at = 0, star_at = 0;

	while (at < text.len) {
		if (*pattern == '*') {
			star = ++pattern;
			if (!*star)
				return true;
			star_at = at = *star == '*' ? at : skip_to(*star, text, at);
		} else if (*pattern == '%' && tc_is_digit(text.ptr[at])) {
			while (at < text.len && tc_is_digit(text.ptr[at]))
				at++;
			pattern++;
		} else if (*pattern && *pattern != '%' && lower(*pattern) == lower(text.ptr[at])) {
			pattern++;
			at++;
		} else if (star) {
			pattern = star;
			star_at = at = skip_to(*star, text, star_at + 1);
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}

#define NONE_VALUE 1 /* of a fact: there is none */
#define YES_VALUE 2

static const struct tc_name_rule rules[] = {
#define FACT(fact, value) [TC_FACT_##fact] = 1 + TC_##value
#define ROLE(id) FACT(ROLE, ROLE_##id)
#define CALL(id) FACT(CALL, CALL_##id)
#define ENGINE(id) FACT(ENGINE, ENGINE_##id)
#define TASK(id) FACT(TASK, ENGINE_##id)
#define KIND(id) FACT(KIND, OP_##id)
#define DIRECTION(id) FACT(DIRECTION, DIRECTION_##id)
#define CLASS(id) FACT(CLASS, CLASS_##id)
#define PRECISION(id) FACT(PRECISION, PRECISION_##id)
#define COLLECTIVE(id) FACT(COLLECTIVE, COLLECTIVE_##id)
#define PHASE(id) FACT(PHASE, PHASE_##id)
#define MARK(id) FACT(MARK, MARK_##id)
#define VENDOR(id) FACT(VENDOR, VENDOR_##id)
#define CALL_VENDOR(id) FACT(CALL_VENDOR, VENDOR_##id)
#define ARCHITECTURE(id) FACT(ARCHITECTURE, ARCHITECTURE_##id)
#define FRAMEWORK(id) FACT(FRAMEWORK, FRAMEWORK_##id)
#define WORK(id) FACT(WORK, WORK_##id)
#define TC_PRECISION_NONE TC_PRECISION_UNKNOWN
#define LAUNCH [TC_FACT_LAUNCH] = YES_VALUE
#define STEP [TC_FACT_STEP] = YES_VALUE
#define ITERATION [TC_FACT_ITERATION] = YES_VALUE
#define QUEUE [TC_FACT_QUEUE] = YES_VALUE
#define META [TC_FACT_META] = YES_VALUE
#define NOTE [TC_FACT_NOTE] = YES_VALUE
#define EVENT [TC_FACT_EVENT] = YES_VALUE
#define DRAIN [TC_FACT_DRAIN] = YES_VALUE
#define OF_HOST [TC_FACT_OF_HOST] = YES_VALUE
#define PYTHON [TC_FACT_PYTHON] = YES_VALUE
#define MODULE [TC_FACT_MODULE] = YES_VALUE
#define RANGE [TC_FACT_RANGE] = YES_VALUE
#define OP [TC_FACT_OP] = YES_VALUE
#define BRIDGE [TC_FACT_BRIDGE] = YES_VALUE
#define LAZY [TC_FACT_LAZY] = YES_VALUE
#define TC_SOURCE(of_vendor, text) {.vendor = (of_vendor), .source = (text)},
#define TC_CATEGORY(of_category, pattern, ...)                                                     \
	{.category = (of_category),                                                                \
		.name = (pattern),                                                                 \
		.holds_in = TC_NAME_ANY,                                                           \
		.facts = {__VA_ARGS__}},
#define TC_NAME(where, pattern, ...)                                                               \
	{.name = (pattern), .holds_in = TC_NAME_##where, .facts = {__VA_ARGS__}},
#include "names/table/names.def"
};

enum {
	RULE_COUNT = TC_COUNT_OF(rules),
	WORD_COUNT = (RULE_COUNT + 63) / 64,
	PART_LEN = 4,
	BUCKET_BITS = 12,
	BUCKET_COUNT = 1 << BUCKET_BITS,
	NO_RULE = UINT16_MAX
};

/*
 * Rules by a part of their pattern: PART_LEN letters that a name must have to match. Of its parts a
 * pattern is filed under that which has the fewest patterns yet. Patterns without such a part are
 * tried on every name, those of categories as well.
 */
struct tc_names {
	uint16_t first[BUCKET_COUNT]; /* by hash of the part; NO_RULE for none */
	uint16_t next[RULE_COUNT];
	uint16_t short_ones[RULE_COUNT];
	size_t short_count;
};

/* Rules, a bit each. */
struct rule_set {
	uint64_t words[WORD_COUNT];
};

size_t tc_name_rules(const struct tc_name_rule **out)
{
	*out = rules;
	return RULE_COUNT;
}

static bool add(struct rule_set *set, size_t rule)
{
	uint64_t bit = UINT64_C(1) << (rule % 64), *word = &set->words[rule / 64];
	bool is_new = !(*word & bit);

	*word |= bit;
	return is_new;
}

/* Letters in either case have one hash; so have some others, which costs a comparison. */
static uint32_t push_letter(uint32_t part, char c)
{
	return part << 8 | ((uint8_t)c | 0x20);
}

static size_t bucket_of(uint32_t part)
{
	return (uint32_t)(part * UINT32_C(2654435761)) >> (32 - BUCKET_BITS);
}

static bool is_literal(char c)
{
	return c != '\0' && c != '*' && c != '%';
}

/* The bucket with the fewest patterns among those of a pattern's parts; BUCKET_COUNT when it has no
 * part. */
static size_t best_bucket(const uint16_t *counts, const char *pattern)
{
	size_t best = BUCKET_COUNT, run = 0;
	uint32_t part = 0;

	for (const char *p = pattern; *p; p++) {
		run = is_literal(*p) ? run + 1 : 0;
		part = push_letter(part, *p);
		if (run < PART_LEN)
			continue;
		size_t bucket = bucket_of(part);
		if (best == BUCKET_COUNT || counts[bucket] < counts[best])
			best = bucket;
	}
	return best;
}

struct tc_names *tc_names_new(void)
{
	struct tc_names *names = tc_calloc(1, sizeof(*names));
	uint16_t *counts = tc_calloc(BUCKET_COUNT, sizeof(*counts));

	if (!names || !counts) {
		tc_free(names);
		tc_free(counts);
		return NULL;
	}
	for (size_t i = 0; i < BUCKET_COUNT; i++)
		names->first[i] = NO_RULE;
	for (size_t i = 0; i < RULE_COUNT; i++) {
		size_t bucket = BUCKET_COUNT;
		if (!rules[i].name)
			continue;
		if (!rules[i].category)
			bucket = best_bucket(counts, rules[i].name);
		if (bucket == BUCKET_COUNT) {
			names->short_ones[names->short_count++] = (uint16_t)i;
			continue;
		}
		counts[bucket]++;
		names->next[i] = names->first[bucket];
		names->first[bucket] = (uint16_t)i;
	}
	tc_free(counts);
	return names;
}

void tc_names_free(struct tc_names *names)
{
	tc_free(names);
}

/* Steps are called so in these letters; what somebody else calls a step is none. */
static bool has_case(const struct tc_name_rule *rule, struct tc_text name)
{
	struct tc_text start = {rule->name, strcspn(rule->name, "*")};

	return rule->facts[TC_FACT_STEP] != YES_VALUE || tc_text_starts(name, start);
}

static bool matches(const struct tc_name_rule *rule, struct tc_text category, struct tc_text name)
{
	return (!rule->category || tc_pattern_match(rule->category, category)) &&
	       tc_pattern_match(rule->name, name) && has_case(rule, name);
}

/* The rules that match, wherever they hold. A rule is compared once, however often its part is
 * there. */
static void find_rules(const struct tc_names *names, struct rule_set *found,
	struct tc_text category, struct tc_text name)
{
	struct rule_set seen = {0};
	uint32_t part = 0;

	*found = (struct rule_set){0};
	for (size_t i = 0; i < names->short_count; i++)
		if (matches(&rules[names->short_ones[i]], category, name))
			add(found, names->short_ones[i]);
	for (size_t i = 0; i < name.len; i++) {
		part = push_letter(part, name.ptr[i]);
		if (i + 1 < PART_LEN)
			continue;
		for (uint16_t j = names->first[bucket_of(part)]; j != NO_RULE; j = names->next[j])
			if (add(&seen, j) && matches(&rules[j], category, name))
				add(found, j);
	}
}

/* Each fact is read from the first rule that holds there and says something of it. */
static void read_facts(uint8_t *facts, const struct rule_set *found, enum tc_name_where where)
{
	for (size_t word = 0; word < WORD_COUNT; word++)
		for (uint64_t bits = found->words[word]; bits; bits &= bits - 1) {
			const struct tc_name_rule *rule =
				&rules[word * 64 + (size_t)__builtin_ctzll(bits)];
			if (!(rule->holds_in & where))
				continue;
			for (size_t i = 0; i < TC_FACT_COUNT; i++)
				facts[i] = facts[i] ? facts[i] : rule->facts[i];
		}
}

/* The value of a fact, as its enumeration has it: 0 where nothing is said. */
static unsigned value(const uint8_t *facts, enum tc_fact fact)
{
	return facts[fact] ? facts[fact] - 1u : 0;
}

/* Engine, kind and direction of what a category, or a lane with a task of that name, has. */
static void set_work(struct tc_label *label, const uint8_t *facts)
{
	label->task_engine = (enum tc_engine)value(facts, TC_FACT_TASK);
	label->kind = (enum tc_op_kind)value(facts, TC_FACT_KIND);
	if (!label->is_note)
		label->engine = (enum tc_engine)value(facts, TC_FACT_ENGINE);
	if (label->engine == TC_ENGINE_COMPUTE && label->task_engine == TC_ENGINE_COMMUNICATION)
		label->engine = TC_ENGINE_COMMUNICATION;
	if (value(facts, TC_FACT_QUEUE)) {
		label->engine = label->task_engine != TC_ENGINE_NONE ? label->task_engine
								     : TC_ENGINE_COMPUTE;
		label->kind = label->kind == TC_OP_NONE ? TC_OP_KERNEL : label->kind;
	}
	if (label->kind == TC_OP_MEMCPY)
		label->direction = (enum tc_direction)value(facts, TC_FACT_DIRECTION);
}

static void set_host(struct tc_label *label, const uint8_t *facts)
{
	label->role = (enum tc_role)value(facts, TC_FACT_ROLE);
	label->framework = (enum tc_framework_kind)value(facts, TC_FACT_FRAMEWORK);
	label->work = (enum tc_work_kind)value(facts, TC_FACT_WORK);
	label->is_launch = value(facts, TC_FACT_LAUNCH) != 0;
	label->call_class = (uint8_t)value(facts, TC_FACT_CALL);
	if (label->role == TC_ROLE_NONE && label->is_launch)
		label->role = TC_ROLE_LAUNCH;
	if (label->role == TC_ROLE_NONE && label->is_op)
		label->role = TC_ROLE_DISPATCH;
}

static void set_flags(struct tc_label *label, const uint8_t *facts)
{
#define TC_FLAG(id, name, member) label->member = value(facts, TC_FACT_##id) != 0;
#include "names/facts.def"
	label->is_step = !label->is_note && value(facts, TC_FACT_STEP) != 0;
	label->is_iteration = !label->is_note && value(facts, TC_FACT_ITERATION) != 0;
	label->is_op = value(facts, TC_FACT_OP) && !label->is_step && !label->is_iteration;
}

/* Where a name is, by its category: of the host, of a device, or either. */
static enum tc_name_where where_of(const uint8_t *facts)
{
	if (value(facts, TC_FACT_OF_HOST) || value(facts, TC_FACT_OP))
		return TC_NAME_HOST;
	if (value(facts, TC_FACT_ENGINE) && !value(facts, TC_FACT_NOTE))
		return TC_NAME_DEVICE;
	return (enum tc_name_where)(TC_NAME_HOST | TC_NAME_DEVICE);
}

void tc_names_classify(const struct tc_names *names, struct tc_label *label)
{
	uint8_t category_facts[TC_FACT_COUNT] = {0}, facts[TC_FACT_COUNT] = {0};
	struct rule_set found;
	bool communicates;

	*label = (struct tc_label){.key = label->key,
		.key_bytes = label->key_bytes,
		.category_bytes = label->category_bytes};
	find_rules(names, &found, tc_label_category(label), tc_label_name(label));
	read_facts(category_facts, &found, TC_NAME_ANY);
	read_facts(facts, &found, where_of(category_facts));
	set_flags(label, facts);
	set_work(label, facts);
	if (label->engine == TC_ENGINE_NONE)
		set_host(label, facts);
	label->name_class = (enum tc_name_class)value(facts, TC_FACT_CLASS);
	label->precision = (enum tc_precision)value(facts, TC_FACT_PRECISION);
	label->phase = (enum tc_phase)value(facts, TC_FACT_PHASE);
	label->mark = (enum tc_mark)value(facts, TC_FACT_MARK);
	label->vendor = (enum tc_vendor)value(facts, TC_FACT_VENDOR);
	label->call_vendor = (enum tc_vendor)value(facts, TC_FACT_CALL_VENDOR);
	if (label->kind == TC_OP_KERNEL)
		label->architecture = (enum tc_architecture)value(facts, TC_FACT_ARCHITECTURE);
	communicates =
		!label->is_host && !label->is_op && label->task_engine == TC_ENGINE_COMMUNICATION;
	if (communicates || label->role == TC_ROLE_COLLECTIVE)
		label->collective = (enum tc_collective)value(facts, TC_FACT_COLLECTIVE);
	if (communicates)
		label->name_class = TC_CLASS_COLLECTIVE;
}

enum tc_collective tc_names_collective(const struct tc_names *names, struct tc_text text)
{
	uint8_t facts[TC_FACT_COUNT] = {0};
	struct rule_set found;

	find_rules(names, &found, TC_TEXT_NONE, text);
	read_facts(facts, &found, TC_NAME_ARGUMENT);
	return (enum tc_collective)value(facts, TC_FACT_COLLECTIVE);
}

enum tc_precision tc_precision_of(struct tc_text data_type)
{
	static const struct {
		const char *pattern;
		enum tc_precision precision;
	} rows[] = {
#define TC_DATA_TYPE(pattern, id) {pattern, TC_PRECISION_##id},
#include "names/label/precisions.def"
	};

	for (size_t i = 0; i < TC_COUNT_OF(rows); i++)
		if (tc_pattern_match(rows[i].pattern, data_type))
			return rows[i].precision;
	return data_type.len > 0 ? TC_PRECISION_OTHER : TC_PRECISION_UNKNOWN;
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
	if (tid <= 0 || tid / 1000 >= (int64_t)(TC_COUNT_OF(by_class)))
		return TC_ENGINE_NONE;
	return by_class[tid / 1000];
}

enum tc_engine tc_gaudi_lane_engine(struct tc_text thread_name, bool has_tid, int64_t tid)
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

	for (size_t i = 0; i < TC_COUNT_OF(rows); i++)
		if (thread_name.ptr && tc_pattern_match(rows[i].pattern, thread_name))
			return rows[i].engine;
	return has_tid ? lane_of_tid(tid) : TC_ENGINE_NONE;
}

/* Words for facts. */

static const char *yes(unsigned value)
{
	return value ? "yes" : NULL;
}

static const char *framework_name(enum tc_framework_kind kind)
{
	static const char *const names[TC_FRAMEWORK_COUNT] = {
#define TC_FRAMEWORK_KIND(id, kind) [TC_FRAMEWORK_##id] = #id,
#include "names/label/framework_kinds.def"
	};

	return names[kind];
}

#define TC_FACT(id, name, function, type)                                                          \
	static const char *name_of_##id(unsigned value)                                            \
	{                                                                                          \
		return function((enum type)value);                                                 \
	}
#include "names/facts.def"

static const struct {
	const char *name;
	const char *(*value)(unsigned value);
} fact_words[TC_FACT_COUNT] = {
#define TC_FACT(id, name, function, type) {name, name_of_##id},
#define TC_YES(id, name) {name, yes},
#include "names/facts.def"
};

const char *tc_fact_name(enum tc_fact fact)
{
	return fact_words[fact].name;
}

const char *tc_fact_value_name(enum tc_fact fact, uint8_t value)
{
	const char *name = value > 1 ? fact_words[fact].value(value - 1u) : NULL;

	return name ? name : "none";
}
