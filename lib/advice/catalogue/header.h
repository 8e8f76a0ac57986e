/*
 * The file of a heuristic as a descriptor, and its header while it is read. The form is in
 * docs/user-rules.md.
 */
#ifndef TC_ADVICE_CATALOGUE_HEADER_H
#define TC_ADVICE_CATALOGUE_HEADER_H

#include "core/collections/arena.h"
#include "advice/catalogue/heuristic.h"

/* What to parse. */
struct tc_heuristic_source {
	const char *path; /* a string that outlives the descriptor */
	struct tc_text text;
	bool is_rule; /* of the user */
};

/* ---- heuristic_file.c */

/* Fills file, which is zero. A fault is TC_ERR_USAGE and "path:line: what, what to do". */
enum tc_status tc_heuristic_file_parse(struct tc_heuristic_file *file, struct tc_ctx *ctx,
	struct tc_arena *arena, const struct tc_heuristic_source *source);

/* ---- rule_files.c: the files of a directory of rules. */

/* Takes one file; path is a string of the arena, text is borrowed for the call. */
typedef enum tc_status (*tc_rule_take_fn)(void *user, const char *path, struct tc_text text);

/*
 * Reads every file of a directory whose name ends with .sql, in the order of their names.
 * TC_ERR_USAGE for a directory that cannot be read or has none, and for a file that cannot be read.
 */
enum tc_status tc_rule_files_read(struct tc_ctx *ctx, struct tc_arena *arena, const char *directory,
	tc_rule_take_fn take, void *user);

/* ---- header_keys.c: the keys of a header. Each is a row of a table with a function that takes its
 * value. */

struct tc_header {
	struct tc_heuristic_file *file;
	struct tc_ctx *ctx;
	struct tc_arena *arena;
	const struct tc_heuristic_source *source;
	int line;                        /* being read, from 1 */
	int key_line;                    /* of the key below */
	const struct tc_header_key *key; /* whose value is in value; NULL for none */
	struct tc_buf value;
	unsigned seen; /* a bit per key */
};

/* Whom a key is for, and how often it stands in a header. */
enum tc_header_key_use {
	TC_KEY_OPTIONAL,
	TC_KEY_REQUIRED,
	TC_KEY_REPEATED,
	TC_KEY_OWN,      /* required of built-in heuristics, optional for rules of the user */
	TC_KEY_OWN_ONLY, /* the same, and refused in rules of the user */
};

struct tc_header_key {
	const char *name;
	enum tc_status (*take)(struct tc_header *header, struct tc_text value);
	enum tc_header_key_use use;
	const char *example; /* of a key that may be required */
	/* Of a key that is a text: its place in struct tc_heuristic, and its bytes. */
	size_t member, least, most;
};

/* The table; *count rows, at most as many as an unsigned has bits. */
const struct tc_header_key *tc_header_keys(size_t *count);

/* Puts "path:line" before what has failed; line 0 is left out. */
static inline enum tc_status tc_header_failed(const struct tc_header *header, int line)
{
	const char *path = header->source->path;

	return line > 0 ? tc_fail(header->ctx, TC_ERR_USAGE, "%s:%d", path, line)
			: tc_fail(header->ctx, TC_ERR_USAGE, "%s", path);
}

/* Fails with "path:line: ..." as TC_ERR_USAGE. */
#define TC_HEADER_FAULT(header, line, ...)                                                         \
	(tc_fail((header)->ctx, TC_ERR_USAGE, __VA_ARGS__), tc_header_failed((header), (line)))

#endif
