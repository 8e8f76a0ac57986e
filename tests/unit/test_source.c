/* Sources: kinds of files, their damage, and what the operating system does in between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "core/alloc.h"
#include "core/buf.h"
#include "source/source.h"

static struct tc_ctx *ctx;
static char directory[64], path[128];

static int set_up(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/tc-test-source-XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/trace.json", directory);
	ctx = tc_ctx_new();
	return ctx ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	tc_ctx_free(ctx);
	return rmdir(directory);
}

static void write_file(const struct tc_buf *bytes)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes->ptr ? bytes->ptr : "", 1, bytes->len, file), bytes->len);
	assert_int_equal(fclose(file), 0);
}

static void write_bytes(const char *bytes, size_t len)
{
	struct tc_buf buf = TC_BUF_EMPTY;

	tc_buf_append(&buf, bytes, len);
	write_file(&buf);
	tc_buf_clear(&buf);
}

/* Appends text as one gzip member. */
static void append_gzip(struct tc_buf *out, const char *text, size_t len)
{
	z_stream stream = {0};
	size_t bound = compressBound(len) + 64;
	unsigned char *member = malloc(bound);

	assert_non_null(member);
	assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	stream.next_in = (Bytef *)(uintptr_t)text;
	stream.avail_in = (uInt)len;
	stream.next_out = member;
	stream.avail_out = (uInt)bound;
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	tc_buf_append(out, (char *)member, bound - stream.avail_out);
	deflateEnd(&stream);
	free(member);
}

/* Text that does not compress to nothing, so that cuts fall everywhere. */
static void append_text(struct tc_buf *out, size_t len)
{
	uint64_t random = 99;

	for (size_t i = 0; i < len; i++) {
		random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		tc_buf_append_char(out, "{\"name\": 123, xyz}"[(random >> 40) % 18]);
	}
}

/* Reads everything in pieces of up to capacity bytes. */
static enum tc_status read_all(struct tc_source *source, struct tc_buf *out, size_t capacity)
{
	char *piece = malloc(capacity);
	size_t len = 0;
	enum tc_status status;

	assert_non_null(piece);
	do {
		status = tc_source_read(source, piece, capacity, &len);
		if (!status)
			tc_buf_append(out, piece, len);
	} while (!status && len > 0);
	if (!status) { /* the end stays the end */
		assert_int_equal(tc_source_read(source, piece, capacity, &len), TC_OK);
		assert_int_equal(len, 0);
	}
	free(piece);
	return status;
}

/* Opens the file and compares all that comes out of it. */
static void expect_contents(
	const char *kind, const struct tc_buf *expected, size_t capacity, const char *cut)
{
	struct tc_source *source = NULL;
	struct tc_buf got = TC_BUF_EMPTY;

	assert_int_equal(tc_source_open(&source, ctx, path), TC_OK);
	assert_string_equal(tc_source_kind(source), kind);
	assert_int_equal(read_all(source, &got, capacity), TC_OK);
	assert_int_equal(got.len, expected->len);
	if (got.len > 0)
		assert_memory_equal(got.ptr, expected->ptr, got.len);
	assert_int_equal(tc_source_cut(source), cut != NULL);
	if (cut)
		assert_non_null(strstr(tc_source_cut_reason(source), cut));
	else
		assert_null(tc_source_cut_reason(source));
	tc_source_close(source);
	tc_buf_clear(&got);
}

static void expect_refused(const char *name, enum tc_status status, const char *words)
{
	struct tc_source *source = NULL;

	assert_int_equal(tc_source_open(&source, ctx, name), status);
	assert_null(source);
	if (!strstr(tc_ctx_error(ctx), words))
		fail_msg("\"%s\" does not say \"%s\"", tc_ctx_error(ctx), words);
	tc_ctx_clear_error(ctx);
}

static void plain_bytes_come_as_they_are(void **state)
{
	static const size_t sizes[] = {1, 2, 511, 512, 513, 131071, 131072, 131073, 400000};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct tc_buf text = TC_BUF_EMPTY;
		append_text(&text, sizes[i]);
		write_file(&text);
		expect_contents("plain", &text, 1000, NULL);
		expect_contents("plain", &text, 262144, NULL);
		tc_buf_clear(&text);
	}
	write_bytes("\0\0\0\0", 4); /* zeros are the decoder's matter */
	struct tc_buf zeros = {(char[]){0, 0, 0, 0}, 4, 4, false};
	expect_contents("plain", &zeros, 10, NULL);
}

