/* The program's version, and those of the libraries it runs with. */
#ifndef TRACECOACH_VERSION_H
#define TRACECOACH_VERSION_H

/* The one source is project(VERSION) in CMakeLists.txt, which defines TC_VERSION. */
#ifndef TC_VERSION
#error "TC_VERSION is not defined; build with CMake"
#endif

/* Versions at run time: "2.1.0", "3.40.1", "1.2.13", "1.5.4". Never NULL. */
const char *tc_version_yajl(void);
const char *tc_version_sqlite(void);
const char *tc_version_zlib(void);
const char *tc_version_zstd(void);

#endif
