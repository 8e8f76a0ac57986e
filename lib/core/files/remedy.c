#include "core/files/remedy.h"

#include <errno.h>
#include <stddef.h>

#include "core/array.h"

#define ROOM ": set TMPDIR to a place with room"
#define NAME ": check the name and the directory you are in"
#define PART ": a part of the path is a file: check the name"
#define LINKS ": its links lead in a circle: name the file itself"
#define ANOTHER ": choose another place"
#define DIRECTORY ": make its directory first, or choose another place"
#define READING ": allow reading it (chmod), or run as its owner"
#define WRITING ": allow writing there (chmod), or choose another place"
#define MAKE_ROOM ": make room and run it again"
#define FILE_SIZE ": raise the limit of file sizes (ulimit -f)"
#define FILE_COUNT ": raise the limit of open files (ulimit -n)"

const char *tc_remedy(int error, enum tc_purpose purpose)
{
	static const char *const others[TC_PURPOSE_COUNT] = {"", "", ROOM};
	static const struct {
		int error;
		const char *texts[TC_PURPOSE_COUNT];
	} remedies[] = {
		{ENOENT, {NAME, DIRECTORY, ROOM}},
		{ENOTDIR, {PART, PART, ROOM}},
		{EACCES, {READING, WRITING, ROOM}},
		{EPERM, {READING, WRITING, ROOM}},
		{EROFS, {"", ANOTHER, ROOM}},
		{EISDIR, {"", ": choose the name of a file in it", ROOM}},
		{ELOOP, {LINKS, LINKS, ROOM}},
		{ENAMETOOLONG,
			{": the name is too long: check it", ": choose a shorter name", ROOM}},
		{ENOSPC, {MAKE_ROOM, MAKE_ROOM, ROOM}},
		{EDQUOT, {MAKE_ROOM, MAKE_ROOM, ROOM}},
		{EFBIG, {FILE_SIZE, FILE_SIZE, FILE_SIZE}},
		{EMFILE, {FILE_COUNT, FILE_COUNT, FILE_COUNT}},
	};

	for (size_t i = 0; i < TC_COUNT_OF(remedies); i++)
		if (remedies[i].error == error)
			return remedies[i].texts[purpose];
	return others[purpose];
}
