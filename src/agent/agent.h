#ifndef TARE_AGENT_AGENT_H
#define TARE_AGENT_AGENT_H
/*
 * The agent: a loop that looks at the machine once an interval, on ticks that do not drift, and
 * hands what it saw to the account of time (tally.h), the writer (agent_write.h), the sender
 * (send.h) and whoever asks for /metrics.
 *
 * SIGTERM and SIGINT end it after everything is written; SIGHUP reads the settings again.
 */
#include "agent/agent_conf.h"
#include "agent/agent_write.h"
#include "alerts/alerts_conf.h"

/* Of the agent itself, since it started. */
struct agent_self {
	int64_t started_ms, ticks, missed, reloads;
	int64_t held_ms; /* so long what is seen has been held back (clock.h), 0 = it is not */
	/* ticks by how late they were, in steps of 100 us; the last: more */
	int64_t jitter_us[1024];
	double tick_ms_sum, tick_ms_max;
};
/* upper edge of the quantile's step, NAN before the first tick */
double agent_jitter_ms(const struct agent_self *s, double q);

struct agent_opt {
	struct agent_conf conf;
	const struct conf *ledger;
	const struct catalog *catalog;    /* may be NULL */
	const struct alerts_conf *alerts; /* NULL: nobody is notified of anything */
	int64_t run_ms;                   /* end after so long, 0 = never */
	bool quiet;
	/* SIGHUP: the settings again; < 0 leaves them as they are. May be NULL. */
	int (*reload)(void *ctx, struct agent_conf *ret, struct err *err);
	/* the same of section alerts: */
	int (*reload_alerts)(void *ctx, struct alerts_conf *ret, struct err *err);
	void *ctx;
};
/* Runs until told to end. 0, or negative where it could not start; conf is taken over. */
int agent_run(struct agent_opt *opt, struct err *err);

#endif
