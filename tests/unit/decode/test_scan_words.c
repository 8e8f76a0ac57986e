/* The same of the scans by words, which targets without vectors have. */
#define TC_SCAN_WORDS 1
#include "unit/decode/test_scan.c"
