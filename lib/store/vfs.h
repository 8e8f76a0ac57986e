/*
 * Inside of the store room: SQLite on descriptors. A database is opened by a file that we have
 * opened, not by a name, so no name has a meaning, the file that was checked is the one that is
 * read, and a journal next to it is never looked for. Temporary files have no name either
 * (core/files/temporary.h). There are no locks: a file being written is private, and a sealed one
 * does not change.
 */
#ifndef TC_STORE_VFS_H
#define TC_STORE_VFS_H

#include <sqlite3.h>
#include <stdbool.h>

/*
 * Opens the database in the file behind fd, which stays the caller's and may be closed at any time.
 * When it is not written, SQLite takes it as immutable. Returns an SQLite code; as with
 * sqlite3_open_v2(), *db is to be closed also on failure, and may be NULL.
 */
int tc_vfs_open(sqlite3 **db, int fd, bool write);

#endif
