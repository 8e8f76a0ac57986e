/*
 * A watch: which traces of a directory are complete, so that batches can read each of them once.
 *
 * look() goes through the directory as a batch does and keeps, of each file that is called like a
 * trace, its size and time and since when it has them. What the index has with this size and time
 * is known. What is new is ready once it has not changed for the settle time and its text goes to
 * its end: all braces are closed, and compressed data is whole. A batch takes from the directory
 * what is ready or known (tc_watch_is_ready()), and everything else stays where it is, so the
 * directory is the queue: a look hands over `most` new traces at a time, and memory holds a row for
 * each file that is there.
 *
 * Nothing is kept but the index and the log of the batch. A watch that is killed finds in the index
 * what is done; the next batch takes from the log what was read and is not in the index yet.
 */
#include "fleet/batch.h"

#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif

#include "core/alloc.h"
#include "core/array.h"
#include "core/context.h"
#include "names/run.h"
#include "report/compare/compare.h"
#include "report/text/format.h"
#include "source/source.h"
#include "store/connection.h"
#include "store/sql.h"
#include "tracecoach/text.h"

enum { CHUNK_BYTES = 256 * 1024, SLICE_MS = 250, GATHER_MS = 50 };
#define PATIENCE 12 /* settle times until a trace that ends early is read as it is */
#define SECOND_NS INT64_C(1000000000)
/* File systems of other machines tell nothing, so there is a look now and then in any case. */
#define LOOK_NS (10 * SECOND_NS)

enum state { WAITING, COMPLETE, CUT, NO_TRACE };

/* A file that is called like a trace. */
struct seen {
	const char *path; /* below the root */
	int64_t size_bytes, mtime_ns;
	int64_t since_ns; /* has had this size and time */
	enum state state;
	bool is_ready;
	bool is_stopped; /* of the index: it could not be read, which the next batch tries again */
};

struct seen_list {
	struct tc_arena arena; /* of the paths */
	struct seen *items;    /* by path */
	size_t count, capacity;
};

struct tc_watch {
	struct tc_ctx *ctx;
	struct tc_watch_options options;
	struct seen_list known; /* in the index */
	struct seen_list seen;  /* at the last look */
	struct seen_list now;   /* at this one */
	int64_t now_ns, next_ns, ready_count;
	int64_t looked_ns;                 /* when that was, by the clock of files */
	int64_t known_ns, known_looked_ns; /* both, of the look before what is known was read; 0 */
	int claim;                         /* on the directory of the index */
	int fd;                            /* of inotify; -1 where there is none */
};

TC_ORDER(by_path, struct seen, TC_UP_STRING(path));

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

static void clear_list(struct seen_list *list)
{
	tc_free(list->items);
	tc_arena_clear(&list->arena);
	*list = (struct seen_list){.arena = {.ctx = list->arena.ctx}};
}

static struct seen *add(struct tc_watch *watch, struct seen_list *list, struct seen seen)
{
	seen.path = tc_arena_dup(&list->arena, tc_text_from(seen.path));
	return seen.path && TC_PUSH(watch->ctx, list->items, list->count, list->capacity, seen)
		       ? &list->items[list->count - 1]
		       : NULL;
}

/* The entry of the path, if it is of that size and time. */
static const struct seen *find(
	const struct seen_list *list, const char *path, int64_t size_bytes, int64_t mtime_ns)
{
	const struct seen key = {.path = path};
	const struct seen *seen =
		list->count > 0 ? bsearch(&key, list->items, list->count, sizeof(key), by_path)
				: NULL;

	return seen && seen->size_bytes == size_bytes && seen->mtime_ns == mtime_ns ? seen : NULL;
}

bool tc_watch_is_ready(void *user, const char *path, int64_t size_bytes, int64_t mtime_ns)
{
	const struct tc_watch *watch = user;
	const struct seen *seen = find(&watch->seen, path, size_bytes, mtime_ns);

	return seen && seen->is_ready;
}

/* ---- whether a trace is complete */

