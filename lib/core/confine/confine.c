/*
 * Takes rights from the process (tracecoach/confine.h), in two parts:
 *
 *   Landlock  by its system calls: no file may change but the outputs and temporary files, no
 *             other program runs, nothing goes over the network
 *   seccomp   by a list of the system calls that reading a trace and writing a report need. All
 *             others fail with ENOSYS, as on a system that does not have them, so that a C library
 *             falls back to an older one. The filter is written here: it takes no memory from the
 *             heap. libseccomp crashes, or never ends, when memory is out
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

#include <asm/termbits.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>

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

/* How the kernel calls the system that this was built for. Systems of 32 bits have other calls for
 * times and large files, and get no filter. */
#if defined(__x86_64__) && defined(__LP64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__LP64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__powerpc64__)
#define ARCHITECTURE AUDIT_ARCH_PPC64LE
#elif defined(__riscv) && defined(__LP64__)
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

#ifdef ARCHITECTURE

/* The digits of a call's number. A name that the headers lack, because the architecture has no such
 * call or they are older, stays a name. */
#define CALL(name) TEXT(__NR_##name)
#define TEXT(text) TEXT_OF(text)
#define TEXT_OF(text) #text

/* Calls that are allowed with any arguments. */
static const char *const calls[] = {
	/* memory */
	CALL(brk), CALL(mmap), CALL(munmap), CALL(mprotect), CALL(mremap), CALL(madvise),
	CALL(membarrier),
	/* open files */
	CALL(read), CALL(readv), CALL(pread64), CALL(write), CALL(writev), CALL(pwrite64),
	CALL(lseek), CALL(close), CALL(dup), CALL(dup2), CALL(dup3), CALL(fstat), CALL(fstatfs),
	CALL(fadvise64), CALL(flock), CALL(fsync), CALL(fdatasync), CALL(ftruncate),
	CALL(fallocate), CALL(fchmod), CALL(fchown), CALL(fsetxattr), CALL(fremovexattr),
	CALL(getdents64), CALL(pipe), CALL(pipe2), CALL(poll), CALL(ppoll),
	/* names: Landlock says which of them may change */
	CALL(open), CALL(openat), CALL(stat), CALL(lstat), CALL(newfstatat), CALL(statx),
	CALL(statfs), CALL(access), CALL(faccessat), CALL(faccessat2), CALL(readlink),
	CALL(readlinkat), CALL(getcwd), CALL(lgetxattr), CALL(mkdir), CALL(mkdirat), CALL(rmdir),
	CALL(unlink), CALL(unlinkat), CALL(rename), CALL(renameat), CALL(renameat2), CALL(link),
	CALL(linkat), CALL(umask),
	/* threads, signals and timers of this process */
	CALL(futex), CALL(set_robust_list), CALL(rseq), CALL(sched_yield), CALL(exit),
	CALL(exit_group), CALL(rt_sigaction), CALL(rt_sigprocmask), CALL(rt_sigreturn),
	CALL(sigaltstack), CALL(restart_syscall), CALL(alarm), CALL(setitimer), CALL(nanosleep),
	CALL(clock_nanosleep),
	/* what it asks about itself and the system */
	CALL(getpid), CALL(getppid), CALL(gettid), CALL(getuid), CALL(geteuid), CALL(getgid),
	CALL(getegid), CALL(getrlimit), CALL(getrusage), CALL(getrandom), CALL(sched_getaffinity),
	CALL(sysinfo), CALL(uname), CALL(clock_gettime), CALL(clock_getres), CALL(gettimeofday),
	CALL(time)};

/* Further ones for a process with children. */
static const char *const calls_of_parents[] = {CALL(fork), CALL(wait4), CALL(kill), CALL(tgkill),
#ifdef TC_SANITIZED
	/* A leak check stops all threads by ptrace(), and a report asks another program for
	 * names. */
	CALL(arch_prctl), CALL(execve), CALL(getdents), CALL(mincore), CALL(personality),
	CALL(prctl), CALL(process_vm_readv), CALL(ptrace), CALL(set_tid_address)
#endif
};

/* A call, and what the bits of one of its arguments must be. */
struct rule {
	const char *call;
	unsigned argument;
	uint64_t mask, value;
};

#define IS(argument, value) argument, UINT64_MAX, value
/* Flags: one that must be there, and no others than these. */
#define FLAGS(flag, flags) 0, ~(uint64_t)((flags) & ~(flag)), flag

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
	{CALL(ioctl), IS(1, TCGETS)},
#ifdef TCGETS2
	{CALL(ioctl), IS(1, TCGETS2)},
#endif
	{CALL(ioctl), IS(1, TIOCGWINSZ)},
	/* descriptors: not who gets the signals of a file */
	{CALL(fcntl), IS(1, F_DUPFD)},
	{CALL(fcntl), IS(1, F_DUPFD_CLOEXEC)},
	{CALL(fcntl), IS(1, F_GETFD)},
	{CALL(fcntl), IS(1, F_SETFD)},
	{CALL(fcntl), IS(1, F_GETFL)},
	/* limits of this process, and names of its threads and memory */
	{CALL(prlimit64), IS(0, 0)},
	{CALL(prctl), IS(0, PR_SET_NAME)},
	{CALL(prctl), IS(0, NAME_MEMORY)},
	{CALL(clone), FLAGS(CLONE_THREAD, OF_THREADS)},
};

