/* Members of the trace; see metas.h. */
#include "model/trace/metas.h"

#include "core/alloc.h"

void tc_metas_clear(struct tc_metas *metas)
{
	tc_strtab_clear(&metas->strings);
	tc_free(metas->rows);
}

enum tc_status tc_metas_add(struct tc_metas *metas, struct tc_text key, struct tc_text json)
{
	uint32_t key_string = tc_strtab_intern(&metas->strings, key);
	uint32_t json_string = tc_strtab_intern(&metas->strings, json);

	if (key_string == TC_STRTAB_NONE || json_string == TC_STRTAB_NONE ||
		!TC_GROW(metas->rows, metas->capacity, metas->count + 1))
		return tc_strtab_fail(&metas->strings, metas->ctx);
	metas->rows[metas->count++] = (struct tc_meta){tc_strtab_at(&metas->strings, key_string),
		tc_strtab_at(&metas->strings, json_string)};
	return TC_OK;
}

struct tc_text tc_metas_find(const struct tc_metas *metas, const char *key)
{
	for (size_t i = metas->count; i-- > 0;)
		if (tc_text_equal(metas->rows[i].key, tc_text_from(key)))
			return metas->rows[i].json;
	return TC_TEXT_NONE;
}
