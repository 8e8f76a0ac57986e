/*
 * Source: opens a file, refuses it when it is known to be no trace, and hands out its bytes through
 * the codec that its first bytes ask for (codec.c).
 */
#include "source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/files/files.h"
#include "core/files/reads.h"
#include "core/text.h"
#include "source/codec.h"

/*
 * Files of other kinds than traces, known well enough to say what they are and how to get a trace
 * from them or instead of them. Content decides before the name.
 * A row is found by its first bytes, by a function that looks at more of them, or, where no row is
 * and the bytes are not JSON, by its name.
 */

struct tc_foreign {
	const char *what;   /* "a tar archive" */
	const char *remedy; /* what to do, as a clause */
};

/* First bytes that are looked at: of a database, in which the names of its tables stand, and of
 * all others. */
enum { TC_FOREIGN_DATABASE_BYTES = 4 * 1024 * 1024, TC_FOREIGN_HEAD_BYTES = 4096 };

#define PYTORCH                                                                                    \
	"record with PyTorch's profiler, torch.profiler.profile, and its "                         \
	"export_chrome_trace(\"trace.json\")"

/* Which program it is, where it is installed and in the source. */
#define NSYS_TO_TRACE(database)                                                                    \
	"(python3 " TC_EXAMPLES "/python/nsys_to_trace.py " database                               \
	" trace.json; in the source it is in examples/python), or " PYTORCH
#define NSYS                                                                                       \
	"export it to SQLite (nsys export --type sqlite -o report.sqlite REPORT) and make a "      \
	"trace of that " NSYS_TO_TRACE("report.sqlite")
#define TRACECONV "convert it with Perfetto's traceconv (traceconv json FILE trace.json)"
#define UNPACK "unpack it and give the trace inside"

/* The head of a file, for functions that examine it. */
struct sight {
	struct tc_text head;
	struct tc_text name; /* without what compression adds */
};

static bool has(struct tc_text text, const char *part)
{
	return tc_text_contains(text, tc_text_from(part));
}

static bool is_sqlite(struct tc_text head)
{
	return head.len >= 16 && memcmp(head.ptr, "SQLite format 3", 16) == 0;
}

static bool is_rocpd(const struct sight *sight)
{
	return is_sqlite(sight->head) && has(sight->head, "rocpd_");
}

static bool is_nsys_database(const struct sight *sight)
{
	return is_sqlite(sight->head) &&
	       (has(sight->head, "CUPTI_ACTIVITY_KIND_") || has(sight->head, "TARGET_INFO_") ||
		       has(sight->head, "StringIds") ||
		       tc_text_ends(sight->name, TC_TEXT(".nsys.sqlite")));
}

static bool is_ascend_database(const struct sight *sight)
{
	return is_sqlite(sight->head) && has(sight->head, "STRING_IDS");
}

static bool is_other_database(const struct sight *sight)
{
	return is_sqlite(sight->head);
}

static bool is_tar(const struct sight *sight)
{
	return sight->head.len >= 262 && memcmp(sight->head.ptr + 257, "ustar", 5) == 0;
}

/* Where text begins behind blanks and a byte order mark. */
static struct tc_text skip_blanks(struct tc_text text)
{
	if (tc_text_starts(text, TC_TEXT("\xef\xbb\xbf")))
		text = (struct tc_text){text.ptr + 3, text.len - 3};
	while (text.len > 0 && memchr(" \t\r\n", text.ptr[0], 4))
		text = (struct tc_text){text.ptr + 1, text.len - 1};
	return text;
}

static bool is_json(struct tc_text head)
{
	struct tc_text text = skip_blanks(head);

	return text.len > 0 && (text.ptr[0] == '{' || text.ptr[0] == '[');
}

static bool is_rocprof_json(const struct sight *sight)
{
	return is_json(sight->head) && has(sight->head, "\"rocprofiler-sdk-tool\"");
}

