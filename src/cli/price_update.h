#ifndef TARE_CLI_PRICE_UPDATE_H
#define TARE_CLI_PRICE_UPDATE_H
#include "cli/cli.h"
/* `tare price update`: ask the providers and append what is new to the store. Returns the exit
 * code. */
int price_update_run(struct cli *c);
#endif
