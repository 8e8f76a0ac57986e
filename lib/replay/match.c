/*
 * Terms are checked in three places. Where a slice begins, by its name and by what encloses it.
 * Where an operation starts, also by what encloses its launch. What only the slices after it show
 * is found in a pass before (order.h), as sets of slices.
 */
#include "replay/match.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/silence.h"
#include "core/alloc.h"
#include "core/array.h"
#include "core/collections/arena.h"
#include "core/sort/paged.h"
#include "names/names.h"

/* ---- slice bits */

enum { CHUNK_BITS = 1 << 15 };

void tc_slice_bits_set(struct tc_slice_bits *bits, struct tc_arena *arena, int64_t slice_id)
{
	size_t chunk = (size_t)slice_id / CHUNK_BITS, bit = (size_t)slice_id % CHUNK_BITS;

	if (!TC_ARENA_GROW(arena, bits->chunks, bits->chunk_count, chunk + 1))
		return;
	if (!bits->chunks[chunk])
		bits->chunks[chunk] = tc_arena_take(arena, CHUNK_BITS / 64, sizeof(uint64_t));
	if (bits->chunks[chunk])
		bits->chunks[chunk][bit / 64] |= UINT64_C(1) << bit % 64;
}

bool tc_slice_bits_get(const struct tc_slice_bits *bits, int64_t slice_id)
{
	size_t chunk = (size_t)slice_id / CHUNK_BITS, bit = (size_t)slice_id % CHUNK_BITS;

	return slice_id >= 0 && chunk < bits->chunk_count && bits->chunks[chunk] &&
	       (bits->chunks[chunk][bit / 64] >> bit % 64 & 1);
}

TC_ORDER(compare, struct tc_stretch, TC_UP(thread) TC_UP(from_ns));

void tc_stretches_sort(struct tc_stretches *stretches)
{
	if (stretches->count > 1)
		qsort(stretches->items, stretches->count, sizeof(*stretches->items), compare);
}

static bool stretches_have(const struct tc_stretches *stretches, int32_t thread, int64_t time_ns)
{
	const struct tc_stretch asked = {.from_ns = time_ns, .thread = thread};
	size_t at;

	TC_BISECT(at, stretches->count, compare(&stretches->items[at], &asked) <= 0);
	return at > 0 && stretches->items[at - 1].thread == thread &&
	       time_ns < stretches->items[at - 1].until_ns;
}

/*
 * ---- terms
 *
 * What a name decides is the same for all slices of a label. So terms about names are
 * checked once per label, and the other terms only of clauses whose name terms hold.
 */

enum {
	PLACED_BITS = 5, /* bits of the number of cached entries */
};

/* The clauses that a label meets by its name and role. */
struct by_label {
	struct tc_clause_set host, device; /* clauses whose name terms hold for the label itself */
	tc_terms around;                   /* bits of the terms about slices around that hold */
	tc_terms ended;                    /* and of those that hold around it and not within it */
	bool is_known;
};

/* The same for slices whose role differs from that of their label: the latest label of each
 * role. */
struct by_role {
	uint32_t label;
	struct by_label seen;
};

/* The clauses whose terms about slices around hold, for one set of bits. */
struct placed {
	bool is_known;
	tc_terms inside;
	struct tc_clause_set met;
};

/* Clauses by what they check and do, so that most are handled as whole sets. */
struct kinds {
	struct tc_clause_set by_time, by_precision, repeated, looped; /* clauses with such terms */
	struct tc_clause_set chained;
	/* Of device work: the clauses that work of an engine, or of a precision, may meet. */
	struct tc_clause_set engines[TC_ENGINE_COUNT], precisions[TC_PRECISION_COUNT];
	struct tc_clause_set nowait, own, save, start, hide;
	/* Of silences: the clauses that take time off of each kind, and that leave it out. */
	struct tc_clause_set silences[TC_SILENCE_KINDS], not_silences[TC_SILENCE_KINDS];
};

