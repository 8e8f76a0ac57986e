/* See remedy.h. */
#include "core/files/remedy.h"

#include <errno.h>
#include <stddef.h>

#include "core/array.h"

const char *tc_remedy(int error)
{
	static const struct {
		int error;
		const char *text;
	} remedies[] = {
		{ENOENT, ": check the name and the directory you are in"},
		{ENOTDIR, ": a part of the path is a file: check the name"},
		{EACCES, ": allow reading it (chmod), or run as its owner"},
		{EPERM, ": allow reading it (chmod), or run as its owner"},
		{ELOOP, ": its links lead in a circle: name the file itself"},
		{ENAMETOOLONG, ": the name is too long: check it"},
		{ENOSPC, ": make room and run it again"},
		{EFBIG, ": raise the limit of file sizes (ulimit -f)"},
		{EMFILE, ": raise the limit of open files (ulimit -n)"},
	};

	for (size_t i = 0; i < TC_COUNT_OF(remedies); i++)
		if (remedies[i].error == error)
			return remedies[i].text;
	return "";
}
