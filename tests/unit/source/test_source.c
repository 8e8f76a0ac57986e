/* Sources: kinds of files and their damage. test_source_system.c has the rest. */
#include "source_files.h"

#include "core/array.h"
#include "core/limits.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

static void plain_bytes_come_as_they_are(void **state)
{
	static const size_t sizes[] = {1, 2, 511, 512, 513, 131071, 131072, 131073, 400000};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct tc_buf text = TC_BUF_EMPTY;
		append_text(&text, sizes[i]);
		write_file(&text);
		expect_contents(&text, 1000, NULL);
		expect_contents(&text, 262144, NULL);
		tc_buf_clear(&text);
	}
	write_bytes("\0\0\0\0", 4); /* zeros are the decoder's matter */
	struct tc_buf zeros = {.ptr = (char[]){0, 0, 0, 0}, .len = 4};
	expect_contents(&zeros, 10, NULL);
}

static void name_does_not_tell_the_kind(void **state)
{
	char kept[sizeof(path)];

	(void)state;
	strcpy(kept, path);
	strcat(path, ".gz");
	write_bytes("{}", 2);
	struct tc_buf text = {.ptr = (char[]){'{', '}'}, .len = 2};
	expect_contents(&text, 10, NULL);
	unlink(path);
	strcpy(path, kept);
	struct tc_buf gz = TC_BUF_EMPTY;
	append_gzip(&gz, "{}", 2);
	write_file(&gz);
	expect_contents(&text, 10, NULL);
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
	expect_contents(&text, 7, NULL);
	expect_contents(&text, 100000, NULL);
	expect_contents(&text, 300000, NULL);
	expect_contents(&text, 1000000, NULL);
	tc_buf_append(&gz, "\0\0\0\0\0", 5); /* padding */
	write_file(&gz);
	expect_contents(&text, 100000, NULL);
	append_gzip(&gz, "more", 4);
	tc_buf_append_string(&text, "more");
	write_file(&gz);
	expect_contents(&text, 100000, NULL);
	tc_buf_append_string(&gz, "signature of something");
	write_file(&gz);
	expect_contents(&text, 100000, NULL);
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
		assert_int_equal(tc_source_loss(source).count, len != first && len != gz.len);
		assert_int_equal(tc_source_loss(source).is_at_end, len != first && len != gz.len);
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
	expect_contents(&text, 100000, "gzip member 1 is damaged near byte");
	gz.ptr[first - 6] ^= 1;
	append_gzip(&gz, text.ptr, 5000);
	gz.ptr[first + 2] = 9; /* the method of the second header */
	write_file(&gz);
	expect_contents(&text, 100000, "gzip member 2 is damaged");
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

/* Whatever came of the damaged part, a hole and what is behind it follow. */
static void expect_around_hole(const struct tc_buf *file, const char *behind, const char *reason)
{
	static const char zeros[TC_HOLE_BYTES];

	write_file(file);
	for (size_t capacity = 1; capacity < 100000; capacity = capacity * 7 + 1) {
		struct tc_source *source = NULL;
		struct tc_buf got = TC_BUF_EMPTY;
		size_t len = strlen(behind);
		assert_int_equal(tc_source_open(&source, ctx, path), TC_OK);
		assert_int_equal(read_all(source, &got, capacity), TC_OK);
		const struct tc_source_loss loss = tc_source_loss(source);
		assert_int_equal(loss.count, 1);
		assert_false(loss.is_at_end);
		assert_int_equal(loss.tail_bytes, 0);
		assert_non_null(strstr(loss.reason, reason));
		assert_true(got.len >= len + sizeof(zeros));
		assert_memory_equal(got.ptr + got.len - len, behind, len);
		assert_memory_equal(got.ptr + got.len - len - sizeof(zeros), zeros, sizeof(zeros));
		tc_source_close(source);
		tc_buf_clear(&got);
	}
}

/* A part that is short at any place, or damaged at any byte, does not take the next one along. */
static void reading_goes_on_behind_a_damaged_part(void **state)
{
	struct tc_buf text = TC_BUF_EMPTY, whole = TC_BUF_EMPTY, file = TC_BUF_EMPTY;
	static const char next[] = "the next one";

	(void)state;
	append_text(&text, 400);
	append_gzip(&whole, text.ptr, text.len);
	for (size_t len = 10; len < whole.len; len++) {
		tc_buf_reset(&file);
		tc_buf_append(&file, whole.ptr, len);
		append_gzip(&file, next, strlen(next));
		expect_around_hole(&file, next, "gzip member 1 ");
	}
	for (size_t i = whole.len - 8; i < whole.len; i++) {
		tc_buf_reset(&file);
		tc_buf_append(&file, whole.ptr, whole.len);
		file.ptr[i] ^= 0x10;
		append_gzip(&file, next, strlen(next));
		expect_around_hole(&file, next, "gzip member 1 is damaged near byte");
	}
	tc_buf_reset(&file);
	tc_buf_append(&file, whole.ptr, whole.len);
	tc_buf_append_string(&file, "what is this?");
	append_gzip(&file, next, strlen(next));
	expect_around_hole(&file, next, "gzip member 1 is followed by 13 other bytes");
	for (size_t len = 6; len < ZSTD_FIRST; len++) {
		tc_buf_reset(&file);
		tc_buf_append(&file, zstd_frames, len);
		tc_buf_append(
			&file, zstd_frames + ZSTD_FIRST, sizeof(zstd_frames) - 1 - ZSTD_FIRST);
		expect_around_hole(&file, "{\"second\": 2}]\n", "zstd frame 1 ");
	}
	tc_buf_clear(&text);
	tc_buf_clear(&whole);
	tc_buf_clear(&file);
}

/* One damaged part of many, wherever it falls on the pieces in which the file is read. */
static void a_damaged_part_of_many_is_the_only_loss(void **state)
{
	struct tc_buf text = TC_BUF_EMPTY, file = TC_BUF_EMPTY;
	size_t starts[200];

	(void)state;
	append_text(&text, 200 * 4000);
	for (size_t i = 0; i < 200; i++) {
		starts[i] = file.len;
		append_gzip(&file, text.ptr + i * 4000, 4000);
	}
	assert_true(file.len > 2 * 131072);
	for (size_t i = 0; i < 199; i += 3) {
		struct tc_source *source = NULL;
		struct tc_buf got = TC_BUF_EMPTY;
		size_t at = starts[i + 1] - 6; /* the checksum */
		file.ptr[at] ^= 1;
		write_file(&file);
		file.ptr[at] ^= 1;
		assert_int_equal(tc_source_open(&source, ctx, path), TC_OK);
		assert_int_equal(read_all(source, &got, 30000), TC_OK);
		assert_int_equal(tc_source_loss(source).count, 1);
		assert_int_equal(got.len, text.len + TC_HOLE_BYTES);
		tc_source_close(source);
		tc_buf_clear(&got);
	}
	tc_buf_clear(&text);
	tc_buf_clear(&file);
}

/* Bytes behind the last part are counted; zeros are padding. */
static void what_follows_the_last_part_is_counted(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		int64_t tail;
	} rows[] = {{"\0\0\0", 3, 0}, {"signature", 9, 9}, {"\0\0PGP", 5, 3}};

	(void)state;
	for (size_t i = 0; i < 2 * TC_COUNT_OF(rows); i++) {
		struct tc_buf file = TC_BUF_EMPTY, got = TC_BUF_EMPTY;
		struct tc_source *source = NULL;
		if (i % 2)
			append_gzip(&file, "text", 4);
		else
			tc_buf_append(&file, zstd_frames, sizeof(zstd_frames) - 1);
		tc_buf_append(&file, rows[i / 2].bytes, rows[i / 2].len);
		write_file(&file);
		assert_int_equal(tc_source_open(&source, ctx, path), TC_OK);
		assert_int_equal(read_all(source, &got, 100), TC_OK);
		assert_int_equal(tc_source_loss(source).count, 0);
		assert_int_equal(tc_source_loss(source).tail_bytes, rows[i / 2].tail);
		tc_source_close(source);
		tc_buf_clear(&file);
		tc_buf_clear(&got);
	}
}

