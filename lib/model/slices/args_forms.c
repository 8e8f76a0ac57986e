/*
 * Args as forms and numbers. A form is the text with a hole for each number that counts events:
 *
 *   {"External id": 7, "op": "mm", "Ev Idx": 6}     first seen: stored as text
 *   {"External id": 9, "op": "mm", "Ev Idx": 8}     its form for the second time: a new form, which
 * is
 *                                                   {"External id": %d, "op": "mm", "Ev Idx": %d},
 *                                                   and the numbers 9 and 8, packed into one
 * integer
 *   {"External id": 11, "op": "mm", "Ev Idx": 9}    that form and its numbers
 *
 * Only integers in their usual spelling become holes, so the text can be put together again byte
 * for byte. The cache has a place for each hash of a form; the form that came after the latest one,
 * or for this label, is tried first, without hashing.
 */
#include "model/slices/args_forms.h"

#include <string.h>

#include "core/alloc.h"
#include "core/array.h"
#include "core/collections/strtab.h"

enum {
	PLACE_COUNT = 4096,
	FORM_BYTES = 16000,    /* longer texts are stored as they are: call stacks are shorter */
	CACHE_BYTES = 8000000, /* of all forms in the cache; what does not fit is stored as it is */
	DIGITS = 18,           /* as many as always fit an int64 */
	HINT_COUNT = 4096,
	NUMBER_COUNT = 3, /* at most so many are left out of a text */
	HOLE = 1,         /* the place of a number; no JSON text should have this byte */
};

/* The numbers that are left out of a text. */
struct numbers {
	uint32_t count;
	int64_t values[NUMBER_COUNT];
};

struct form {
	int64_t id;
	uint32_t len;                 /* 0: free */
	bool has_id;                  /* of the args that it was made of */
	uint16_t number_count;        /* number of holes in text */
	uint16_t holes[NUMBER_COUNT]; /* their places */
	uint32_t bits;                /* of a number */
	char *text;                   /* owned */
};

struct tc_args_forms {
	uint64_t seen[PLACE_COUNT]; /* hash of the latest form in each place */
	struct form forms[PLACE_COUNT];
	size_t bytes; /* of all texts */
	/* The place of the form that came with a hint, and of the one behind a form: likely to come
	 * again. */
	uint16_t hinted[HINT_COUNT], behind[PLACE_COUNT];
	uint16_t last; /* the place of the latest form */
};

struct tc_args_forms *tc_args_forms_new(void)
{
	return tc_calloc(1, sizeof(struct tc_args_forms));
}

void tc_args_forms_free(struct tc_args_forms *forms)
{
	for (size_t i = 0; forms && i < PLACE_COUNT; i++)
		tc_free(forms->forms[i].text);
	tc_free(forms);
}

/* Members that count events or calls. A name that is missing here only costs space. */
#define KEY(name)                                                                                  \
	{                                                                                          \
		name, sizeof(name) - 1                                                             \
	}
static const struct {
	const char *name;
	size_t len;
} keys[] = {
	KEY("External id"),
	KEY("external id"),
	KEY("external ts"),
	KEY("correlation"),
	KEY("Ev Idx"),
	KEY("Sequence number"),
	KEY("Python id"),
	KEY("Python parent id"),
	KEY("connection_id"),
	KEY("correlation_id"),
	KEY("correlation id"),
	KEY("Task Id"),
	KEY("Trace iteration"),
};

/* Whether a key of the table ends before end, where its closing quote is. */
static bool is_key(const char *start, const char *end)
{
	for (size_t i = 0; i < TC_COUNT_OF(keys); i++) {
		size_t len = keys[i].len;
		if (end[-1] == keys[i].name[len - 1] && (size_t)(end - start) > len &&
			end[-1 - (ptrdiff_t)len] == '"' &&
			memcmp(end - len, keys[i].name, len) == 0)
			return true;
	}
	return false;
}