struct tc_match {
	struct tc_arena arena;
	const struct tc_timeline *timeline;
	const struct tc_slice_facts *facts;
	const struct tc_clause *clauses;
	size_t clause_count;
	const struct tc_edit_term *around[TC_TERMS_MAX]; /* all terms about slices around */
	/* of these terms: bits that a clause needs, and bits that it must not have */
	tc_terms required[TC_CLAUSE_MAX], forbidden[TC_CLAUSE_MAX];
	struct tc_match_neighbours neighbours;
	tc_terms row_loop, adding_pass, zeroed_pass, clipped,
		recomputed; /* bits of terms about stretches */
	size_t around_count;
	struct kinds kinds;
	bool asks_repeated;
	struct placed placed[1 << PLACED_BITS];
	struct tc_paged labels; /* struct by_label */
	struct by_role by_role[TC_ROLE_COUNT];
	/* For REPEATED terms: the clauses that the last work on each lane, or device, met. For
	 * chained and looped ones: its label, and how often in a row each lane had that before. */
	struct tc_clause_set *lanes, *devices;
	uint32_t *labels_before, *same_before;
	/* start of the steady steps; start and end of all steps */
	int64_t steady_ns, first_step_ns, last_step_ns;
};

/* Equal terms of different clauses share a bit; terms with a pattern do not. */
static bool same_term(const struct tc_edit_term *a, const struct tc_edit_term *b)
{
	return a->place == b->place && a->field == b->field && a->values == b->values &&
	       !a->pattern && !b->pattern;
}

static void note_term(struct tc_match *match, const struct tc_edit_term *term)
{
	tc_terms bit = (tc_terms)1 << match->around_count;

	match->neighbours.before |= term->place == TC_TERM_BEFORE ? bit : 0;
	match->neighbours.after |= term->place == TC_TERM_AFTER ? bit : 0;
	match->row_loop |= term->field == TC_TERM_ROW_LOOP ? bit : 0;
	match->adding_pass |= term->field == TC_TERM_ADDING_PASS ? bit : 0;
	match->zeroed_pass |= term->field == TC_TERM_ZEROED_PASS ? bit : 0;
	match->clipped |= term->field == TC_TERM_CLIPPED ? bit : 0;
	match->recomputed |= term->field == TC_TERM_RECOMPUTED ? bit : 0;
	match->around[match->around_count++] = term;
}

static size_t around_number(struct tc_match *match, const struct tc_edit_term *term)
{
	size_t at = 0;

	while (at < match->around_count && !same_term(match->around[at], term))
		at++;
	if (at == TC_TERMS_MAX)
		tc_fail(match->timeline->ctx, TC_ERR_USAGE,
			"edits have more than %d different terms about slices around: leave rules "
			"out with --skip",
			TC_TERMS_MAX);
	else if (at == match->around_count)
		note_term(match, term);
	return at;
}

static bool is_about_time(const struct tc_edit_term *term)
{
	return term->field >= TC_TERM_SHORTER && term->field <= TC_TERM_STEP;
}

/* Keeps a clause in the sets of the values that meet a term. */
static void keep_values(
	struct tc_clause_set *sets, unsigned count, const struct tc_edit_term *term, size_t number)
{
	for (unsigned value = 0; value < count; value++)
		if ((term->values >> value & 1) == term->is_inverted)
			tc_clause_set_remove(&sets[value], number);
}

static void sort_terms(struct kinds *kinds, const struct tc_clause *clause, size_t number)
{
	for (size_t i = 0; i < TC_ENGINE_COUNT; i++)
		tc_clause_set_add(&kinds->engines[i], number);
	for (size_t i = 0; i < TC_PRECISION_COUNT; i++)
		tc_clause_set_add(&kinds->precisions[i], number);
	for (size_t k = 0; k < clause->term_count; k++) {
		const struct tc_edit_term *term = &clause->terms[k];
		if (is_about_time(term))
			tc_clause_set_add(&kinds->by_time, number);
		if (term->field == TC_TERM_REPEATED)
			tc_clause_set_add(&kinds->repeated, number);
		if (term->field == TC_TERM_LOOPED)
			tc_clause_set_add(&kinds->looped, number);
		if (term->place || clause->is_host)
			continue;
		if (term->field == TC_TERM_ENGINE)
			keep_values(kinds->engines, TC_ENGINE_COUNT, term, number);
		if (term->field == TC_TERM_PRECISION) {
			tc_clause_set_add(&kinds->by_precision, number);
			keep_values(kinds->precisions, TC_PRECISION_COUNT, term, number);
		}
	}
}