/* Are the upper parts of the vector registers in use? */
static bool upper_parts_in_use(void)
{
#ifdef __x86_64__
	unsigned in_use, high;

	__asm__ volatile("xgetbv" : "=a"(in_use), "=d"(high) : "c"(1));
	return in_use & (1u << 2 | 1u << 6); /* of the ymm and of the first 16 zmm registers */
#else
	return false;
#endif
}

/* Clears them. False where the processor has none, or does not tell. */
static bool clear_upper_parts(void)
{
#ifdef __x86_64__
	unsigned a, b, c, d;

	if (!__get_cpuid_count(1, 0, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_AVX) ||
		!__get_cpuid_count(13, 1, &a, &b, &c, &d) || !(a & 4))
		return false;
	__asm__ volatile("vzeroupper");
	return !upper_parts_in_use();
#else
	return false;
#endif
}

/* They slow down all that follows; see codec.c. */
static void decompressing_leaves_no_vector_register_in_use(void **state)
{
	struct tc_buf text = TC_BUF_EMPTY, gz = TC_BUF_EMPTY;
	struct tc_source *source;
	static char bytes[300000];
	size_t len = 1;

	(void)state;
	append_text(&text, 1000000);
	append_gzip(&gz, text.ptr, text.len);
	write_file(&gz);
	tc_buf_clear(&gz);
	tc_buf_clear(&text);
	assert_int_equal(tc_source_open(&source, ctx, path), TC_OK);
	while (len > 0) {
		bool cleared = clear_upper_parts();
		assert_int_equal(tc_source_read(source, bytes, sizeof(bytes), &len), TC_OK);
		assert_true(!cleared || !upper_parts_in_use());
	}
	tc_source_close(source);
}

