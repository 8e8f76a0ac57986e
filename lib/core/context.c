/* The context: error chain, interrupt flag, progress hook. See tracecoach/context.h. */
#include "tracecoach/context.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>

#include "core/alloc.h"
#include "core/buf.h"

struct tc_ctx {
	pthread_mutex_t lock; /* guards status and chain */
	enum tc_status status;
	struct tc_buf chain; /* outermost cause first */
	struct tc_buf scratch;
	atomic_bool interrupted;
	tc_progress_fn progress;
	void *progress_user;
};

const char *tc_status_name(enum tc_status status)
{
	static const char *const names[] = {
		[TC_OK] = "ok",
		[TC_ERR_NOMEM] = "out of memory",
		[TC_ERR_IO] = "input/output error",
		[TC_ERR_INPUT] = "unusable input",
		[TC_ERR_USAGE] = "wrong usage",
		[TC_ERR_STORE] = "store error",
		[TC_ERR_LIMIT] = "limit reached",
		[TC_ERR_INTERRUPTED] = "interrupted",
		[TC_ERR_INTERNAL] = "internal error",
	};

	if ((size_t)status >= sizeof(names) / sizeof(names[0]))
		return "unknown status";
	return names[status];
}

struct tc_ctx *tc_ctx_new(void)
{
	struct tc_ctx *ctx = tc_calloc(1, sizeof(*ctx));

	if (ctx)
		pthread_mutex_init(&ctx->lock, NULL);
	return ctx;
}

void tc_ctx_free(struct tc_ctx *ctx)
{
	if (!ctx)
		return;
	tc_buf_clear(&ctx->chain);
	tc_buf_clear(&ctx->scratch);
	pthread_mutex_destroy(&ctx->lock);
	tc_free(ctx);
}

void tc_ctx_set_progress(struct tc_ctx *ctx, tc_progress_fn fn, void *user)
{
	ctx->progress = fn;
	ctx->progress_user = user;
}

void tc_ctx_progress(struct tc_ctx *ctx, const struct tc_progress *progress)
{
	if (ctx->progress)
		ctx->progress(ctx->progress_user, progress);
}

void tc_ctx_interrupt(struct tc_ctx *ctx)
{
	atomic_store(&ctx->interrupted, true);
}

bool tc_ctx_interrupted(const struct tc_ctx *ctx)
{
	return atomic_load(&ctx->interrupted);
}

enum tc_status tc_fail(struct tc_ctx *ctx, enum tc_status status, const char *format, ...)
{
	va_list args;

	pthread_mutex_lock(&ctx->lock);
	tc_buf_reset(&ctx->scratch);
	va_start(args, format);
	tc_buf_vformat(&ctx->scratch, format, args);
	va_end(args);
	if (ctx->status == TC_OK)
		ctx->status = status;
	if (ctx->chain.len > 0) {
		tc_buf_append_string(&ctx->scratch, ": ");
		tc_buf_append_text(&ctx->scratch, tc_buf_text(&ctx->chain));
	}
	if (!tc_buf_failed(&ctx->scratch)) {
		struct tc_buf swap = ctx->chain;
		ctx->chain = ctx->scratch;
		ctx->scratch = swap;
	}
	pthread_mutex_unlock(&ctx->lock);
	return status;
}

enum tc_status tc_ctx_status(const struct tc_ctx *ctx)
{
	return ctx->status;
}

const char *tc_ctx_error(const struct tc_ctx *ctx)
{
	/* The terminator may need room; the buffer is ours, only its contents are const. */
	const char *text = tc_buf_string(&((struct tc_ctx *)(uintptr_t)ctx)->chain);

	return text && *text ? text : (ctx->status == TC_OK ? "" : tc_status_name(ctx->status));
}

void tc_ctx_clear_error(struct tc_ctx *ctx)
{
	ctx->status = TC_OK;
	tc_buf_reset(&ctx->chain);
}
