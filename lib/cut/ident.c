#include "cut/parts.h"

#include "core/text/decimal.h"

void tc_ident_add_text(struct tc_hash *hash, struct tc_text text)
{
	tc_hash_add(hash, &text.len, sizeof(text.len));
	tc_hash_add(hash, text.ptr ? text.ptr : "", text.len);
}

void tc_ident_add(struct tc_hash *hash, const struct tc_scalar *scalar)
{
	bool is_text = scalar->kind == TC_SCALAR_NUMBER || scalar->kind == TC_SCALAR_TEXT;
	int64_t number = scalar->kind == TC_SCALAR_INT ? scalar->i64 : 0;

	if (is_text && !tc_decimal_int64(&number, scalar->text))
		tc_ident_add_text(hash, scalar->text);
	else
		tc_hash_add(hash, &number, sizeof(number));
}

uint64_t tc_ident_hash(const struct tc_scalar *scalar)
{
	struct tc_hash hash;

	tc_hash_init(&hash);
	tc_ident_add(&hash, scalar);
	return tc_hash_value(&hash);
}

uint64_t tc_ident_track(const struct tc_scalar *pid, const struct tc_scalar *tid)
{
	struct tc_hash hash;

	tc_hash_init(&hash);
	tc_ident_add(&hash, pid);
	tc_ident_add(&hash, tid->kind == TC_SCALAR_NONE ? pid : tid);
	return tc_hash_value(&hash);
}
