/* The grammar of an edit, which docs/edits.md has, and the numbers of sets of clauses. */
#include "replay/edit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/text/decimal.h"
#include "replay/roof.h"

/* ---- sets of clauses: there are few, and most slices have the set of the slice before */

static bool equal(const struct tc_clause_set *a, const struct tc_clause_set *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static bool append(struct tc_clause_sets *sets, const struct tc_clause_set *set)
{
	if (!TC_GROW(sets->items, sets->capacity, sets->count + 1))
		return false;
	sets->items[sets->count++] = *set;
	return true;
}

bool tc_clause_sets_number(
	uint16_t *out, struct tc_clause_sets *sets, const struct tc_clause_set *set)
{
	static const struct tc_clause_set empty;
	size_t at = 0;

	*out = 0;
	if (tc_clause_set_is_empty(set))
		return true;
	if (sets->count == 0 && !append(sets, &empty))
		return false;
	if (equal(&sets->items[sets->recent], set)) {
		*out = (uint16_t)sets->recent;
		return true;
	}
	while (at < sets->count && !equal(&sets->items[at], set))
		at++;
	if (at == TC_CLAUSE_SETS_MAX)
		return true;
	if (at == sets->count && !append(sets, set))
		return false;
	sets->recent = at;
	*out = (uint16_t)at;
	return true;
}

#define PPM 1e6

/* An action, and which words it understands beside terms. */
static const struct action {
	const char *name;
	enum tc_edit_action action;
	bool needs_factor, with_gaps, is_tuned, takes_peaks, takes_silences;
} actions[] = {
	{.name = "tune", .action = TC_EDIT_SAVE, .needs_factor = true, .is_tuned = true},
	{.name = "remove", .action = TC_EDIT_SAVE, .takes_silences = true},
	{.name = "scale",
		.action = TC_EDIT_SAVE,
		.needs_factor = true,
		.takes_peaks = true,
		.takes_silences = true},
	{.name = "fuse", .action = TC_EDIT_SAVE, .needs_factor = true, .with_gaps = true},
	{.name = "nowait", .action = TC_EDIT_NOWAIT},
	{.name = "overlap", .action = TC_EDIT_OVERLAP},
	{.name = "hide", .action = TC_EDIT_HIDE, .needs_factor = true},
	{.name = "merge", .action = TC_EDIT_MERGE, .needs_factor = true},
};

struct parse {
	struct tc_edit *edit;
	struct tc_ctx *ctx;
	struct tc_text all, rest, word;
	tc_edit_keep_fn keep;
	void *user;
	struct tc_clause clause;
	const struct action *action;
	bool says_host, says_device, with_work, has_factor;
};

static enum tc_status fault(const struct parse *parse, const char *what, struct tc_text word)
{
	return tc_fail(parse->ctx, TC_ERR_USAGE, "edit '%.*s': %s '%.*s'", (int)parse->all.len,
		parse->all.ptr, what, (int)word.len, word.ptr ? word.ptr : "");
}

/* ---- words */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Takes the next word: '=' or ',', a text in single quotes, or everything up to one of these or a
 * space. False at the end. */
static bool next_word(struct parse *parse)
{
	struct tc_text rest = tc_text_trim(parse->rest);
	size_t len = 0;

	parse->word = (struct tc_text){rest.ptr, 0};
	parse->rest = rest;
	if (rest.len == 0)
		return false;
	if (rest.ptr[0] == '\'') {
		const char *end = memchr(rest.ptr + 1, '\'', rest.len - 1);
		size_t inner = end ? (size_t)(end - rest.ptr) - 1 : rest.len - 1;
		parse->word = (struct tc_text){rest.ptr + 1, inner};
		len = end ? inner + 2 : rest.len;
	} else {
		len = rest.ptr[0] == '=' || rest.ptr[0] == ',';
		while (len == 0 || (len < rest.len && rest.ptr[0] != '=' && rest.ptr[0] != ',' &&
					   !is_blank(rest.ptr[len]) && rest.ptr[len] != '=' &&
					   rest.ptr[len] != ','))
			len++;
		parse->word.len = len;
	}
	parse->rest = (struct tc_text){rest.ptr + len, rest.len - len};
	return true;
}

static bool next_is(struct parse *parse, const char *word)
{
	const struct parse before = *parse;

	if (next_word(parse) && tc_text_equal(parse->word, tc_text_from(word)))
		return true;
	parse->rest = before.rest;
	parse->word = before.word;
	return false;
}

/* ---- values */

typedef const char *(*name_fn)(unsigned value);

#define NAMES(function, type)                                                                      \
	static const char *function##_of(unsigned value)                                           \
	{                                                                                          \
		return function((enum type)value);                                                 \
	}
NAMES(tc_role_name, tc_role)
NAMES(tc_engine_name, tc_engine)
NAMES(tc_op_kind_name, tc_op_kind)
NAMES(tc_direction_name, tc_direction)
NAMES(tc_class_name, tc_name_class)
NAMES(tc_precision_name, tc_precision)
NAMES(tc_collective_name, tc_collective)
NAMES(tc_phase_name, tc_phase)
NAMES(tc_mark_name, tc_mark)
NAMES(tc_silence_name, tc_silence_kind)

static const struct field {
	const char *name;
	enum tc_term_field field;
	name_fn value;
	unsigned count;
} fields[] = {
	{"role", TC_TERM_ROLE, tc_role_name_of, TC_ROLE_COUNT},
	{"class", TC_TERM_CLASS, tc_class_name_of, TC_CLASS_COUNT},
	{"mark", TC_TERM_MARK, tc_mark_name_of, TC_MARK_COUNT},
	{"engine", TC_TERM_ENGINE, tc_engine_name_of, TC_ENGINE_COUNT},
	{"kind", TC_TERM_KIND, tc_op_kind_name_of, TC_OP_OTHER + 1},
	{"precision", TC_TERM_PRECISION, tc_precision_name_of, TC_PRECISION_COUNT},
	{"direction", TC_TERM_DIRECTION, tc_direction_name_of, TC_DIRECTION_COUNT},
	{"phase", TC_TERM_PHASE, tc_phase_name_of, TC_PHASE_COUNT},
	{"collective", TC_TERM_COLLECTIVE, tc_collective_name_of, TC_COLLECTIVE_COUNT},
	{"name", TC_TERM_NAME, NULL, 0},
	{"shorter", TC_TERM_SHORTER, NULL, 0},
	{"launches", TC_TERM_LAUNCHES, NULL, 0},
	{"around-softmax", TC_TERM_BETWEEN, NULL, 0},
	{"softmax-product", TC_TERM_BESIDE, NULL, 0},
	{"update-graph", TC_TERM_UPDATE_GRAPH, NULL, 0},
	{"steady", TC_TERM_STEADY, NULL, 0},
	{"loaded", TC_TERM_LOADED, NULL, 0},
	{"usual", TC_TERM_USUAL, NULL, 0},
	{"short-piece", TC_TERM_SHORT_PIECE, NULL, 0},
	{"ahead", TC_TERM_AHEAD, NULL, 0},
	{"within-steps", TC_TERM_STEP, NULL, 0},
	{"row-loop", TC_TERM_ROW_LOOP, NULL, 0},
	{"adding-pass", TC_TERM_ADDING_PASS, NULL, 0},
	{"zeroed-pass", TC_TERM_ZEROED_PASS, NULL, 0},
	{"clipped", TC_TERM_CLIPPED, NULL, 0},
	{"recomputed", TC_TERM_RECOMPUTED, NULL, 0},
	{"repeated", TC_TERM_REPEATED, NULL, 0},
	{"looped", TC_TERM_LOOPED, NULL, 0},
	{"silence", TC_TERM_SILENCE, tc_silence_name_of, TC_SILENCE_KINDS},
};

_Static_assert(TC_MARK_COUNT <= 64, "values of a term are bits of 64");

static const struct field *find_field(struct tc_text word)
{
	for (size_t i = 0; i < TC_COUNT_OF(fields); i++)
		if (tc_text_equal(word, tc_text_from(fields[i].name)))
			return &fields[i];
	return NULL;
}

static bool find_value(uint64_t *bits, const struct field *field, struct tc_text word)
{
	for (unsigned i = 0; i < field->count; i++) {
		const char *name = field->value(i);
		if (name && tc_text_equal(word, tc_text_from(name))) {
			*bits |= UINT64_C(1) << i;
			return true;
		}
	}
	return false;
}

/* "matrix_fp32": a class in a precision. */
static bool find_class_in_precision(struct parse *parse, struct tc_edit_term *term)
{
	struct tc_edit_term precision = {.field = TC_TERM_PRECISION};
	size_t len = parse->word.len;

	while (len > 0 && parse->word.ptr[len - 1] != '_')
		len--;
	if (term->field != TC_TERM_CLASS || len < 2 ||
		parse->clause.term_count + 2 > TC_EDIT_MAX_TERMS ||
		!find_value(&precision.values, find_field(TC_TEXT("precision")),
			(struct tc_text){parse->word.ptr + len, parse->word.len - len}))
		return false;
	parse->clause.terms[parse->clause.term_count++] = precision;
	return find_value(&term->values, find_field(TC_TEXT("class")),
		(struct tc_text){parse->word.ptr, len - 1});
}

static enum tc_status take_value(
	struct parse *parse, struct tc_edit_term *term, const struct field *field)
{
	if (field->value)
		return find_class_in_precision(parse, term) ||
				       find_value(&term->values, field, parse->word)
			       ? TC_OK
			       : fault(parse,
					 "no such value (docs/edits.md lists them):", parse->word);
	if (field->field == TC_TERM_SHORTER) {
		char text[24] = "", *end;
		if (parse->word.len < sizeof(text))
			memcpy(text, parse->word.ptr, parse->word.len);
		term->number = strtoll(text, &end, 10);
		return end != text && *end == '\0' && term->number > 0
			       ? TC_OK
			       : fault(parse, "no number of ns:", parse->word);
	}
	if (term->pattern)
		return fault(parse, "one name is enough:", parse->word);
	term->pattern = parse->keep(parse->user, parse->word);
	return term->pattern ? TC_OK : tc_no_memory(parse->ctx);
}

/* "= VALUE, VALUE..." */
static enum tc_status take_values(
	struct parse *parse, struct tc_edit_term *term, const struct field *field)
{
	enum tc_status status = TC_OK;

	if (!next_is(parse, "="))
		return fault(parse, "give = and a value behind", parse->word);
	do {
		if (!next_word(parse))
			return fault(parse, "a value is missing behind", tc_text_from(field->name));
		status = take_value(parse, term, field);
	} while (!status && next_is(parse, ","));
	return status;
}

/* ---- terms */

static bool has_values(enum tc_term_field field)
{
	return field <= TC_TERM_NAME || field == TC_TERM_SHORTER || field == TC_TERM_SILENCE;
}

static bool is_stretch(enum tc_term_field field)
{
	return field >= TC_TERM_ROW_LOOP && field <= TC_TERM_RECOMPUTED;
}

static const char *const places[] = {
	[TC_TERM_ITSELF] = "",
	[TC_TERM_AROUND] = "in",
	[TC_TERM_BEFORE] = "before",
	[TC_TERM_AFTER] = "after",
};

/* Keeps which silences the clause is about, or leaves out. */
static void take_silences(struct parse *parse, const struct tc_edit_term *term)
{
	uint8_t bits = (uint8_t)term->values;

	parse->says_host = true;
	if (term->is_inverted)
		parse->clause.not_silences |= bits;
	else
		parse->clause.silences |= bits;
}

/* Parses a term that starts with the word. */
static enum tc_status take_term(struct parse *parse)
{
	struct tc_edit_term term = {0};

	if (tc_text_equal(parse->word, TC_TEXT("not"))) {
		term.is_inverted = true;
		next_word(parse);
	}
	while (term.place < TC_COUNT_OF(places) &&
		!tc_text_equal(parse->word, tc_text_from(places[term.place])))
		term.place++;
	if (term.place == TC_COUNT_OF(places))
		term.place = TC_TERM_ITSELF;
	else
		next_word(parse);
	const struct field *field = find_field(parse->word);
	if (!field)
		return fault(parse, "no such word (docs/edits.md lists them):", parse->word);
	if (term.place && field->field >= TC_TERM_NAMED_COUNT)
		return fault(parse, "in, before and after cannot stand before", parse->word);
	if (parse->clause.term_count + parse->action->is_tuned == TC_EDIT_MAX_TERMS)
		return fault(parse, "too many terms at", parse->word);
	term.field = field->field;
	if (is_stretch(term.field))
		term.place = TC_TERM_AROUND;
	enum tc_status status = has_values(term.field) ? take_values(parse, &term, field) : TC_OK;
	if (term.field == TC_TERM_SILENCE)
		take_silences(parse, &term);
	else
		parse->clause.terms[parse->clause.term_count++] = term;
	return status;
}

/* The part of their time that slices keep, likely and at both ends. */
static void set_saved(struct tc_clause *clause, double factor)
{
	for (int end = 0; end < TC_END_COUNT; end++)
		clause->saved_ppm[end] = (int64_t)llround((1 - factor) * PPM);
}

static enum tc_status take_factor(struct parse *parse)
{
	char text[32] = "", *end;

	if (!next_word(parse))
		return fault(parse, "a number is missing behind", TC_TEXT("by"));
	if (tc_text_equal(parse->word, TC_TEXT("peaks"))) {
		parse->edit->peaks = parse->word;
		parse->clause.by_peaks = true;
		if (!next_is(parse, "else") || !next_word(parse))
			return fault(parse, "give else and a number behind", TC_TEXT("peaks"));
		parse->edit->peaks.len = (size_t)(parse->word.ptr - parse->edit->peaks.ptr);
	}
	if (parse->word.len < sizeof(text))
		memcpy(text, parse->word.ptr, parse->word.len);
	double factor = strtod(text, &end);
	if (end == text || *end != '\0') {
		parse->edit->factor = parse->word;
		factor = 1;
	}
	if (!isfinite(factor) || factor < 0 || factor > 1)
		return fault(parse, "give 0 to 1, not", parse->word);
	set_saved(&parse->clause, factor);
	parse->has_factor = true;
	return TC_OK;
}

static enum tc_status take_words(struct parse *parse)
{
	enum tc_status status = TC_OK;

	while (!status && next_word(parse)) {
		if (tc_text_equal(parse->word, TC_TEXT("by")))
			status = take_factor(parse);
		else if (tc_text_equal(parse->word, TC_TEXT("host")))
			parse->says_host = true;
		else if (tc_text_equal(parse->word, TC_TEXT("device")))
			parse->says_device = true;
		else if (tc_text_equal(parse->word, TC_TEXT("own")))
			parse->clause.is_own = parse->says_host = true;
		else if (tc_text_equal(parse->word, TC_TEXT("with-work")))
			parse->with_work = true;
		else if (tc_text_equal(parse->word, TC_TEXT("with-launches")))
			parse->clause.with_launches = parse->says_device = true;
		else if (tc_text_equal(parse->word, TC_TEXT("chained")))
			parse->clause.is_chained = parse->says_device = true;
		else
			status = take_term(parse);
	}
	return status;
}

/* "rank = 0, 6" or "rank = late", and no other term. */
static enum tc_status take_ranks(struct parse *parse)
{
	struct tc_clause *clause = &parse->clause;

	clause->action = TC_EDIT_LATE;
	if (!next_is(parse, "="))
		return fault(parse, "give = and a rank behind", parse->word);
	clause->all_late = next_is(parse, "late");
	do {
		int64_t rank = -1;
		if (clause->all_late)
			break;
		if (!next_word(parse) || !tc_decimal_int64(&rank, parse->word) || rank < 0 ||
			rank > INT32_MAX)
			return fault(parse, "no number of a rank:", parse->word);
		if (clause->rank_count == TC_EDIT_MAX_RANKS)
			return fault(parse, "too many ranks at", parse->word);
		clause->ranks[clause->rank_count++] = (int32_t)rank;
	} while (next_is(parse, ","));
	return next_word(parse) ? fault(parse, "nothing can stand behind ranks:", parse->word)
				: TC_OK;
}

static enum tc_status take_action(struct parse *parse)
{
	if (!next_word(parse))
		return fault(parse,
			"give remove, scale, fuse, tune, nowait, overlap, hide or merge",
			TC_TEXT(""));
	set_saved(&parse->clause, 0);
	for (size_t i = 0; i < TC_COUNT_OF(actions); i++)
		if (tc_text_equal(parse->word, tc_text_from(actions[i].name))) {
			parse->action = &actions[i];
			parse->clause.action = actions[i].action;
			parse->clause.with_gaps = actions[i].with_gaps;
			return TC_OK;
		}
	return fault(parse, "give remove, scale, fuse, tune, nowait, overlap, hide or merge, not",
		parse->word);
}

/* ---- clauses */

/* The class of shares of the roof that a clause is about; 0 for none. */
static unsigned roof_class(const struct tc_clause *clause)
{
	for (size_t i = 0; i < clause->term_count; i++)
		if (clause->terms[i].field == TC_TERM_ROOF)
			return (unsigned)clause->terms[i].values;
	return 0;
}

/* The number after "by". Of tuned work it is the share of the roof that is reached then. */
static void set_factor(struct tc_clause *clause, double factor)
{
	bool takes_times = tc_clause_takes_times(clause);
	unsigned share = roof_class(clause);

	if (share > 0)
		factor = tc_roof_kept(share, factor, factor);
	set_saved(clause, takes_times ? 0 : factor);
	clause->beside_ppm = clause->action == TC_EDIT_HIDE ? (int64_t)llround(factor * PPM) : 0;
	for (int end = 0; end < TC_END_COUNT; end++)
		clause->merged_ns[end] =
			clause->action == TC_EDIT_MERGE ? (int64_t)llround(factor * 1e6) : 0;
}

static void add_clause(struct parse *parse, bool is_host, bool is_launched_in)
{
	struct tc_clause clause = parse->clause;

	clause.is_host = is_host;
	if (tc_clause_takes_times(&clause))
		set_factor(&clause, 1 - (double)clause.saved_ppm[TC_END_LIKELY] / PPM);
	for (size_t i = 0; i < clause.term_count && is_launched_in; i++)
		if (!clause.terms[i].place && clause.terms[i].field < TC_TERM_NAMED_COUNT)
			clause.terms[i].place = TC_TERM_AROUND;
	parse->edit->clauses[parse->edit->clause_count++] = clause;
	if (!clause.with_gaps || is_host)
		return;
	clause.with_gaps = clause.with_launches = false;
	clause.is_start = true;
	set_saved(&clause, 0);
	parse->edit->clauses[parse->edit->clause_count++] = clause;
}

/* A clause for each class of shares of the roof. */
static void add_tuned(struct parse *parse)
{
	struct tc_clause *clause = &parse->clause;
	double factor = 1 - (double)clause->saved_ppm[TC_END_LIKELY] / PPM;

	clause->terms[clause->term_count++] =
		(struct tc_edit_term){.field = TC_TERM_ROOF, .place = TC_TERM_AROUND};
	for (unsigned share = 1; share <= TC_ROOF_CLASSES; share++) {
		clause->terms[clause->term_count - 1].values = share;
		set_factor(clause, factor);
		add_clause(parse, false, false);
	}
}

/* Decides between host slices and device work; a name may mean both. */
static void choose_sides(struct parse *parse)
{
	bool both = false;

	if (parse->action->is_tuned) {
		add_tuned(parse);
		return;
	}
	for (size_t i = 0; i < parse->clause.term_count; i++) {
		const struct tc_edit_term *term = &parse->clause.terms[i];
		if (term->place)
			continue;
		if (term->field == TC_TERM_ROLE)
			parse->says_host = true;
		else if (term->field == TC_TERM_NAME || term->field == TC_TERM_MARK)
			both = true;
		else if (term->field == TC_TERM_LAUNCHES)
			parse->says_host = true;
		else if (term->field < TC_TERM_STEADY)
			parse->says_device = true;
	}
	if (parse->says_host) {
		add_clause(parse, true, false);
	} else if (both && !parse->says_device && parse->clause.action == TC_EDIT_SAVE) {
		add_clause(parse, true, false);
		add_clause(parse, false, false);
		parse->with_work = true;
	} else {
		add_clause(parse, false, false);
		parse->with_work = false;
	}
	if (parse->with_work)
		add_clause(parse, false, true);
}

/* Terms that a silence can meet: it has no name, but a time and slices around it. */
static bool is_of_silences(const struct tc_edit_term *term)
{
	return term->place || term->field == TC_TERM_SHORTER || term->field == TC_TERM_STEADY ||
	       term->field == TC_TERM_USUAL || term->field == TC_TERM_STEP;
}

/* Words that would change nothing are refused: their author meant something by them. */
static enum tc_status check_silences(const struct parse *parse)
{
	const struct tc_clause *clause = &parse->clause;

	if (!parse->action->takes_silences)
		return fault(parse, "silences can be removed or scaled, no action else:",
			tc_text_from(parse->action->name));
	if (parse->says_device || parse->with_work || clause->is_own || clause->not_silences)
		return fault(parse, "device, own, with-work and not silence do not go with",
			TC_TEXT("silence"));
	for (size_t i = 0; i < clause->term_count; i++)
		if (!is_of_silences(&clause->terms[i]))
			return fault(parse,
				"silences have times and slices around them, nothing else to ask "
				"for:",
				TC_TEXT("silence"));
	return TC_OK;
}

static enum tc_status check_words(const struct parse *parse)
{
	const struct tc_clause *clause = &parse->clause;

	if (clause->term_count == 0 && !clause->silences)
		return fault(parse, "say of what: role =, class =, name =", TC_TEXT(""));
	if (parse->action->needs_factor && !parse->has_factor)
		return fault(parse, "say by how much:", TC_TEXT("by 0.5"));
	if (clause->by_peaks && !parse->action->takes_peaks)
		return fault(parse, "peaks go with scale only, not with",
			tc_text_from(parse->action->name));
	if (parse->action->is_tuned && (parse->says_host || parse->with_work))
		return fault(parse, "only device work is tuned: leave out host, own and with-work:",
			TC_TEXT("tune"));
	return clause->silences ? check_silences(parse) : TC_OK;
}

enum tc_status tc_edit_parse(struct tc_edit *edit, struct tc_ctx *ctx, struct tc_text text,
	tc_edit_keep_fn keep, void *user)
{
	struct parse parse = {
		.edit = edit, .ctx = ctx, .all = text, .rest = text, .keep = keep, .user = user};

	*edit = (struct tc_edit){0};
	enum tc_status status = take_action(&parse);
	if (!status && parse.clause.action == TC_EDIT_NOWAIT && next_is(&parse, "rank")) {
		status = take_ranks(&parse);
		add_clause(&parse, false, false);
		return status;
	}
	if (!status)
		status = take_words(&parse);
	if (!status)
		status = check_words(&parse);
	if (!status)
		choose_sides(&parse);
	return status;
}

/* The range holds for what a recording shows of the time to start, too. */
static void set_merged_range(struct tc_clause *clause, const struct tc_factor *factor)
{
	if (clause->action != TC_EDIT_MERGE)
		return;
	clause->merged_ns[TC_END_LOW] = (int64_t)llround(factor->least * 1e6);
	clause->merged_ns[TC_END_HIGH] = (int64_t)llround(factor->most * 1e6);
}

/* Clauses for both ends of the compute that hides collectives, or of the time to start. */
static void add_ends(struct tc_edit *edit, struct tc_clause *clause, const struct tc_factor *factor)
{
	clause->has_ends = true;
	for (int end = TC_END_LOW; end < TC_END_COUNT; end++) {
		struct tc_clause at_end = *clause;
		set_factor(&at_end, end == TC_END_LOW ? factor->least : factor->most);
		set_merged_range(&at_end, factor);
		at_end.end = (enum tc_end)end;
		edit->clauses[edit->clause_count++] = at_end;
	}
}

/* The parts of their time that slices keep. Tuned work keeps least where it reaches most. */
static struct tc_factor kept_of(const struct tc_clause *clause, const struct tc_factor *factor)
{
	unsigned share = roof_class(clause);

	if (share == 0)
		return *factor;
	return (struct tc_factor){tc_roof_kept(share, factor->likely, factor->likely),
		tc_roof_kept(share, factor->likely, factor->most),
		tc_roof_kept(share, factor->likely, factor->least)};
}

void tc_edit_set_factor(struct tc_edit *edit, const struct tc_factor *factor)
{
	size_t count = edit->clause_count;

	for (size_t i = 0; i < count; i++) {
		struct tc_clause *clause = &edit->clauses[i];
		if (clause->is_start)
			continue;
		set_factor(clause, factor->likely);
		set_merged_range(clause, factor);
		if (!tc_clause_takes_times(clause)) {
			const struct tc_factor kept = kept_of(clause, factor);
			clause->saved_ppm[TC_END_LOW] = (int64_t)llround((1 - kept.most) * PPM);
			clause->saved_ppm[TC_END_HIGH] = (int64_t)llround((1 - kept.least) * PPM);
		} else if (factor->least < factor->most) {
			add_ends(edit, clause, factor);
		}
	}
}

/* Terms that leave out some slices of a role, but do not ask for a place. */
static bool is_general(const struct tc_edit_term *term)
{
	return term->is_inverted || term->field == TC_TERM_SHORTER ||
	       term->field == TC_TERM_USUAL || term->field == TC_TERM_STEADY ||
	       term->field == TC_TERM_LOADED || term->field == TC_TERM_STEP;
}

static bool names_role(const struct tc_edit_term *term, enum tc_role role)
{
	if (term->is_inverted || term->place)
		return false;
	return term->field == TC_TERM_ROLE
		       ? (term->values >> role & 1) != 0
		       : term->field == TC_TERM_LAUNCHES && role == TC_ROLE_OTHER;
}

static bool clause_concerns(const struct tc_clause *clause, enum tc_role role)
{
	bool concerns = false;

	if (!clause->is_host)
		return false;
	for (size_t i = 0; i < clause->term_count; i++) {
		bool names = names_role(&clause->terms[i], role);
		if (!names && !is_general(&clause->terms[i]))
			return false;
		concerns |= names;
	}
	return concerns;
}

static bool clause_mends(const struct tc_clause *clause, enum tc_cause cause)
{
	if (clause->silences)
		return (cause == TC_CAUSE_PAUSE && clause->silences >> TC_SILENCE_PAUSE & 1) ||
		       (cause == TC_CAUSE_COMPILE && clause->silences >> TC_SILENCE_COMPILE & 1);
	for (int role = TC_ROLE_NONE + 1; role < TC_ROLE_COUNT; role++)
		if (tc_cause_of_role[role] == cause && clause_concerns(clause, (enum tc_role)role))
			return true;
	return false;
}

bool tc_edit_concerns(const struct tc_edit *edit, enum tc_cause cause)
{
	for (size_t i = 0; i < edit->clause_count; i++)
		if (clause_mends(&edit->clauses[i], cause))
			return true;
	return false;
}

struct tc_text tc_edit_take_first(struct tc_text *rest)
{
	const struct tc_text all = *rest;
	bool is_quoted = false;

	for (size_t i = 0; i + 1 < all.len; i++) {
		is_quoted ^= all.ptr[i] == '\'';
		if (is_quoted || all.ptr[i] != ';' || all.ptr[i + 1] != ' ')
			continue;
		*rest = (struct tc_text){all.ptr + i + 2, all.len - i - 2};
		return (struct tc_text){all.ptr, i};
	}
	*rest = TC_TEXT_NONE;
	return all;
}
