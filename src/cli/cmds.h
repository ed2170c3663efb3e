#ifndef TARE_CLI_CMDS_H
#define TARE_CLI_CMDS_H
#include "cli/cli.h"

#define CMD(name) extern const struct cli_cmd cmd_##name##_def;
#include "cli/commands.def"
#undef CMD
#endif