static void name_does_not_tell_the_kind(void **state)
{
	char kept[sizeof(path)];

	(void)state;
	strcpy(kept, path);
	strcat(path, ".gz");
	write_bytes("{}", 2);
	struct tc_buf text = {(char[]){'{', '}'}, 2, 2, false};
	expect_contents("plain", &text, 10, NULL);
	unlink(path);
	strcpy(path, kept);
	struct tc_buf gz = TC_BUF_EMPTY;
	append_gzip(&gz, "{}", 2);
	write_file(&gz);
	expect_contents("gzip", &text, 10, NULL);
	tc_buf_clear(&gz);
}

static void gzip_members_are_joined(void **state)
{
	struct tc_buf text = TC_BUF_EMPTY, gz = TC_BUF_EMPTY;

	(void)state;
	append_text(&text, 300000);
	append_gzip(&gz, text.ptr, 1);
	append_gzip(&gz, "", 0);
	append_gzip(&gz, text.ptr + 1, 199999);
	append_gzip(&gz, text.ptr + 200000, 100000);
	write_file(&gz);
	expect_contents("gzip", &text, 7, NULL);
	expect_contents("gzip", &text, 100000, NULL);
	expect_contents("gzip", &text, 300000, NULL);
	expect_contents("gzip", &text, 1000000, NULL);
	tc_buf_append(&gz, "\0\0\0\0\0", 5); /* padding */
	write_file(&gz);
	expect_contents("gzip", &text, 100000, NULL);
	append_gzip(&gz, "more", 4);
	tc_buf_append_string(&text, "more");
	write_file(&gz);
	expect_contents("gzip", &text, 100000, NULL);
	tc_buf_append_string(&gz, "signature of something");
	write_file(&gz);
	expect_contents("gzip", &text, 100000, NULL);
	tc_buf_clear(&gz);
	tc_buf_clear(&text);
}

/* Every prefix of a two-member file: what came out is a prefix of the text, and every cut but
 * the one between the members is told. */
static void every_prefix_of_gzip_keeps_what_came_before(void **state)
{
	struct tc_buf text = TC_BUF_EMPTY, gz = TC_BUF_EMPTY;

	(void)state;
	append_text(&text, 600);
	append_gzip(&gz, text.ptr, 300);
	size_t first = gz.len;
	append_gzip(&gz, text.ptr + 300, 300);
	for (size_t len = 2; len <= gz.len; len++) {
		struct tc_source *source = NULL;
		struct tc_buf got = TC_BUF_EMPTY;
		write_bytes(gz.ptr, len);
		assert_int_equal(tc_source_open(&source, ctx, path), TC_OK);
		assert_int_equal(read_all(source, &got, 256), TC_OK);
		assert_true(got.len <= text.len);
		if (got.len > 0)
			assert_memory_equal(got.ptr, text.ptr, got.len);
		assert_true(len < first || got.len >= 300);
		assert_int_equal(tc_source_cut(source), len != first && len != gz.len);
		tc_source_close(source);
		tc_buf_clear(&got);
	}
	tc_buf_clear(&gz);
	tc_buf_clear(&text);
}

static void damaged_gzip_says_where(void **state)
{
	struct tc_buf text = TC_BUF_EMPTY, gz = TC_BUF_EMPTY;

	(void)state;
	append_text(&text, 5000);
	append_gzip(&gz, text.ptr, 5000);
	size_t first = gz.len;
	gz.ptr[first - 6] ^= 1; /* its checksum */
	write_file(&gz);
	expect_contents("gzip", &text, 100000, "gzip member 1 is damaged near byte");
	gz.ptr[first - 6] ^= 1;
	append_gzip(&gz, text.ptr, 5000);
	gz.ptr[first + 2] = 9; /* the method of the second header */
	write_file(&gz);
	expect_contents("gzip", &text, 100000, "gzip member 2 is damaged");
	tc_buf_clear(&gz);
	/* Any flipped byte: an end with or without a reason, never an error or a crash. */
	append_gzip(&gz, text.ptr, 2000);
	for (size_t i = 2; i < gz.len; i++) {
		struct tc_source *source = NULL;
		struct tc_buf got = TC_BUF_EMPTY;
		gz.ptr[i] ^= 0x55;
		write_file(&gz);
		assert_int_equal(tc_source_open(&source, ctx, path), TC_OK);
		assert_int_equal(read_all(source, &got, 4096), TC_OK);
		tc_source_close(source);
		tc_buf_clear(&got);
		gz.ptr[i] ^= 0x55;
	}
	tc_buf_clear(&gz);
	tc_buf_clear(&text);
}

