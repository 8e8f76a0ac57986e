/* What the first bytes of a file look like. */
#ifndef TC_SIDE_SNIFF_H
#define TC_SIDE_SNIFF_H

#include "core/text.h"

/* True for text that starts like a JSON object or array. A log line may start with "[" too,
 * followed by a time or a name. */
bool tc_sniff_is_json(struct tc_text head);

/* True when the first line contains all the words; the list ends with NULL. */
bool tc_sniff_has_heading(struct tc_text head, const char *const *words);

/* True for bytes that occur in no text. */
bool tc_sniff_is_binary(struct tc_text head);

#endif