/* One event a line, each under its kind. */
static bool is_nsys_json(const struct sight *sight)
{
	return is_json(sight->head) &&
	       (has(sight->head, "\"CudaEvent\"") || has(sight->head, "\"NvtxEvent\"") ||
		       has(sight->head, "\"TraceProcessEvent\"") ||
		       has(sight->head, "\"ThreadNameEvent\"")) &&
	       !has(sight->head, "\"traceEvents\"");
}

static bool is_speedscope(const struct sight *sight)
{
	return is_json(sight->head) && has(sight->head, "speedscope.app/file-format-schema");
}

static bool is_web_page(const struct sight *sight)
{
	static const char *const starts[] = {"<!doctype html", "<html"};
	struct tc_text text = skip_blanks(sight->head);

	for (size_t i = 0; i < TC_COUNT_OF(starts); i++) {
		size_t len = strlen(starts[i]), same = 0;
		while (same < len && same < text.len &&
			(text.ptr[same] | 0x20) == (starts[i][same] | 0x20))
			same++;
		if (same == len)
			return true;
	}
	return false;
}

/* Protocol buffers: a key with the number and the type of a field, then its value. Reads the length
 * of a field with a length, 1 by its number in the key; *at is behind it then. */
static bool read_length(struct tc_text text, size_t *at, unsigned char key, uint64_t *len)
{
	size_t i = *at;

	if (i >= text.len || (unsigned char)text.ptr[i++] != key)
		return false;
	*len = 0;
	for (unsigned shift = 0; i < text.len && shift < 63; shift += 7) {
		unsigned char byte = (unsigned char)text.ptr[i++];
		*len |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*at = i;
			return *len > 0;
		}
	}
	return false;
}

enum { FIELD_1 = 0x0a, FIELD_2 = 0x12 };

/* XSpace: planes, each with a number that may be missing and its name. */
static bool is_xplane(const struct sight *sight)
{
	static const char *const names[] = {
		"/host:", "/device:", "/custom", "Task Environment", "#Chip"};
	struct tc_text text = sight->head;
	size_t at = 0;
	uint64_t len;

	if (is_json(text) || !read_length(text, &at, FIELD_1, &len))
		return false;
	if (at < text.len && text.ptr[at] == 0x08)
		for (at++; at < text.len && (unsigned char)text.ptr[at++] >= 0x80;)
			continue;
	if (!read_length(text, &at, FIELD_2, &len))
		return false;
	struct tc_text rest = {text.ptr + at, text.len - at};
	for (size_t i = 0; i < TC_COUNT_OF(names); i++)
		if (tc_text_starts(rest, tc_text_from(names[i])))
			return true;
	return false;
}

/* Packets one after another, and nothing but them as far as can be seen: three at least, or all. */
static bool is_perfetto(const struct sight *sight)
{
	struct tc_text text = sight->head;
	size_t at = 0, count = 0;
	uint64_t len;

	if (is_json(text))
		return false;
	while (at < text.len && read_length(text, &at, FIELD_1, &len)) {
		unsigned key = at < text.len ? (unsigned char)text.ptr[at] : 0x08;
		if (key < 0x08 || (key & 7) > 5 || (key & 7) == 3 || (key & 7) == 4)
			return false;
		count++;
		if (len > text.len - at)
			return count > 1 || memchr(text.ptr, '\0', text.len) != NULL;
		at += (size_t)len;
	}
	return count >= 3 || (count > 0 && at == text.len);
}

static bool is_pickle(const struct sight *sight)
{
	const char *p = sight->head.ptr;

	return sight->head.len > 2 && (unsigned char)p[0] == 0x80 && p[1] >= 2 && p[1] <= 5;
}

static bool is_tensorboard_log(const struct sight *sight)
{
	return !is_json(sight->head) && has(sight->name, "tfevents");
}

#define ENDS_MAX 4

