/* The versions of the libraries that decompress. */
#ifndef TC_SOURCE_VERSION_H
#define TC_SOURCE_VERSION_H

const char *tc_zlib_version(void); /* "1.2.13"; never NULL */
const char *tc_zstd_version(void);

#endif
