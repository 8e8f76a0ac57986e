/* Confinement, tried from inside: a child gives up its rights and says what it can still do. */
#define _GNU_SOURCE /* O_TMPFILE, syscall() */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracecoach/confine.h"

static char home[] = "/tmp/tc-confine-XXXXXX";
static pid_t other;         /* a process of the same user */
static char slave_name[64]; /* a terminal; empty where there is none */
static int terminal;        /* the same, open; it controls whoever is inside */

static int make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int error_of(long result)
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

/* The first system call of what a child runs fails with an error, or the child ends. */
static long child_of(long child)
{
	if (child == 0)
		_exit(0);
	return child;
}

/* On every architecture; older headers do not have its number. */
static long clone3(uint64_t flags)
{
	uint64_t arguments[8] = {flags, 0, 0, 0, SIGCHLD};

	return syscall(435, arguments, sizeof(arguments));
}

static char bytes[] = "bytes"; /* at the same place in the other process */
static const struct iovec part = {bytes, sizeof(bytes)};

#define ESCAPE(name, call)                                                                         \
	static int name(void)                                                                      \
	{                                                                                          \
		return error_of(call);                                                             \
	}
#include "escapes.def"
#undef ESCAPE

static const struct {
	const char *name;
	int (*try)(void);
} escapes[] = {
#define ESCAPE(name, call) {#name, name},
#include "escapes.def"
#undef ESCAPE
};

/* What Landlock refuses where there is no filter. */
static int bind_port(void)
{
	const struct sockaddr_in place = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	return error_of(bind(
		socket(AF_INET, SOCK_STREAM, 0), (const struct sockaddr *)&place, sizeof(place)));
}

static struct sockaddr_un listener_name(void)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};

	snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "%s", home);
	return name;
}

static int connect_abstract(void)
{
	const struct sockaddr_un name = listener_name();

	return error_of(connect(
		socket(AF_UNIX, SOCK_STREAM, 0), (const struct sockaddr *)&name, sizeof(name)));
}

static int signal_process(void)
{
	return error_of(kill(other, SIGCONT));
}

static int make_child(void)
{
	return error_of(child_of(fork()));
}

static int signal_child(void)
{
	pid_t child = fork();

	if (child == 0) {
		for (;;)
			poll(NULL, 0, -1);
	}
	int error = child < 0 ? errno : error_of(kill(child, SIGKILL));
	waitpid(child, NULL, 0);
	return error;
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

static int ask_terminal(void)
{
	int again = open(slave_name, O_RDONLY | O_NOCTTY);

	return isatty(terminal) && isatty(again) ? 0 : errno;
}

static int ask_device(void)
{
	return isatty(open("/dev/zero", O_RDONLY)) ? 0 : errno;
}

static int write_device(void)
{
	int fd = open("/dev/null", O_WRONLY);

	return fd < 0 ? errno : 0;
}

/* How a child ends up that does so before it tries a call. */
typedef void (*confine_fn)(void);

static void not_at_all(void)
{
}

static void confine_self(bool has_children)
{
	const char *const outputs[] = {"out/report.html", "/dev/null", "missing/report.html"};
	unsigned offered = tc_confine_offered();

	if (tc_confine(outputs, 3, has_children) != offered)
		_exit(255);
}

static void alone(void)
{
	confine_self(false);
}

static void as_parent(void)
{
	confine_self(true);
}

/* What a child of the test gets from a call: 0, or its error. */
static int result_of(int (*try)(void), confine_fn confine)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		setsid();
		terminal = open(slave_name, O_RDWR);
		signal(SIGHUP, SIG_IGN);
		signal(SIGIO, SIG_IGN);
		confine();
		_exit(try());
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int inside(int (*try)(void))
{
	return result_of(try, alone);
}

static int landlock_version(void)
{
	enum {
		CREATE_RULESET = 444,
		ASK_VERSION = 1
	}; /* of linux/landlock.h, which may be missing */

	return (int)syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
}

static bool has_filter(void)
{
	return tc_confine_offered() & TC_CONFINED_CALLS;
}

/* A root of which /dev/pts is not mounted has none. */
static void make_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);

	if (master < 0 || grantpt(master) || unlockpt(master) ||
		ptsname_r(master, slave_name, sizeof(slave_name)))
		slave_name[0] = '\0';
}