static void sort_silences(struct kinds *kinds, const struct tc_clause *clause, size_t number)
{
	for (unsigned kind = 0; kind < TC_SILENCE_KINDS; kind++) {
		if (clause->silences >> kind & 1)
			tc_clause_set_add(&kinds->silences[kind], number);
		if (clause->with_launches || clause->not_silences >> kind & 1)
			tc_clause_set_add(&kinds->not_silences[kind], number);
	}
}

static void sort_clauses(struct tc_match *match)
{
	struct kinds *kinds = &match->kinds;

	for (size_t i = 0; i < match->clause_count; i++) {
		const struct tc_clause *clause = &match->clauses[i];
		sort_terms(kinds, clause, i);
		sort_silences(kinds, clause, i);
		if (clause->action == TC_EDIT_NOWAIT)
			tc_clause_set_add(&kinds->nowait, i);
		else if (clause->action == TC_EDIT_SAVE)
			tc_clause_set_add(clause->is_start ? &kinds->start : &kinds->save, i);
		else if (tc_clause_takes_times(clause))
			tc_clause_set_add(&kinds->hide, i);
		if (clause->is_own)
			tc_clause_set_add(&kinds->own, i);
		if (clause->is_chained)
			tc_clause_set_add(&kinds->chained, i);
	}
	tc_clause_set_join(&kinds->repeated, &kinds->chained);
	match->asks_repeated = !tc_clause_set_is_empty(&kinds->repeated) ||
			       !tc_clause_set_is_empty(&kinds->looped);
}

static void number_terms(struct tc_match *match)
{
	for (size_t i = 0; i < match->clause_count; i++) {
		const struct tc_clause *clause = &match->clauses[i];
		for (size_t k = 0; k < clause->term_count; k++) {
			const struct tc_edit_term *term = &clause->terms[k];
			if (!term->place)
				continue;
			if (term->field == TC_TERM_ROOF) {
				match->required[i] |= (tc_terms)term->values
						      << TC_INSIDE_ROOF_SHIFT;
				match->forbidden[i] |=
					TC_INSIDE_ROOF &
					~((tc_terms)term->values << TC_INSIDE_ROOF_SHIFT);
				continue;
			}
			size_t at = around_number(match, term);
			if (at == TC_TERMS_MAX)
				return;
			tc_terms *bits = term->is_inverted ? match->forbidden : match->required;
			bits[i] |= (tc_terms)1 << at;
		}
	}
}

static void find_steps(struct tc_match *match)
{
	const struct tc_timeline *timeline = match->timeline;

	match->steady_ns = match->first_step_ns = INT64_MIN;
	match->last_step_ns = INT64_MAX;
	if (timeline->step_count == 0) {
		match->steady_ns = INT64_MAX; /* the whole recording may be start-up */
		return;
	}
	match->first_step_ns = timeline->steps[0].ts_ns;
	match->last_step_ns = INT64_MIN;
	for (size_t i = 0; i < timeline->step_count; i++) {
		const struct tc_step *step = &timeline->steps[i];
		if (step->ts_ns + step->dur_ns > match->last_step_ns)
			match->last_step_ns = step->ts_ns + step->dur_ns;
		if (step->is_warm_up && step->ts_ns + step->dur_ns > match->steady_ns)
			match->steady_ns = step->ts_ns + step->dur_ns;
	}
}

struct tc_match *tc_match_new(const struct tc_timeline *timeline,
	const struct tc_slice_facts *facts, const struct tc_clause *clauses, size_t clause_count)
{
	struct tc_match *match = tc_new(timeline->ctx, 1, sizeof(*match));

	if (!match)
		return NULL;
	match->timeline = timeline;
	match->facts = facts;
	match->clauses = clauses;
	match->clause_count = clause_count;
	match->arena.ctx = timeline->ctx;
	TC_ARENA(&match->arena, match->lanes, timeline->track_count);
	TC_ARENA(&match->arena, match->labels_before, timeline->track_count);
	TC_ARENA(&match->arena, match->same_before, timeline->track_count);
	TC_ARENA(&match->arena, match->devices, timeline->device_count + 1);
	tc_paged_init(&match->labels, timeline->ctx, timeline->label_count, sizeof(struct by_label),
		NULL);
	if (!tc_ctx_failed(timeline->ctx)) {
		sort_clauses(match);
		number_terms(match);
		find_steps(match);
	}
	if (tc_ctx_failed(timeline->ctx)) {
		tc_match_free(match);
		match = NULL;
	}
	return match;
}

