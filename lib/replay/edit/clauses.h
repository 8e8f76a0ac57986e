/*
 * Clauses: what an edit does to the recording, and sets of them. A what-if is a set of clauses. The
 * clauses that concern a slice or an operation are a set too; the program refers to it by number.
 */
#ifndef TC_REPLAY_EDIT_CLAUSES_H
#define TC_REPLAY_EDIT_CLAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TC_CLAUSE_MAX 191 /* of one replay: a few for each heuristic */
#define TC_CLAUSE_WORDS ((TC_CLAUSE_MAX + 1) / 64)

/* A clause of every replay that no edit says: no call waits for the workers of a loader. */
#define TC_CLAUSE_LOADER_KEEPS_UP TC_CLAUSE_MAX

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
void tc_clause_sets_clear(struct tc_clause_sets *sets);

#endif
