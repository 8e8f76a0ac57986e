/* The version of yajl that runs. */
#ifndef TC_DECODE_JSON_VERSION_H
#define TC_DECODE_JSON_VERSION_H

const char *tc_yajl_version(void); /* "2.1.0"; never NULL */

#endif
