/* The filter of system calls. See seccomp.h. */
#define _GNU_SOURCE /* CLONE_..., syscall() */
#include "core/confine/seccomp.h"

/* Systems of 32 bits have other calls for times and large files. */
#if defined(TC_HAVE_SECCOMP) && defined(__LP64__)
#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/array.h"

/* What is let through, whatever the arguments are. Names that an architecture does not have count
 * for nothing. */
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
	SCMP_SYS(getdents64), SCMP_SYS(pipe), SCMP_SYS(pipe2), SCMP_SYS(poll), SCMP_SYS(ppoll),
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

/* The same for a process with children. */
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

static bool add_calls(scmp_filter_ctx filter, const int *list, size_t count)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		error = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, list[i], 0, NULL);
	return !error;
}

static bool add_rules(scmp_filter_ctx filter, const struct rule *list, size_t count)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		error = seccomp_rule_add_array(
			filter, SCMP_ACT_ALLOW, list[i].call, 1, &list[i].must);
	return !error;
}

/* A process without children sends signals to itself only, as abort() does. */
static bool fill(scmp_filter_ctx filter, bool has_children)
{
	const struct rule own = {SCMP_SYS(tgkill), IS(0, (scmp_datum_t)getpid())};

#ifdef TC_SANITIZED
	has_children = true;
#endif
	if (!add_calls(filter, calls, TC_COUNT_OF(calls)) ||
		!add_rules(filter, rules, TC_COUNT_OF(rules)))
		return false;
	if (!has_children)
		return add_rules(filter, &own, 1);
	return add_calls(filter, calls_of_parents, TC_COUNT_OF(calls_of_parents)) &&
	       add_rules(filter, rules_of_parents, TC_COUNT_OF(rules_of_parents));
}

bool tc_seccomp_offered(void)
{
	const uint32_t action = SECCOMP_RET_ERRNO;

	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

bool tc_seccomp_begin(bool has_children)
{
	const uint32_t refusal = SCMP_ACT_ERRNO(ENOSYS);
	scmp_filter_ctx filter = seccomp_init(refusal);

	if (!filter)
		return false;
	/* Some kernels slow a filtered process down, unless it says that it runs no code of
	 * others. A tree instead of a list is taken over faster. */
	(void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
	(void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	bool holds = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, refusal) == 0 &&
		     fill(filter, has_children) && seccomp_load(filter) == 0;
	seccomp_release(filter);
	return holds;
}
#else
bool tc_seccomp_offered(void)
{
	return false;
}

bool tc_seccomp_begin(bool has_children)
{
	(void)has_children;
	return false;
}
#endif
