#ifndef TARE_CLI_PRICE_UPDATE_H
#define TARE_CLI_PRICE_UPDATE_H
#include "book/price_update.h"
#include "cli/cli.h"
/* `tare price update`: ask the providers and append what is new to the store. url [URL_N]: other
 * addresses, NULL each. Returns the exit code. */
int price_update_run(struct cli *c, const char *provider, const char *region,
		     const struct opt_list *purchase, const char *const *url);
#endif
