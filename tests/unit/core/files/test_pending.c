/* Pending files: whole or not at all, with the rights of what they replace, and nothing left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

#include "core/files/pending.h"
#include "core/files/files.h"

enum { NOBODY = 65534 };

static struct tc_ctx *ctx;
static char directory[64];

static int set_up(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/tc-test-pending-XXXXXX");
	ctx = tc_ctx_new();
	return ctx && mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

/* Fails when anything was left behind. */
static int tear_down(void **state)
{
	(void)state;
	tc_ctx_free(ctx);
	tc_temporary_force_names(false);
	return chdir("/") || rmdir(directory);
}

static int count_files(void)
{
	DIR *dir = opendir(".");
	int count = -2;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static void put(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static const char *text_of(const char *path)
{
	static char text[100];
	int fd = open(path, O_RDONLY);
	ssize_t len = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	close(fd);
	text[len] = '\0';
	return text;
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 07777;
}

static void expect_error(enum tc_status got, enum tc_status want, const char *words)
{
	if (got != want || !strstr(tc_ctx_error(ctx), words))
		fail_msg("status %s, \"%s\" does not say \"%s\"", tc_status_name(got),
			tc_ctx_error(ctx), words);
	tc_ctx_clear_error(ctx);
}

static void create(struct tc_pending *file, const char *path, const char *text)
{
	if (tc_pending_create(file, ctx, path))
		fail_msg("%s", tc_ctx_error(ctx));
	assert_int_equal(write(file->fd, text, strlen(text)), strlen(text));
}

static void publish(struct tc_pending *file)
{
	if (tc_pending_publish(file, ctx))
		fail_msg("%s", tc_ctx_error(ctx));
	tc_pending_discard(file);
}

static void appears_whole_at_the_end(void **state)
{
	struct tc_pending file;

	(void)state;
	for (int named = 0; named < 2; named++) {
		tc_temporary_force_names(named);
		create(&file, "a", "first");
		assert_int_equal(count_files(), named);
		assert_int_not_equal(access("a", F_OK), 0);
		publish(&file);
		create(&file, "a", "second");
		assert_string_equal(text_of("a"), "first");
		publish(&file);
		assert_string_equal(text_of("a"), "second");
		create(&file, "a", "third");
		tc_pending_discard(&file);
		assert_string_equal(text_of("a"), "second");
		assert_int_equal(count_files(), 1);
		unlink("a");
	}
}

static void rights_stay(void **state)
{
	static const mode_t modes[] = {0600, 0640, 0604, 0666, 0755};
	mode_t mask = umask(022);
	struct tc_pending file;
	struct stat st;

	(void)state;
	for (int named = 0; named < 2; named++) {
		tc_temporary_force_names(named);
		create(&file, "a", "new");
		publish(&file);
		assert_int_equal(mode_of("a"), 0644);
		for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
			put("a", "old", modes[i]);
			create(&file, "a", "new");
			assert_int_equal(fstat(file.fd, &st), 0);
			assert_int_equal(st.st_mode & 0777, modes[i]);
			publish(&file);
			assert_int_equal(mode_of("a"), modes[i]);
			assert_string_equal(text_of("a"), "new");
		}
		/* Also when they have changed since it was begun. */
		create(&file, "a", "newer");
		assert_int_equal(chmod("a", 0600), 0);
		publish(&file);
		assert_int_equal(mode_of("a"), 0600);
		if (geteuid() == 0) {
			assert_int_equal(chown("a", NOBODY, NOBODY - 1), 0);
			create(&file, "a", "newest");
			publish(&file);
			assert_int_equal(stat("a", &st), 0);
			assert_int_equal(st.st_uid, NOBODY);
			assert_int_equal(st.st_gid, NOBODY - 1);
			assert_int_equal(st.st_mode & 07777, 0600);
		}
		unlink("a");
	}
	umask(mask);
}

#ifdef __linux__
/* One other user may read; the group's entry says no, but the bits of the group are the mask. */
static void access_lists_stay(void **state)
{
	static const unsigned char list[] = {2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 4, 0,
		57, 48, 0, 0, 4, 0, 0, 0, 255, 255, 255, 255, 16, 0, 4, 0, 255, 255, 255, 255, 32,
		0, 0, 0, 255, 255, 255, 255};
	unsigned char kept[100];
	struct tc_pending file;

	(void)state;
	put("a", "old", 0640);
	if (setxattr("a", "system.posix_acl_access", list, sizeof(list), 0) == 0) {
		create(&file, "a", "new");
		publish(&file);
		assert_int_equal(
			getxattr("a", "system.posix_acl_access", kept, sizeof(kept)), sizeof(list));
		assert_memory_equal(kept, list, sizeof(list));
		assert_int_equal(mode_of("a"), 0640);
		/* What the directory hands down is not for a file that had none. */
		setxattr(directory, "system.posix_acl_default", list, sizeof(list), 0);
		put("b", "old", 0640);
		removexattr("b", "system.posix_acl_access");
		chmod("b", 0640);
		create(&file, "b", "new");
		publish(&file);
		assert_true(getxattr("b", "system.posix_acl_access", kept, sizeof(kept)) < 0);
		assert_int_equal(mode_of("b"), 0640);
		unlink("b");
	}
	unlink("a");
}
#endif

static void links_are_followed(void **state)
{
	struct tc_pending file;

	(void)state;
	assert_int_equal(mkdir("sub", 0700), 0);
	assert_int_equal(symlink("../c", "sub/b"), 0);
	assert_int_equal(symlink("sub/b", "a"), 0);
	for (int i = 0; i < 2; i++) {
		create(&file, "a", "text");
		publish(&file);
		assert_string_equal(text_of("c"), "text");
	}
	struct stat st;
	assert_true(lstat("a", &st) == 0 && S_ISLNK(st.st_mode));
	assert_int_equal(count_files(), 3);
	assert_int_equal(symlink("round", "round"), 0);
	expect_error(tc_pending_create(&file, ctx, "round"), TC_ERR_IO, "cannot create round: ");
	unlink("round");
	unlink("a");
	unlink("sub/b");
	unlink("c");
	rmdir("sub");
}

static void what_cannot_be_written_is_told(void **state)
{
	static const char *const paths[] = {"missing/a", "plain/a", ".", "/", "", "sub", "sub/"};
	struct tc_pending file;

	(void)state;
	put("plain", "x", 0600);
	mkdir("sub", 0700);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		expect_error(tc_pending_create(&file, ctx, paths[i]), TC_ERR_IO, paths[i]);
		assert_int_equal(file.fd, -1);
	}
	expect_error(tc_pending_create(&file, ctx, "sub"), TC_ERR_IO, "Is a directory");
	rmdir("sub");
	if (geteuid() != 0) {
		chmod("plain", 0400);
		expect_error(tc_pending_create(&file, ctx, "plain"), TC_ERR_IO, "denied");
	}
	unlink("plain");
}

