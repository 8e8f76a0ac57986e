/*
 * Takes rights from the process (tracecoach/confine.h), in two parts:
 *
 *   Landlock  by its system calls: no file may change but the outputs and temporary files, no
 *             other program runs, nothing goes over the network
 *   seccomp   by libseccomp, where it was built in: a list of the system calls that reading a trace
 *             and writing a report need. All others fail with ENOSYS, as on a system that does not
 *             have them, so that a C library falls back to an older one
 *
 * A kernel is asked only for what it supports: each part is in force completely, or the flags say
 * that it is not.
 */
#define _GNU_SOURCE /* O_PATH, CLONE_..., syscall() */
#include "tracecoach/confine.h"

#ifdef __linux__
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Systems of 32 bits have other calls for times and large files. */
#if defined(TC_HAVE_SECCOMP) && defined(__LP64__)
#define HAS_FILTER
#include <asm/termbits.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#endif

#include "core/alloc.h"
#include "core/array.h"
#include "core/files/place.h"
#include "core/files/files.h"

/* Numbers and structures of Landlock's system calls. The header of the kernel may be older than the
 * kernel, or not be there; these never change. */
enum {
	LANDLOCK_CREATE_RULESET = 444,
	LANDLOCK_ADD_RULE = 445,
	LANDLOCK_RESTRICT_SELF = 446,
	LANDLOCK_ASK_VERSION = 1, /* flag of the first */
	LANDLOCK_RULE_PATH = 1,   /* kind of rule */
};

/* A kernel takes a longer one than it knows where the rest is zero. */
struct landlock_ruleset {
	uint64_t rights; /* refused unless a rule allows them */
	uint64_t ports;  /* rights on the network, likewise; from version 4 on */
	uint64_t scopes; /* kinds of access that end at the process and its children, from version 6
			    on */
};

enum {
	LANDLOCK_PORTS = 3,  /* to bind a TCP socket, and to connect one */
	LANDLOCK_SCOPES = 3, /* abstract sockets, and signals */
};

struct landlock_path {
	uint64_t rights;
	int32_t fd;
} __attribute__((packed));

#define LANDLOCK_EXECUTE (UINT64_C(1) << 0)
#define LANDLOCK_WRITE_FILE (UINT64_C(1) << 1)
#define LANDLOCK_REMOVE_DIRECTORY (UINT64_C(1) << 4)
#define LANDLOCK_REMOVE_FILE (UINT64_C(1) << 5)
#define LANDLOCK_MAKE_DIRECTORY (UINT64_C(1) << 7)
#define LANDLOCK_MAKE_FILE (UINT64_C(1) << 8)
#define LANDLOCK_MAKE_ANY (UINT64_C(0x7f) << 6) /* those, and devices, sockets, pipes, links */
#define LANDLOCK_REFER (UINT64_C(1) << 13)      /* link or rename to another directory */
#define LANDLOCK_TRUNCATE (UINT64_C(1) << 14)
#define LANDLOCK_IOCTL (UINT64_C(1) << 15) /* of devices that are opened from now on */

/* A sanitizer asks another program for the names of functions. */
#ifdef TC_SANITIZED
#define LANDLOCK_RUNNING UINT64_C(0)
#else
#define LANDLOCK_RUNNING LANDLOCK_EXECUTE
#endif

/* All that the first version can refuse, except reading. */
#define LANDLOCK_OF_1                                                                              \
	(LANDLOCK_RUNNING | LANDLOCK_WRITE_FILE | LANDLOCK_REMOVE_DIRECTORY |                      \
		LANDLOCK_REMOVE_FILE | LANDLOCK_MAKE_ANY)
/* The rights that outputs need: on a file, on a device, and in their directory. */
#define LANDLOCK_OF_FILE (LANDLOCK_WRITE_FILE | LANDLOCK_TRUNCATE)
#define LANDLOCK_OF_DEVICE (LANDLOCK_OF_FILE | LANDLOCK_IOCTL)
#define LANDLOCK_OF_DIRECTORY                                                                      \
	(LANDLOCK_OF_FILE | LANDLOCK_REMOVE_DIRECTORY | LANDLOCK_REMOVE_FILE |                     \
		LANDLOCK_MAKE_DIRECTORY | LANDLOCK_MAKE_FILE | LANDLOCK_REFER)

static int create_ruleset(const struct landlock_ruleset *ruleset, size_t size, uint32_t flags)
{
	return (int)syscall(LANDLOCK_CREATE_RULESET, ruleset, size, flags);
}

