/* Durations of calls by label; see usual.h. */
#include "analysis/host/usual.h"

#include "core/alloc.h"
#include "core/array.h"

#define USUAL_TENTH 10

static size_t bin_of(int64_t dur_ns)
{
	int octave = 63 - __builtin_clzll((unsigned long long)dur_ns | 1);
	int64_t rest = octave >= 3 ? (dur_ns >> (octave - 3)) & 7 : 0;

	return (size_t)(octave * TC_DURATIONS_PER_OCTAVE + rest);
}

static int64_t bin_start(size_t bin)
{
	int octave = (int)bin / TC_DURATIONS_PER_OCTAVE;
	int64_t rest = (int64_t)bin % TC_DURATIONS_PER_OCTAVE, one = INT64_C(1) << octave;

	return octave >= 3 ? one + (rest << (octave - 3)) : one;
}

void tc_durations_add(struct tc_durations *durations, int64_t dur_ns)
{
	size_t bin = bin_of(dur_ns);

	durations->count++;
	if (bin < TC_DURATIONS_BINS)
		durations->counts[bin]++;
}

int64_t tc_durations_lowest(const struct tc_durations *durations, uint32_t part)
{
	uint32_t rank = durations->count / part, seen = 0;

	for (size_t i = 0; i < TC_DURATIONS_BINS; i++) {
		seen += durations->counts[i];
		if (seen > rank)
			return bin_start(i);
	}
	return bin_start(TC_DURATIONS_BINS);
}

enum tc_status tc_usual_init(struct tc_usual *usual, struct tc_ctx *ctx, size_t label_count)
{
	*usual = (struct tc_usual){.ctx = ctx, .label_count = label_count};
	enum tc_status status =
		tc_paged_init(&usual->numbers, ctx, label_count, sizeof(uint32_t), NULL);

	return status ? status
		      : tc_paged_init(&usual->usual_ns, ctx, label_count, sizeof(int64_t), NULL);
}

static void clear_durations(struct tc_usual *usual)
{
	for (size_t i = 0; i < usual->count; i++)
		tc_free(usual->durations[i]);
	tc_free(usual->durations);
	tc_paged_clear(&usual->numbers);
	usual->durations = NULL;
	usual->count = usual->capacity = 0;
}

void tc_usual_clear(struct tc_usual *usual)
{
	clear_durations(usual);
	tc_paged_clear(&usual->usual_ns);
	*usual = (struct tc_usual){0};
}

/* NULL when memory is out. */
static struct tc_durations *durations_of(struct tc_usual *usual, uint32_t label)
{
	uint32_t *number = TC_PAGED_AT(&usual->numbers, uint32_t, label);

	if (*number > 0)
		return usual->durations[*number - 1];
	if (!TC_GROW(usual->durations, usual->capacity, usual->count + 1))
		return NULL;
	struct tc_durations *durations = tc_calloc(1, sizeof(*durations));
	if (!durations)
		return NULL;
	usual->durations[usual->count++] = durations;
	*number = (uint32_t)usual->count;
	return durations;
}

enum tc_status tc_usual_add(struct tc_usual *usual, uint32_t label, int64_t dur_ns)
{
	struct tc_durations *durations = durations_of(usual, label);

	if (!durations)
		return tc_no_memory(usual->ctx);
	tc_durations_add(durations, dur_ns);
	return TC_OK;
}

enum tc_status tc_usual_find(struct tc_usual *usual)
{
	for (size_t i = 0; i < usual->label_count; i++) {
		uint32_t number = *TC_PAGED_AT(&usual->numbers, uint32_t, i);
		if (number == 0)
			continue;
		*TC_PAGED_AT(&usual->usual_ns, int64_t, i) =
			tc_durations_lowest(usual->durations[number - 1], USUAL_TENTH);
	}
	enum tc_status status = tc_paged_status(&usual->numbers);
	clear_durations(usual);
	return status ? status : tc_paged_status(&usual->usual_ns);
}