static const struct kind {
	const char *bytes; /* at the start; NULL for is, or for the name alone */
	size_t len;
	bool (*is)(const struct sight *sight);
	const char *ends[ENDS_MAX]; /* of the name, NULL behind the last */
	struct tc_foreign foreign;
} kinds[] = {
	{"PK\3\4", 4, NULL, {".hltv", ".zip"},
		{"a ZIP archive (.hltv files are such archives)",
			"unzip it and give the trace inside"}},
	{"PK\5\6", 4, NULL, {NULL}, {"a ZIP archive without files", UNPACK}},
	{"PK\7\10", 4, NULL, {NULL}, {"a ZIP archive in parts", UNPACK}},
	{"version https://git-lfs", 23, NULL, {NULL},
		{"a Git LFS pointer, not the trace itself",
			"fetch the file (git lfs pull) and try again"}},
	{"\xfd"
	 "7zXZ",
		6, NULL, {".xz"}, {"compressed with xz", "decompress it first (xz -d)"}},
	{"BZh", 3, NULL, {".bz2"}, {"compressed with bzip2", "decompress it first (bzip2 -d)"}},
	{"7z\xbc\xaf\x27\x1c", 6, NULL, {".7z"}, {"a 7-Zip archive", UNPACK}},
	{"\x04\x22\x4d\x18", 4, NULL, {".lz4"},
		{"compressed with lz4", "decompress it first (lz4 -d)"}},
	/* Only below another compression does such a head come here. */
	{"\x1f\x8b", 2, NULL, {NULL},
		{"compressed twice",
			"decompress it once (gzip -d or zstd -d) and give the result"}},
	{"\x28\xb5\x2f\xfd", 4, NULL, {NULL},
		{"compressed twice",
			"decompress it once (gzip -d or zstd -d) and give the result"}},
	{NULL, 0, is_rocpd, {NULL},
		{"a database of rocprofv3 (rocpd)",
			"make a Perfetto trace of it (rocpd convert -i FILE --output-format "
			"pftrace) "
			"and of that one in JSON (traceconv json), or " PYTORCH}},
	{NULL, 0, is_nsys_database, {NULL},
		{"a database of NVIDIA Nsight Systems (nsys export)",
			"make a trace of it " NSYS_TO_TRACE("FILE")}},
	{NULL, 0, is_ascend_database, {NULL},
		{"a database of the Ascend profiler",
			"give trace_view.json of ASCEND_PROFILER_OUTPUT (torch_npu.profiler writes "
			"it for export_type=ExportType.Text), or msprof_*.json of "
			"mindstudio_profiler_output (msprof --export=on --output=PROF_DIR)"}},
	{NULL, 0, is_other_database, {NULL},
		{"an SQLite database, not a trace",
			"if tracecoach made it, open it as a store, alone"}},
	{NULL, 0, is_tar, {".tar", ".tgz"},
		{"a tar archive", "unpack it (tar -xf) and give the trace inside"}},
	{NULL, 0, is_xplane, {".xplane.pb"},
		{"a profile of XLA or TensorFlow (XPlane)",
			"give the .trace.json.gz beside it, or make one with "
			"jax.profiler.start_trace(DIR, create_perfetto_trace=True)"}},
	{NULL, 0, is_perfetto, {".pftrace", ".perfetto-trace", ".perfetto"},
		{"a Perfetto trace as protocol buffers", TRACECONV}},
	{NULL, 0, NULL, {".nsys-rep", ".qdrep", ".qdstrm"},
		{"a report of NVIDIA Nsight Systems", NSYS}},
	{"NVR", 4, NULL, {".ncu-rep"},
		{"a report of NVIDIA Nsight Compute, which has single kernels and no timeline",
			PYTORCH}},
	{"PERFILE2", 8, NULL, {NULL}, {"a recording of Linux perf", PYTORCH}},
	{NULL, 0, is_rocprof_json, {NULL},
		{"JSON of rocprofv3, which is no trace",
			"run rocprofv3 without --output-format, which writes a database, make a "
			"Perfetto trace of it (rocpd convert -i FILE --output-format pftrace) and "
			"of "
			"that one in JSON (traceconv json), or " PYTORCH}},
	{NULL, 0, is_nsys_json, {NULL},
		{"a report of NVIDIA Nsight Systems as JSON (nsys export)", NSYS}},
	{NULL, 0, is_speedscope, {".speedscope.json"},
		{"a profile for speedscope, which has stacks of the host alone", PYTORCH}},
	{NULL, 0, is_web_page, {NULL},
		{"a web page, not a trace",
			"download the file again: the server sent a page instead"}},
	{NULL, 0, is_tensorboard_log, {NULL},
		{"a log of TensorBoard", "give the .pt.trace.json beside it"}},
	{NULL, 0, is_pickle, {".pickle", ".pkl"},
		{"a Python pickle (PyTorch's memory snapshots are pickles)", PYTORCH}},
};

