/*
 * Status codes of every library call that can fail because of its environment or its input.
 *
 * A function that returns enum tc_status and does not return TC_OK has pushed at least one cause
 * onto the context's error chain (context.h) and has not touched its out-parameters.
 */
#ifndef TRACECOACH_STATUS_H
#define TRACECOACH_STATUS_H

enum tc_status {
	TC_OK = 0,
	TC_ERR_NOMEM, /* an allocation failed */
	TC_ERR_IO,    /* the operating system refused a file of ours (errno text in the chain) */
	TC_ERR_READ,  /* an input cannot be opened or read (errno text in the chain) */
	TC_ERR_INPUT, /* the input is not a trace, or nothing in it could be used */
	TC_ERR_USAGE, /* the caller asked for something that does not exist */
	TC_ERR_STORE, /* SQLite failed, or the file is not a tracecoach store */
	TC_ERR_LIMIT, /* a limit on what input may make us hold was reached */
	TC_ERR_INTERRUPTED, /* tc_ctx_interrupt() was called */
	TC_ERR_INTERNAL,    /* an invariant of ours did not hold */
};

#endif