static int make_other(void)
{
	other = fork();
	if (other == 0) {
		for (;;)
			pause();
	}
	return other < 0;
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(home) || chdir(home) || mkdir("out", 0700) || mkdir("apart", 0700) ||
		mkdir("scratch", 0700))
		return -1;
	setenv("TMPDIR", "scratch", 1);
	make_terminal();
	return make_file("apart/old") || make_file("out/old") || make_other();
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	/* 0, where the set-up ended before that process, would be the whole group. */
	if (other > 0) {
		kill(other, SIGKILL);
		waitpid(other, NULL, 0);
	}
	snprintf(command, sizeof(command), "rm -rf %s", home);
	return chdir("/") || system(command);
}

static void writes_go_where_outputs_go(void **state)
{
	static int (*const calls[])(void) = {write_elsewhere, change_elsewhere, remove_elsewhere,
		make_directory_elsewhere, thread_elsewhere};
	struct stat file;

	(void)state;
	if (!(tc_confine_offered() & TC_CONFINED_WRITES))
		skip();
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		assert_int_equal(inside(calls[i]), EACCES);
	assert_int_not_equal(inside(link_elsewhere), 0);
	assert_int_not_equal(inside(rename_elsewhere), 0);
	assert_int_equal(stat("apart/old", &file), 0);
	assert_int_equal(stat("apart/new", &file), -1);
	assert_int_equal(stat("apart/mine", &file), -1);
	assert_int_equal(lstat("apart/link", &file), -1);
}

static void outputs_are_made_all_the_same(void **state)
{
	static int (*const calls[])(void) = {read_elsewhere, make_output, make_tree, replace_output,
		name_output, make_temporary, write_device};

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		assert_int_equal(inside(calls[i]), 0);
}

/* Outside, the kernel knows the call, unless it was built without. */
static void nothing_but_the_list_is_called(void **state)
{
	(void)state;
	if (!has_filter())
		skip();
	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		if (result_of(escapes[i].try, not_at_all) == ENOSYS) {
			print_message("%s: not in this kernel\n", escapes[i].name);
			continue;
		}
		int error = inside(escapes[i].try);
		if (error != ENOSYS)
			fail_msg("%s: %s", escapes[i].name, strerror(error));
	}
}

/* In a user namespace of its own a process could mount, and so reach what Landlock does not see. */
static void children_make_no_namespace(void **state)
{
	(void)state;
	if (!has_filter())
		skip();
	assert_int_equal(result_of(make_child, as_parent), 0);
	assert_int_equal(result_of(enter_namespace, as_parent), ENOSYS);
	assert_int_equal(result_of(clone_into_namespace, as_parent), ENOSYS);
	assert_int_equal(result_of(clone3_into_namespace, as_parent), ENOSYS);
}

/* Landlock knows it from version 6 on; whoever reads a batch stops its workers. */
static void signals_go_to_children_only(void **state)
{
	(void)state;
	assert_int_equal(result_of(signal_child, as_parent), 0);
	if (landlock_version() < 6)
		skip();
	assert_int_equal(result_of(signal_process, as_parent), EPERM);
}

/* A device that is no terminal is not even asked whether it is one. */
static void devices_are_not_steered(void **state)
{
	(void)state;
	if (slave_name[0])
		assert_int_equal(inside(ask_terminal), 0);
	if (landlock_version() < 5)
		skip();
	assert_int_equal(result_of(ask_device, not_at_all), ENOTTY);
	assert_int_equal(inside(ask_device), EACCES);
}

/* What Landlock refuses where there is no filter. */
static void there_is_no_network(void **state)
{
	struct sockaddr_un name = listener_name();
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)state;
	if (has_filter() || landlock_version() < 6)
		skip();
	assert_int_equal(bind(listener, (struct sockaddr *)&name, sizeof(name)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(result_of(bind_port, not_at_all), 0);
	assert_int_equal(inside(bind_port), EACCES);
	assert_int_equal(result_of(connect_abstract, not_at_all), 0);
	assert_int_equal(inside(connect_abstract), EPERM);
	close(listener);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_go_where_outputs_go),
		cmocka_unit_test(outputs_are_made_all_the_same),
		cmocka_unit_test(nothing_but_the_list_is_called),
		cmocka_unit_test(children_make_no_namespace),
		cmocka_unit_test(signals_go_to_children_only),
		cmocka_unit_test(devices_are_not_steered),
		cmocka_unit_test(there_is_no_network),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