void tc_match_free(struct tc_match *match)
{
	if (!match)
		return;
	tc_paged_clear(&match->labels);
	tc_arena_clear(&match->arena);
	tc_free(match);
}

/* The value of an enumerated field of a label; 0 for none. */
static unsigned value_of(const struct tc_label *label, enum tc_term_field field)
{
	switch (field) {
	case TC_TERM_ROLE: return label->role;
	case TC_TERM_CLASS: return label->name_class;
	case TC_TERM_MARK: return label->mark;
	case TC_TERM_KIND: return tc_label_kind(label);
	case TC_TERM_PRECISION: return label->precision;
	case TC_TERM_DIRECTION: return label->direction;
	case TC_TERM_PHASE: return label->phase;
	case TC_TERM_COLLECTIVE: return label->collective;
	default: return 0;
	}
}

static bool is_asked(const char *pattern, struct tc_text name)
{
	return name.ptr && tc_name_is_asked(pattern, name);
}

/* Whether a term holds by the name alone, inverted or not. The engine and precision of device work
 * depend on more than the name. */
static bool holds_by_name(const struct tc_edit_term *term, const struct tc_label *label)
{
	if (term->field == TC_TERM_NAME)
		return is_asked(term->pattern, tc_label_name(label));
	return term->field < TC_TERM_NAMED_COUNT &&
	       (term->values >> value_of(label, term->field) & 1);
}

static bool is_by_name(const struct tc_clause *clause, const struct tc_edit_term *term)
{
	if (term->place || term->field >= TC_TERM_NAMED_COUNT)
		return false;
	return clause->is_host ||
	       (term->field != TC_TERM_ENGINE && term->field != TC_TERM_PRECISION);
}

static bool fits_by_name(const struct tc_clause *clause, const struct tc_label *label)
{
	if (clause->action == TC_EDIT_LATE || clause->silences)
		return false;
	for (size_t i = 0; i < clause->term_count; i++) {
		const struct tc_edit_term *term = &clause->terms[i];
		if (is_by_name(clause, term) && holds_by_name(term, label) == term->is_inverted)
			return false;
	}
	return true;
}

static void see_label(
	struct by_label *seen, const struct tc_match *match, const struct tc_label *label)
{
	*seen = (struct by_label){.is_known = true};
	for (size_t i = 0; i < match->clause_count; i++)
		if (fits_by_name(&match->clauses[i], label))
			tc_clause_set_add(
				match->clauses[i].is_host ? &seen->host : &seen->device, i);
	for (size_t i = 0; i < match->around_count; i++)
		if (holds_by_name(match->around[i], label))
			seen->around |= (tc_terms)1 << i;
	if (label->mark == TC_MARK_OPTIMIZER_STEP)
		seen->around |= TC_INSIDE_UPDATE;
	if (label->mark == TC_MARK_RECOMPUTE)
		seen->around |= match->recomputed;
	else if (label->phase == TC_PHASE_BACKWARD)
		seen->ended = match->recomputed;
}

static const struct by_label *known(const struct tc_match *match, uint32_t label)
{
	struct by_label *seen = TC_PAGED_AT(&match->labels, struct by_label, label);

	if (!seen->is_known)
		see_label(seen, match, &match->timeline->labels[label]);
	return seen;
}

static const struct by_label *match_of_role(
	struct tc_match *match, uint32_t label_index, const struct tc_label *label)
{
	struct by_role *of = &match->by_role[label->role];

	if (!of->seen.is_known || of->label != label_index) {
		of->label = label_index;
		see_label(&of->seen, match, label);
	}
	return &of->seen;
}

