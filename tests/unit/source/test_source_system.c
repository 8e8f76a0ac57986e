/* Sources and the operating system: paths, pipes, signals, failing disks. */
#include "source_files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

static void unusable_paths_are_told(void **state)
{
	char missing[160];

	(void)state;
	write_bytes("", 0);
	expect_refused(path, TC_ERR_INPUT, "is empty");
	expect_refused(directory, TC_ERR_INPUT, "is a directory");
	snprintf(missing, sizeof(missing), "%s/missing.json", directory);
	expect_refused(missing, TC_ERR_READ, strerror(ENOENT));
	snprintf(missing, sizeof(missing), "%s/below", path);
	expect_refused(missing, TC_ERR_READ, strerror(ENOTDIR));
	chmod(path, 0);
	if (geteuid() != 0)
		expect_refused(path, TC_ERR_READ, strerror(EACCES));
	chmod(path, 0600);
#ifdef __linux__
	/* Opens, but cannot be read at its start. */
	expect_refused("/proc/self/mem", TC_ERR_READ, "at byte 0");
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
	assert_int_equal(tc_source_read(source, piece, sizeof(piece), &len), TC_ERR_READ);
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
	assert_int_equal(tc_source_loss(source).count, 0);
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
	expect_contents(&text, 30000, NULL);
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

static void *interrupt_soon(void *user)
{
	(void)user;
	nanosleep(&(struct timespec){0, 20000000}, NULL);
	tc_ctx_interrupt(ctx);
	return NULL;
}

/* Nobody has it open, somebody has and writes nothing, and somebody has begun. No signal comes to
 * the thread that waits. */
static void interrupt_ends_the_waiting(void **state)
{
	pthread_t thread;

	(void)state;
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	for (int round = 0; round < 3; round++) {
		struct tc_source *source = NULL;
		int writer = round > 0 ? open(path, O_RDWR) : -1;
		assert_true(round < 2 || write(writer, "[", 1) == 1);
		assert_int_equal(pthread_create(&thread, NULL, interrupt_soon, NULL), 0);
		assert_int_equal(tc_source_open(&source, ctx, path), TC_ERR_INTERRUPTED);
		pthread_join(thread, NULL);
		if (writer >= 0)
			close(writer);
		tc_ctx_free(ctx);
		ctx = tc_ctx_new();
		assert_non_null(ctx);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(unusable_paths_are_told),
		TEST(read_error_in_the_middle_names_the_byte),
		TEST(bytes_read_are_counted),
		TEST(standard_input_is_read_to_its_end),
		TEST(fifo_is_read_like_a_file),
		TEST(interrupt_ends_the_reading),
		TEST(interrupt_ends_the_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