struct braces {
	int64_t depth;
	bool in_string, is_escaped;
};

static void count_braces(struct braces *braces, const char *text, size_t len)
{
	for (const char *at = text; at < text + len; at++) {
		if (braces->is_escaped) {
			braces->is_escaped = false;
		} else if (braces->in_string) {
			braces->is_escaped = *at == '\\';
			braces->in_string = *at != '"';
		} else {
			braces->in_string = *at == '"';
			braces->depth += *at == '{' || *at == '[';
			braces->depth -= *at == '}' || *at == ']';
		}
	}
}

/* Whether all that was begun is closed at the end. A file that cannot be read is for the batch to
 * report. A few MB of compressed blanks take minutes, in which a signal must end the watch. */
static bool goes_to_its_end(
	const struct tc_watch *watch, struct tc_ctx *ctx, const char *path, char *chunk)
{
	struct tc_source *source = NULL;
	struct braces braces = {0};
	size_t len = 1;

	if (tc_source_open_regular(&source, ctx, path) != TC_OK)
		return tc_ctx_status(ctx) != TC_ERR_INPUT;
	while (len > 0 && !tc_ctx_interrupted(watch->ctx) &&
		tc_source_read(source, chunk, CHUNK_BYTES, &len) == TC_OK)
		count_braces(&braces, chunk, len);
	bool is_whole = tc_source_loss(source).count == 0 && braces.depth == 0 && !braces.in_string;
	tc_source_close(source);
	return is_whole;
}

static enum state state_of(struct tc_watch *watch, const char *name)
{
	struct tc_ctx *own = tc_ctx_new(); /* errors of the file are not those of the watch */
	struct tc_buf path = {.ctx = watch->ctx};
	char *chunk = tc_malloc(CHUNK_BYTES);
	const char *full = tc_found_path(&path, watch->options.directory, name);
	enum state state = CUT;

	if (!own || !chunk)
		tc_no_memory(watch->ctx);
	else if (full && goes_to_its_end(watch, own, full, chunk))
		state = tc_find_is_other_json(NULL, watch->ctx, full) ? NO_TRACE : COMPLETE;
	tc_free(chunk);
	tc_buf_clear(&path);
	tc_ctx_free(own);
	return state;
}

/* ---- looking */

static void settle(struct tc_watch *watch, struct seen *seen)
{
	int64_t age_ns = watch->now_ns - seen->since_ns,
		left_ns = watch->options.settle_ns - age_ns;

	if (watch->ready_count >= watch->options.most)
		return; /* the next look comes at once */
	if (left_ns <= 0 && seen->state == WAITING)
		seen->state = state_of(watch, seen->path);
	if (seen->state == CUT)
		left_ns = PATIENCE * watch->options.settle_ns - age_ns;
	seen->is_ready = seen->state != NO_TRACE && left_ns <= 0;
	watch->ready_count += seen->is_ready;
	if (left_ns > 0 && watch->now_ns + left_ns < watch->next_ns)
		watch->next_ns = watch->now_ns + left_ns;
}

/* Whether a trace that could not be read was made readable since: that changes its ctime only. */
static bool may_be_tried(struct tc_watch *watch, const char *name)
{
	struct tc_buf path = {.ctx = watch->ctx};
	const char *full = tc_found_path(&path, watch->options.directory, name);
	struct stat file;
	bool may = full && stat(full, &file) == 0 &&
		   (int64_t)file.st_ctim.tv_sec * SECOND_NS + file.st_ctim.tv_nsec >=
			   watch->known_looked_ns;

	tc_buf_clear(&path);
	return may;
}

