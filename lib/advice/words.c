/* Terms by vendor and kind of run; see words.h. */
#include "advice/words.h"

#include <string.h>

#include "tracecoach/store.h"

#define ANY NULL

static const struct word {
	const char *term, *where, *text;
} all_words[] = {
#define TC_WORD(term, where, text) {term, where, text},
#include "advice/words.def"
#undef TC_WORD
};

static const char *const places[] = {"gaudi", "cuda", "rocm", "xpu", "mtia", "ascend", "tpu",
	"musa", "mlu", "gcu", "aiu", "rbln", "training", "inference"};

/* The constant for a name, NULL for none. */
static const char *place_of(const char *name)
{
	for (size_t i = 0; name && i < sizeof(places) / sizeof(places[0]); i++)
		if (strcmp(places[i], name) == 0)
			return places[i];
	return NULL;
}

enum tc_status tc_words_load(
	struct tc_words *words, struct tc_ctx *ctx, sqlite3 *db, int64_t trace_id)
{
	sqlite3_stmt *stmt;
	int rc = sqlite3_prepare_v2(db,
		"SELECT t.vendor, (SELECT r.kind FROM run_kind r WHERE r.trace_id = t.id)"
		" FROM trace t WHERE t.id = ?1",
		-1, &stmt, NULL);

	*words = TC_WORDS_ANY;
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int64(stmt, 1, trace_id);
	if (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		words->vendor = place_of((const char *)sqlite3_column_text(stmt, 0));
		words->run = place_of((const char *)sqlite3_column_text(stmt, 1));
		rc = SQLITE_DONE;
	}
	enum tc_status status =
		rc == SQLITE_DONE ? TC_OK : tc_store_fail(ctx, db, "read the kind of the run");
	sqlite3_finalize(stmt);
	return status;
}

static bool holds(const char *where, const struct tc_words *words)
{
	if (!where || !words)
		return !where;
	return (words->vendor && strcmp(where, words->vendor) == 0) ||
	       (words->run && strcmp(where, words->run) == 0);
}

/* The row for the term of len bytes, NULL when there is none. */
static const struct word *find(const char *term, size_t len, const struct tc_words *words)
{
	for (size_t i = 0; i < sizeof(all_words) / sizeof(all_words[0]); i++)
		if (strlen(all_words[i].term) == len && memcmp(all_words[i].term, term, len) == 0 &&
			holds(all_words[i].where, words))
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
			tc_buf_append_string(out, word->text);
		else
			tc_buf_append(out, term - 1, len + 2);
	}
	tc_buf_append_string(out, text);
}
