/*
 * The context of a call (tracecoach/context.h): the chain of errors, the flag of an interrupt, the
 * hooks for progress and notes, and the files that were read. A part of a job has a context of its
 * own, which keeps only its errors: all else is that of its parent.
 *
 * The chain has the outermost cause first. A file that is missing, met while a job is read, gives
 *   "cannot read the job: cannot open rank3.json: No such file or directory"
 * and the status of its last part, which came first.
 */
#include "core/context.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/buf.h"
#include "core/files/reads.h"

struct file_id {
	dev_t device;
	ino_t number;
};

struct tc_ctx {
	struct tc_ctx *parent;         /* of a part of a job */
	pthread_mutex_t lock;          /* guards chain and reads */
	_Atomic enum tc_status status; /* written under the lock, read without it */
	int os_error;                  /* of the root cause, 0 where the system told none */
	struct tc_buf chain;           /* outermost cause first */
	struct tc_buf scratch;
	struct file_id *reads;
	size_t read_count, read_capacity;
	atomic_bool interrupted;
	atomic_int call_count; /* public calls that have begun and not ended: see TC_ENTER */
	tc_progress_fn progress;
	void *progress_user;
	tc_note_fn note;
	void *note_user;
	bool tells_timings;
	const struct tc_word *words; /* NULL for those of the headers */
	int64_t progress_ns;         /* when the hook last heard something; 0 for never */
};

/* Between two calls of the progress hook. */
enum { PROGRESS_INTERVAL_NS = 100 * 1000 * 1000 };

