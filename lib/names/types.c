/* Types of tensors; see types.h. */
#include "names/types.h"
#include "core/array.h"

enum tc_precision tc_type_find(int64_t *element_bytes, struct tc_text name)
{
	static const struct {
		const char *name;
		enum tc_precision precision;
		int64_t bytes;
	} rows[] = {
#define TC_TYPE(name, precision, bytes) {name, TC_PRECISION_##precision, bytes},
#include "names/types.def"
	};

	*element_bytes = 0;
	for (size_t i = 0; name.ptr && i < TC_COUNT_OF(rows); i++) {
		if (!tc_text_equal(name, tc_text_from(rows[i].name)))
			continue;
		*element_bytes = rows[i].bytes;
		return rows[i].precision;
	}
	return TC_PRECISION_UNKNOWN;
}
