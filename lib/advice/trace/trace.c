/*
 * What a trace can show, and the words that fit it.
 *
 * The needs of heuristics (needs.def) are compared with the rows of the view capability. Several
 * may be missing; the reason is that of the first, unless one says that the trace is of something
 * else. The {terms} of texts are replaced by the rows of words.def whose traits hold: "{graphs}" is
 * "HPU Graphs" for a trace with the trait gaudi. A replacement may hold terms itself. The examples
 * of a page are chosen by the same traits.
 */
#include "advice/trace/trace.h"

#include <string.h>

#include "core/array.h"

#define ANY NULL

/* ---- needs */

static const struct {
	const char *name, *vendor, *reason;
} needs[] = {
#define TC_NEED(name, vendor, reason) {name, vendor, reason},
#include "advice/trace/needs.def"
#undef TC_NEED
};

/* The sentence for a need, or NULL when no such capability is known. */
static const char *capability_reason(const char *need)
{
	for (size_t i = 0; i < TC_COUNT_OF(needs); i++)
		if (strcmp(needs[i].name, need) == 0)
			return needs[i].reason;
	return NULL;
}

void tc_capabilities_load(
	struct tc_capabilities *capabilities, struct tc_tables *tables, int64_t trace_id)
{
	struct tc_rows rows = TC_ROWS(tables->ctx, tables->db,
		"SELECT name, present FROM capability WHERE trace_id = ?1", trace_id);

	capabilities->present.ctx = tables->ctx;
	while (tc_rows_next(&rows)) {
		struct tc_text name = tc_rows_text(&rows, 0);
		if (!name.ptr)
			tc_no_memory(tables->ctx);
		else if (tc_rows_int(&rows, 1) != 0)
			tc_strtab_intern(&capabilities->present, name);
		else
			capabilities->is_other |= tc_text_equal(name, TC_TEXT("framework"));
	}
}

/* Whether only traces of another vendor can have it. */
static bool is_foreign(const char *need, const struct tc_words *words)
{
	for (size_t i = 0; words && words->vendor && i < TC_COUNT_OF(needs); i++)
		if (needs[i].vendor && strcmp(needs[i].name, need) == 0)
			return strcmp(needs[i].vendor, words->vendor) != 0;
	return false;
}

const char *tc_capability_missing(const struct tc_capabilities *capabilities,
	const struct tc_heuristic *heuristic, const struct tc_words *words)
{
	const char *reason = NULL;

	for (const char *const *need = heuristic->needs; *need; need++) {
		if (tc_strtab_find(&capabilities->present, tc_text_from(*need)) != TC_STRTAB_NONE)
			continue;
		/* A profile of something else lacks everything; one reason says so. */
		if (capabilities->is_other)
			return capability_reason("framework");
		if (is_foreign(*need, words))
			return "this applies to Intel Gaudi only";
		if (!reason)
			reason = capability_reason(*need);
		reason = reason ? reason : "the trace lacks what it needs";
	}
	return reason;
}

/* ---- words */

static const struct word {
	const char *term, *where, *text;
} all_words[] = {
#define TC_WORD(term, where, text) {term, where, text},
#include "advice/trace/words.def"
#undef TC_WORD
};

static const char *const traits[] = {
#define TC_TRAIT(name, help) name,
#include "advice/trace/traits.def"
#undef TC_TRAIT
};

/* The constant for a name, NULL for none. */
static const char *trait_of(const char *name)
{
	for (size_t i = 0; name && i < TC_COUNT_OF(traits); i++)
		if (strcmp(traits[i], name) == 0)
			return traits[i];
	return NULL;
}

void tc_words_load(struct tc_words *words, struct tc_tables *tables, int64_t trace_id)
{
	struct tc_rows rows = TC_ROWS(tables->ctx, tables->db,
		"SELECT x.name, x.name IS t.vendor FROM trait x JOIN trace t ON t.id = x.trace_id"
		" WHERE x.trace_id = ?1",
		trace_id);
	size_t count = 0;

	*words = (struct tc_words){.is_of_trace = true};
	while (tc_rows_next(&rows)) {
		const char *trait = trait_of(tc_rows_text(&rows, 0).ptr);
		if (trait && tc_rows_int(&rows, 1) != 0)
			words->vendor = trait;
		if (trait && count + 1 < TC_WORDS_MAX_TRAITS)
			words->traits[count++] = trait;
	}
}

/* Takes the words up to the next separator, a letter, off *rest. */
static struct tc_text next_part(struct tc_text *rest, struct tc_text separator)
{
	struct tc_text part = *rest;

	rest->len = 0;
	if (tc_text_after(part, separator, rest))
		part.len = (size_t)(rest->ptr - part.ptr) - 1;
	return part;
}

/* Whether the trace has one of the traits "a|b". */
static bool has_one(const struct tc_words *words, struct tc_text names)
{
	while (names.len > 0) {
		const struct tc_text name = next_part(&names, TC_TEXT("|"));
		for (const char *const *trait = words->traits; *trait; trait++)
			if (tc_text_equal(tc_text_from(*trait), name))
				return true;
	}
	return false;
}