/* Two frames of 15 bytes of text each, as the program zstd writes them. */
static const char zstd_frames[] =
	"\x28\xb5\x2f\xfd\x04\x58\x79\x00\x00\x5b\x7b\x22\x66\x69\x72\x73\x74\x22\x3a\x20"
	"\x31\x7d\x2c\x0a\x5a\x70\x37\x52"
	"\x28\xb5\x2f\xfd\x04\x58\x79\x00\x00\x7b\x22\x73\x65\x63\x6f\x6e\x64\x22\x3a\x20"
	"\x32\x7d\x5d\x0a\xca\xc5\x1e\x2e";
enum { ZSTD_FIRST = 28 };

static bool reads_zstd(void)
{
	struct tc_source *source = NULL;

	write_bytes(zstd_frames, sizeof(zstd_frames) - 1);
	if (tc_source_open(&source, ctx, path)) {
		tc_ctx_clear_error(ctx);
		return false;
	}
	tc_source_close(source);
	return true;
}

static void zstd_frames_are_joined(void **state)
{
	struct tc_buf text = TC_BUF_EMPTY, zst = TC_BUF_EMPTY;

	(void)state;
	if (!reads_zstd()) {
		expect_refused(path, TC_ERR_INPUT, "zstd -d");
		skip();
	}
	tc_buf_append_string(&text, "[{\"first\": 1},\n{\"second\": 2}]\n");
	for (size_t capacity = 1; capacity < 40; capacity++)
		expect_contents("zstd", &text, capacity, NULL);
	/* A frame to skip in front, padding and an appendix behind. */
	tc_buf_append(&zst, "\x53\x2a\x4d\x18\3\0\0\0xyz", 11);
	tc_buf_append(&zst, zstd_frames, sizeof(zstd_frames) - 1);
	tc_buf_append(&zst, "\0\0\0\0\0", 5);
	tc_buf_append_string(&zst, "appendix");
	write_file(&zst);
	expect_contents("zstd", &text, 100, NULL);
	tc_buf_clear(&zst);
	tc_buf_clear(&text);
}

static void every_prefix_of_zstd_keeps_what_came_before(void **state)
{
	(void)state;
	if (!reads_zstd())
		skip();
	for (size_t len = 4; len < sizeof(zstd_frames); len++) {
		struct tc_source *source = NULL;
		struct tc_buf got = TC_BUF_EMPTY;
		write_bytes(zstd_frames, len);
		assert_int_equal(tc_source_open(&source, ctx, path), TC_OK);
		assert_int_equal(read_all(source, &got, 16), TC_OK);
		assert_true(len < ZSTD_FIRST || got.len >= 15);
		assert_int_equal(
			tc_source_cut(source), len != ZSTD_FIRST && len != sizeof(zstd_frames) - 1);
		tc_source_close(source);
		tc_buf_clear(&got);
	}
}

static void damaged_zstd_ends_the_input(void **state)
{
	char copy[sizeof(zstd_frames)];

	(void)state;
	if (!reads_zstd())
		skip();
	for (size_t i = 4; i < sizeof(zstd_frames) - 1; i++) {
		struct tc_source *source = NULL;
		struct tc_buf got = TC_BUF_EMPTY;
		memcpy(copy, zstd_frames, sizeof(copy));
		copy[i] ^= 0x55;
		write_bytes(copy, sizeof(copy) - 1);
		assert_int_equal(tc_source_open(&source, ctx, path), TC_OK);
		assert_int_equal(read_all(source, &got, 4096), TC_OK);
		tc_source_close(source);
		tc_buf_clear(&got);
	}
}

static void other_formats_are_named(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *words;
	} rows[] = {
		{"PK\3\4 and more", 13, "unzip"},
		{"PK\5\6", 4, "ZIP archive"},
		{"SQLite format 3\0and more", 24, "open it as a store"},
		{"version https://git-lfs.github.com/spec/v1\noid", 46, "git lfs pull"},
		{"\xfd\x37\x7aXZ\0data", 10, "xz -d"},
		{"BZh91AY", 7, "bzip2 -d"},
		{"7z\xbc\xaf\x27\x1c", 6, "7-Zip"},
		{"\x04\x22\x4d\x18", 4, "lz4 -d"},
	};
	char tar[512] = "trace.json";

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		write_bytes(rows[i].bytes, rows[i].len);
		expect_refused(path, TC_ERR_INPUT, rows[i].words);
		expect_refused(path, TC_ERR_INPUT, path);
		/* One byte less is no such file. */
		struct tc_source *source = NULL;
		if (i != 3 && rows[i].len < 8) {
			write_bytes(rows[i].bytes, 2);
			assert_int_equal(tc_source_open(&source, ctx, path), TC_OK);
			tc_source_close(source);
		}
	}
	memcpy(tar + 257, "ustar", 5);
	write_bytes(tar, sizeof(tar));
	expect_refused(path, TC_ERR_INPUT, "tar archive");
}