/* An is_ready that notes the file, and keeps it out of jobs that nobody needs here. */
static bool note(void *user, const char *path, int64_t size_bytes, int64_t mtime_ns)
{
	struct tc_watch *watch = user;
	const struct seen *before = find(&watch->seen, path, size_bytes, mtime_ns),
			  *known = find(&watch->known, path, size_bytes, mtime_ns);

	if (known && known->is_stopped && may_be_tried(watch, path)) {
		known = NULL;
		if (before && before->since_ns <= watch->known_ns)
			before = NULL; /* it settles anew */
	}
	struct seen *seen = add(watch, &watch->now,
		(struct seen){.path = path,
			.size_bytes = size_bytes,
			.mtime_ns = mtime_ns,
			.since_ns = before ? before->since_ns : watch->now_ns,
			.state = before ? before->state : WAITING});

	if (!seen)
		return false;
	seen->is_ready = known != NULL;
	if (!known)
		settle(watch, seen);
	return false;
}

static void listen_to(struct tc_watch *watch, const char *directory)
{
#ifdef __linux__
	/* Where the system has no more watches to give, it is looked at now and then. */
	if (watch->fd >= 0)
		inotify_add_watch(watch->fd, directory,
			IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ATTRIB | IN_ONLYDIR);
#else
	(void)watch;
	(void)directory;
#endif
}

/* An is_skipped of find.h. */
static bool is_out(void *user, const char *path)
{
	struct tc_watch *watch = user;
	bool is = tc_fleet_is_out(watch->options.out, path);

	if (!is)
		listen_to(watch, path);
	return is;
}

enum tc_status tc_watch_look(int64_t *ready_count, struct tc_watch *watch)
{
	TC_ENTER(watch->ctx);
	const struct tc_find_options find = {.is_skipped = is_out,
		.user = watch,
		.is_ready = note,
		.ready_user = watch,
		.by_name = true};

	watch->now_ns = clock_ns(CLOCK_MONOTONIC);
	watch->looked_ns = clock_ns(CLOCK_REALTIME);
	watch->next_ns =
		watch->now_ns + (watch->options.poll_ns > 0 ? watch->options.poll_ns : LOOK_NS);
	watch->ready_count = 0;
	listen_to(watch, watch->options.directory);
	tc_found_free(tc_find_jobs(watch->ctx, &watch->options.directory, 1, &find));
	if (tc_ctx_failed(watch->ctx)) {
		clear_list(&watch->now);
		return tc_ctx_status(watch->ctx);
	}
	TC_SORT(watch->now.items, watch->now.count, by_path);
	clear_list(&watch->seen);
	watch->seen = watch->now;
	watch->now = (struct seen_list){.arena = {.ctx = watch->ctx}};
	*ready_count = watch->ready_count;
	return TC_OK;
}

/* Reads what the system has told; only that it did counts. */
static void drain(int fd)
{
	char events[4096];

	poll(NULL, 0, GATHER_MS);
	while (read(fd, events, sizeof(events)) > 0)
		;
}

void tc_watch_wait(struct tc_watch *watch)
{
	struct pollfd fd = {.fd = watch->fd, .events = POLLIN};
	int64_t left_ns;

	while (!tc_ctx_interrupted(watch->ctx) &&
		(left_ns = watch->next_ns - clock_ns(CLOCK_MONOTONIC)) > 0) {
		int64_t left_ms = left_ns / 1000000 + 1;
		if (poll(&fd, watch->fd >= 0, left_ms < SLICE_MS ? (int)left_ms : SLICE_MS) > 0) {
			drain(watch->fd);
			return;
		}
	}
}

/* ---- what the index has */

static void load_known(struct tc_watch *watch, struct tc_store *index)
{
	struct tc_rows rows = tc_rows_open(watch->ctx, tc_store_db(index),
		"SELECT path, size_bytes, mtime_ns, state = 'stopped' FROM trace ORDER BY path");

	clear_list(&watch->known);
	watch->known_ns = watch->now_ns;
	watch->known_looked_ns = watch->looked_ns;
	while (tc_rows_next(&rows))
		add(watch, &watch->known,
			(struct seen){.path = tc_rows_text(&rows, 0).ptr,
				.size_bytes = tc_rows_int(&rows, 1),
				.mtime_ns = tc_rows_int(&rows, 2),
				.is_stopped = tc_rows_int(&rows, 3) != 0});
	TC_SORT(watch->known.items, watch->known.count, by_path);
}