/* Whether all holds that `where` says: traits, with a '!' those that the trace has not. */
static bool holds(struct tc_text where, const struct tc_words *words)
{
	while (where.len > 0) {
		struct tc_text names = next_part(&where, TC_TEXT(" "));
		if (names.len == 0)
			continue;
		bool is_not = tc_text_starts(names, TC_TEXT("!"));
		names.ptr += is_not;
		names.len -= is_not;
		if (!words || (is_not && !words->is_of_trace) || has_one(words, names) == is_not)
			return false;
	}
	return true;
}

/* The row for the term of len bytes, NULL when there is none. */
static const struct word *find(const char *term, size_t len, const struct tc_words *words)
{
	for (size_t i = 0; i < TC_COUNT_OF(all_words); i++)
		if (strlen(all_words[i].term) == len && memcmp(all_words[i].term, term, len) == 0 &&
			holds(tc_text_from(all_words[i].where), words))
			return &all_words[i];
	return NULL;
}

/* The next {term} in text: sets *len and returns its first letter, or NULL. */
static const char *next_term(const char *text, size_t *len)
{
	const char *open = strchr(text, '{');
	const char *close = open ? strchr(open, '}') : NULL;

	if (!close)
		return NULL;
	*len = (size_t)(close - open) - 1;
	return open + 1;
}

void tc_words_append(struct tc_buf *out, const char *text, const struct tc_words *words)
{
	size_t len;

	for (const char *term; (term = next_term(text, &len)); text = term + len + 1) {
		const struct word *word = find(term, len, words);
		tc_buf_append(out, text, (size_t)(term - text) - 1);
		if (word)
			tc_words_append(out, word->text, words);
		else
			tc_buf_append(out, term - 1, len + 2);
	}
	tc_buf_append_string(out, text);
}

char *tc_heuristic_text(const char *text)
{
	const struct tc_words any = TC_WORDS_ANY;
	struct tc_buf out = TC_BUF_EMPTY;

	tc_words_append(&out, text, &any);
	return tc_buf_take_string(&out);
}

/* ---- examples */

/* The names of the trace that take the place of those in a page; without ptr, those of the page
 * stay. */
struct own_names {
	struct tc_text device, optimizer, profiler;
};

/* The name that torch has for the devices of a vendor; empty where it has none. */
static struct tc_text device_of(const char *vendor)
{
	static const char *const others[][2] = {
		{"gaudi", "hpu"}, {"rocm", "cuda"}, {"ascend", "npu"}, {"tpu", ""}, {"aiu", ""}};

	for (size_t i = 0; i < TC_COUNT_OF(others); i++)
		if (strcmp(others[i][0], vendor) == 0)
			return tc_text_from(others[i][1]);
	return tc_text_from(vendor);
}

static bool is_listed(struct tc_text name, struct tc_text list)
{
	while (list.len > 0)
		if (tc_text_equal(next_part(&list, TC_TEXT(" ")), name))
			return true;
	return false;
}

#define TORCH_OPTIMIZERS "Adadelta Adagrad Adam Adamax AdamW ASGD NAdam RAdam RMSprop Rprop SGD"

/* The class of torch.optim whose step subject is, such as "Optimizer.step#SGD.step". */
static struct tc_text optimizer_of(const char *subject)
{
	struct tc_text name;

	if (!subject || !tc_text_after(tc_text_from(subject), TC_TEXT("Optimizer.step#"), &name))
		return (struct tc_text){NULL, 0};
	name = next_part(&name, TC_TEXT("."));
	return is_listed(name, TC_TEXT(TORCH_OPTIMIZERS)) ? name : (struct tc_text){NULL, 0};
}

/* The name that stands for the optimizer in the form that the code shows; empty where it has none,
 * and the optimizer itself where the code shows no form. Adam is AdamW without weight decay, which
 * is how the form of Gaudi's bridge is made unless it is told more. */
static struct tc_text name_in_form(struct tc_text code, struct tc_text optimizer)
{
	static const struct form {
		const char *sign, *names, *adam;
	} forms[] = {
		{"hpex.optimizers", "Adagrad Adam AdamW SGD", "AdamW"},
		{"torch_npu.optim", "Adadelta Adam AdamW RMSprop SGD", "Adam"},
		{"fused=True", "Adam AdamW SGD", "Adam"},
	};

	for (size_t i = 0; optimizer.ptr && i < TC_COUNT_OF(forms); i++) {
		const struct form *form = &forms[i];
		if (!tc_text_find(code, tc_text_from(form->sign)))
			continue;
		if (!is_listed(optimizer, tc_text_from(form->names)))
			return (struct tc_text){code.ptr, 0};
		return tc_text_equal(optimizer, TC_TEXT("Adam")) ? tc_text_from(form->adam)
								 : optimizer;
	}
	return optimizer;
}

/* Where text is in code and no word goes on behind it, as in "cudagraphs"; NULL for nowhere. */
static const char *find_name(struct tc_text code, struct tc_text text)
{
	struct tc_text rest = code;

	while (tc_text_after(rest, text, &rest))
		if (rest.len == 0 || !tc_is_word_char(rest.ptr[0]))
			return rest.ptr - text.len;
	return NULL;
}

