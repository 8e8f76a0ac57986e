/*
 * Clauses: what an edit does to the recording, and sets of them. A what-if is a set of clauses. The
 * clauses that concern a slice or an operation are a set too; the program refers to it by number.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/text.h"
#include "model/timeline/timeline.h"
#include "tracecoach/context.h"

#define TC_CLAUSE_MAX 188 /* of one replay: a few for each heuristic */

/* A clause of every replay that no edit says: no call waits for the workers of a loader. */
#define TC_CLAUSE_LOADER_KEEPS_UP TC_CLAUSE_MAX

/* A clause of waits that a recording does not show for certain: for workers who may have had
 * nothing to do before, and for an event that had happened. At the high end of a range no call
 * waits so. */
#define TC_CLAUSE_UNSURE (TC_CLAUSE_MAX + 1)

/* The ends of the range of a share that a trace cannot tell. A what-if with the bit of an end takes
 * all its shares there: the least gain, or the most. */
enum tc_end { TC_END_LIKELY, TC_END_LOW, TC_END_HIGH, TC_END_COUNT };
#define TC_CLAUSE_END (TC_CLAUSE_MAX + 2) /* of the low end; that of the high one follows */
#define TC_CLAUSE_WORDS ((TC_CLAUSE_END + 1) / 64 + 1)

struct tc_clause_set {
	uint64_t words[TC_CLAUSE_WORDS];
};

static inline bool tc_clause_set_is_empty(const struct tc_clause_set *set)
{
	uint64_t any = 0;

	for (size_t i = 0; i < TC_CLAUSE_WORDS; i++)
		any |= set->words[i];
	return any == 0;
}

static inline void tc_clause_set_add(struct tc_clause_set *set, size_t clause)
{
	set->words[clause / 64] |= UINT64_C(1) << clause % 64;
}

static inline void tc_clause_set_remove(struct tc_clause_set *set, size_t clause)
{
	set->words[clause / 64] &= ~(UINT64_C(1) << clause % 64);
}

static inline bool tc_clause_set_has(const struct tc_clause_set *set, size_t clause)
{
	return set->words[clause / 64] >> clause % 64 & 1;
}

static inline void tc_clause_set_join(struct tc_clause_set *set, const struct tc_clause_set *other)
{
	for (size_t i = 0; i < TC_CLAUSE_WORDS; i++)
		set->words[i] |= other->words[i];
}

/* The end at which a what-if takes its shares. */
static inline enum tc_end tc_clause_set_end(const struct tc_clause_set *whatif)
{
	if (tc_clause_set_has(whatif, TC_CLAUSE_END))
		return TC_END_LOW;
	return tc_clause_set_has(whatif, TC_CLAUSE_END + 1) ? TC_END_HIGH : TC_END_LIKELY;
}

/* Makes a what-if one of an end that is not the likely one. */
static inline void tc_clause_set_to_end(struct tc_clause_set *whatif, enum tc_end end)
{
	tc_clause_set_add(whatif, TC_CLAUSE_END + (size_t)end - TC_END_LOW);
}

/* The clauses in both sets. */
static inline struct tc_clause_set tc_clause_set_common(
	const struct tc_clause_set *a, const struct tc_clause_set *b)
{
	struct tc_clause_set common;

	for (size_t i = 0; i < TC_CLAUSE_WORDS; i++)
		common.words[i] = a->words[i] & b->words[i];
	return common;
}

/* The clauses of one set that are not in another. */
static inline struct tc_clause_set tc_clause_set_without(
	const struct tc_clause_set *set, const struct tc_clause_set *other)
{
	struct tc_clause_set rest;

	for (size_t i = 0; i < TC_CLAUSE_WORDS; i++)
		rest.words[i] = set->words[i] & ~other->words[i];
	return rest;
}

/* Whether all clauses of a set are in another. */
static inline bool tc_clause_set_is_part(
	const struct tc_clause_set *part, const struct tc_clause_set *whole)
{
	uint64_t missing = 0;

	for (size_t i = 0; i < TC_CLAUSE_WORDS; i++)
		missing |= part->words[i] & ~whole->words[i];
	return missing == 0;
}

static inline bool tc_clause_set_meets(const struct tc_clause_set *a, const struct tc_clause_set *b)
{
	uint64_t any = 0;

	for (size_t i = 0; i < TC_CLAUSE_WORDS; i++)
		any |= a->words[i] & b->words[i];
	return any != 0;
}

/* The sets that a program uses, by number; number 0 is the empty set. */
struct tc_clause_sets {
	struct tc_clause_set *items;
	size_t count, capacity;
	size_t recent;
};

