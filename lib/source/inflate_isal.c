/* Inflater over ISA-L; see inflater.h. */
#include "source/inflater.h"

#ifdef TC_HAVE_ISAL
#include <stdint.h>

#include <isa-l/igzip_lib.h>

#include "core/alloc.h"

struct tc_inflater {
	struct inflate_state state;
};

struct tc_inflater *tc_inflater_new(void)
{
	struct tc_inflater *inflater = tc_malloc(sizeof(*inflater));

	if (!inflater)
		return NULL;
	isal_inflate_init(&inflater->state);
	inflater->state.crc_flag = ISAL_GZIP;
	return inflater;
}

void tc_inflater_free(struct tc_inflater *inflater)
{
	tc_free(inflater);
}

void tc_inflater_restart(struct tc_inflater *inflater)
{
	isal_inflate_reset(&inflater->state);
	inflater->state.crc_flag = ISAL_GZIP;
}

/*
 * ISA-L (2.30 at least) returns with the upper parts of the vector registers in use. Until they are
 * cleared, each change between the older and the newer vector instructions costs this thread some
 * 70 cycles, as in every short memcpy() between two steps of SQLite.
 */
#ifdef __x86_64__
__attribute__((target("avx"))) static void clear_upper_avx(void)
{
	__builtin_ia32_vzeroupper();
}

static void clear_upper(void)
{
	if (__builtin_cpu_supports("avx"))
		clear_upper_avx();
}
#else
static void clear_upper(void)
{
}
#endif

static const char *reason_of(int code)
{
	switch (code) {
	case ISAL_INVALID_BLOCK: return "invalid block type";
	case ISAL_INVALID_SYMBOL: return "invalid code";
	case ISAL_INVALID_LOOKBACK: return "invalid distance too far back";
	case ISAL_INVALID_WRAPPER: return "incorrect header check";
	case ISAL_UNSUPPORTED_METHOD: return "unknown compression method";
	case ISAL_INCORRECT_CHECKSUM: return "incorrect data check";
	default: return "bad data";
	}
}

enum tc_inflate_result tc_inflate(
	struct tc_inflater *inflater, struct tc_inflate_io *io, const char **why)
{
	struct inflate_state *state = &inflater->state;
	uint32_t in_len = io->in_len > UINT32_MAX ? UINT32_MAX : (uint32_t)io->in_len;
	uint32_t out_len = io->out_len > UINT32_MAX ? UINT32_MAX : (uint32_t)io->out_len;

	state->next_in = (uint8_t *)(uintptr_t)io->in; /* which it only reads */
	state->avail_in = in_len;
	state->next_out = io->out;
	state->avail_out = out_len;
	int code = isal_inflate(state);
	clear_upper();
	io->in += in_len - state->avail_in;
	io->in_len -= in_len - state->avail_in;
	io->out += out_len - state->avail_out;
	io->out_len -= out_len - state->avail_out;
	if (code < 0) {
		*why = reason_of(code);
		return TC_INFLATE_DAMAGED;
	}
	return state->block_state == ISAL_BLOCK_FINISH ? TC_INFLATE_END : TC_INFLATE_MORE;
}
#endif