/* The number of digits at p if they are an integer in its usual form, else 0. */
static size_t read_number(const char *p, const char *end, int64_t *value)
{
	size_t len = 0;

	*value = 0;
	for (; len < DIGITS && p + len < end && p[len] >= '0' && p[len] <= '9'; len++)
		*value = *value * 10 + (p[len] - '0');
	if ((len > 1 && *p == '0') || p + len == end)
		return 0;
	return p[len] == ',' || p[len] == '}' ? len : 0;
}

/* The next number of a single event in [p, end), or NULL; start is the start of the text. */
static const char *next_number(
	const char *start, const char *p, const char *end, size_t *len, int64_t *value)
{
	while ((p = memchr(p, ':', (size_t)(end - p)))) {
		p++;
		if (p - start > 3 && p < end && *p >= '0' && *p <= '9' && p[-2] == '"' &&
			is_key(start, p - 2) && (*len = read_number(p, end, value)) > 0)
			return p;
	}
	return NULL;
}

/* Whether args are of a form; sets their numbers if so. Most texts are of the form that is tried
 * first. */
static bool is_of_form(struct numbers *numbers, const struct form *form, struct tc_text args)
{
	const char *p = args.ptr, *end = p + args.len;
	size_t at = 0;

	for (numbers->count = 0;; numbers->count++) {
		bool is_last = numbers->count == form->number_count;
		size_t piece = (is_last ? form->len : form->holes[numbers->count]) - at;
		if ((size_t)(end - p) < piece || memcmp(p, form->text + at, piece) != 0)
			return false;
		p += piece;
		if (is_last)
			return p == end;
		size_t len = read_number(p, end, &numbers->values[numbers->count]);
		if (len == 0)
			return false;
		p += len;
		at = form->holes[numbers->count] + 1U;
	}
}

/* Copies args to form with a HOLE for each number; returns the length. form has FORM_BYTES. */
static size_t cut_numbers(char *form, struct tc_text args, bool has_id, struct numbers *numbers)
{
	const char *from = args.ptr, *end = args.ptr + args.len, *p = from;
	char *to = form;
	size_t len;

	numbers->count = 0;
	while (has_id && numbers->count < NUMBER_COUNT &&
		(p = next_number(args.ptr, p, end, &len, &numbers->values[numbers->count]))) {
		size_t piece = (size_t)(p - from);
		memcpy(to, from, piece);
		to += piece;
		*to++ = HOLE;
		numbers->count++;
		p += len;
		from = p;
	}
	memcpy(to, from, (size_t)(end - from));
	return (size_t)(to - form) + (size_t)(end - from);
}

static bool fit(const struct numbers *numbers, uint32_t bits)
{
	for (uint32_t i = 0; i < numbers->count; i++)
		if (numbers->values[i] >> bits > 0)
			return false;
	return true;
}

/* Bits for each number when so many share one integer. Two numbers mostly make an integer of six
 * bytes, which SQLite stores as such. False when one is too large. */
static bool choose_bits(uint32_t *bits, const struct numbers *numbers)
{
	static const uint32_t few[NUMBER_COUNT + 1] = {0, 62, 24, 21},
						 most[NUMBER_COUNT + 1] = {0, 62, 31, 21};

	*bits = fit(numbers, few[numbers->count]) ? few[numbers->count] : most[numbers->count];
	return fit(numbers, *bits);
}

/* Joins all numbers in one, -1 for none. */
static int64_t join(const struct numbers *numbers, uint32_t bits)
{
	int64_t joined = 0;

	for (uint32_t i = 0; i < numbers->count; i++)
		joined |= numbers->values[i] << (i * bits);
	return numbers->count > 0 ? joined : -1;
}

/* Puts a text in the place of an older one. False when there is no room: the place stays as it
 * was. */
static bool store_form(struct tc_args_forms *forms, struct form *form, const char *text, size_t len)
{
	if (forms->bytes - form->len + len > CACHE_BYTES)
		return false;
	char *room = tc_realloc(form->text, len);
	if (!room)
		return false;
	forms->bytes += len - form->len;
	memcpy(room, text, len);
	form->text = room;
	form->len = (uint32_t)len;
	return true;
}

