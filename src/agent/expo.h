#ifndef TARE_AGENT_EXPO_H
#define TARE_AGENT_EXPO_H
/*
 * The present moment as Prometheus text (0.0.4) or OpenMetrics (1.0): own names in base units
 * (docs/WATCH.md has the list), and the same readings under DCGM_FI_* names where asked for. Texts
 * from outside become labels of at most EXPO_LABEL_BYTES, valid UTF-8, escaped.
 */
#include "alerts/alerts.h"
#include "watch/watch.h"
#include "agent/agent.h"
#include "agent/agent_write.h"
#include "agent/send.h"

#define EXPO_LABEL_BYTES 128
/* counters of (GPU, owner, state, cause); the longest unused goes first */
#define EXPO_SERIES_MAX 4096

struct expo_sums; /* counters since the agent started */
struct expo_sums *expo_sums_new(void);
void expo_sums_free(struct expo_sums *s);
void expo_sums_add(struct expo_sums *s, const struct watch_view *v, int64_t ms);

struct expo_in {
	const struct watch_view *view; /* NULL before the first tick */
	const struct expo_sums *sums;
	const struct agent_self *self;
	const struct tally_counts *counts;
	const struct write_stats *write;
	struct agent_alerts *alerts;  /* may be NULL */
	const struct send_stat *send; /* NULL without a server */
	bool dcgm_names, openmetrics;
};
void expo_write(const struct expo_in *in, struct str *out);

#endif