const char *tc_status_name(enum tc_status status)
{
	static const char *const names[] = {
		[TC_OK] = "ok",
		[TC_ERR_NOMEM] = "out of memory",
		[TC_ERR_IO] = "input/output error",
		[TC_ERR_READ] = "unreadable input",
		[TC_ERR_INPUT] = "unusable input",
		[TC_ERR_USAGE] = "wrong usage",
		[TC_ERR_STORE] = "store error",
		[TC_ERR_LIMIT] = "limit reached",
		[TC_ERR_INTERRUPTED] = "interrupted",
		[TC_ERR_INTERNAL] = "internal error",
	};

	if ((size_t)status >= TC_COUNT_OF(names))
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

struct tc_ctx *tc_ctx_new_part(struct tc_ctx *parent)
{
	struct tc_ctx *ctx = tc_ctx_new();

	if (ctx) {
		ctx->parent = parent;
		ctx->call_count = 1;
	}
	return ctx;
}

void tc_ctx_free(struct tc_ctx *ctx)
{
	if (!ctx)
		return;
	tc_buf_clear(&ctx->chain);
	tc_buf_clear(&ctx->scratch);
	tc_free(ctx->reads);
	pthread_mutex_destroy(&ctx->lock);
	tc_free(ctx);
}

void tc_ctx_set_progress(struct tc_ctx *ctx, tc_progress_fn fn, void *user)
{
	ctx->progress = fn;
	ctx->progress_user = user;
	ctx->progress_ns = 0;
}

void tc_ctx_progress(struct tc_ctx *ctx, const struct tc_progress *progress)
{
	struct timespec now;

	if (ctx->parent)
		ctx = ctx->parent;
	if (!ctx->progress)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	bool at_end = progress->read_bytes == progress->total_bytes;
	if (ctx->progress_ns != 0 && now_ns - ctx->progress_ns < PROGRESS_INTERVAL_NS && !at_end)
		return;
	ctx->progress_ns = now_ns;
	ctx->progress(ctx->progress_user, progress);
}

void tc_ctx_set_note(struct tc_ctx *ctx, tc_note_fn fn, void *user)
{
	ctx->note = fn;
	ctx->note_user = user;
}

/*
 * Words for options. A message is written as the program says it, "leave --step out", and the words
 * of the context replace its options. They are looked for in formats, never in what these quote: a
 * file may be called "--step". Options of other programs have no word, and stay; so do those inside
 * of a command, "'tracecoach import --again' reads its traces again", which has a word as a whole
 * or none.
 */
static const struct tc_word member_words[] = {{"--again", "again"}, {"--capture", "capture_paths"},
	{"--config", "config_path"}, {"--db", "db_path"}, {"--details", "details"},
	{"--device", "device"}, {"--finding", "finding"}, {"--fix", "fixes"},
	{"--format", "the format"}, {"--only", "only"}, {"--peaks", "peaks_path"},
	{"--rank", "rank"}, {"--remove", "edits"}, {"--rules", "rules_directory"},
	{"--schema", "tc_query_schema()"}, {"--set", "sets"}, {"--skip", "skip"}, {"--sql", "sql"},
	{"--step", "step"}, {"--steps", "steps"}, {"--strict", "strict"}, {"--time", "time"},
	{"--top", "top"}, {"--with", "side_paths"}, {"tracecoach analyze", "tc_report()"},
	{"tracecoach batch", "tc_fleet_open()"}, {"tracecoach heuristics", "tc_heuristic_at()"},
	{"tracecoach import", "tc_import()"},
	{"tracecoach import --again", "tc_import() with again"},
	{"tracecoach merge", "tc_index_merge()"}, {"tracecoach query", "tc_store_open_any()"},
	{NULL, NULL}};

void tc_ctx_set_words(struct tc_ctx *ctx, const struct tc_word *words)
{
	ctx->words = words;
}

static const struct tc_word *find_word(const struct tc_ctx *ctx, const char *option, size_t len)
{
	const struct tc_word *word = (ctx->parent ? ctx->parent : ctx)->words;

	for (word = word ? word : member_words; word->option; word++)
		if (strncmp(word->option, option, len) == 0 && word->option[len] == '\0')
			return word;
	return NULL;
}

const char *tc_ctx_word(const struct tc_ctx *ctx, const char *option)
{
	const struct tc_word *word = ctx ? find_word(ctx, option, strlen(option)) : NULL;

	return word ? word->word : option;
}

bool tc_ctx_has_shell(const struct tc_ctx *ctx)
{
	static const char program[] = "tracecoach";

	return tc_ctx_word(ctx, program) == program;
}

/* Longer formats than there are. */
enum { FORMAT_ROOM = 1000 };

static size_t option_len(const char *text)
{
	return text[0] == '-' && text[1] == '-'
		       ? 2 + strspn(text + 2, "abcdefghijklmnopqrstuvwxyz-")
		       : 0;
}

/* Bytes of a command, "'tracecoach query'", with its quotes; 0 where none begins. */
static size_t command_len(const char *text)
{
	static const char command[] = "'tracecoach ";
	const char *end =
		strncmp(text, command, strlen(command)) == 0 ? strchr(text + 1, '\'') : NULL;

	return end ? (size_t)(end - text) + 1 : 0;
}

/* The format with the words of the context: in room, or as it is where that is too small. */
static const char *with_words(char room[FORMAT_ROOM], const struct tc_ctx *ctx, const char *format)
{
	size_t used = 0;

	for (const char *at = format; *at;) {
		size_t command = command_len(at), option = option_len(at);
		const struct tc_word *word = command > 0  ? find_word(ctx, at + 1, command - 2)
					     : option > 0 ? find_word(ctx, at, option)
							  : NULL;
		size_t len = command > 0 ? command : option > 0 ? option : 1;
		const char *put = word ? word->word : at;
		size_t put_len = word ? strlen(put) : len;

		if (used + put_len >= FORMAT_ROOM)
			return format;
		memcpy(room + used, put, put_len);
		used += put_len;
		at += len;
	}
	room[used] = '\0';
	return room;
}

void tc_ctx_append_words(struct tc_buf *buf, const struct tc_ctx *ctx, const char *text)
{
	char room[FORMAT_ROOM];

	tc_buf_append_string(buf, with_words(room, ctx, text));
}

void tc_ctx_note(struct tc_ctx *ctx, enum tc_note note, const char *format, ...)
{
	struct tc_buf text = TC_BUF_EMPTY;
	char room[FORMAT_ROOM];
	va_list args;

	if (!ctx->note)
		return;
	va_start(args, format);
	tc_buf_vformat(&text, with_words(room, ctx, format), args);
	va_end(args);
	const char *string = tc_buf_string(&text);
	ctx->note(ctx->note_user, note, string ? string : "out of memory");
	tc_buf_clear(&text);
}

void tc_ctx_tell_timings(struct tc_ctx *ctx)
{
	ctx->tells_timings = true;
}

int64_t tc_cpu_now_ns(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void tc_timing_end(const struct tc_timing *timing)
{
	if (timing->ctx->tells_timings)
		tc_ctx_note(timing->ctx, TC_NOTE_TIMING, "%s %s %.3f ms", timing->kind,
			timing->name, (double)(tc_cpu_now_ns() - timing->began_ns) / 1e6);
}

void tc_ctx_interrupt(struct tc_ctx *ctx)
{
	atomic_store(&ctx->interrupted, true);
}

void tc_ctx_resume(struct tc_ctx *ctx)
{
	atomic_store(&ctx->interrupted, false);
}

bool tc_ctx_interrupted(const struct tc_ctx *ctx)
{
	return atomic_load(&(ctx->parent ? ctx->parent : ctx)->interrupted);
}

/* ---- failing */

#define ROOM ": set TMPDIR to a place with room"
#define NAME ": check the name and the directory you are in"
#define PART ": a part of the path is a file: check the name"
#define LINKS ": its links lead in a circle: name the file itself"
#define ANOTHER ": choose another place"
#define DIRECTORY ": make its directory first, or choose another place"
#define READING ": allow reading it (chmod), or run as its owner"
#define WRITING ": allow writing there (chmod), or choose another place"
#define MAKE_ROOM ": make room and run it again"
#define FILE_SIZE ": raise the limit of file sizes (ulimit -f)"
#define FILE_COUNT ": raise the limit of open files (ulimit -n)"

/* What to do about a file that cannot be opened or written: ": check the name" and the like for an
 * errno value, "" where nothing is known. */
static const char *remedy_for(int error, enum tc_purpose purpose)
{
	static const char *const others[TC_PURPOSE_COUNT] = {"", "", ROOM};
	static const struct {
		int error;
		const char *texts[TC_PURPOSE_COUNT];
	} remedies[] = {
		{ENOENT, {NAME, DIRECTORY, ROOM}},
		{ENOTDIR, {PART, PART, ROOM}},
		{EACCES, {READING, WRITING, ROOM}},
		{EPERM, {READING, WRITING, ROOM}},
		{EROFS, {"", ANOTHER, ROOM}},
		{EISDIR, {"", ": choose the name of a file in it", ROOM}},
		{ELOOP, {LINKS, LINKS, ROOM}},
		{ENAMETOOLONG,
			{": the name is too long: check it", ": choose a shorter name", ROOM}},
		{ENOSPC, {MAKE_ROOM, MAKE_ROOM, ROOM}},
		{EDQUOT, {MAKE_ROOM, MAKE_ROOM, ROOM}},
		{EFBIG, {FILE_SIZE, FILE_SIZE, FILE_SIZE}},
		{EMFILE, {FILE_COUNT, FILE_COUNT, FILE_COUNT}},
	};

	for (size_t i = 0; i < TC_COUNT_OF(remedies); i++)
		if (remedies[i].error == error)
			return remedies[i].texts[purpose];
	return others[purpose];
}

/* Pushes the text, and behind it that of the error of the system, if there is one. */
static void push(struct tc_ctx *ctx, enum tc_status status, int error, enum tc_purpose purpose,
	const char *format, va_list args)
{
	char room[FORMAT_ROOM];

	pthread_mutex_lock(&ctx->lock);
	tc_buf_reset(&ctx->scratch);
	tc_buf_vformat(&ctx->scratch, with_words(room, ctx, format), args);
	if (error)
		tc_buf_format(&ctx->scratch, ": %s%s", strerror(error), remedy_for(error, purpose));
	if (ctx->status == TC_OK) {
		ctx->os_error = error;
		ctx->status = status;
	}
	if (ctx->chain.len > 0) {
		tc_buf_append_string(&ctx->scratch, ": ");
		tc_buf_append_text(&ctx->scratch, tc_buf_text(&ctx->chain));
	}
	/* Terminated here, so that reading the message later needs no memory. */
	if (tc_buf_string(&ctx->scratch)) {
		struct tc_buf swap = ctx->chain;
		ctx->chain = ctx->scratch;
		ctx->scratch = swap;
	}
	pthread_mutex_unlock(&ctx->lock);
}

enum tc_status tc_fail(struct tc_ctx *ctx, enum tc_status status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	push(ctx, status, 0, TC_TO_READ, format, args);
	va_end(args);
	return status;
}

enum tc_status tc_fail_errno(struct tc_ctx *ctx, enum tc_status status, int error,
	enum tc_purpose purpose, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	push(ctx, status, error, purpose, format, args);
	va_end(args);
	return status;
}

enum tc_status tc_no_memory(struct tc_ctx *ctx)
{
	enum tc_status status = tc_ctx_status(ctx);

	return status ? status : tc_fail(ctx, TC_ERR_NOMEM, "out of memory");
}

void tc_ctx_check_size(struct tc_ctx *ctx, size_t given, size_t ours, const char *name)
{
	if (given != 0 && given != ours)
		tc_fail(ctx, TC_ERR_USAGE,
			"%s->size is %zu, and %zu in this version of the library: compile the "
			"program with the headers of the library that it runs with",
			name, given, ours);
}

/* A context that is only read is still locked: another thread may be failing. */
static pthread_mutex_t *lock_of(const struct tc_ctx *ctx)
{
	return &((struct tc_ctx *)(uintptr_t)ctx)->lock;
}

enum tc_status tc_ctx_status(const struct tc_ctx *ctx)
{
	return atomic_load_explicit(&ctx->status, memory_order_acquire);
}

int tc_ctx_errno(const struct tc_ctx *ctx)
{
	return tc_ctx_status(ctx) == TC_OK ? 0 : ctx->os_error;
}

const char *tc_ctx_error(const struct tc_ctx *ctx)
{
	pthread_mutex_lock(lock_of(ctx));
	const char *text = "";
	if (ctx->chain.len > 0)
		text = ctx->chain.ptr;
	else if (ctx->status != TC_OK)
		text = tc_status_name(ctx->status);
	pthread_mutex_unlock(lock_of(ctx));
	return text;
}

void tc_ctx_clear_error(struct tc_ctx *ctx)
{
	pthread_mutex_lock(&ctx->lock);
	ctx->status = TC_OK;
	tc_buf_reset(&ctx->chain);
	pthread_mutex_unlock(&ctx->lock);
}

struct tc_ctx *tc_ctx_enter(struct tc_ctx *ctx)
{
	if (atomic_fetch_add(&ctx->call_count, 1) == 0)
		tc_ctx_clear_error(ctx);
	return ctx;
}

void tc_ctx_leave(struct tc_ctx *const *ctx)
{
	atomic_fetch_sub(&(*ctx)->call_count, 1);
}

/* Returns 0, or ENOMEM. Other threads may enter files, too. */
static int add_read(struct tc_ctx *ctx, const struct stat *file)
{
	if (!S_ISREG(file->st_mode))
		return 0;
	if (ctx->parent)
		ctx = ctx->parent;
	pthread_mutex_lock(&ctx->lock);
	bool has_room = TC_GROW(ctx->reads, ctx->read_capacity, ctx->read_count + 1);
	if (has_room)
		ctx->reads[ctx->read_count++] = (struct file_id){file->st_dev, file->st_ino};
	pthread_mutex_unlock(&ctx->lock);
	return has_room ? 0 : ENOMEM;
}

int tc_reads_add(struct tc_ctx *ctx, int fd)
{
	struct stat file;

	return fstat(fd, &file) ? errno : add_read(ctx, &file);
}

int tc_reads_expect(struct tc_ctx *ctx, const char *path)
{
	struct stat file;

	return stat(path, &file) ? 0 : add_read(ctx, &file);
}

static bool has_read(struct tc_ctx *ctx, const struct stat *file)
{
	bool found = false;

	if (ctx->parent)
		ctx = ctx->parent;
	pthread_mutex_lock(&ctx->lock);
	for (size_t i = 0; i < ctx->read_count && !found; i++)
		found = ctx->reads[i].device == file->st_dev &&
			ctx->reads[i].number == file->st_ino;
	pthread_mutex_unlock(&ctx->lock);
	return found;
}

bool tc_reads_has(struct tc_ctx *ctx, const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 && has_read(ctx, &file);
}

bool tc_reads_has_open(struct tc_ctx *ctx, int fd)
{
	struct stat file;

	return fstat(fd, &file) == 0 && has_read(ctx, &file);
}
