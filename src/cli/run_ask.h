#ifndef TARE_CLI_RUN_ASK_H
#define TARE_CLI_RUN_ASK_H
/* What the command line of tare run asks for: reading it (run_ask.c), and what the machine costs
 * (run_money.c). */
#include "act/launch.h"
#include "agent/rate.h"
#include "cli/cli.h"
#include "spot/run.h"

struct run_ask {
	struct cli *c;
	struct run_opt o;
	dec max_hourly;
	bool has_max;
	struct launch next;
	struct rate_ask given, settings;
	const char *price_file, *price_command;
	int64_t price_every_ms;
	dec on_demand, spot; /* prices an hour of the machine, for the next attempt */
	bool has_on_demand, has_spot;
	/* of the catalogue's prices when they were read */
	struct catalog_stamp {
		int64_t mtime_ns, bytes;
	} stamp;
	/* the machine's price in it then; with stamp the reading thread's, once the command runs */
	int64_t listed_nano;
};

int run_ask_read(struct run_ask *a, struct err *err);
/* The price now, and where it is read again while the command runs. -ENODATA: it is needed (budget,
 * most an hour) and nobody knows it. */
int run_money_find(struct run_ask *a, struct err *err);
/* Prices of spot and on demand, what this is, and what is known of markets: for the next attempt.
 * What is not known stays so. */
void run_money_plan(struct run_ask *a);
/* Where this attempt is, as far as it is known. Where a cloud is near that does not answer it takes
 * up to 2 s. */
void run_place_find(struct run_ask *a);

#endif
