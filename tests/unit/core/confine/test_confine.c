/* Confinement, tried from inside: a child gives up its rights and says what it can still do. */
#define _GNU_SOURCE /* O_TMPFILE, syscall() */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/confine/landlock.h"
#include "tracecoach/confine.h"

static char home[] = "/tmp/tc-confine-XXXXXX";

static int make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int error_of(int result)
{
	return result < 0 ? errno : 0;
}

static int write_elsewhere(void)
{
	return make_file("apart/new");
}

static int change_elsewhere(void)
{
	int fd = open("apart/old", O_WRONLY);

	return fd < 0 ? errno : 0;
}

static int truncate_elsewhere(void)
{
	return error_of(truncate("apart/old", 0));
}

static int remove_elsewhere(void)
{
	return error_of(unlink("apart/old"));
}

static int make_directory_elsewhere(void)
{
	return error_of(mkdir("apart/sub", 0700));
}

static int link_elsewhere(void)
{
	return error_of(symlink("old", "apart/link"));
}

static int rename_elsewhere(void)
{
	make_file("out/mine");
	return error_of(rename("out/mine", "apart/mine"));
}

static void *write_in_thread(void *user)
{
	*(int *)user = write_elsewhere();
	return NULL;
}

static int thread_elsewhere(void)
{
	pthread_t thread;
	int error = 0;

	if (pthread_create(&thread, NULL, write_in_thread, &error))
		return -1;
	pthread_join(thread, NULL);
	return error;
}

static int open_socket(void)
{
	return error_of(socket(AF_INET, SOCK_STREAM, 0));
}

static int open_local_socket(void)
{
	return error_of(socket(AF_UNIX, SOCK_STREAM, 0));
}

static int run_program(void)
{
	char *const words[] = {"true", NULL};

	execv("/bin/true", words);
	return errno;
}

static int signal_parent(void)
{
	return error_of(kill(getppid(), 0));
}

static int signal_child(void)
{
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	int error = error_of(kill(child, SIGKILL));
	waitpid(child, NULL, 0);
	return error;
}

static int enter_namespace(void)
{
	return error_of(unshare(CLONE_NEWUSER));
}

static int clone_into_namespace(void)
{
	long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);

	if (child == 0)
		_exit(0);
	return error_of((int)child);
}

/* On every architecture; older headers do not have its number. */
static int clone3_into_namespace(void)
{
	uint64_t arguments[8] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
	long child = syscall(435, arguments, sizeof(arguments));

	if (child == 0)
		_exit(0);
	return error_of((int)child);
}

static int read_elsewhere(void)
{
	int fd = open("apart/old", O_RDONLY);

	return fd < 0 ? errno : 0;
}

static int make_output(void)
{
	return make_file("out/file");
}

static int make_tree(void)
{
	int error = error_of(mkdir("out/jobs", 0700));

	return error ? error : make_file("out/jobs/file");
}

static int replace_output(void)
{
	int error = make_file("out/new");

	return error ? error : error_of(rename("out/new", "out/old"));
}

/* As outputs are made: without a name, which comes last. */
static int name_output(void)
{
	char path[64];
	int fd = open("out", O_TMPFILE | O_RDWR, 0600);

	if (fd < 0)
		return errno == EOPNOTSUPP ? 0 : errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return error_of(linkat(AT_FDCWD, path, AT_FDCWD, "out/named", AT_SYMLINK_FOLLOW));
}

static int make_temporary(void)
{
	return make_file("scratch/file");
}

static int write_device(void)
{
	int fd = open("/dev/null", O_WRONLY);

	return fd < 0 ? errno : 0;
}

/* What a child that confined itself gets from a call: 0, or its error. */
static int inside(int (*try)(void))
{
	const char *const outputs[] = {"out/report.html", "/dev/null", "missing/report.html"};
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (tc_confine(outputs, 3) != tc_confine_offered())
			_exit(255);
		_exit(try());
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(home) || chdir(home) || mkdir("out", 0700) || mkdir("apart", 0700) ||
		mkdir("scratch", 0700))
		return -1;
	setenv("TMPDIR", "scratch", 1);
	return make_file("apart/old") || make_file("out/old");
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", home);
	return chdir("/") || system(command);
}

static void writes_go_where_outputs_go(void **state)
{
	static int (*const calls[])(void) = {write_elsewhere, change_elsewhere, remove_elsewhere,
		make_directory_elsewhere, link_elsewhere, thread_elsewhere};
	struct stat file;

	(void)state;
	if (!(tc_confine_offered() & TC_CONFINED_WRITES))
		skip();
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		assert_int_equal(inside(calls[i]), EACCES);
	assert_int_not_equal(inside(rename_elsewhere), 0);
	assert_int_equal(stat("apart/old", &file), 0);
	assert_int_equal(stat("apart/new", &file), -1);
	assert_int_equal(stat("apart/mine", &file), -1);
}

static void outputs_are_made_all_the_same(void **state)
{
	static int (*const calls[])(void) = {read_elsewhere, make_output, make_tree, replace_output,
		name_output, make_temporary, write_device};

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		assert_int_equal(inside(calls[i]), 0);
}

static void there_is_no_network_and_no_program(void **state)
{
	(void)state;
	if (!(tc_confine_offered() & TC_CONFINED_CALLS))
		skip();
	assert_int_equal(inside(open_socket), EPERM);
	assert_int_equal(inside(open_local_socket), EPERM);
	assert_int_equal(inside(truncate_elsewhere), EPERM);
#ifndef TC_SANITIZED
	assert_int_equal(inside(run_program), EPERM);
#else
	(void)run_program;
#endif
}

/* In a user namespace of its own a process could mount, and so reach what Landlock does not see. */
static void there_is_no_way_into_a_namespace(void **state)
{
	(void)state;
	if (!(tc_confine_offered() & TC_CONFINED_CALLS))
		skip();
	assert_int_equal(inside(enter_namespace), EPERM);
	assert_int_equal(inside(clone_into_namespace), EPERM);
	assert_int_equal(inside(clone3_into_namespace), ENOSYS);
}

/* Landlock knows it from version 6 on; whoever reads a batch stops its workers. */
static void signals_go_to_children_only(void **state)
{
	(void)state;
	assert_int_equal(inside(signal_child), 0);
	if (syscall(TC_LANDLOCK_CREATE_RULESET, NULL, 0, TC_LANDLOCK_ASK_VERSION) < 6)
		skip();
	assert_int_equal(inside(signal_parent), EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_go_where_outputs_go),
		cmocka_unit_test(outputs_are_made_all_the_same),
		cmocka_unit_test(there_is_no_network_and_no_program),
		cmocka_unit_test(there_is_no_way_into_a_namespace),
		cmocka_unit_test(signals_go_to_children_only),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