enum tc_status tc_watch_open(
	struct tc_watch **out, struct tc_ctx *ctx, const struct tc_watch_options *options)
{
	TC_ENTER(ctx);
	TC_CHECK_SIZE(ctx, options);
	struct tc_watch *watch = tc_new(ctx, 1, sizeof(*watch));
	struct tc_buf path = {.ctx = ctx};
	struct tc_ctx *own = tc_ctx_new(); /* the index need not be there, nor of use */
	struct tc_store *index = NULL;

	if (!watch || !own) {
		tc_free(watch);
		tc_ctx_free(own);
		return tc_no_memory(ctx);
	}
	*watch = (struct tc_watch){.ctx = ctx, .options = *options, .claim = -1, .fd = -1};
	watch->claim = tc_out_claim(ctx, options->out, TC_OUT_ALONE);
	watch->known.arena.ctx = watch->seen.arena.ctx = watch->now.arena.ctx = ctx;
#ifdef __linux__
	if (options->poll_ns == 0)
		watch->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
#endif
	if (tc_found_path(&path, options->out, TC_INDEX_NAME) &&
		tc_index_open(&index, own, tc_buf_string(&path)) == TC_OK)
		load_known(watch, index);
	tc_buf_clear(&path);
	tc_store_close(index);
	tc_ctx_free(own);
	if (tc_ctx_failed(ctx))
		tc_watch_close(watch);
	else
		*out = watch;
	return tc_ctx_status(ctx);
}

void tc_watch_close(struct tc_watch *watch)
{
	if (!watch)
		return;
	if (watch->claim >= 0)
		close(watch->claim);
	if (watch->fd >= 0)
		close(watch->fd);
	clear_list(&watch->known);
	clear_list(&watch->seen);
	clear_list(&watch->now);
	tc_free(watch);
}

/* ---- a line for each trace */

enum { PATH, SIZE, MTIME, REASON, RANK, START, STEP_SUM, STEP_COUNT, WALL, TITLE, FIX, STOPPED };

static const char traces_sql[] =
	"SELECT t.path, t.size_bytes, t.mtime_ns, coalesce(t.reason, ''), coalesce(t.rank, -1),"
	" coalesce(t.start_ns, t.mtime_ns),"
	" max(iif(m.name = 'steady_step_sum_ns', m.value, 0)),"
	" max(iif(m.name = 'steady_step_count', m.value, 0)),"
	" max(iif(m.name = 'wall_ns', m.value, 0)), coalesce(f.title, ''), f.heuristic,"
	" t.state = 'stopped' FROM trace t LEFT JOIN trace_metric m ON m.trace_id = t.id"
	" AND m.name IN ('steady_step_sum_ns', 'steady_step_count', 'wall_ns')"
	" LEFT JOIN trace_finding f ON f.trace_id = t.id AND f.ord = (SELECT min(x.ord) FROM"
	" finding x JOIN heuristic h ON h.id = x.heuristic_id WHERE x.trace_id = t.id AND"
	" h.kind = 'fix' AND x.gain_ns > 0) GROUP BY t.id ORDER BY coalesce(t.start_ns, "
	"t.mtime_ns),"
	" t.path";

/* A trace before the one that is told, of any run. */
struct told {
	const char *run;
	struct tc_text path; /* below the root */
	int64_t rank, step_ns;
};

/* "prod:bert": the job that a batch would put the trace into. */
static const char *run_of(struct tc_arena *arena, struct tc_text path)
{
	struct tc_buf name = {.ctx = arena->ctx}, run = {.ctx = arena->ctx};

	tc_buf_append_text(&name, tc_run_directory(path));
	tc_run_name(&run, path, true);
	if (name.len > 0 && run.len > 0)
		tc_buf_append_char(&name, ':');
	tc_buf_append_text(&name, tc_buf_text(&run));
	tc_buf_clear(&run);
	return tc_arena_keep(arena, &name);
}