#define TC_CLAUSE_SETS_MAX 65536

/* The number of a set. Beyond the limit of sets it is 0: edits do not change such work. False when
 * memory is out. */
bool tc_clause_sets_number(
	uint16_t *out, struct tc_clause_sets *sets, const struct tc_clause_set *set);

/*
 * Edits: which slices a fix concerns, and what happens to them. An edit is a text such as
 *
 * \tremove role = dataloader
 * \tscale class = matrix, convolution precision = fp32 by 0.5
 * \tnowait role = input_copy
 * \tremove device kind = memcpy in role = output_copy
 * \ttune device kind = kernel by 0.8
 * \tnowait rank = 0, 6
 *
 * One action, then terms that must all hold. A term has one value or more; one of them must match.
 * docs/edits.md lists all actions and terms. An edit becomes one clause or more.
 */

enum tc_edit_action {
	TC_EDIT_SAVE,    /* take a share of their time off: remove, scale */
	TC_EDIT_NOWAIT,  /* calls return at once; nothing waits for device work */
	TC_EDIT_OVERLAP, /* work starts beside the end of the other engine's work before it */
	/* collectives do not wait for ranks; matters where ranks are replayed together */
	TC_EDIT_LATE,
	TC_EDIT_HIDE,  /* collectives run beside a share of the compute since the last ones */
	TC_EDIT_MERGE, /* collectives become few: the time to start goes */
};

enum tc_term_field {
	TC_TERM_ROLE,
	TC_TERM_CLASS,
	TC_TERM_MARK,
	TC_TERM_ENGINE,
	TC_TERM_KIND,
	TC_TERM_PRECISION,
	TC_TERM_DIRECTION,
	TC_TERM_PHASE,
	TC_TERM_COLLECTIVE,
	TC_TERM_NAME,
	/* terms above are decided by the name or an argument alone */
	TC_TERM_NAMED_COUNT,
	TC_TERM_SHORTER = TC_TERM_NAMED_COUNT, /* ns */
	TC_TERM_LAUNCHES,                      /* host slices that enclose a launch */
	/* between two matrix products, with a softmax: attention that is not fused */
	TC_TERM_BETWEEN,
	TC_TERM_BESIDE,       /* one of these two products */
	TC_TERM_UPDATE_GRAPH, /* of a graph that updates parameters and has no matrix product */
	TC_TERM_STEADY,       /* begins after the warm-up steps */
	TC_TERM_LOADED,       /* begins after the weights were copied */
	TC_TERM_USUAL,        /* not much longer than the operations usually are */
	TC_TERM_SHORT_PIECE,  /* of a piece of few launches between two waits */
	/* waits for an event of a step before the last: the device still has work */
	TC_TERM_AHEAD,
	TC_TERM_STEP, /* between the first and the last step */
	/* Stretches of the recording, treated as slices around: */
	TC_TERM_ROW_LOOP, /* a loop over the rows of a tensor */
	/* a pass that reduces, followed by another one that does before the optimizer's step */
	TC_TERM_ADDING_PASS,
	TC_TERM_ZEROED_PASS, /* from zero_grad() to the end of the next pass */
	TC_TERM_CLIPPED,     /* from the norms of the gradients to the optimizer's step */
	TC_TERM_RECOMPUTED,  /* the forward pass again, within the backward pass */
	/* the work before it on its lane (of collectives: device) meets the clause too */
	TC_TERM_REPEATED,
	/* its lane did the same operation several times directly before it */
	TC_TERM_LOOPED,
	/* launched in an operator that reaches some share of its roof, by classes of it (roof.h) */
	TC_TERM_ROOF,
	/* Host time within a silence (analysis/silence.h), in no slice or in one without a role.
	 * Not kept in terms[]: see struct tc_clause. */
	TC_TERM_SILENCE,
};

/* The slice that a term looks at. */
enum tc_term_place {
	TC_TERM_ITSELF,
	/* For device work: at the call that launched it. */
	TC_TERM_AROUND, /* the slice or one around it */
	TC_TERM_BEFORE, /* the slice or one around it is directly before one that matches */
	TC_TERM_AFTER,
};

struct tc_edit_term {
	enum tc_term_field field;
	bool is_inverted;
	enum tc_term_place place;
	uint64_t values;     /* bits of the enumeration */
	const char *pattern; /* NAME, with * and ? */
	int64_t number;      /* SHORTER */
};

