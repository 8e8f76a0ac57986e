/* Arrays of a known length. */
#ifndef TC_CORE_ARRAY_H
#define TC_CORE_ARRAY_H

#define TC_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
