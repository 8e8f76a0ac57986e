/* The part of the context that only the library uses: it fails the context, and reports progress
 * and notes. The context also has the list of files that were read, see files/reads.h. */
#pragma once

#include "core/alloc.h"
#include "tracecoach/context.h"

struct tc_buf;

/*
 * Pushes a cause ("cannot open x.json: No such file or directory") onto the error chain and
 * returns status, so that a failing call is one line: return tc_fail(ctx, TC_ERR_IO, ...).
 * Options in the format ("leave --step out") become the words of the context.
 * The first cause is the root; callers above may push what they were doing. Thread-safe. The
 * status of the chain is that of the root cause.
 */
enum tc_status tc_fail(struct tc_ctx *ctx, enum tc_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The purpose for which a file was opened: what to do about an error depends on it. */
enum tc_purpose {
	TC_TO_READ,
	TC_TO_WRITE,           /* or to make it */
	TC_TO_WRITE_TEMPORARY, /* in a place that TMPDIR names */
	TC_PURPOSE_COUNT
};

/* tc_fail() for what the system refused: "cannot open x.json" gets ": No such file or directory"
 * and what to do about it, unless the error is 0. A root cause keeps it for tc_ctx_errno(). */
enum tc_status tc_fail_errno(struct tc_ctx *ctx, enum tc_status status, int error,
	enum tc_purpose purpose, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Whether something has failed. Code that writes a result piece by piece need not pass a status up:
 * after a failure it does nothing, and its caller asks here at the end. */
static inline bool tc_ctx_failed(const struct tc_ctx *ctx)
{
	return tc_ctx_status(ctx) != TC_OK;
}

/*
 * The first line of a public function: TC_ENTER(ctx). A call begins with a clear context, so one
 * that failed does not harm the next; it ends with the block. A public function that another one
 * calls stands inside of that call: what has failed there stays. So it does in a part of a context,
 * which is always inside of a call. Functions that only end something (_close, _free) do not
 * enter, because their caller may still ask what has failed.
 */
#define TC_ENTER(ctx)                                                                              \
	struct tc_ctx *const entered __attribute__((cleanup(tc_ctx_leave), unused)) =              \
		tc_ctx_enter(ctx)
struct tc_ctx *tc_ctx_enter(struct tc_ctx *ctx);
void tc_ctx_leave(struct tc_ctx *const *ctx);

/* Fails for an option struct whose caller was compiled with another version of it. */
#define TC_CHECK_SIZE(ctx, options)                                                                \
	tc_ctx_check_size((ctx), (options)->size, sizeof(*(options)), #options)
void tc_ctx_check_size(struct tc_ctx *ctx, size_t given, size_t ours, const char *name);

/* Empties the error chain in the middle of a call that goes on without what has failed. */
void tc_ctx_clear_error(struct tc_ctx *ctx);

/* Returns a short constant English name ("out of memory"), never NULL. */
const char *tc_status_name(enum tc_status status);

/* A context for a part of a job on a thread of its own, freed with tc_ctx_free() before its parent:
 * it has its own errors; interrupts, progress and files read are those of the parent. NULL when
 * memory is out. */
struct tc_ctx *tc_ctx_new_part(struct tc_ctx *parent);

/* The word for an option or command in the texts of the context: "--top" for the program, "top" for
 * others. A ctx of NULL has those of the program. */
const char *tc_ctx_word(const struct tc_ctx *ctx, const char *option);
/* Appends a text that names options as the program does, with the words of the context. */
void tc_ctx_append_words(struct tc_buf *buf, const struct tc_ctx *ctx, const char *text);
/* Whether commands help who reads the texts of the context; an agent that calls tools has no shell.
 */
bool tc_ctx_has_shell(const struct tc_ctx *ctx);

/* Reports progress to the hook, if any and if it is time for it; the end of a file is always
 * reported. Called by the stages, from the reading thread. */
void tc_ctx_progress(struct tc_ctx *ctx, const struct tc_progress *progress);

/* The first line of a block whose CPU time is told: TC_TIMED(ctx, "stage", "parse"). */
#define TC_TIMED(timed_ctx, timed_kind, timed_name)                                                \
	const struct tc_timing timing __attribute__((cleanup(tc_timing_end), unused)) = {          \
		(timed_ctx), (timed_kind), (timed_name), tc_cpu_now_ns()}
struct tc_timing {
	struct tc_ctx *ctx;
	const char *kind, *name;
	int64_t began_ns;
};
void tc_timing_end(const struct tc_timing *timing);
/* CPU time of this thread. */
int64_t tc_cpu_now_ns(void);

/* Hands a note to the hook, if any; "out of memory" when memory is out. */
void tc_ctx_note(struct tc_ctx *ctx, enum tc_note note, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