static bool is_by_content(const struct kind *kind, const struct sight *sight)
{
	if (kind->is)
		return kind->is(sight);
	return kind->bytes && sight->head.len >= kind->len &&
	       memcmp(sight->head.ptr, kind->bytes, kind->len) == 0;
}

static bool is_by_name(const struct kind *kind, const struct sight *sight)
{
	for (size_t i = 0; i < ENDS_MAX && kind->ends[i]; i++)
		if (tc_text_ends(sight->name, tc_text_from(kind->ends[i])))
			return true;
	return false;
}

static struct sight look(struct tc_text head, const char *name)
{
	static const char *const packed[] = {".gz", ".zst"};
	struct sight sight = {head, tc_text_from(name)};

	for (size_t i = 0; i < TC_COUNT_OF(packed); i++)
		if (tc_text_ends(sight.name, tc_text_from(packed[i])))
			sight.name.len -= strlen(packed[i]);
	return sight;
}

/* The kind of a file with this head, decompressed, and this name; NULL when it may be a trace. */
static const struct tc_foreign *foreign_find(struct tc_text head, const char *name)
{
	const struct sight sight = look(head, name);
	size_t count = TC_COUNT_OF(kinds);

	for (size_t i = 0; i < count; i++)
		if (is_by_content(&kinds[i], &sight))
			return &kinds[i].foreign;
	for (size_t i = 0; i < count && !is_json(head); i++)
		if (is_by_name(&kinds[i], &sight))
			return &kinds[i].foreign;
	return NULL;
}

static bool foreign_is_database(struct tc_text head)
{
	return is_sqlite(head);
}

/* Whether a database is known to be another program's. */
static bool foreign_is_other_database(struct tc_text head, const char *name)
{
	const struct sight sight = look(head, name);

	return is_rocpd(&sight) || is_nsys_database(&sight) || is_ascend_database(&sight);
}

struct tc_source {
	struct tc_raw raw;
	int64_t total_bytes;
	const struct tc_codec *codec;
	void *state; /* the codec's; valid once codec is set */
	char *head;  /* decompressed to look at it; NULL for plain traces */
	size_t head_len, head_used;
};

static void name_source(struct tc_raw *raw, const char *path)
{
	const char *name = strcmp(path, "-") == 0 ? "standard input" : path;

	raw->name = tc_string_dup(name);
	raw->bytes = tc_malloc(TC_RAW_BYTES);
	if (!raw->name || !raw->bytes)
		tc_fail(raw->ctx, TC_ERR_NOMEM, "cannot open %s: out of memory", name);
}

