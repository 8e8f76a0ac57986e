/* The progress line on stderr: there while an import runs, gone when it ends. */
#ifndef TC_CMD_PROGRESS_H
#define TC_CMD_PROGRESS_H

#include "command.h"

/* Hooks a progress line into the context when stderr is a terminal and nobody wants quiet. */
void tc_progress_begin(const struct tc_cli *cli);
/* Erases the line and takes the hook out. Call after the import's threads have ended. */
void tc_progress_end(const struct tc_cli *cli);

#endif