/* Version of Landlock; 0 without. */
static int landlock_version(void)
{
	int version = create_ruleset(NULL, 0, LANDLOCK_ASK_VERSION);

	return version > 0 ? version : 0;
}

/* Every right to change a file, to run one, or to steer a device, that the version knows. */
static uint64_t rights_of(int version)
{
	uint64_t rights = LANDLOCK_OF_1;

	if (version >= 2)
		rights |= LANDLOCK_REFER;
	if (version >= 3)
		rights |= LANDLOCK_TRUNCATE;
	if (version >= 5)
		rights |= LANDLOCK_IOCTL;
	return rights;
}

/* A set of rules by which nothing is allowed yet; -1 without Landlock. */
static int refuse_all(int version)
{
	const struct landlock_ruleset handled = {.rights = rights_of(version),
		.ports = version >= 4 ? LANDLOCK_PORTS : 0,
		.scopes = version >= 6 ? LANDLOCK_SCOPES : 0};

	return version > 0 ? create_ruleset(&handled, sizeof(handled), 0) : -1;
}

/* A failed rule allows less, and the output fails with a message of its own. */
static void allow_fd(int ruleset, int fd, uint64_t rights)
{
	const struct landlock_path rule = {.rights = rights, .fd = fd};

	(void)syscall(LANDLOCK_ADD_RULE, ruleset, LANDLOCK_RULE_PATH, &rule, 0);
}

/* Allows rights at what a path leads to, if it is of that kind. */
static bool allow_path(int ruleset, const char *path, uint64_t rights, bool is_directory)
{
	struct stat file;
	int fd = open(path, O_PATH | O_CLOEXEC);
	bool fits = fd >= 0 && fstat(fd, &file) == 0 && !S_ISREG(file.st_mode) &&
		    S_ISDIR(file.st_mode) == is_directory;

	if (fits)
		allow_fd(ruleset, fd, rights);
	if (fd >= 0)
		close(fd);
	return fits;
}

/* A directory, a device, or else a file that is made or replaced in its directory. */
static void allow_output(int ruleset, const char *path, uint64_t handled)
{
	struct tc_buf trimmed = TC_BUF_EMPTY;
	struct tc_place place;

	if (allow_path(ruleset, path, handled & LANDLOCK_OF_DIRECTORY, true) ||
		allow_path(ruleset, path, handled & LANDLOCK_OF_DEVICE, false))
		return;
	tc_buf_append_string(&trimmed, path);
	while (trimmed.len > 1 && trimmed.ptr[trimmed.len - 1] == '/')
		trimmed.len--;
	if (tc_buf_string(&trimmed) && tc_place_open(&place, trimmed.ptr) == 0) {
		allow_fd(ruleset, place.directory, handled & LANDLOCK_OF_DIRECTORY);
		tc_place_close(&place);
	}
	tc_buf_clear(&trimmed);
}

/* A place can be named only by an open descriptor. Without one left nothing would be allowed, and
 * every output refused for want of rights; the program then cannot read either, and says why. */
