#ifndef TARE_CLI_REPORT_SAVED_H
#define TARE_CLI_REPORT_SAVED_H
/*
 * Saved views: tare report @NAME is a report with the options that NAME stands for. They are in the
 * settings file (views:), where people write them, and in views.yaml beside it, where --save does:
 * beside the file that --config names, else at $XDG_CONFIG_HOME/tare.
 */
#include "cli/cli.h"

/* The command's `before`: the options of @NAME, but for those that are given. Exit code. */
int report_take_view(struct cli *c);
/* Keep what was given as NAME. Exit code; says on stderr what it did. */
int report_save_view(struct cli *c, const char *name);
/* NAME out of views.yaml. Exit code. */
int report_forget_view(struct cli *c, const char *name);
/* All there are, in the format asked for. Exit code. */
int report_list_views(struct cli *c);
#endif
