/*
 * SQLite's memory while fuzzing. It takes and gives back a hundred thousand small blocks for each
 * input, which the sanitizer's allocator makes slow; and with that one a statement that nobody
 * finalized is a leak that is searched for seldom. Blocks of one size are kept for the next of that
 * size, poisoned between uses, so that whoever reads a text after its statement is still caught,
 * and they are counted: after an input none may be left.
 */
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

#include "fuzz/harness.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_POISON 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_POISON 1
#endif

#ifdef HAS_POISON
void __asan_poison_memory_region(const volatile void *at, size_t len);
void __asan_unpoison_memory_region(const volatile void *at, size_t len);
#define POISON(at, len) __asan_poison_memory_region(at, len)
#define UNPOISON(at, len) __asan_unpoison_memory_region(at, len)
#else
#define POISON(at, len) ((void)(at), (void)(len))
#define UNPOISON(at, len) ((void)(at), (void)(len))
#endif

/* What a block's head holds is poisoned as well, and so is a free block. */
#define IN_POISON __attribute__((no_sanitize("address")))

enum { SMALLEST_LOG2 = 5, CLASSES = 12, CHUNK_BYTES = 1 << 20, MOST_CHUNKS = 4096 };

struct block {
	union {
		int len;            /* of a block in use */
		struct block *next; /* of the same class, in a free one */
	};
	int class; /* CLASSES for one of malloc() */
};

static struct block *free_blocks[CLASSES];
static void *chunks[MOST_CHUNKS]; /* for the leak check, which does not read poisoned links */
static int chunk_count;
static int64_t used_count;

static inline size_t class_bytes(int class)
{
	return (size_t)1 << (SMALLEST_LOG2 + class);
}

/* The smallest class that has room. */
static inline int class_of(int len)
{
	int bits = len > 1 ? 32 - __builtin_clz((unsigned)len - 1) : 0;

	return bits <= SMALLEST_LOG2            ? 0
	       : bits - SMALLEST_LOG2 < CLASSES ? bits - SMALLEST_LOG2
						: CLASSES;
}

/* Cuts more memory into blocks; it is kept. */
IN_POISON static bool fill(int class)
{
	size_t step = sizeof(struct block) + class_bytes(class);
	char *chunk = chunk_count < MOST_CHUNKS ? malloc(CHUNK_BYTES) : NULL;

	if (!chunk)
		return false;
	chunks[chunk_count++] = chunk;
	for (size_t at = 0; at + step <= CHUNK_BYTES; at += step) {
		struct block *block = (void *)(chunk + at);
		*block = (struct block){.next = free_blocks[class], .class = class};
		free_blocks[class] = block;
	}
	POISON(chunk, CHUNK_BYTES);
	return true;
}

IN_POISON static struct block *take(int class, int len)
{
	if (class == CLASSES)
		return malloc(sizeof(struct block) + (size_t)len);
	if (!free_blocks[class] && !fill(class))
		return NULL;
	struct block *block = free_blocks[class];
	free_blocks[class] = block->next;
	return block;
}

IN_POISON static void *get(int len)
{
	int class = class_of(len);
	struct block *block = take(class, len);
	if (!block)
		return NULL;
	UNPOISON(block + 1, (size_t)len);
	*block = (struct block){.len = len, .class = class};
	used_count++;
	return block + 1;
}

IN_POISON static void give_back(void *memory)
{
	struct block *block = (struct block *)memory - 1;
	int class = block->class;

	used_count--;
	if (class == CLASSES) {
		free(block);
		return;
	}
	block->next = free_blocks[class];
	free_blocks[class] = block;
	POISON(memory, class_bytes(class));
}

IN_POISON static int length(void *memory)
{
	return ((struct block *)memory - 1)->len;
}

static void *resize(void *memory, int len)
{
	int old = length(memory);
	void *larger = get(len);

	if (larger) {
		memcpy(larger, memory, (size_t)(old < len ? old : len));
		give_back(memory);
	}
	return larger;
}

static int round_up(int len)
{
	return (len + 7) & ~7;
}

static int begin(void *user)
{
	(void)user;
	return SQLITE_OK;
}

static void end(void *user)
{
	(void)user;
}

void fuzz_own_sqlite(void)
{
	static const sqlite3_mem_methods methods = {
		get, give_back, resize, length, round_up, begin, end, NULL};

	demand(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK &&
			sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK &&
			sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) == SQLITE_OK &&
			sqlite3_initialize() == SQLITE_OK,
		"cannot set up SQLite");
}

int64_t fuzz_sqlite_blocks(void)
{
	return used_count;
}