static void open_file(struct tc_raw *raw, const char *path)
{
	if (strcmp(path, "-") == 0) {
		raw->fd = STDIN_FILENO;
		if (tc_reads_add(raw->ctx, raw->fd) == ENOMEM)
			tc_fail(raw->ctx, TC_ERR_NOMEM, "cannot read: out of memory");
		return;
	}
	raw->fd = tc_reads_open(raw->ctx, path);
	if (raw->fd < 0 && errno == EINTR)
		tc_fail(raw->ctx, TC_ERR_INTERRUPTED, "interrupted");
	else if (raw->fd < 0)
		tc_fail_errno(raw->ctx, tc_open_status(errno), errno, TC_TO_READ, "cannot open %s",
			tc_path_shown(path));
}

/* Refuses a directory, and for a path that the user did not give all but regular files. */
static void look_at_file(struct tc_source *source, bool only_regular)
{
	struct tc_raw *raw = &source->raw;
	struct stat st;

	if (fstat(raw->fd, &st)) {
		tc_fail_errno(
			raw->ctx, TC_ERR_READ, errno, TC_TO_READ, "cannot read %s", raw->name);
		return;
	}
	source->total_bytes = -1;
	if (S_ISREG(st.st_mode)) {
		off_t start = lseek(raw->fd, 0, SEEK_CUR);
		source->total_bytes = st.st_size - (start > 0 ? start : 0);
#ifdef POSIX_FADV_SEQUENTIAL
		/* Only a hint; file systems that do not support it are fine. */
		(void)posix_fadvise(raw->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
	} else if (only_regular) {
		tc_fail(raw->ctx, TC_ERR_INPUT, "%s is not a regular file", raw->name);
	} else if (S_ISDIR(st.st_mode)) {
		tc_fail(raw->ctx, TC_ERR_INPUT,
			"%s is a directory; name traces in it (.json, .json.gz or .json.zst)",
			raw->name);
	}
}

/* Decompresses up to capacity bytes, to be looked at and then to be read first. */
static void fill_head(struct tc_source *source, size_t capacity)
{
	size_t len = 1;

	source->head = tc_malloc(capacity);
	if (!source->head)
		tc_fail(source->raw.ctx, TC_ERR_NOMEM, "cannot open %s: out of memory",
			source->raw.name);
	while (source->head && len > 0 && source->head_len < capacity) {
		len = source->codec->read(source->state, &source->raw,
			source->head + source->head_len, capacity - source->head_len);
		source->head_len += len;
	}
}

/* The first bytes of the trace: more of a database, to find its tables. */
static struct tc_text see_head(struct tc_source *source)
{
	const struct tc_raw *raw = &source->raw;
	struct tc_text head = {(const char *)raw->bytes + raw->pos, raw->len - raw->pos};
	bool is_database = foreign_is_database(head);

	if (source->codec == &tc_codec_plain && !is_database)
		return head;
	fill_head(source, is_database ? TC_FOREIGN_DATABASE_BYTES : TC_FOREIGN_HEAD_BYTES);
	return (struct tc_text){source->head, source->head_len};
}

static void refuse_foreign(struct tc_source *source)
{
	struct tc_text head = see_head(source);

	if (tc_ctx_failed(source->raw.ctx))
		return;
	const struct tc_foreign *foreign = foreign_find(head, source->raw.name);
	if (foreign)
		tc_fail(source->raw.ctx, TC_ERR_INPUT, "%s is %s; %s", source->raw.name,
			foreign->what, foreign->remedy);
}

/* A terminal ends when its user says so. */
static bool is_device(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && !isatty(fd);
}

static void choose_codec(struct tc_source *source)
{
	struct tc_raw *raw = &source->raw;

	tc_raw_need(raw, TC_FOREIGN_HEAD_BYTES);
	if (tc_ctx_failed(raw->ctx))
		return;
	if (raw->len == 0) {
		tc_fail(raw->ctx, TC_ERR_INPUT,
			"%s is empty; was the profiler stopped before it wrote the trace?",
			raw->name);
		return;
	}
	if (is_device(raw->fd)) {
		tc_fail(raw->ctx, TC_ERR_INPUT, "%s is a device, which has no end: give a trace",
			raw->name);
		return;
	}
	const struct tc_codec *codec = tc_codec_choose(raw);
	if (codec->open)
		source->state = codec->open(raw);
	if (codec->open && !source->state)
		return;
	source->codec = codec;
	refuse_foreign(source);
}

static enum tc_status open_source(
	struct tc_source **out, struct tc_ctx *ctx, const char *path, bool only_regular)
{
	struct tc_source *source = tc_calloc(1, sizeof(*source));

	if (!source)
		return tc_fail(ctx, TC_ERR_NOMEM, "cannot open %s: out of memory", path);
	source->raw.ctx = source->raw.loss_reason.ctx = ctx;
	source->raw.fd = -1;
	name_source(&source->raw, path);
	if (!tc_ctx_failed(ctx))
		open_file(&source->raw, path);
	if (!tc_ctx_failed(ctx) && !only_regular && strcmp(path, "-") != 0)
		tc_reads_wait(source->raw.ctx, source->raw.fd, path);
	if (!tc_ctx_failed(ctx))
		look_at_file(source, only_regular);
	if (!tc_ctx_failed(ctx))
		choose_codec(source);
	if (tc_ctx_failed(ctx))
		tc_source_close(source);
	else
		*out = source;
	return tc_ctx_status(ctx);
}

enum tc_status tc_source_open(struct tc_source **out, struct tc_ctx *ctx, const char *path)
{
	return open_source(out, ctx, path, false);
}

enum tc_status tc_source_open_regular(struct tc_source **out, struct tc_ctx *ctx, const char *path)
{
	return open_source(out, ctx, path, true);
}

void tc_source_close(struct tc_source *source)
{
	if (!source)
		return;
	if (source->codec && source->codec->close)
		source->codec->close(source->state);
	if (source->raw.fd > STDIN_FILENO)
		close(source->raw.fd);
	tc_buf_clear(&source->raw.loss_reason);
	tc_free(source->head);
	tc_free(source->raw.bytes);
	tc_free(source->raw.name);
	tc_free(source);
}

enum tc_status tc_source_read(struct tc_source *source, char *buffer, size_t capacity, size_t *len)
{
	size_t left = source->head_len - source->head_used;

	if (left == 0) {
		size_t got = source->codec->read(source->state, &source->raw, buffer, capacity);
		if (!tc_ctx_failed(source->raw.ctx))
			*len = got;
		return tc_ctx_status(source->raw.ctx);
	}
	*len = left < capacity ? left : capacity;
	memcpy(buffer, source->head + source->head_used, *len);
	source->head_used += *len;
	return TC_OK;
}

bool tc_source_is_other_database(struct tc_ctx *ctx, const char *path)
{
	int fd = tc_reads_open(ctx, path);
	char *bytes = fd < 0 ? NULL : tc_malloc(TC_FOREIGN_DATABASE_BYTES);
	size_t total = 0;
	ssize_t got = 1;

	while (bytes && got > 0 && total < TC_FOREIGN_DATABASE_BYTES) {
		got = tc_reads_some(ctx, fd, bytes + total, TC_FOREIGN_DATABASE_BYTES - total);
		total += got > 0 ? (size_t)got : 0;
	}
	bool is_other = bytes && foreign_is_other_database((struct tc_text){bytes, total}, path);
	tc_free(bytes);
	if (fd >= 0)
		close(fd);
	return is_other;
}

struct tc_source_loss tc_source_loss(const struct tc_source *source)
{
	const struct tc_raw *raw = &source->raw;

	return (struct tc_source_loss){.count = raw->loss_count,
		.reason = raw->loss_count > 0 ? raw->loss_reason.ptr : NULL,
		.is_at_end = raw->ends_early,
		.tail_bytes = raw->tail_bytes};
}

int64_t tc_source_read_bytes(const struct tc_source *source)
{
	return source->raw.read_bytes;
}

int64_t tc_source_total_bytes(const struct tc_source *source)
{
	return source->total_bytes;
}
