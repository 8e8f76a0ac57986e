/* Types of tensors by the names that PyTorch gives them; types.def is the table. */
#ifndef TC_NAMES_TYPES_H
#define TC_NAMES_TYPES_H

#include "core/text.h"
#include "names/label/label.h"

/* The precision of a type, and the bytes of an element; UNKNOWN and 0 for anything else. */
enum tc_precision tc_type_find(int64_t *element_bytes, struct tc_text name);

#endif
