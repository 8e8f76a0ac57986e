/* SQL functions about names, for an import that fills tables: tc_collective(name), the kind of a
 * collective or NULL; tc_type_bytes(name), the element size of a tensor type or NULL;
 * tc_integer(value), an integer however a trace writes it, or NULL; tc_input_bytes(args), the bytes
 * of the input tensors of a slice or NULL; tc_run(path), the directory and run of a trace, equal
 * for traces of one job. */
#pragma once

#include <sqlite3.h>

#include "core/context.h"

/* Runs fill while the functions are defined on db. */
typedef void (*tc_fill_fn)(void *user);
void tc_with_name_functions(struct tc_ctx *ctx, sqlite3 *db, tc_fill_fn fill, void *user);
