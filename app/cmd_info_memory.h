/* cmd_info_memory.h: the part of drt info that shows the memory plan. May use: workspace.h. */
#ifndef DRT_APP_CMD_INFO_MEMORY_H
#define DRT_APP_CMD_INFO_MEMORY_H

#include "app/workspace.h"

/* The plan for the device of the options and the workspace's library (NULL: none). Returns the exit status. */
int info_memory(workspace *work, const compute_options *options, bool json);

#endif