static void unusable_paths_are_told(void **state)
{
	char missing[160];

	(void)state;
	write_bytes("", 0);
	expect_refused(path, TC_ERR_INPUT, "is empty");
	expect_refused(directory, TC_ERR_INPUT, "is a directory");
	snprintf(missing, sizeof(missing), "%s/missing.json", directory);
	expect_refused(missing, TC_ERR_IO, strerror(ENOENT));
	snprintf(missing, sizeof(missing), "%s/below", path);
	expect_refused(missing, TC_ERR_IO, strerror(ENOTDIR));
	chmod(path, 0);
	if (geteuid() != 0)
		expect_refused(path, TC_ERR_IO, strerror(EACCES));
	chmod(path, 0600);
#ifdef __linux__
	/* Opens, but cannot be read at its start. */
	expect_refused("/proc/self/mem", TC_ERR_IO, "at byte 0");
#endif
}

/* The file's descriptor is swapped for one that cannot be read: a disk that fails half-way. */
static void read_error_in_the_middle_names_the_byte(void **state)
{
	struct tc_buf text = TC_BUF_EMPTY;
	struct tc_source *source = NULL;
	static char piece[200000];
	size_t len, all = 0;

	(void)state;
	append_text(&text, 600000);
	write_file(&text);
	int probe = dup(STDERR_FILENO), unreadable = open("/dev/null", O_WRONLY);
	assert_true(probe >= 0 && unreadable >= 0);
	close(probe);
	assert_int_equal(tc_source_open(&source, ctx, path), TC_OK);
	while (all < 250000) {
		assert_int_equal(tc_source_read(source, piece, sizeof(piece), &len), TC_OK);
		all += len;
	}
	assert_int_equal(dup2(unreadable, probe), probe);
	len = 77;
	assert_int_equal(tc_source_read(source, piece, sizeof(piece), &len), TC_ERR_IO);
	assert_int_equal(len, 77);
	char expected[200];
	snprintf(expected, sizeof(expected), "cannot read %s at byte %zu", path, all);
	assert_non_null(strstr(tc_ctx_error(ctx), expected));
	tc_ctx_clear_error(ctx);
	tc_source_close(source);
	close(unreadable);
	tc_buf_clear(&text);
}

static void bytes_read_are_counted(void **state)
{
	struct tc_buf text = TC_BUF_EMPTY, gz = TC_BUF_EMPTY, got = TC_BUF_EMPTY;
	struct tc_source *source = NULL;

	(void)state;
	append_text(&text, 400000);
	append_gzip(&gz, text.ptr, text.len);
	write_file(&gz);
	assert_int_equal(tc_source_open(&source, ctx, path), TC_OK);
	assert_int_equal(tc_source_total_bytes(source), gz.len);
	assert_true(tc_source_read_bytes(source) < tc_source_total_bytes(source));
	assert_int_equal(read_all(source, &got, 50000), TC_OK);
	assert_int_equal(tc_source_read_bytes(source), gz.len);
	tc_source_close(source);
	tc_buf_clear(&text);
	tc_buf_clear(&gz);
	tc_buf_clear(&got);
}

struct slow_writer {
	int fd;
	const struct tc_buf *bytes;
	pthread_t reader;
	bool disturb; /* sends the reader a signal after each piece */
};

/* Writes in small pieces, so that reads are short and find nothing now and then. */
static void *write_slowly(void *user)
{
	const struct slow_writer *slow = user;

	for (size_t at = 0; at < slow->bytes->len;) {
		size_t left = slow->bytes->len - at;
		ssize_t done = write(slow->fd, slow->bytes->ptr + at, left < 3000 ? left : 3000);
		if (done < 0)
			break;
		at += (size_t)done;
		if (slow->disturb)
			pthread_kill(slow->reader, SIGALRM);
		nanosleep(&(struct timespec){0, 100000}, NULL);
	}
	close(slow->fd);
	return NULL;
}

static void ignore_signal(int number)
{
	(void)number;
}

