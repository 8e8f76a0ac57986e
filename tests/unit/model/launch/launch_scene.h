/* Traces for tests of launches, built piece by piece, and numbers drawn for them. */
#ifndef TC_TESTS_LAUNCH_SCENE_H
#define TC_TESTS_LAUNCH_SCENE_H

#include "core/buf.h"

/* Times are in us. */
struct scene {
	struct tc_buf text;
};

static inline void add(struct scene *scene, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static inline void add(struct scene *scene, const char *format, ...)
{
	va_list args;

	if (scene->text.len > 0)
		tc_buf_append_char(&scene->text, ',');
	va_start(args, format);
	tc_buf_vformat(&scene->text, format, args);
	va_end(args);
}

static inline void begin(struct scene *scene)
{
	*scene = (struct scene){0};
	add(scene, "{'ph':'M','name':'process_name','pid':0,'args':{'name':'/device:HPU:0'}}");
}

/* A number from 0 to below - 1. */
static inline int draw(uint32_t *x, int below)
{
	*x = *x * 1103515245u + 12345u;
	return (int)((*x >> 16) % (uint32_t)below);
}

#endif