static bool has_descriptor_left(int any)
{
	int fd = fcntl(any, F_DUPFD_CLOEXEC, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool confine_writes(const char *const *outputs, size_t count)
{
	int version = landlock_version(), ruleset = refuse_all(version);
	uint64_t rights = rights_of(version);
	const char *directory;

	if (ruleset >= 0 && !has_descriptor_left(ruleset)) {
		close(ruleset);
		ruleset = -1;
	}
	if (ruleset < 0)
		return false;
	for (size_t i = 0; i < count; i++)
		allow_output(ruleset, outputs[i], rights);
	for (size_t i = 0; (directory = tc_temporary_place(i)); i++)
		allow_path(ruleset, directory, rights & LANDLOCK_OF_DIRECTORY, true);
	/* A terminal that is read by name is asked whether it is one. */
	allow_path(ruleset, "/dev/tty", rights & LANDLOCK_IOCTL, false);
	allow_path(ruleset, "/dev/pts", rights & LANDLOCK_IOCTL, true);
	bool holds = syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0) == 0;
	close(ruleset);
	return holds;
}

#ifdef HAS_FILTER

/* Calls that are allowed with any arguments. Names that an architecture does not have count for
 * nothing. */
static const int calls[] = {
	/* memory */
	SCMP_SYS(brk), SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mprotect), SCMP_SYS(mremap),
	SCMP_SYS(madvise), SCMP_SYS(membarrier),
	/* open files */
	SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(writev),
	SCMP_SYS(pwrite64), SCMP_SYS(lseek), SCMP_SYS(close), SCMP_SYS(dup), SCMP_SYS(dup2),
	SCMP_SYS(dup3), SCMP_SYS(fstat), SCMP_SYS(fstatfs), SCMP_SYS(fadvise64), SCMP_SYS(flock),
	SCMP_SYS(fsync), SCMP_SYS(fdatasync), SCMP_SYS(ftruncate), SCMP_SYS(fallocate),
	SCMP_SYS(fchmod), SCMP_SYS(fchown), SCMP_SYS(fsetxattr), SCMP_SYS(fremovexattr),
	SCMP_SYS(getdents64), SCMP_SYS(inotify_init1), SCMP_SYS(inotify_add_watch), SCMP_SYS(pipe),
	SCMP_SYS(pipe2), SCMP_SYS(poll), SCMP_SYS(ppoll),
	/* names: Landlock says which of them may change */
	SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(newfstatat),
	SCMP_SYS(statx), SCMP_SYS(statfs), SCMP_SYS(access), SCMP_SYS(faccessat),
	SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getcwd),
	SCMP_SYS(lgetxattr), SCMP_SYS(mkdir), SCMP_SYS(mkdirat), SCMP_SYS(rmdir), SCMP_SYS(unlink),
	SCMP_SYS(unlinkat), SCMP_SYS(rename), SCMP_SYS(renameat), SCMP_SYS(renameat2),
	SCMP_SYS(link), SCMP_SYS(linkat), SCMP_SYS(umask),
	/* threads, signals and timers of this process */
	SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(sched_yield),
	SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack), SCMP_SYS(restart_syscall), SCMP_SYS(alarm),
	SCMP_SYS(setitimer), SCMP_SYS(nanosleep), SCMP_SYS(clock_nanosleep),
	/* what it asks about itself and the system */
	SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(gettid), SCMP_SYS(getuid), SCMP_SYS(geteuid),
	SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(getrlimit), SCMP_SYS(getrusage),
	SCMP_SYS(getrandom), SCMP_SYS(sched_getaffinity), SCMP_SYS(sysinfo), SCMP_SYS(uname),
	SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday), SCMP_SYS(time)};

/* Further ones for a process with children. */
static const int calls_of_parents[] = {
	SCMP_SYS(fork), SCMP_SYS(wait4), SCMP_SYS(kill), SCMP_SYS(tgkill),
#ifdef TC_SANITIZED
	/* A leak check stops all threads by ptrace(), and a report asks another program for
	 * names. */
	SCMP_SYS(arch_prctl), SCMP_SYS(execve), SCMP_SYS(getdents), SCMP_SYS(mincore),
	SCMP_SYS(personality), SCMP_SYS(prctl), SCMP_SYS(process_vm_readv), SCMP_SYS(ptrace),
	SCMP_SYS(set_tid_address)
#endif
};

/* A call, and what one of its arguments must be. */
struct rule {
	int call;
	struct scmp_arg_cmp must;
};

#define IS(argument, value)                                                                        \
	{                                                                                          \
		argument, SCMP_CMP_EQ, value, 0                                                    \
	}
/* Flags: one that must be there, and no others than these. */
#define FLAGS(flag, flags)                                                                         \
	{                                                                                          \
		0, SCMP_CMP_MASKED_EQ, ~(scmp_datum_t)((flags) & ~(flag)), flag                    \
	}

/* How C libraries make a thread, and a process; without namespaces. */
#define OF_THREADS                                                                                 \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SIGHAND | CLONE_THREAD |        \
		CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID |   \
		CLONE_DETACHED)
#define OF_CHILDREN (SIGCHLD | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID)
/* PR_SET_VMA, which older headers do not have. */
#define NAME_MEMORY 0x53564d41

static const struct rule rules[] = {
	/* whether a file is a terminal, and how wide: not what is typed into it */
	{SCMP_SYS(ioctl), IS(1, TCGETS)},
#ifdef TCGETS2
	{SCMP_SYS(ioctl), IS(1, TCGETS2)},
#endif
	{SCMP_SYS(ioctl), IS(1, TIOCGWINSZ)},
	/* descriptors: not who gets the signals of a file */
	{SCMP_SYS(fcntl), IS(1, F_DUPFD)},
	{SCMP_SYS(fcntl), IS(1, F_DUPFD_CLOEXEC)},
	{SCMP_SYS(fcntl), IS(1, F_GETFD)},
	{SCMP_SYS(fcntl), IS(1, F_SETFD)},
	{SCMP_SYS(fcntl), IS(1, F_GETFL)},
	/* limits of this process, and names of its threads and memory */
	{SCMP_SYS(prlimit64), IS(0, 0)},
	{SCMP_SYS(prctl), IS(0, PR_SET_NAME)},
	{SCMP_SYS(prctl), IS(0, NAME_MEMORY)},
	{SCMP_SYS(clone), FLAGS(CLONE_THREAD, OF_THREADS)},
};