static const struct rule rules_of_parents[] = {
	{CALL(clone), FLAGS(SIGCHLD, OF_CHILDREN)},
#ifdef TC_SANITIZED
	{CALL(clone), FLAGS(CLONE_UNTRACED, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_UNTRACED)},
#else
	{CALL(prctl), IS(0, PR_SET_PDEATHSIG)},
#endif
};

/* A program for the kernel, which runs it for every call: the accumulator holds the number of the
 * call, the call is allowed where it is found, and refused at the end. */
enum { OF_HEAD = 4, OF_CALL = 2, OF_RULE = 9, OF_END = 1 };
struct filter {
	struct sock_filter code[OF_HEAD +
				OF_CALL * (TC_COUNT_OF(calls) + TC_COUNT_OF(calls_of_parents)) +
				OF_RULE * (TC_COUNT_OF(rules) + TC_COUNT_OF(rules_of_parents) + 1) +
				OF_END];
	unsigned short count;
};

#define LOAD(place)                                                                                \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offsetof(struct seccomp_data, place)))
#define LOAD_AT(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offset))
#define MASK(bits) BPF_STMT(BPF_ALU | BPF_AND | BPF_K, (uint32_t)(bits))
/* Goes on where the accumulator is the value, else behind the next steps. */
#define UNLESS(value, steps) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 0, steps)
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)

#define REFUSAL (SECCOMP_RET_ERRNO | ENOSYS)

static void add(struct filter *filter, const struct sock_filter *steps, size_t count)
{
	for (size_t i = 0; i < count; i++)
		filter->code[filter->count++] = steps[i];
}

/* False for a call that this system does not have. */
static bool find_number(long *number, const char *call)
{
	char *end;

	*number = strtol(call, &end, 10);
	return *end == '\0';
}

static void add_calls(struct filter *filter, const char *const *list, size_t count)
{
	long number;

	for (size_t i = 0; i < count; i++) {
		if (find_number(&number, list[i]))
			add(filter,
				(struct sock_filter[OF_CALL]){
					UNLESS(number, 1), RETURN(SECCOMP_RET_ALLOW)},
				OF_CALL);
	}
}

/* An argument has a low and a high half, in the order of a little-endian machine. */
static void add_rules(struct filter *filter, const struct rule *list, size_t count)
{
	long number;

	for (const struct rule *rule = list; rule < list + count; rule++) {
		size_t low =
			offsetof(struct seccomp_data, args) + rule->argument * sizeof(uint64_t);

		if (find_number(&number, rule->call))
			add(filter,
				(struct sock_filter[OF_RULE]){UNLESS(number, OF_RULE - 1),
					LOAD_AT(low), MASK(rule->mask), UNLESS(rule->value, 4),
					LOAD_AT(low + sizeof(uint32_t)), MASK(rule->mask >> 32),
					UNLESS(rule->value >> 32, 1), RETURN(SECCOMP_RET_ALLOW),
					LOAD(nr)},
				OF_RULE);
	}
}

/* A process without children sends signals to itself only, as abort() does. */
static void fill(struct filter *filter, bool has_children)
{
	const struct rule own = {CALL(tgkill), IS(0, (uint64_t)getpid())};

#ifdef TC_SANITIZED
	has_children = true;
#endif
	/* The calls of another architecture, which this kernel may offer, have other numbers. */
	add(filter,
		(struct sock_filter[OF_HEAD]){LOAD(arch),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0), RETURN(REFUSAL),
			LOAD(nr)},
		OF_HEAD);
	add_calls(filter, calls, TC_COUNT_OF(calls));
	if (has_children)
		add_calls(filter, calls_of_parents, TC_COUNT_OF(calls_of_parents));
	add_rules(filter, rules, TC_COUNT_OF(rules));
	if (has_children)
		add_rules(filter, rules_of_parents, TC_COUNT_OF(rules_of_parents));
	else
		add_rules(filter, &own, 1);
	add(filter, &(struct sock_filter)RETURN(REFUSAL), OF_END);
}

static bool filter_offered(void)
{
	const uint32_t action = SECCOMP_RET_ERRNO;

	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

/* For this thread and those that it makes. Without children it makes no process and signals none.
 * Returns TC_CONFINED_CALLS, or 0 where the system does not offer it. */
static unsigned begin_filter(bool has_children)
{
	struct filter filter = {.count = 0};

	fill(&filter, has_children);
	/* Some kernels slow a filtered process down, unless it says that it runs no code of
	 * others. Older ones do not take this. */
	const struct sock_fprog program = {.len = filter.count, .filter = filter.code};
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
		    &program) == 0 ||
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0)
		return TC_CONFINED_CALLS;
	return 0;
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
