/*
 * Finding the next event in bytes that make no sense: an object that opens with a key that events
 * open with. Bytes are looked at once and dropped.
 */
#include "decode/decoder.h"
#include "decode/json/json_text.h"

/* Keys that some producer starts its events with. */
static const struct tc_text usual_first[] = {
	{"ph", 2},
	{"name", 4},
	{"pid", 3},
	{"tid", 3},
	{"ts", 2},
	{"cat", 3},
	{"args", 4},
	{"id", 2},
	{"dur", 3},
	{"s", 1},
};

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && tc_json_blank(*p))
		p++;
	return p;
}

static int find_first_key(const struct tc_first_keys *keys, struct tc_text key)
{
	for (int i = 0; i < keys->count; i++) {
		if (tc_text_equal(key, (struct tc_text){keys->bytes[i], keys->len[i]}))
			return i;
	}
	return -1;
}

static bool known_first(const struct tc_decoder *d, struct tc_text key)
{
	for (size_t i = 0; i < sizeof(usual_first) / sizeof(usual_first[0]); i++) {
		if (tc_text_equal(key, usual_first[i]))
			return true;
	}
	return find_first_key(&d->first_keys, key) >= 0;
}

void tc_resync_learn(struct tc_first_keys *keys, struct tc_text key)
{
	if (keys->count == TC_FIRST_KEYS_MAX || key.len > TC_FIRST_KEY_BYTES || key.len == 0 ||
		find_first_key(keys, key) >= 0)
		return;
	memcpy(keys->bytes[keys->count], key.ptr, key.len);
	keys->len[keys->count++] = key.len;
}

/* A key in quotes at p, and the colon after it. 1, 0 or -1 as tc_resync_plausible(). */
static int read_key(struct tc_text *key, const char *p, const char *end)
{
	if (p == end)
		return -1;
	if (*p != '"')
		return 0;
	const char *quote = ++p;
	while (quote < end && *quote != '"' && quote - p <= TC_FIRST_KEY_BYTES)
		quote++;
	if (quote == end)
		return -1;
	*key = (struct tc_text){p, (size_t)(quote - p)};
	if (*quote != '"')
		return 0;
	p = skip_blanks(quote + 1, end);
	if (p == end)
		return -1;
	return *p == ':';
}

int tc_resync_plausible(const struct tc_decoder *d, const char *p, const char *end)
{
	struct tc_text key;
	int found = *p == '{' ? read_key(&key, skip_blanks(p + 1, end), end) : 0;

	return found == 1 ? known_first(d, key) : found;
}

/* Does an event start at the brace p? 1, 0 or -1 as above. */
static int opens_event(const struct tc_decoder *d, const char *p, const char *end)
{
	int found = tc_resync_plausible(d, p, end);

	/* Behind a colon or a quote an object is more likely a value than an event. */
	if (found == 1 && (d->previous == ':' || d->previous == '"'))
		found = tc_repair_shows_phase(p, end, d->at_end);
	return found;
}

/* Is the quote at p the start of "traceEvents": [ ? The end of that in *after. */
static int opens_list(const char **after, const char *p, const char *end)
{
	struct tc_text key;
	int found = read_key(&key, p, end);

	if (found != 1)
		return found;
	if (!tc_text_equal(key, TC_TEXT("traceEvents")))
		return 0;
	p = skip_blanks(skip_blanks(key.ptr + key.len + 1, end) + 1, end);
	if (p == end)
		return -1;
	*after = p + 1;
	return *p == '[';
}

void tc_resync_start(struct tc_decoder *d, int64_t from)
{
	d->damage_from = from;
	d->mode = TC_MODE_RESYNC;
	d->previous = '\n';
	d->skip = (struct tc_skip){0};
}

/* Says what was dropped, by where it was. */
static bool log_dropped(struct tc_decoder *d, int64_t to)
{
	int64_t count = to - d->damage_from;
	enum tc_log_kind kind = TC_LOG_DAMAGED_EVENT;

	if (d->place == TC_PLACE_TOP && d->form == TC_FORM_UNKNOWN)
		kind = d->at_end && to == d->byte_count ? TC_LOG_TRAILING_GARBAGE
							: TC_LOG_STARTS_MIDWAY;
	else if (d->place == TC_PLACE_TOP && d->form != TC_FORM_LINES)
		kind = TC_LOG_TRAILING_GARBAGE;
	return tc_decoder_log(d, kind, d->damage_from, count, "");
}

/* An event list goes on or starts at offset. */
static void go_on(struct tc_decoder *d, int64_t offset, bool in_container)
{
	d->hold = offset;
	if (!log_dropped(d, offset))
		return;
	if (d->place == TC_PLACE_TOP && d->form == TC_FORM_LINES) {
		tc_decoder_resume(d);
		return;
	}
	if (d->place == TC_PLACE_TOP) {
		d->midway = !in_container;
		d->trace_count++;
	}
	if (d->form == TC_FORM_UNKNOWN)
		d->form = in_container ? TC_FORM_OBJECT : TC_FORM_ARRAY;
	if (d->place != TC_PLACE_LIST)
		tc_walk_enter_list(d, true, offset);
	tc_decoder_resume(d);
}

/* In a container: does the damaged value seem to end with the byte c at hold? */
static bool end_of_member(struct tc_decoder *d, char c)
{
	bool used;

	if (d->place != TC_PLACE_CONTAINER || !tc_mend_skip_byte(&d->skip, c, &used))
		return false;
	d->hold += used;
	log_dropped(d, d->hold);
	d->comma_at = -1;
	d->mode = TC_MODE_MEND;
	return true;
}

bool tc_resync(struct tc_decoder *d)
{
	int64_t end_offset = tc_decoder_window_end(d);
	const char *end = d->window.ptr + d->window.len, *after = NULL;

	for (; d->hold < end_offset; d->hold++) {
		const char *p = tc_decoder_at(d, d->hold);
		int found = 0;
		if (*p == '{')
			found = opens_event(d, p, end);
		else if (*p == '"' && d->place != TC_PLACE_LIST)
			found = opens_list(&after, p, end);
		if (found == -1 && !d->at_end)
			return false;
		if (found == 1 && *p == '{') {
			go_on(d, d->hold, false);
			return true;
		}
		if (found == 1) {
			go_on(d, d->window.base + (after - d->window.ptr), true);
			return true;
		}
		if (end_of_member(d, *p))
			return true;
		if (!tc_json_blank(*p))
			d->previous = *p;
	}
	if (d->at_end && d->hold > d->damage_from) {
		log_dropped(d, d->hold);
		d->damage_from = d->hold;
	}
	return false;
}
