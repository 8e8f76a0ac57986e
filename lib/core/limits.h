/*
 * Every limit on what input may make us hold, each with its reason. Reaching one is never silent:
 * it is a row of import_log or a failed call with TC_ERR_LIMIT.
 */
#pragma once

/* Bytes handed from source to decoder at once, and decoded ahead at once: large enough that the
 * per-chunk cost vanishes (64 KiB already does), small enough that a chunk and its events stay in
 * the L2 cache. */
#define TC_CHUNK_BYTES (256 * 1024)

/* Zeros in a row that are no text but a hole: bytes that were never written, or lost before they
 * were decompressed. Names in records of a fixed size are padded with up to 31. */
#define TC_HOLE_BYTES 64

/* The largest file that is read while the trace before it is written, so that two are in memory.
 * Larger ones keep all cores busy by themselves. */
#define TC_AHEAD_MAX_BYTES (4 * 1024 * 1024)

/* The longest single event kept: the longest seen in the wild is 40 kB (an event with
 * thousands of input shapes); a larger one is dropped as event_too_large. */
#define TC_EVENT_MAX_BYTES (4 * 1024 * 1024)

/* The longest value of a top-level member kept as metadata (a memory dump can be 100 MB there). */
#define TC_META_MAX_BYTES (1024 * 1024)

/* JSON nesting inside one event; deeper is dropped as event_too_deep. Nobody writes ten. */
#define TC_JSON_MAX_DEPTH 512

/* Threads, device lanes and async ids; the largest seen in the wild is 4,000. Events of further
 * ones are dropped and counted as track_limit. */
#define TC_TRACK_MAX_COUNT (1 << 20)

/* Devices times steps whose times are kept, each 600 bytes of memory and of the store: 8 devices in
 * 8,000 steps. A trace with more slices than this may have as many. Beyond it only all devices
 * together have times per step, which is counted as step_limit. */
#define TC_DEVICE_STEP_MAX_COUNT (1 << 16)

/* Devices that have nothing to do at once and whose time is compared with the host: each change on
 * the host looks at all of them, at 80 ns each. Gaps of further ones have no cause and are counted
 * as gap_limit. A rack has 72 devices, a trace of more is of merged ranks. */
#define TC_GAP_OPEN_MAX_COUNT 256

/* Distinct labels (category and name) and the bytes of their texts; further ones are kept as one
 * and counted as string_limit. Real traces have up to 100,000. */
#define TC_LABEL_MAX_COUNT (1 << 22)
#define TC_LABEL_MAX_BYTES (512LL * 1024 * 1024)

/* Device work held until the first call of its correlation id is seen; more than one CUDA graph
 * launches. Further work is counted as launch_limit. */
#define TC_EARLY_MAX_COUNT (1 << 16)

/* Processes of a file whose calls have correlation ids and are told apart; those of further ones
 * are taken for calls of one. A rack has 72 devices. */
#define TC_CALLER_MAX_COUNT 256

/* Launch calls without correlation ids, and runs of work of one recipe, held in memory: 160 MB and
 * 80 MB, and as much again while they are matched. Further ones are counted as launch_limit. */
#define TC_CALL_MAX_COUNT (4 * 1024 * 1024)
#define TC_RUN_MAX_COUNT (2 * 1024 * 1024)

/* Nodes of the operator tree, 150 bytes each: a training step has up to 100,000 with Python stacks.
 * Beyond the first number operators of further sizes count without sizes, beyond the second slices
 * on further paths as parts of those around them. A path has up to 200, and every new node looks at
 * all above it. What is beyond is counted as tree_limit. */
#define TC_TREE_MAX_SHAPES (3 << 16)
#define TC_TREE_MAX_COUNT (1 << 18)
#define TC_TREE_MAX_DEPTH 1024

/* Distinct strings (names, categories) interned in one table, and their bytes in all: more than
 * labels may have, so that those reach their limit first. */
#define TC_STRING_MAX_COUNT (1 << 24)
#define TC_STRING_MAX_BYTES (1024LL * 1024 * 1024)