/* ", 3.2 % slower than bert.17.json", by the last trace of the run with the same rank. */
static void append_change(
	struct tc_buf *line, const struct told *told, size_t count, const struct told *now)
{
	const struct told *last = NULL;

	for (size_t i = 0; i < count; i++)
		if (told[i].rank == now->rank && told[i].step_ns > 0 &&
			strcmp(told[i].run, now->run) == 0)
			last = &told[i];
	if (!last || now->step_ns <= 0)
		return;
	double pct = 100.0 * ((double)now->step_ns / (double)last->step_ns - 1);
	tc_buf_format(
		line, ", %.1f %% %s than ", pct < 0 ? -pct : pct, pct < 0 ? "faster" : "slower");
	tc_buf_append_text(line, tc_text_last_part(last->path));
}

static void append_line(struct tc_buf *line, const struct tc_rows *rows, const struct told *told,
	size_t count, const struct told *now)
{
	struct tc_text reason = tc_rows_text(rows, REASON), title = tc_rows_text(rows, TITLE);

	tc_buf_format(line, "%s: ", now->run);
	tc_buf_append_text(line, tc_text_last_part(now->path));
	if (reason.len > 0) {
		tc_buf_append_string(line, ": left out: ");
		tc_buf_append_text(line, reason);
		return;
	}
	int64_t ns = now->step_ns > 0 ? now->step_ns : tc_rows_int(rows, WALL);
	tc_buf_format(line, ": %s%s", ns > 0 ? tc_show_ns(ns).text : "no times",
		now->step_ns > 0 ? " a step"
		: ns > 0         ? " in all"
				 : "");
	append_change(line, told, count, now);
	tc_buf_append_string(line, title.len > 0 ? "; first fix: " : "; no fix");
	tc_buf_append_text(line, title);
	if (title.len > 0)
		TC_APPEND(line, TC_TEXT(" ("), tc_rows_text(rows, FIX), TC_TEXT(")"));
}

/* A reader that goes away ends nothing: the index is what counts. */
static void write_line(struct tc_buf *line, tc_write_fn write, void *user)
{
	const char *text = tc_buf_string(line);
	char *safe = text ? tc_text_line(text, -1) : NULL;

	if (safe && write(user, safe, strlen(safe)) == 0)
		write(user, "\n", 1);
	tc_text_free(safe);
}

enum tc_status tc_watch_tell(
	struct tc_watch *watch, struct tc_store *index, tc_write_fn write, void *user)
{
	TC_ENTER(watch->ctx);
	struct tc_rows rows = tc_rows_open(watch->ctx, tc_store_db(index), traces_sql);
	struct tc_arena arena = {.ctx = watch->ctx};
	struct tc_buf line = {.ctx = watch->ctx};
	struct told *told = NULL;
	size_t count = 0, capacity = 0;

	while (tc_rows_next(&rows)) {
		const char *path = tc_arena_dup(&arena, tc_rows_text(&rows, PATH));
		const struct told now = {.run = path ? run_of(&arena, tc_text_from(path)) : NULL,
			.path = tc_text_from(path),
			.rank = tc_rows_int(&rows, RANK),
			.step_ns = tc_compare_mean(
				tc_rows_int(&rows, STEP_SUM), tc_rows_int(&rows, STEP_COUNT))};
		if (!now.run)
			continue;
		const struct seen *known = find(
			&watch->known, path, tc_rows_int(&rows, SIZE), tc_rows_int(&rows, MTIME));
		if (!known || (known->is_stopped && tc_rows_int(&rows, STOPPED) == 0)) {
			tc_buf_reset(&line);
			append_line(&line, &rows, told, count, &now);
			write_line(&line, write, user);
		}
		TC_PUSH(watch->ctx, told, count, capacity, now);
	}
	tc_free(told);
	tc_buf_clear(&line);
	tc_arena_clear(&arena);
	if (!tc_ctx_failed(watch->ctx))
		load_known(watch, index);
	return tc_ctx_status(watch->ctx);
}