/* Somebody puts a directory in the place meanwhile: what is there stays. */
static void failing_to_publish_leaves_what_is_there(void **state)
{
	struct tc_pending file;

	(void)state;
	for (int named = 0; named < 2; named++) {
		tc_temporary_force_names(named);
		create(&file, "a", "text");
		assert_int_equal(mkdir("a", 0700), 0);
		expect_error(tc_pending_publish(&file, ctx), TC_ERR_IO, "a");
		tc_pending_discard(&file);
		assert_int_equal(count_files(), 1);
		assert_int_equal(rmdir("a"), 0);
	}
}

#define STALE ".tracecoach-0123456789abcdef.tmp"

static void what_killed_runs_left_is_removed(void **state)
{
	static const char *const others[] = {".tracecoach-0123456789abcde.tmp",
		".tracecoach-0123456789abcdef0.tmp", ".tracecoach-0123456789ABCDEF.tmp",
		"tracecoach-0123456789abcdef.tmp", ".tracecoach-0123456789abcdef.tmp~"};
	struct tc_pending file;

	(void)state;
	put(STALE, "half", 0600);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		put(others[i], "theirs", 0600);
	create(&file, "a", "text");
	tc_pending_discard(&file);
	assert_int_not_equal(access(STALE, F_OK), 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_int_equal(unlink(others[i]), 0);
}

static void what_may_be_in_use_stays(void **state)
{
	struct tc_pending file, other;

	(void)state;
	put(STALE, "half", 0600);
	int fd = open(STALE, O_RDONLY);
	assert_int_equal(flock(fd, LOCK_SH), 0);
	create(&file, "a", "text");
	tc_pending_discard(&file);
	assert_int_equal(access(STALE, F_OK), 0);
	close(fd);
	unlink(STALE);
	/* Another run that writes beside it. */
	tc_temporary_force_names(true);
	create(&file, "a", "a");
	create(&other, "b", "b");
	publish(&other);
	publish(&file);
	assert_string_equal(text_of("a"), "a");
	unlink("a");
	unlink("b");
	/* What a run of ours never leaves: a directory, a link, a file of somebody else's. */
	assert_int_equal(mkdir(STALE, 0700), 0);
	create(&file, "a", "text");
	tc_pending_discard(&file);
	assert_int_equal(rmdir(STALE), 0);
	put("mine", "mine", 0600);
	assert_int_equal(symlink("mine", STALE), 0);
	create(&file, "a", "text");
	tc_pending_discard(&file);
	assert_int_equal(unlink(STALE), 0);
	assert_string_equal(text_of("mine"), "mine");
	unlink("mine");
	if (geteuid() == 0) {
		put(STALE, "theirs", 0600);
		assert_int_equal(chown(STALE, NOBODY, NOBODY), 0);
		create(&file, "a", "text");
		tc_pending_discard(&file);
		assert_int_equal(unlink(STALE), 0);
	}
}

/* Writes "whole" into a again and again until it is killed. */
static void write_until_killed(void)
{
	struct tc_pending file;

	for (;;) {
		if (tc_pending_create(&file, ctx, "a") || write(file.fd, "wh", 2) != 2 ||
			write(file.fd, "ole", 3) != 3 || tc_pending_publish(&file, ctx))
			_exit(1);
		tc_pending_discard(&file);
	}
}

static void killed_runs_leave_nothing_for_long(void **state)
{
	struct tc_pending file;

	(void)state;
	srand(1);
	for (int i = 0; i < 60; i++) {
		tc_temporary_force_names(i % 2);
		pid_t child = fork();
		int how;
		if (child == 0)
			write_until_killed();
		nanosleep(&(struct timespec){0, 1000L * (rand() % 8000)}, NULL);
		kill(child, SIGKILL);
		waitpid(child, &how, 0);
		assert_true(WIFSIGNALED(how));
		/* One that was killed, and the file. */
		assert_in_range(count_files(), 0, 2);
		if (access("a", F_OK) == 0)
			assert_string_equal(text_of("a"), "whole");
		create(&file, "b", "b");
		tc_pending_discard(&file);
		assert_int_equal(count_files(), access("a", F_OK) == 0);
		unlink("a");
	}
}

/* Each takes what the others left for stale only when it is. */
static void runs_do_not_disturb_each_other(void **state)
{
	enum { RUN_COUNT = 4, TIMES = 150 };
	static const char *const names[RUN_COUNT] = {"a", "b", "c", "c"};
	pid_t runs[RUN_COUNT];

	(void)state;
	tc_temporary_force_names(true);
	for (int i = 0; i < RUN_COUNT; i++) {
		runs[i] = fork();
		struct tc_pending file;
		for (int j = 0; runs[i] == 0 && j < TIMES; j++) {
			if (tc_pending_create(&file, ctx, names[i]) ||
				write(file.fd, "whole", 5) != 5 || tc_pending_publish(&file, ctx))
				_exit(1);
			tc_pending_discard(&file);
		}
		if (runs[i] == 0)
			_exit(0);
	}
	for (int i = 0; i < RUN_COUNT; i++) {
		int how = 0;
		waitpid(runs[i], &how, 0);
		assert_int_equal(how, 0);
		assert_string_equal(text_of(names[i]), "whole");
	}
	assert_int_equal(count_files(), 3);
	for (int i = 0; i < 3; i++)
		unlink(names[i]);
}

static void temporary_files_have_no_name(void **state)
{
	char *kept = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;

	(void)state;
	setenv("TMPDIR", directory, 1);
	for (int named = 0; named < 2; named++) {
		tc_temporary_force_names(named);
		int fd = tc_temporary_open();
		assert_true(fd >= 0);
		assert_int_equal(write(fd, "x", 1), 1);
		assert_int_equal(count_files(), 0);
		close(fd);
	}
	setenv("TMPDIR", "/nonexistent/place", 1);
	assert_int_equal(tc_temporary_open(), -1);
	if (kept)
		setenv("TMPDIR", kept, 1);
	else
		unsetenv("TMPDIR");
	free(kept);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(appears_whole_at_the_end),
		TEST(rights_stay),
#ifdef __linux__
		TEST(access_lists_stay),
#endif
		TEST(links_are_followed),
		TEST(what_cannot_be_written_is_told),
		TEST(failing_to_publish_leaves_what_is_there),
		TEST(what_killed_runs_left_is_removed),
		TEST(what_may_be_in_use_stays),
		TEST(killed_runs_leave_nothing_for_long),
		TEST(runs_do_not_disturb_each_other),
		TEST(temporary_files_have_no_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
