/*
 * Put around the declarations of the other headers: the names are those of C for a C++ program,
 * too, and the shared library shows them.
 */
#ifndef TRACECOACH_LINKAGE_H
#define TRACECOACH_LINKAGE_H

#ifdef __cplusplus
#define TC_PUBLIC_BEGIN                                                                            \
	_Pragma("GCC visibility push(default)") extern "C"                                         \
	{
#define TC_PUBLIC_END                                                                              \
	}                                                                                          \
	_Pragma("GCC visibility pop")
#else
#define TC_PUBLIC_BEGIN _Pragma("GCC visibility push(default)")
#define TC_PUBLIC_END _Pragma("GCC visibility pop")
#endif

#endif
