#ifndef TARE_AGENT_STATUS_H
#define TARE_AGENT_STATUS_H
/* What an agent has kept on its machine, and what the GPUs did: read from its folder, beside the
 * agent where it runs. */
#include "alerts/fires.h"
#include "watch/rollup.h"
#include "agent/send.h"
#include "report/cost/report.h"
#include "store/agentdb.h"

struct agent_status_dev { /* of the window */
	const struct agentdb_device *d;
	int64_t ms[STATE_N]; /* they add up to the device's time */
	struct rollup_hist hist;
};
struct agent_status {
	const char *dir, *node;       /* node NULL = not known */
	int running;                  /* 1, 0; < 0 = not known */
	struct agent_status_dev *dev; /* [ndev] */
	size_t ndev;
	int64_t minutes, from_ms, to_ms, damaged;
	int64_t held_ms; /* watched while nobody knew the time */
	struct agent_fires fires;
	struct agentdb_raw_size raw;
	struct send_state sent;
};
struct agent_status_ask {
	struct agentdb *db;
	const char *config; /* of the rules of alerts */
	int64_t since_ms, until_ms;
	struct arena *mem; /* of texts and arrays */
};
/* agent_status_free() in any case. */
int agent_status_load(const struct agent_status_ask *q, struct agent_status *ret, struct err *err);
void agent_status_free(struct agent_status *s);
/* Text, JSON ("tare.agent-status/1"), CSV or Markdown. */
void agent_status_print(const struct agent_status *s, const struct out_as *as, struct str *out);
/* The same for OUT_JSON (status_json.c). */
void agent_status_json(const struct agent_status *s, struct str *out);
#endif