/* Rows of import_log that carry an offset and a message of their own, per kind: enough to see what
 * is wrong with a file. Later ones of the same kind are counted in one last row. */
#define TC_LOG_ROWS_PER_KIND 20

/* A statement that a user's file has; the longest of ours has 5 kB. */
#define TC_SQL_MAX_BYTES (1024 * 1024)

/* A line of a side file; longer ones are counted as damaged. Log lines with shapes reach 10 kB. */
#define TC_SIDE_LINE_MAX_BYTES (1024 * 1024)

/* A metrics file, which is read as a whole: a dump has about 1 kB, more with cache details. */
#define TC_SIDE_WHOLE_MAX_BYTES (256 * 1024 * 1024)

/* Rows that one side file gives; a log may have a line a launch. Further ones are counted as
 * side_limit. */
#define TC_SIDE_ROW_MAX_COUNT (4 * 1024 * 1024)

/* Damaged dumps of a metrics file after which the rest is left: each may cost a look at 4 MiB. */
#define TC_SIDE_RESYNC_MAX_COUNT 100

/* Timestamps and durations outside +-(2^62 - 1) ns (146 years) are refused, so that neither
 * ts + dur nor the difference of two timestamps overflows. */
#define TC_TIME_MAX_NS ((INT64_C(1) << 62) - 1)

/* How long one user's rule may run on one trace, in SQLite instructions: about ten seconds, enough
 * for several passes over 10 million slices. Then the rule has failed. One instruction may call a
 * function that takes long, so CPU time is bounded, too: three times as much, so that the first
 * limit, which is the same on every machine, is nearly always the one. */
#define TC_RULE_MAX_INSTRUCTIONS 500000000LL
#define TC_RULE_MAX_CPU_NS 30000000000LL

/* Instructions between two checks. SQLite cannot be stopped within an instruction, so the other
 * limits keep each below a few milliseconds and a few megabytes; those between two checks then take
 * at most a few tenths of a second. */
#define TC_RULE_CHECK_INSTRUCTIONS 250
/* Instructions between two looks at the CPU time, one of which takes as long as 50 instructions. */
#define TC_RULE_CLOCK_INSTRUCTIONS 1000

/* The memory that it may take: what does not fit into SQLite's caches goes to temporary files, so
 * only functions that gather rows in one value take more than some megabytes. */
#define TC_RULE_MAX_MEMORY_BYTES (128 * 1024 * 1024)

/* Its temporary files: enough to sort 10 million slices by two numbers. They may lie in memory. */
#define TC_RULE_MAX_TEMPORARY_BYTES (512 * 1024 * 1024)

/* The longest text or blob that such a rule may read or make: 25 times the longest text of real
 * traces. A function takes a few milliseconds for it. */
#define TC_RULE_MAX_VALUE_BYTES (1024 * 1024)

/* The longest pattern of LIKE and GLOB, which take time by the product of text and pattern. */
#define TC_RULE_MAX_PATTERN_BYTES 256

/* The longest query, arguments of a function, columns and parts of a compound SELECT: what runs
 * without coming back to a check is a straight line of calls, and these make it short. */
#define TC_RULE_MAX_SQL_BYTES (64 * 1024)
#define TC_RULE_MAX_ARGUMENT_COUNT 32
#define TC_RULE_MAX_COLUMN_COUNT 256
#define TC_RULE_MAX_COMPOUND_COUNT 64

/* The most bytes that a file of settings may have: 25 times one that names every threshold. */
#define TC_SETTINGS_MAX_FILE_BYTES (256 * 1024)

/* The most bytes that the file of a rule may have. */
#define TC_RULE_MAX_FILE_BYTES (256 * 1024)

/* The longest text of one column of evidence: names are up to 5,160 bytes in the wild. The rows of
 * a finding are compared with each other, so what is kept of them is bounded here. */
#define TC_EVIDENCE_MAX_BYTES (8 * 1024)

/* Rules in a directory: with more it is not a directory of rules. */
#define TC_RULE_MAX_COUNT 1000
