#ifndef TARE_AGENT_JOB_LINE_H
#define TARE_AGENT_JOB_LINE_H
/*
 * What a job's GPUs did on this machine, in one line, from what the agent has kept: for the end of
 * a job's script and for a scheduler's epilog, where nobody has imported anything yet.
 *
 *   job 4711: 2 GPUs for 1.4 h: busy 40 %, idle 55 % (finished), unknown 5 % · 6.20 USD,
 *   3.41 of it idle
 */
#include "catalog/catalog.h"
#include "watch/watch.h"
#include "store/agentdb.h"

struct job_ask {
	struct agentdb *db;
	const char *job;
	const struct watch_rate *rate; /* what is said of the machine; known or not */
	/* where nobody says a price: its cheapest one on demand of the GPUs' model, in USD, named
	 * as such; NULL: nothing is said of money */
	const struct catalog *catalog;
	int64_t now_ms;
};
/* The line with its "\n" to the end of *out. 0, or -ENOENT where the agent has seen no such job
 * here, and others with their sentence. */
int job_line(const struct job_ask *q, struct str *out, struct err *err);

#endif