/* The clauses that a slice meets by its label and its own role. */
static const struct by_label *label_of(struct tc_match *match, const struct tc_span *span)
{
	const struct tc_label *label = &match->timeline->labels[span->label];

	enum tc_role role = tc_span_role(match->timeline, span);
	if (tc_slice_bits_get(&match->facts->fallbacks, span->slice_id))
		role = TC_ROLE_CPU_FALLBACK;
	else if (tc_slice_bits_get(&match->facts->reads, span->slice_id))
		role = TC_ROLE_OUTPUT_COPY;
	if (role != label->role) {
		struct tc_label with_role = *label;
		with_role.role = role;
		return match_of_role(match, span->label, &with_role);
	}
	return known(match, span->label);
}

static bool is_of_update_graph(const struct tc_slice_facts *facts, const struct tc_span *span)
{
	return span->recipe != TC_STRTAB_NONE &&
	       tc_slice_bits_get(&facts->update_recipes, span->recipe) &&
	       !tc_slice_bits_get(&facts->matrix_recipes, span->recipe);
}

static bool is_ahead(const struct tc_match *match, const struct tc_span *span)
{
	const struct tc_slice_facts *facts = match->facts;

	return facts->runs_ahead && match->timeline->labels[span->label].is_event_wait &&
	       !tc_slice_bits_get(&facts->drains, span->slice_id);
}

static bool time_fits(
	const struct tc_match *match, const struct tc_edit_term *term, const struct tc_span *span)
{
	switch (term->field) {
	case TC_TERM_SHORTER: return span->dur_ns < term->number;
	case TC_TERM_LAUNCHES: return tc_slice_bits_get(&match->facts->launching, span->slice_id);
	case TC_TERM_BETWEEN: return tc_slice_bits_get(&match->facts->between, span->slice_id);
	case TC_TERM_BESIDE: return tc_slice_bits_get(&match->facts->beside, span->slice_id);
	case TC_TERM_UPDATE_GRAPH: return is_of_update_graph(match->facts, span);
	case TC_TERM_STEADY: return span->ts_ns >= match->steady_ns;
	case TC_TERM_LOADED: return span->ts_ns >= tc_loading_until(&match->facts->loading);
	case TC_TERM_USUAL: return span->dur_ns < match->facts->long_ns;
	case TC_TERM_SHORT_PIECE:
		return stretches_have(&match->facts->short_pieces,
			match->timeline->tracks[span->track].host_thread, span->ts_ns);
	case TC_TERM_AHEAD: return is_ahead(match, span);
	case TC_TERM_STEP:
		return span->ts_ns >= match->first_step_ns &&
		       span->ts_ns + span->dur_ns <= match->last_step_ns;
	default: return true;
	}
}

static bool times_fit(const struct tc_match *match, size_t index, const struct tc_span *span)
{
	const struct tc_clause *clause = &match->clauses[index];

	for (size_t i = 0; i < clause->term_count; i++) {
		const struct tc_edit_term *term = &clause->terms[i];
		if (is_about_time(term) && time_fits(match, term, span) == term->is_inverted)
			return false;
	}
	return true;
}

/* Runs `each` with every number of a set. */
#define FOR_EACH_CLAUSE(number, set)                                                               \
	for (size_t word_ = 0; word_ < TC_CLAUSE_WORDS; word_++)                                   \
		for (uint64_t left_ = (set)->words[word_]; left_; left_ &= left_ - 1)              \
			for (size_t number = word_ * 64 + (size_t)__builtin_ctzll(left_),          \
				    once_ = 1;                                                     \
				once_; once_ = 0)

/* The clauses whose terms about slices around hold. Consecutive slices mostly lie within the same
 * slices. */
static const struct tc_clause_set *placed(struct tc_match *match, tc_terms inside)
{
	const uint64_t key = (uint64_t)inside ^ (uint64_t)(inside >> (TC_TERMS_BITS / 2));
	struct placed *placed =
		&match->placed[(key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - PLACED_BITS)];

	if (placed->is_known && placed->inside == inside)
		return &placed->met;
	*placed = (struct placed){.is_known = true, .inside = inside};
	for (size_t i = 0; i < match->clause_count; i++)
		if ((inside & match->required[i]) == match->required[i] &&
			!(inside & match->forbidden[i]))
			tc_clause_set_add(&placed->met, i);
	return &placed->met;
}

/* Of the clauses whose other terms hold, keeps those whose terms about times hold too. */
static void keep_timed(
	struct tc_clause_set *met, const struct tc_match *match, const struct tc_span *span)
{
	const struct tc_clause_set asked = tc_clause_set_common(met, &match->kinds.by_time);

