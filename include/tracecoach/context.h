/*
 * The context: the one object that every library call takes first. It owns the chain of error
 * causes, the interrupt flag and the hooks for progress. A context may be shared by the threads
 * of one import; it must not be used for two jobs at once.
 *
 * Each call begins with a clear context: one that failed leaves its causes until the next call
 * begins, and does not harm it. An interrupt lasts until tc_ctx_resume().
 */
#ifndef TRACECOACH_CONTEXT_H
#define TRACECOACH_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "tracecoach/linkage.h"
#include "tracecoach/status.h"

TC_PUBLIC_BEGIN

struct tc_ctx;

/* How far an import is; passed to the progress hook from the reading thread. */
struct tc_progress {
	const char *path;    /* the file being read; borrowed for the call */
	int64_t read_bytes;  /* bytes taken from the file, compressed ones if it is compressed */
	int64_t total_bytes; /* size of the file, -1 when not known (a pipe) */
	int64_t event_count; /* events decoded so far */
};

typedef void (*tc_progress_fn)(void *user, const struct tc_progress *progress);

/* Notes for a person, on a call that goes on. */
enum tc_note {
	TC_NOTE_NOT_READ, /* a file in a directory is no trace; nothing is missing */
	TC_NOTE_HINT,     /* another way to do it */
	TC_NOTE_WARNING,
	TC_NOTE_LEFT_OUT, /* an input is not in the store; the text names it and says why */
	TC_NOTE_TIMING,   /* what a part of the work took, see tc_ctx_tell_timings() */
};

/* The text is borrowed for the call. */
typedef void (*tc_note_fn)(void *user, enum tc_note note, const char *text);

/* Returns a new context owned by the caller, or NULL when memory is out. */
struct tc_ctx *tc_ctx_new(void);
/* Frees the context; NULL is fine. Everything made with it must be gone before. */
void tc_ctx_free(struct tc_ctx *ctx);

/* Sets the hook that hears about progress, at most about ten times a second; NULL for none. */
void tc_ctx_set_progress(struct tc_ctx *ctx, tc_progress_fn fn, void *user);
/* Sets the hook that hears notes; NULL for none. */
void tc_ctx_set_note(struct tc_ctx *ctx, tc_note_fn fn, void *user);
/*
 * From now on each stage, heuristic and section of a report ends with a note of its CPU time, on
 * the thread that did it: "heuristic heavy-kernel 0.412 ms". A stage counts what is within it as
 * well.
 */
void tc_ctx_tell_timings(struct tc_ctx *ctx);

/* The word for an option of the program ("--top") in messages and hints ("3 more: --top 8 shows
 * all"), or for a command ("tracecoach heuristics"). A report for whom "tracecoach" alone has a
 * word has queries instead of commands to copy. */
struct tc_word {
	const char *option, *word;
};

/*
 * Sets the words for options in the texts of this context, borrowed until it is freed; the list
 * ends with an option of NULL, and an option that is not in it stays as it is. NULL, and a new
 * context, name the members of the option structs, and functions in place of commands.
 */
void tc_ctx_set_words(struct tc_ctx *ctx, const struct tc_word *words);

/* Asks the running job to stop; async-signal-safe. The job returns TC_ERR_INTERRUPTED. */
void tc_ctx_interrupt(struct tc_ctx *ctx);
/* Takes an interrupt back, once the job has returned: the next one runs. */
void tc_ctx_resume(struct tc_ctx *ctx);
/* Whether tc_ctx_interrupt() was called. */
bool tc_ctx_interrupted(const struct tc_ctx *ctx);

/* The status of the root cause of a failure, TC_OK when nothing failed. */
enum tc_status tc_ctx_status(const struct tc_ctx *ctx);
/*
 * The failure and its causes as one line, the root cause last, joined by ": ". Borrowed until the
 * next call;
 * "" when nothing failed.
 */
const char *tc_ctx_error(const struct tc_ctx *ctx);
/* The errno value of the root cause, where that is a file that the system refused; else 0. */
int tc_ctx_errno(const struct tc_ctx *ctx);

TC_PUBLIC_END

#endif
