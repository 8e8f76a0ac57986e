/*
 * Edits: which slices a fix is about, and what happens to them. An edit is a text such as
 *
 *	remove role = dataloader
 *	scale class = matrix, convolution precision = fp32 by 0.5
 *	nowait role = input_copy
 *	remove device kind = memcpy in role = output_copy
 *	nowait rank = 0, 6
 *
 * One action, then terms that all must hold; a term has several values, one of which must. See
 * docs/edits.md for all of them. An edit is one clause or more.
 */
#ifndef TC_REPLAY_EDIT_EDIT_H
#define TC_REPLAY_EDIT_EDIT_H

#include "core/text.h"
#include "model/timeline/timeline.h"
#include "replay/edit/clauses.h"
#include "tracecoach/context.h"

enum tc_edit_action {
	TC_EDIT_SAVE,    /* takes a share of their time off: remove, scale */
	TC_EDIT_NOWAIT,  /* calls return at once; nothing waits for work of a device */
	TC_EDIT_OVERLAP, /* work starts beside the end of what the other engine did before it */
	TC_EDIT_LATE, /* collectives do not wait for ranks; of interest where ranks are replayed together */
	TC_EDIT_HIDE, /* collectives run beside a share of what was computed since the last ones */
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
	TC_TERM_NAMED_COUNT,                   /* so far, what a name or an argument tells */
	TC_TERM_SHORTER = TC_TERM_NAMED_COUNT, /* ns */
	TC_TERM_LAUNCHES,                      /* host slices within which work is launched */
	TC_TERM_BETWEEN, /* lies between two products, with a softmax: attention that is not fused */
	TC_TERM_BESIDE,  /* one of these two products */
	TC_TERM_UPDATE_GRAPH, /* of a graph that updates parameters and multiplies no matrices */
	TC_TERM_STEADY,       /* begins after the steps of warm-up */
	TC_TERM_STEP,         /* lies between the first and the last step */
	/* Of stretches, as if they were slices around: */
	TC_TERM_ROW_LOOP, /* a loop over the rows of a tensor */
	TC_TERM_ADDING_PASS, /* a pass that reduces, before another one that does, and the optimizer's step */
	TC_TERM_REPEATED, /* what came before it on its lane (of collectives: device) is of the clause too */
};

/* Of which slice a term is asked. */
enum tc_term_place {
	TC_TERM_ITSELF,
	/* For device work, of the call that launched it. */
	TC_TERM_AROUND, /* of it or one around it */
	TC_TERM_BEFORE, /* of what comes directly after it or one around it: it is before that */
	TC_TERM_AFTER,
};

struct tc_edit_term {
	enum tc_term_field field;
	bool is_inverted;
	enum tc_term_place place;
	uint64_t values;     /* bits of the enumeration */
	const char *pattern; /* NAME; with * and ? */
	int64_t number;      /* SHORTER */
};

enum { TC_EDIT_MAX_TERMS = 8, TC_EDIT_MAX_RANKS = 64 };

struct tc_clause {
	enum tc_edit_action action;
	bool is_host;   /* else of device work */
	bool is_own;    /* the time of slices without those within them */
	bool with_gaps; /* with the short gaps before device work, even where some of it stays */
	bool with_launches; /* with calls and operations of the host that launch nothing else */
	int64_t saved_ppm;  /* millionths of their time */
	int64_t beside_ppm; /* HIDE: of what was computed */
	struct tc_edit_term terms[TC_EDIT_MAX_TERMS];
	size_t term_count;
	/* LATE: these, or all that make others of their job wait */
	int32_t ranks[TC_EDIT_MAX_RANKS];
	size_t rank_count;
	bool all_late;
};

enum { TC_EDIT_MAX_CLAUSES = 3 };

struct tc_edit {
	struct tc_clause clauses[TC_EDIT_MAX_CLAUSES];
	size_t clause_count;
	struct tc_text factor; /* the word behind "by"; empty without one, or when it is a number */
};

/*
 * Parses one edit; fails with TC_ERR_USAGE and what is wrong. The factor, where it is no number, is
 * the caller's to look up: tc_edit_set_factor(). Patterns are copied to storage of the caller
 * through keep, which returns NULL when memory is out.
 */
typedef const char *(*tc_edit_keep_fn)(void *user, struct tc_text text);
enum tc_status tc_edit_parse(struct tc_edit *edit, struct tc_ctx *ctx, struct tc_text text,
	tc_edit_keep_fn keep, void *user);
/* Of the time of the edit's slices this part stays, or of the compute this part hides, 0 to 1. */
void tc_edit_set_factor(struct tc_edit *edit, double factor);

#endif