	FOR_EACH_CLAUSE(i, &asked)
	{
		if (!times_fit(match, i, span))
			tc_clause_set_remove(met, i);
	}
}

tc_terms tc_match_terms(const struct tc_match *match, uint32_t label)
{
	return known(match, label)->around;
}

struct tc_match_neighbours tc_match_sides(const struct tc_match *match)
{
	return match->neighbours;
}

/* Bits of the terms about slices around and neighbours that hold for a slice. named: the terms that
 * its own name meets. */
static tc_terms of_place(const struct tc_match *match, const struct tc_span *span, tc_terms named)
{
	const struct tc_slice_facts *facts = match->facts;
	tc_terms sides = match->neighbours.before | match->neighbours.after, held = named & ~sides;
	int32_t thread = match->timeline->tracks[span->track].host_thread;

	for (tc_terms left = sides; left; left &= left - 1)
		if (tc_slice_bits_get(&facts->neighbours[tc_terms_first(left)], span->slice_id))
			held |= left & -left;
	if (stretches_have(&facts->row_loops, thread, span->ts_ns))
		held |= match->row_loop;
	if (stretches_have(&facts->passes.adding, -1, span->ts_ns))
		held |= match->adding_pass;
	if (stretches_have(&facts->passes.zeroed, -1, span->ts_ns))
		held |= match->zeroed_pass;
	if (stretches_have(&facts->passes.clipped, -1, span->ts_ns))
		held |= match->clipped;
	return held;
}

/* The class of an operator's share of its roof, in its place among the bits; 0 where the share is
 * not known. */
static tc_terms roof_of(const struct tc_match *match, const struct tc_span *span)
{
	const struct tc_timeline *timeline = match->timeline;
	const uint8_t *classes = match->facts->roof.classes;

	if (!classes || timeline->labels[span->label].work == TC_WORK_NONE || span->shape == 0)
		return 0;
	uint32_t work = tc_works_find(&timeline->works, span->label, span->shape);
	return work == UINT32_MAX ? 0 : (tc_terms)classes[work] << TC_INSIDE_ROOF_SHIFT;
}

void tc_match_slice(struct tc_slice_match *out, struct tc_match *match, const struct tc_span *span,
	tc_terms around)
{
	const struct kinds *kinds = &match->kinds;
	const struct by_label *label = label_of(match, span);

	around &= ~label->ended;
	*out = (struct tc_slice_match){.inside = around | of_place(match, span, label->around)};
	if (!(around & TC_INSIDE_ROOF))
		out->inside |= roof_of(match, span);
	struct tc_clause_set met = tc_clause_set_common(&label->host, placed(match, out->inside));
	keep_timed(&met, match, span);
	out->nowait = tc_clause_set_common(&met, &kinds->nowait);
	met = tc_clause_set_without(&met, &kinds->nowait);
	out->own = tc_clause_set_common(&met, &kinds->own);
	out->whole = tc_clause_set_without(&met, &kinds->own);
}

void tc_match_silence(struct tc_clause_set *takes, struct tc_clause_set *leaves,
	struct tc_match *match, const struct tc_silence *silence, tc_terms inside)
{
	const struct kinds *kinds = &match->kinds;
	const struct tc_span span = {.ts_ns = silence->from_ns,
		.dur_ns = silence->until_ns - silence->from_ns,
		.slice_id = -1};

	*takes = tc_clause_set_common(&kinds->silences[silence->kind], placed(match, inside));
	keep_timed(takes, match, &span);
	*leaves = kinds->not_silences[silence->kind];
}

static enum tc_precision precision_of(const struct tc_match *match, const struct tc_span *span)
{
	if (span->data_type != TC_STRTAB_NONE)
		return tc_precision_of(tc_strtab_at(&match->timeline->texts, span->data_type));
	return match->timeline->labels[span->label].precision;
}

static bool is_compute(const struct tc_match *match, const struct tc_walk_op *op)
{
	return !tc_engine_is_collective(op->engine) && op->engine != TC_ENGINE_DMA &&
	       op->engine != TC_ENGINE_COPY &&
	       match->timeline->labels[op->span.label].kind == TC_OP_KERNEL;
}