/*
 * Which terms about slices around hold, a bit each. The bits at the top say whether the work is
 * within an optimizer's step, and four the class of the outermost operator whose share of its roof
 * is known (roof.h). The heuristics have some sixty such terms, and rules of the user bring more.
 */
#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 tc_terms __attribute__((aligned(8)));
#else
typedef uint64_t tc_terms;
#endif
enum {
	TC_TERMS_BITS = 8 * sizeof(tc_terms),
	TC_INSIDE_ROOF_SHIFT = TC_TERMS_BITS - 5,
	TC_TERMS_MAX = TC_INSIDE_ROOF_SHIFT, /* terms about slices around */
};
#define TC_INSIDE_UPDATE ((tc_terms)1 << (TC_TERMS_BITS - 1))
#define TC_INSIDE_ROOF ((tc_terms)15 << TC_INSIDE_ROOF_SHIFT)

/* The number of the lowest bit of a set that is not empty. */
static inline int tc_terms_first(tc_terms terms)
{
	const uint64_t low = (uint64_t)terms, high = (uint64_t)(terms >> (TC_TERMS_BITS / 2));

	return low ? __builtin_ctzll(low) : TC_TERMS_BITS / 2 + __builtin_ctzll(high);
}

enum { TC_EDIT_MAX_TERMS = 8, TC_EDIT_MAX_RANKS = 64 };

struct tc_clause {
	enum tc_edit_action action;
	bool is_host;   /* host slices; else device work */
	bool is_own;    /* only their own time, without the slices within them */
	bool with_gaps; /* with the short gaps before device work, even where some of it stays */
	bool with_launches; /* with host calls and operations that launch nothing else */
	bool is_chained;    /* only work that reads what the work before on its lane wrote */
	bool is_start;      /* of device work: only the time that it takes to start, all of it */
	/* Bits of tc_silence_kind: the clause is about such silences and no slices; it leaves out
	 * what slices have of such silences. */
	uint8_t silences, not_silences;
	int64_t saved_ppm[TC_END_COUNT]; /* millionths of their time that the clause takes off */
	bool by_peaks; /* those that the peaks of the device leave count, where they are known */
	int64_t beside_ppm;              /* HIDE: millionths of the compute */
	int64_t merged_ns[TC_END_COUNT]; /* MERGE: the time to start, and the ends of its range */
	bool has_ends;                   /* HIDE, MERGE: the clause is for one end only, this: */
	enum tc_end end;
	struct tc_edit_term terms[TC_EDIT_MAX_TERMS];
	size_t term_count;
	/* LATE: these ranks, or all that make others of their job wait. */
	int32_t ranks[TC_EDIT_MAX_RANKS];
	size_t rank_count;
	bool all_late;
};

enum { TC_EDIT_MAX_CLAUSES = 12 };

struct tc_edit {
	struct tc_clause clauses[TC_EDIT_MAX_CLAUSES];
	size_t clause_count;
	struct tc_text factor; /* the last word after "by"; empty for a number or without "by" */
	struct tc_text peaks;  /* "peaks else " before it; empty without */
};

/*
 * Parses one edit. Fails with TC_ERR_USAGE and the reason. A factor that is not a number is for the
 * caller to look up: tc_edit_set_factor(). Patterns are copied to the caller's storage through
 * keep, which returns NULL when memory is out.
 */
typedef const char *(*tc_edit_keep_fn)(void *user, struct tc_text text);
enum tc_status tc_edit_parse(struct tc_edit *edit, struct tc_ctx *ctx, struct tc_text text,
	tc_edit_keep_fn keep, void *user);
/* Takes the first of several edits with "; " between them. Blanks stand in quotes only. */
struct tc_text tc_edit_take_first(struct tc_text *rest);
/* Whether it takes off times of collectives, which differ at both ends, and no share. */
static inline bool tc_clause_takes_times(const struct tc_clause *clause)
{
	return clause->action == TC_EDIT_HIDE || clause->action == TC_EDIT_MERGE;
}

/* The factor, 0 to 1: the part of the slices' time that stays, or of the compute that hides
 * collectives, or ms that each of them takes to start; likely, and its range, whose ends may both
 * be likely. Adds a clause for each end where collectives are hidden. */
struct tc_factor {
	double likely, least, most;
};
void tc_edit_set_factor(struct tc_edit *edit, const struct tc_factor *factor);

/* Whether the edit mends a cause of idle time: it takes away host time of that role wherever it is,
 * not only in or beside other slices (for OTHER, host work without a role), or silences of that
 * kind. */
bool tc_edit_concerns(const struct tc_edit *edit, enum tc_cause cause);
