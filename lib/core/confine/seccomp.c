/* A filter of system calls. See seccomp.h. */
#define _GNU_SOURCE /* syscall(), CLONE_NEW... */
#include "core/confine/seccomp.h"

#ifdef __linux__
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/array.h"

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef OWN_ARCHITECTURE
#define CLONE3 435 /* on every architecture; older headers do not have it */
/* Calls of the x32 interface have this bit in their number. */
#define FOREIGN_NUMBERS 0x40000000u

/* What talks to others, runs other programs, changes files by name where Landlock may not see it,
 * reaches into other processes, or goes around the filter. */
static const uint32_t refused[] = {
	SYS_socket,
	SYS_connect,
	SYS_bind,
	SYS_listen,
	SYS_accept,
	SYS_accept4,
#ifndef TC_SANITIZED
	/* A leak check stops all threads by ptrace(), and a report asks another program for
	 * names. */
	SYS_execve,
	SYS_execveat,
	SYS_ptrace,
#endif
	SYS_truncate, /* Landlock knows it from version 3 on; our outputs are open when they are
			 cut */
	SYS_process_vm_readv,
	SYS_process_vm_writev,
#ifdef SYS_pidfd_getfd
	SYS_pidfd_getfd,
#endif
#ifdef SYS_io_uring_setup
	SYS_io_uring_setup,
#endif
	SYS_bpf,
	SYS_perf_event_open,
	SYS_userfaultfd,
	SYS_keyctl,
	SYS_add_key,
	SYS_request_key,
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	SYS_unshare,
	SYS_setns,
	SYS_open_by_handle_at,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_kexec_load,
	SYS_reboot,
	SYS_swapon,
	SYS_swapoff,
	SYS_quotactl,
	SYS_acct,
};

/* Namespaces that clone() would make, as unshare(): in one of its own a process has rights
 * again. */
#define NAMESPACES                                                                                 \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |             \
		CLONE_NEWPID | CLONE_NEWNET)

#define REFUSED TC_COUNT_OF(refused)
/* Loads and checks before the list; clone() and the ends behind it. */
enum { HEAD = 5, TAIL = 7 };

static void fill(struct sock_filter *filter)
{
	size_t at = 0;
	const uint8_t to_refuse = REFUSED + TAIL - 1; /* instructions to leap over */

	filter[at++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	filter[at++] =
		(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
	filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
	filter[at++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	filter[at++] = (struct sock_filter)BPF_JUMP(
		BPF_JMP | BPF_JGE | BPF_K, FOREIGN_NUMBERS, to_refuse, 0);
	for (size_t i = 0; i < REFUSED; i++)
		filter[at++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, refused[i], (uint8_t)(to_refuse - 1 - i), 0);
	/* Its flags lie in memory, where no filter sees them. Libraries then use clone(). */
	filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLONE3, 0, 1);
	filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
	filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 2);
	/* The low half of the flags; both architectures are little-endian. */
	filter[at++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args));
	filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 1, 0);
	filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
}

bool tc_seccomp_offered(void)
{
	const uint32_t action = SECCOMP_RET_ERRNO;

	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

bool tc_seccomp_begin(void)
{
	struct sock_filter filter[HEAD + REFUSED + TAIL];
	const struct sock_fprog program = {TC_COUNT_OF(filter), filter};

	fill(filter);
	/* Older kernels slow a filtered process down, unless it says that it runs no code of
	 * others. */
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
		       &program) == 0;
}
#endif
#endif

#if !defined(__linux__) || !defined(OWN_ARCHITECTURE)
bool tc_seccomp_offered(void)
{
	return false;
}

bool tc_seccomp_begin(void)
{
	return false;
}
#endif
