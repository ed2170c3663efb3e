#ifndef TARE_ANSWER_ALERTS_ALERTS_IN_H
#define TARE_ANSWER_ALERTS_ALERTS_IN_H
/* Inside the question for alerts: alerts.c runs the rules, alerts_ledger.c says what the ledger has
 * of their GPUs: whose they were, and what they cost. */
#include "answer/alerts/alerts.h"
#include "ledger/gpu_names.h"

struct ledger_hour {
	uint32_t gpu, owner; /* numbers in ledger_hours */
	enum state state;
	int64_t hour_ms;
	int64_t ms; /* of GPU time that has an amount */
	__int128 nano;
	const char *currency;
};
/* ALERT_CLUSTER to ALERT_WORKLOAD; the others are empty */
struct hour_owner {
	struct sv field[ALERT_FIELD_N];
};
struct ledger_hours {
	struct intern gpu, owners, node;
	VEC(struct ledger_hour) v; /* by GPU and hour */
	VEC(struct hour_owner) owner;
	VEC(struct gpu_names) names; /* of each node */
	struct node *record;
	size_t nrecord;
};

struct replay {
	const struct alerts_ask *q;
	int64_t since_ms, until_ms, end_ms; /* as in the answer */
	const struct series *series;        /* [nseries] all there are, by node and GPU */
	size_t nseries;
	struct ledger_hours hours;
	VEC(struct fired) v;
	size_t gpus;
	int64_t samples;
};
/* Reads hours, from from_ms to the end of the window; replay_close() frees them. */
int replay_open(struct replay *r, int64_t from_ms, struct err *err);
void replay_close(struct replay *r);
/* The GPUs of a node as the ledger was posted; until another node is asked for. */
const struct gpu_names *replay_names(struct replay *r, struct sv node);
/* Number of a GPU of the readings at that time among those of the ledger, -1: it has none such. */
int64_t replay_gpu(struct replay *r, struct sv node, struct sv gpu, int64_t at_ms);

/* What the ledger has of one GPU in the hour of the last question. Zero-initialise but gpu. */
struct hour_whose {
	int64_t gpu; /* of replay_gpu() */
	bool asked;
	int64_t hour_ms;
	size_t first, n; /* of hours.v */
};
/*
 * Whose the GPU was at t by the ledger, where o's own words (job, or held by nobody that is named)
 * leave something open: fields that are empty, and held. Rows of an hour say nothing of its parts:
 * where somebody held it in a part of the hour and nobody in another, o stays as it is.
 */
void replay_whose(const struct replay *r, struct hour_whose *w, int64_t t, struct alert_obs *o);
/* Fills cost and currency of all in v: what the GPU cost in each hour, by the part of the hour in
 * which the alert fired. */
void replay_price(struct replay *r);
#endif