/* Standard input is a pipe, non-blocking as some parents leave it, and signals come in. */
static void standard_input_is_read_to_its_end(void **state)
{
	struct tc_buf text = TC_BUF_EMPTY, gz = TC_BUF_EMPTY, got = TC_BUF_EMPTY;
	struct sigaction action = {.sa_handler = ignore_signal}, before;
	struct tc_source *source = NULL;
	int ends[2], kept = dup(STDIN_FILENO);
	pthread_t thread;

	(void)state;
	append_text(&text, 200000);
	append_gzip(&gz, text.ptr, text.len);
	assert_int_equal(pipe(ends), 0);
	assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
	close(ends[0]);
	fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
	sigaction(SIGALRM, &action, &before);
	struct slow_writer slow = {ends[1], &gz, pthread_self(), true};
	assert_int_equal(pthread_create(&thread, NULL, write_slowly, &slow), 0);
	assert_int_equal(tc_source_open(&source, ctx, "-"), TC_OK);
	assert_int_equal(tc_source_total_bytes(source), -1);
	assert_int_equal(read_all(source, &got, 30000), TC_OK);
	pthread_join(thread, NULL);
	sigaction(SIGALRM, &before, NULL);
	assert_false(tc_source_cut(source));
	assert_int_equal(got.len, text.len);
	assert_memory_equal(got.ptr, text.ptr, text.len);
	tc_source_close(source);
	assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0); /* not ours to close */
	dup2(kept, STDIN_FILENO);
	close(kept);
	tc_buf_clear(&text);
	tc_buf_clear(&gz);
	tc_buf_clear(&got);
}

static void *open_and_write(void *user)
{
	const struct tc_buf *bytes = user;
	struct slow_writer slow = {.fd = open(path, O_WRONLY), .bytes = bytes};

	return slow.fd >= 0 ? write_slowly(&slow) : NULL;
}

static void fifo_is_read_like_a_file(void **state)
{
	struct tc_buf text = TC_BUF_EMPTY;
	pthread_t thread;

	(void)state;
	append_text(&text, 100000);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(pthread_create(&thread, NULL, open_and_write, &text), 0);
	expect_contents("plain", &text, 30000, NULL);
	pthread_join(thread, NULL);
	tc_buf_clear(&text);
}

static void interrupt_ends_the_reading(void **state)
{
	struct tc_buf text = TC_BUF_EMPTY, got = TC_BUF_EMPTY;
	struct tc_source *source = NULL;

	(void)state;
	append_text(&text, 400000);
	write_file(&text);
	assert_int_equal(tc_source_open(&source, ctx, path), TC_OK);
	tc_ctx_interrupt(ctx);
	assert_int_equal(read_all(source, &got, 30000), TC_ERR_INTERRUPTED);
	tc_source_close(source);
	tc_buf_clear(&text);
	tc_buf_clear(&got);
}

static void expect_every_failed_allocation_survived(void)
{
	for (int n = 0; n < 40; n++) {
		struct tc_source *source = NULL;
		struct tc_buf got = TC_BUF_EMPTY;
		tc_alloc_fail_after(n);
		enum tc_status status = tc_source_open(&source, ctx, path);
		if (!status) {
			char piece[4096];
			size_t len = 1;
			while (!status && len > 0)
				status = tc_source_read(source, piece, sizeof(piece), &len);
		}
		tc_alloc_fail_after(-1);
		/* The message itself may be what had no memory. */
		assert_true(status == TC_OK || status == TC_ERR_NOMEM);
		tc_source_close(source);
		tc_ctx_clear_error(ctx);
		tc_buf_clear(&got);
	}
}

static void memory_may_fail_anywhere(void **state)
{
	struct tc_buf text = TC_BUF_EMPTY, gz = TC_BUF_EMPTY;

	(void)state;
	append_text(&text, 100000);
	append_gzip(&gz, text.ptr, text.len);
	write_file(&gz);
	expect_every_failed_allocation_survived();
	gz.len -= 10; /* cut: the reason needs memory */
	write_file(&gz);
	expect_every_failed_allocation_survived();
	write_bytes(zstd_frames, sizeof(zstd_frames) - 1);
	if (reads_zstd())
		expect_every_failed_allocation_survived();
	tc_buf_clear(&text);
	tc_buf_clear(&gz);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(plain_bytes_come_as_they_are),
		TEST(name_does_not_tell_the_kind),
		TEST(gzip_members_are_joined),
		TEST(every_prefix_of_gzip_keeps_what_came_before),
		TEST(damaged_gzip_says_where),
		TEST(zstd_frames_are_joined),
		TEST(every_prefix_of_zstd_keeps_what_came_before),
		TEST(damaged_zstd_ends_the_input),
		TEST(other_formats_are_named),
		TEST(unusable_paths_are_told),
		TEST(read_error_in_the_middle_names_the_byte),
		TEST(bytes_read_are_counted),
		TEST(standard_input_is_read_to_its_end),
		TEST(fifo_is_read_like_a_file),
		TEST(interrupt_ends_the_reading),
		TEST(memory_may_fail_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
