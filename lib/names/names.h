/*
 * Names to meanings: looks names up in the table of names.def. A name costs one pass over its
 * letters and the patterns of which a part is in it, however many patterns there are. Every
 * distinct name is looked up once, when it is imported.
 */
#pragma once

#include "core/text.h"
#include "names/label/label.h"

/*
 * Patterns of names, the only kind there is: '*' matches any text, '%' digits (one or more),
 * everything else itself, letters in either case. A pattern is compared with the whole name.
 */

bool tc_pattern_match(const char *pattern, struct tc_text text);

/* The facts that a row of names.def may state of a name; the values are one more than those of the
 * enumerations. */
enum tc_fact {
#define TC_YES(id, name) TC_FACT_##id,
#include "names/facts.def"
	TC_FACT_COUNT
};

/* Where a pattern holds: in host slices, device work, names that arguments give to collectives. */
enum tc_name_where { TC_NAME_HOST = 1, TC_NAME_DEVICE = 2, TC_NAME_ARGUMENT = 4, TC_NAME_ANY = 7 };

struct tc_name_rule {
	const char *category; /* pattern; NULL for any */
	const char *name;     /* pattern; NULL in a row that is a source */
	const char *vendor, *source;
	enum tc_name_where holds_in;
	uint8_t facts[TC_FACT_COUNT]; /* 0: says nothing; 1: says that there is none */
};

/* The rows in order, sources among them; for docs and tests. */
size_t tc_name_rules(const struct tc_name_rule **rules);
/* "role", "class"; and what a value of it is called. NULL for none. */
const char *tc_fact_name(enum tc_fact fact);
const char *tc_fact_value_name(enum tc_fact fact, uint8_t value);

struct tc_names;
/* *out is owned by the caller. NULL when memory is out. */
struct tc_names *tc_names_new(void);
void tc_names_free(struct tc_names *names); /* NULL is fine */

/* Fills all but category and name of a label from these. */
void tc_names_classify(const struct tc_names *names, struct tc_label *label);
/* The collective that arguments call so ("_allgather_base"). */
enum tc_collective tc_names_collective(const struct tc_names *names, struct tc_text text);

/* Whether a name is one that is asked for, written like the patterns of names.def. */
static inline bool tc_name_is_asked(const char *asked, struct tc_text name)
{
	return tc_pattern_match(asked, name);
}

/* The precision of a type as arguments of slices name it ("bf16", "Float32"); UNKNOWN for no text.
 */
enum tc_precision tc_precision_of(struct tc_text data_type);

/*
 * The engine of a Gaudi lane from its thread name ("[HD0] TPC 3", "MME 1", "EDMA 0", "NIC 4"),
 * or, where the name does not show it, from the numbers that the writer gives threads
 * (names.c); NONE when neither does. has_tid: tid is an integer.
 */
enum tc_engine tc_gaudi_lane_engine(struct tc_text thread_name, bool has_tid, int64_t tid);
