/* What the tests of the replay share: edits from texts, and a replay with all of them. */
#ifndef TC_TESTS_REPLAY_FIXTURE_H
#define TC_TESTS_REPLAY_FIXTURE_H

#include "analysis/analysis_fixture.h"

#include "replay/shifts.h"

enum { MAX_WHATIFS = 16 };

struct replayed {
	struct tc_clause clauses[TC_CLAUSE_MAX];
	size_t clause_count;
	struct tc_clause_set whatifs[MAX_WHATIFS];
	size_t whatif_count;
	struct tc_replay replay;
	struct tc_shifts shifts;
};

static inline const char *keep_text(void *user, struct tc_text text)
{
	static char kept[32][64];
	static size_t next;
	char *to = kept[next++ % 32];

	(void)user;
	assert_true(text.len < sizeof(kept[0]));
	memcpy(to, text.ptr, text.len);
	to[text.len] = '\0';
	return to;
}

/* A what-if more, of one edit. */
static inline size_t add_whatif(struct replayed *r, struct tc_ctx *ctx, const char *text)
{
	struct tc_edit edit;
	size_t number = r->whatif_count++;

	if (tc_edit_parse(&edit, ctx, tc_text_from(text), keep_text, NULL))
		fail_msg("%s", tc_ctx_error(ctx));
	for (size_t i = 0; i < edit.clause_count; i++) {
		r->clauses[r->clause_count] = edit.clauses[i];
		tc_clause_set_add(&r->whatifs[number], r->clause_count++);
	}
	return number;
}

/* A what-if more, of all that two others change. */
static inline size_t add_joint(struct replayed *r, size_t a, size_t b)
{
	size_t number = r->whatif_count++;

	r->whatifs[number] = r->whatifs[a];
	tc_clause_set_join(&r->whatifs[number], &r->whatifs[b]);
	return number;
}

static inline void replay(struct replayed *r, struct fixture *f)
{
	if (tc_replay_make(&r->replay, f->timeline, r->clauses, r->clause_count) ||
		tc_shifts_run(&r->shifts, f->ctx, &r->replay, r->whatifs, r->whatif_count))
		fail_msg("%s", tc_ctx_error(f->ctx));
}

static inline void replay_clear(struct replayed *r)
{
	tc_shifts_clear(&r->shifts);
	tc_replay_clear(&r->replay);
}

/* How much earlier the recording of a timeline that is still to be sorted ends with one edit. */
static inline int64_t won_by(struct fixture *f, const char *edit)
{
	struct replayed r = {0};

	assert_int_equal(tc_timeline_sort(f->timeline), TC_OK);
	size_t fix = add_whatif(&r, f->ctx, edit);
	replay(&r, f);
	int64_t won_ns = r.shifts.won[fix].end_ns;
	replay_clear(&r);
	return won_ns;
}

#endif
