/*
 * Landlock, by its system calls, and the filter of seccomp.h. See tracecoach/confine.h. A kernel is
 * asked only for what it supports: each part is in force completely, or the flags say that it is
 * not.
 */
#define _GNU_SOURCE /* O_PATH, syscall() */
#include "tracecoach/confine.h"

#ifdef __linux__
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/confine/landlock.h"
#include "core/files/place.h"
#include "core/confine/seccomp.h"
#include "core/files/temporary.h"

static int create_ruleset(const struct tc_landlock_ruleset *ruleset, size_t size, uint32_t flags)
{
	return (int)syscall(TC_LANDLOCK_CREATE_RULESET, ruleset, size, flags);
}

/* Version of Landlock; 0 without. */
static int landlock_version(void)
{
	int version = create_ruleset(NULL, 0, TC_LANDLOCK_ASK_VERSION);

	return version > 0 ? version : 0;
}

/* Every right to change a file, to run one, or to steer a device, that the version knows. */
static uint64_t rights_of(int version)
{
	uint64_t rights = TC_LANDLOCK_OF_1;

	if (version >= 2)
		rights |= TC_LANDLOCK_REFER;
	if (version >= 3)
		rights |= TC_LANDLOCK_TRUNCATE;
	if (version >= 5)
		rights |= TC_LANDLOCK_IOCTL;
	return rights;
}

/* A set of rules by which nothing is allowed yet; -1 without Landlock. */
static int refuse_all(int version)
{
	const struct tc_landlock_ruleset handled = {.rights = rights_of(version),
		.ports = version >= 4 ? TC_LANDLOCK_PORTS : 0,
		.scopes = version >= 6 ? TC_LANDLOCK_SCOPES : 0};

	return version > 0 ? create_ruleset(&handled, sizeof(handled), 0) : -1;
}

/* A failed rule allows less, and the output fails with a message of its own. */
static void allow_fd(int ruleset, int fd, uint64_t rights)
{
	const struct tc_landlock_path rule = {.rights = rights, .fd = fd};

	(void)syscall(TC_LANDLOCK_ADD_RULE, ruleset, TC_LANDLOCK_RULE_PATH, &rule, 0);
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

	if (allow_path(ruleset, path, handled & TC_LANDLOCK_OF_DIRECTORY, true) ||
		allow_path(ruleset, path, handled & TC_LANDLOCK_OF_DEVICE, false))
		return;
	tc_buf_append_string(&trimmed, path);
	while (trimmed.len > 1 && trimmed.ptr[trimmed.len - 1] == '/')
		trimmed.len--;
	if (tc_buf_string(&trimmed) && tc_place_open(&place, trimmed.ptr) == 0) {
		allow_fd(ruleset, place.directory, handled & TC_LANDLOCK_OF_DIRECTORY);
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
		allow_path(ruleset, directory, rights & TC_LANDLOCK_OF_DIRECTORY, true);
	/* A terminal that is read by name is asked whether it is one. */
	allow_path(ruleset, "/dev/tty", rights & TC_LANDLOCK_IOCTL, false);
	allow_path(ruleset, "/dev/pts", rights & TC_LANDLOCK_IOCTL, true);
	bool holds = syscall(TC_LANDLOCK_RESTRICT_SELF, ruleset, 0) == 0;
	close(ruleset);
	return holds;
}

unsigned tc_confine_offered(void)
{
	return (landlock_version() > 0 ? TC_CONFINED_WRITES : 0u) |
	       (tc_seccomp_offered() ? TC_CONFINED_CALLS : 0u);
}

unsigned tc_confine(const char *const *outputs, size_t count, bool has_children)
{
	unsigned holds = 0;

	/* Both need it, unless the process is root. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return 0;
	if (confine_writes(outputs, count))
		holds |= TC_CONFINED_WRITES;
	if (tc_seccomp_begin(has_children))
		holds |= TC_CONFINED_CALLS;
	return holds;
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
