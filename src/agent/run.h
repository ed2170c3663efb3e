#ifndef TARE_AGENT_RUN_H
#define TARE_AGENT_RUN_H
/*
 * What is done around a supervised run (run/run.h). Before it: what the machine costs, at the
 * start, while it runs, and what the next one would, and where it is; what is found goes into the
 * run's options. After it: the next attempt.
 */
#include "act/launch.h"
#include "watch/rate.h"
#include "run/run.h"
#include "run/run_apart.h"

struct run_money { /* lives as long as the run: its thread reads prices with it */
	struct run_opt *o;
	const struct conf *conf;
	struct arena *mem;
	int64_t now_ms;
	struct rate_ask given, settings;        /* on the command line; in the settings */
	const char *price_file, *price_command; /* a source of the user's own, or NULL */
	int64_t price_every_ms;
	dec on_demand, spot; /* prices an hour of the machine, for the next attempt */
	bool has_on_demand, has_spot;
	const char *on_demand_partition, *spot_partition; /* of Slurm, or NULL */
	const char *place;                                /* as the user names it, or NULL */
	/* of the catalogue's prices when they were read */
	struct catalog_stamp {
		int64_t mtime_ns, bytes;
	} stamp;
	/* the machine's price in it then; with stamp the reading thread's, once the command runs */
	int64_t listed_nano;
};

/* The price now, and where it is read again while the command runs. -ENODATA: it is needed (budget,
 * most an hour) and nobody knows it. */
int run_money_find(struct run_money *a, struct err *err);
/* Prices of spot and on demand, what this is, and what is known of markets: for the next attempt.
 * What is not known stays so. */
void run_money_plan(struct run_money *a);
/* Where this attempt is, as far as it is known. Where a cloud is near that does not answer it takes
 * up to 2 s. */
void run_place_find(struct run_money *a);

/* Tells the launcher what ended and where to go on, and waits for it (act/launch.h). SIGTERM is
 * ignored from here on: Slurm sends it to all of a job that is put back. */
int run_start_next(const struct launch *l, const struct run_opt *o, const struct run_end *end,
		   int64_t now_ms, struct err *err);
#endif