/* The first name in code that is replaced: that of a device, as in "cuda" or torch.cuda, of the
 * optimizer, or of the profiler. Its own name is *own. Empty, at the end, where there is none. */
static struct tc_text name_in(
	struct tc_text code, const struct own_names *names, struct tc_text *own)
{
	const struct {
		const char *text;
		size_t before_len;
		struct tc_text own;
	} all[] = {{"\"cuda", 1, names->device}, {"\"hpu", 1, names->device},
		{"torch.cuda", 6, names->device}, {"torch.hpu", 6, names->device},
		{"AdamW", 0, names->optimizer}, {"torch.profiler", 0, names->profiler}};
	struct tc_text first = {code.ptr + code.len, 0};

	for (size_t i = 0; i < TC_COUNT_OF(all); i++) {
		const struct tc_text text = tc_text_from(all[i].text);
		const char *at = all[i].own.ptr ? find_name(code, text) : NULL;
		if (!at || at + all[i].before_len >= first.ptr)
			continue;
		first = (struct tc_text){at + all[i].before_len, text.len - all[i].before_len};
		*own = all[i].own;
	}
	return first;
}

/* Whether code names a device where torch has no name for that of the trace. */
static bool has_no_name(struct tc_text code, struct tc_text device)
{
	struct tc_text own;

	return device.ptr && device.len == 0 &&
	       name_in(code, &(struct own_names){.device = device}, &own).len > 0;
}

static void append_code(struct tc_buf *out, struct tc_text code, const struct own_names *names)
{
	while (code.len > 0) {
		struct tc_text own = {NULL, 0};
		const struct tc_text name = name_in(code, names, &own);
		TC_APPEND(out, tc_text_before(code, name.ptr), own);
		code.len -= (size_t)(name.ptr + name.len - code.ptr);
		code.ptr = name.ptr + name.len;
	}
}

/* A line at a time: what a diff takes out has the optimizer of the run, as it is there. */
static void append_diff(struct tc_buf *out, struct tc_text code, const struct own_names *names,
	struct tc_text optimizer)
{
	while (code.len > 0) {
		struct own_names own = *names;
		struct tc_text rest = {code.ptr + code.len, 0};
		tc_text_after(code, TC_TEXT("\n"), &rest);
		if (code.ptr[0] == '-')
			own.optimizer = optimizer;
		append_code(out, tc_text_before(code, rest.ptr), &own);
		code = rest;
	}
}

/* Says so where code for a run of PyTorch 1 needs a newer one. */
static void append_version(
	struct tc_buf *out, struct tc_text code, const struct tc_words *words, bool is_diff)
{
	static const char *const newer[] = {"torch.compile", "torch._dynamo", "fused=True",
		"foreach=True", "scaled_dot_product_attention", "distributed.pipelining",
		"dcp.async_save", "fully_shard"};

	for (size_t i = 0; i < TC_COUNT_OF(newer); i++)
		if (words && has_one(words, TC_TEXT("pytorch_1")) &&
			tc_text_find(code, tc_text_from(newer[i]))) {
			tc_buf_format(out, "%s# PyTorch 2.x\n", is_diff ? "+" : "");
			return;
		}
}

/* Goes on to the next block of code, which is Python or a diff of it; whether there is one. */
static bool next_example(struct tc_text *rest, bool *is_diff)
{
	while (tc_text_after(*rest, TC_TEXT("\n```"), rest)) {
		*is_diff = tc_text_starts(*rest, TC_TEXT("diff"));
		if (!*is_diff && !tc_text_starts(*rest, TC_TEXT("python")))
			continue;
		rest->len -= *is_diff ? 4 : 6;
		rest->ptr += *is_diff ? 4 : 6;
		return true;
	}
	return false;
}

void tc_words_append_example(
	struct tc_buf *out, const char *page, const struct tc_words *words, const char *subject)
{
	struct tc_text rest = tc_text_from(page), code;
	const struct tc_text optimizer = optimizer_of(subject);
	struct own_names names = {.device = {NULL, 0}};
	bool is_diff;

	if (words && words->vendor)
		names.device = device_of(words->vendor);
	if (words && has_one(words, TC_TEXT("ascend")))
		names.profiler = TC_TEXT("torch_npu.profiler");
	while (next_example(&rest, &is_diff) && tc_text_after(rest, TC_TEXT("\n"), &code)) {
		const struct tc_text where = tc_text_before(rest, code.ptr);
		const char *end = tc_text_find(code, TC_TEXT("\n```"));
		if (!end || !holds(tc_text_trim(where), words))
			continue;
		code = tc_text_before(code, end + 1);
		names.optimizer = name_in_form(code, optimizer);
		if ((optimizer.ptr && names.optimizer.len == 0) || has_no_name(code, names.device))
			continue;
		append_version(out, code, words, is_diff);
		if (is_diff)
			append_diff(out, code, &names, optimizer);
		else
			append_code(out, code, &names);
		return;
	}
}