/* The clauses that the last work on the device met. */
static struct tc_clause_set *of_device(const struct tc_match *match, const struct tc_walk_op *op)
{
	int32_t device = match->timeline->tracks[op->span.track].device;

	return &match->devices[device < 0 ? match->timeline->device_count : (size_t)device];
}

/* Where sizes do not tell, a kernel behind another kernel may read its result. The same one again
 * looks like a loop that reads the same inputs. */
static bool is_chained(const struct tc_match *match, const struct tc_span *span, uint32_t lane)
{
	const struct tc_slice_facts *facts = match->facts;

	return tc_slice_bits_get(&facts->chained, span->launch_slice_id) ||
	       (!tc_slice_bits_get(&facts->apart, span->launch_slice_id) &&
		       span->label != match->labels_before[lane]);
}

/* Layers have the products of queries, keys and values in a row; a loop has more. */
enum { LOOP_LEAST = 4 };

/* Counts how often the lane did the same operation directly before; whether that is a loop. */
static bool count_same(const struct tc_match *match, uint32_t label, uint32_t lane)
{
	uint32_t *same = &match->same_before[lane];

	if (label != match->labels_before[lane])
		*same = 0;
	else if (*same < LOOP_LEAST)
		++*same;
	return *same == LOOP_LEAST;
}

/* Drops the clauses of repeated work that the work before it did not meet. The work before a
 * collective is the last one on its device; other work looks at its lane. */
static void keep_repeated(struct tc_clause_set *met, const struct tc_match *match,
	const struct tc_walk_op *op, uint32_t lane, bool is_of_collectives)
{
	const struct tc_clause_set all = *met;
	const struct tc_clause_set *before =
		tc_engine_is_collective(op->engine) ? of_device(match, op) : &match->lanes[lane];
	const struct tc_clause_set first = tc_clause_set_without(&match->kinds.repeated, before);

	*met = tc_clause_set_without(met, &first);
	if (!is_chained(match, &op->span, lane))
		*met = tc_clause_set_without(met, &match->kinds.chained);
	if (!count_same(match, op->span.label, lane))
		*met = tc_clause_set_without(met, &match->kinds.looped);
	match->lanes[lane] = all;
	match->labels_before[lane] = op->span.label;
	if (tc_engine_is_collective(op->engine) || (is_compute(match, op) && !is_of_collectives))
		*of_device(match, op) = all;
}

static bool is_update(
	const struct tc_match *match, const struct tc_span *span, tc_terms launched_in)
{
	enum tc_name_class class = match->timeline->labels[span->label].name_class;

	return launched_in & TC_INSIDE_UPDATE || class == TC_CLASS_UPDATE ||
	       class == TC_CLASS_OPTIMIZER || is_of_update_graph(match->facts, span);
}

void tc_match_op(struct tc_op_match *out, struct tc_match *match, const struct tc_walk_op *op,
	tc_terms launched_in, uint32_t lane)
{
	const struct kinds *kinds = &match->kinds;
	const struct tc_label *label = &match->timeline->labels[op->span.label];
	struct tc_clause_set met = label_of(match, &op->span)->device;

	met = tc_clause_set_common(&met, &kinds->engines[op->engine]);
	met = tc_clause_set_common(&met, placed(match, launched_in));
	if (tc_clause_set_meets(&met, &kinds->by_precision))
		met = tc_clause_set_common(
			&met, &kinds->precisions[precision_of(match, &op->span)]);
	keep_timed(&met, match, &op->span);
	out->is_update = is_update(match, &op->span, launched_in);
	out->is_of_collectives = !out->is_update && label->mark == TC_MARK_FUSIBLE;
	if (match->asks_repeated)
		keep_repeated(&met, match, op, lane, out->is_of_collectives);
	out->save = tc_clause_set_common(&met, &kinds->save);
	out->start = tc_clause_set_common(&met, &kinds->start);
	out->nowait = tc_clause_set_common(&met, &kinds->nowait);
	out->hide = tc_clause_set_common(&met, &kinds->hide);
	met = tc_clause_set_without(&met, &kinds->save);
	met = tc_clause_set_without(&met, &kinds->start);
	met = tc_clause_set_without(&met, &kinds->nowait);
	out->overlap = tc_clause_set_without(&met, &kinds->hide);
}