static void find_holes(struct form *form)
{
	size_t at = 0;

	for (size_t i = 0; i < form->number_count; i++, at++) {
		at = (size_t)((char *)memchr(form->text + at, HOLE, form->len - at) - form->text);
		form->holes[i] = (uint16_t)at;
	}
}

/* The place of a form that args are of, without their hash; PLACE_COUNT when it is not found. */
static size_t find_likely(struct numbers *numbers, const struct tc_args_forms *forms,
	struct tc_text args, bool has_id, size_t hint)
{
	const size_t places[] = {forms->behind[forms->last], forms->hinted[hint]};

	for (size_t i = 0; i < TC_COUNT_OF(places); i++) {
		const struct form *form = &forms->forms[places[i]];
		if (form->len > 0 && form->has_id == has_id && is_of_form(numbers, form, args) &&
			fit(numbers, form->bits))
			return places[i];
	}
	return PLACE_COUNT;
}

/* Args are of the form at a place. */
static void use_form(struct tc_row_args *out, struct tc_args_forms *forms, size_t place,
	const struct numbers *numbers, size_t hint)
{
	const struct form *form = &forms->forms[place];

	out->form_id = form->id;
	out->numbers = join(numbers, form->bits);
	forms->behind[forms->last] = (uint16_t)place;
	forms->hinted[hint] = (uint16_t)place;
	forms->last = (uint16_t)place;
}

enum tc_args_match tc_args_forms_match(struct tc_args_forms *forms, struct tc_text args,
	bool has_id, uint32_t label, int64_t next_id, struct tc_row_args *out)
{
	char text[FORM_BYTES];
	struct numbers numbers;
	uint32_t bits;

	if (args.len == 0 || args.len > FORM_BYTES)
		return TC_ARGS_FIRST;
	size_t hint = (args.len + (size_t)label * 97) % HINT_COUNT;
	size_t place = find_likely(&numbers, forms, args, has_id, hint);
	if (place < PLACE_COUNT) {
		use_form(out, forms, place, &numbers, hint);
		return TC_ARGS_KNOWN;
	}
	size_t len = cut_numbers(text, args, has_id, &numbers);
	if (!choose_bits(&bits, &numbers))
		return TC_ARGS_FIRST;
	uint64_t hash = tc_hash_bytes(text, len);
	place = hash % PLACE_COUNT;
	struct form *form = &forms->forms[place];
	if (form->len == len && form->number_count == numbers.count && form->bits >= bits &&
		memcmp(form->text, text, len) == 0) {
		use_form(out, forms, place, &numbers, hint);
		return TC_ARGS_KNOWN;
	}
	if (forms->seen[place] != hash || memchr(args.ptr, HOLE, args.len)) {
		forms->seen[place] = hash;
		return TC_ARGS_FIRST;
	}
	if (!store_form(forms, form, text, len))
		return TC_ARGS_FIRST;
	form->id = next_id;
	form->number_count = (uint16_t)numbers.count;
	form->bits = bits;
	form->has_id = has_id;
	find_holes(form);
	use_form(out, forms, place, &numbers, hint);
	return TC_ARGS_NEW_FORM;
}

uint32_t tc_args_forms_append_pattern(struct tc_buf *out, struct tc_text args, bool has_id)
{
	struct numbers numbers;
	char text[FORM_BYTES];
	uint32_t bits = 0;
	size_t len = cut_numbers(text, args, has_id, &numbers);

	for (size_t i = 0; i < len; i++) {
		if (text[i] == HOLE)
			tc_buf_append_string(out, "%d");
		else if (text[i] == '%')
			tc_buf_append_string(out, "%%");
		else
			tc_buf_append_char(out, text[i]);
	}
	choose_bits(&bits, &numbers);
	return bits;
}