static void zstd_frames_are_joined(void **state)
{
	struct tc_buf text = TC_BUF_EMPTY, zst = TC_BUF_EMPTY;

	(void)state;
	write_bytes(zstd_frames, sizeof(zstd_frames) - 1);
	tc_buf_append_string(&text, "[{\"first\": 1},\n{\"second\": 2}]\n");
	for (size_t capacity = 1; capacity < 40; capacity++)
		expect_contents(&text, capacity, NULL);
	/* A frame to skip in front, padding and an appendix behind. */
	tc_buf_append(&zst, "\x53\x2a\x4d\x18\3\0\0\0xyz", 11);
	tc_buf_append(&zst, zstd_frames, sizeof(zstd_frames) - 1);
	tc_buf_append(&zst, "\0\0\0\0\0", 5);
	tc_buf_append_string(&zst, "appendix");
	write_file(&zst);
	expect_contents(&text, 100, NULL);
	tc_buf_clear(&zst);
	tc_buf_clear(&text);
}

static void every_prefix_of_zstd_keeps_what_came_before(void **state)
{
	(void)state;
	for (size_t len = 4; len < sizeof(zstd_frames); len++) {
		struct tc_source *source = NULL;
		struct tc_buf got = TC_BUF_EMPTY;
		write_bytes(zstd_frames, len);
		assert_int_equal(tc_source_open(&source, ctx, path), TC_OK);
		assert_int_equal(read_all(source, &got, 16), TC_OK);
		assert_true(len < ZSTD_FIRST || got.len >= 15);
		assert_int_equal(tc_source_loss(source).count,
			len != ZSTD_FIRST && len != sizeof(zstd_frames) - 1);
		tc_source_close(source);
		tc_buf_clear(&got);
	}
}

static void damaged_zstd_ends_the_input(void **state)
{
	char copy[sizeof(zstd_frames)];

	(void)state;
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
		TEST(reading_goes_on_behind_a_damaged_part),
		TEST(a_damaged_part_of_many_is_the_only_loss),
		TEST(what_follows_the_last_part_is_counted),
		TEST(decompressing_leaves_no_vector_register_in_use),
		TEST(zstd_frames_are_joined),
		TEST(every_prefix_of_zstd_keeps_what_came_before),
		TEST(damaged_zstd_ends_the_input),
		TEST(other_formats_are_named),
		TEST(memory_may_fail_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
