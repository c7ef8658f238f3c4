/* commands.h: every subcommand, one file cmd_*.c each, listed in main.c. */
#ifndef DRT_APP_COMMANDS_H
#define DRT_APP_COMMANDS_H

#include "app/options.h"

enum { EXIT_ALL = 0, EXIT_SOME = 1, EXIT_USAGE = 2 }; /* all went well; some items failed; usage or fatal */

extern const drt_command command_ingest, command_ask, command_search, command_show, command_ls, command_rm,
    command_verify, command_info, command_sessions, command_model_info, command_model_quantize, command_bench_ops,
    command_bench_ingest, command_bench_ask, command_eval_needle, command_eval_passkey, command_open;

#endif