static const struct rule rules_of_parents[] = {
	{SCMP_SYS(clone), FLAGS(SIGCHLD, OF_CHILDREN)},
#ifdef TC_SANITIZED
	{SCMP_SYS(clone),
		FLAGS(CLONE_UNTRACED, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_UNTRACED)},
#else
	{SCMP_SYS(prctl), IS(0, PR_SET_PDEATHSIG)},
#endif
};

/* All of these return 0 or a negative error, as libseccomp does. */
static int add_calls(scmp_filter_ctx filter, const int *list, size_t count)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		error = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, list[i], 0, NULL);
	return error;
}

static int add_rules(scmp_filter_ctx filter, const struct rule *list, size_t count)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		error = seccomp_rule_add_array(
			filter, SCMP_ACT_ALLOW, list[i].call, 1, &list[i].must);
	return error;
}

/* A process without children sends signals to itself only, as abort() does. */
static int fill(scmp_filter_ctx filter, bool has_children)
{
	const struct rule own = {SCMP_SYS(tgkill), IS(0, (scmp_datum_t)getpid())};

#ifdef TC_SANITIZED
	has_children = true;
#endif
	int error = add_calls(filter, calls, TC_COUNT_OF(calls));
	if (!error)
		error = add_rules(filter, rules, TC_COUNT_OF(rules));
	if (!error && !has_children)
		error = add_rules(filter, &own, 1);
	if (!error && has_children)
		error = add_calls(filter, calls_of_parents, TC_COUNT_OF(calls_of_parents));
	if (!error && has_children)
		error = add_rules(filter, rules_of_parents, TC_COUNT_OF(rules_of_parents));
	return error;
}

static bool filter_offered(void)
{
	const uint32_t action = SECCOMP_RET_ERRNO;

	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

/* libseccomp crashes, or never ends, when memory is out while it writes a filter. It takes less
 * than this. */
enum { FILTER_BYTES = 1 << 20 };

static bool has_room(void)
{
	void *room = tc_malloc(FILTER_BYTES);

	tc_free(room);
	return room != NULL;
}

/* For this thread and those that it makes. Without children it makes no process and signals none.
 * Returns TC_CONFINED_CALLS, 0 where the system does not offer it, or TC_CONFINED_UNFINISHED. */
static unsigned begin_filter(bool has_children)
{
	const uint32_t refusal = SCMP_ACT_ERRNO(ENOSYS);
	if (!has_room())
		return TC_CONFINED_UNFINISHED;
	scmp_filter_ctx filter = seccomp_init(refusal);
	if (!filter)
		return filter_offered() ? TC_CONFINED_UNFINISHED : 0;
	/* Some kernels slow a filtered process down, unless it says that it runs no code of
	 * others. A tree instead of a list is taken over faster. */
	(void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
	(void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	int error = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, refusal);
	if (!error)
		error = fill(filter, has_children);
	if (!error)
		error = seccomp_load(filter);
	if (error == -ENOMEM) /* what it has is not to be relied on, so it is not freed either */
		return TC_CONFINED_UNFINISHED;
	seccomp_release(filter);
	return error ? 0 : TC_CONFINED_CALLS;
}
#else
static bool filter_offered(void)
{
	return false;
}

static unsigned begin_filter(bool has_children)
{
	(void)has_children;
	return 0;
}
#endif

unsigned tc_confine_offered(void)
{
	return (landlock_version() > 0 ? TC_CONFINED_WRITES : 0u) |
	       (filter_offered() ? TC_CONFINED_CALLS : 0u);
}

unsigned tc_confine(const char *const *outputs, size_t count, bool has_children)
{
	unsigned holds = 0;

	/* Both need it, unless the process is root. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return 0;
	if (confine_writes(outputs, count))
		holds |= TC_CONFINED_WRITES;
	return holds | begin_filter(has_children);
}
#else
unsigned tc_confine_offered(void)
{
	return 0;
}

unsigned tc_confine(const char *const *outputs, size_t count, bool has_children)
{
	(void)outputs;
	(void)count;
	(void)has_children;
	return 0;
}
#endif
