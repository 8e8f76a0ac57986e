/* What the first bytes of a file look like. */
#ifndef TC_SIDE_SNIFF_H
#define TC_SIDE_SNIFF_H

#include "core/text.h"

/* True for text that starts as an object or array of JSON does; a log line may start with "[" as
 * well, with the time or a name behind it. */
bool tc_sniff_is_json(struct tc_text head);

/* True when the first line has every one of the words, which end with NULL. */
bool tc_sniff_has_heading(struct tc_text head, const char *const *words);

/* True for bytes that no text has. */
bool tc_sniff_is_binary(struct tc_text head);

#endif
