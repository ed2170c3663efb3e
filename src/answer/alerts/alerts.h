#ifndef TARE_ANSWER_ALERTS_ALERTS_H
#define TARE_ANSWER_ALERTS_ALERTS_H
/*
 * The rules of alerts over what the store has of the past: the same engine as in the agent, fed
 * with the samples in their order. Whose a GPU was comes from the samples' own words, else from
 * the allocations that name the GPU, else from the ledger's hours of that GPU; what it cost too.
 */
#include "answer/ask.h"
#include "opt/alert/alert.h"

enum fired_state { FIRED_FIRING, FIRED_NO_DATA, FIRED_OVER };
extern const char *const fired_state_name[]; /* "firing" "no_data" "over" */

struct fired { /* one alert, from when it fired */
	const struct alert_rule *rule;
	const char *field[ALERT_FIELD_N];
	/* to: where it was over, else the end of what was read of the GPU */
	int64_t from_ms, to_ms;
	enum fired_state state;
	double value, worst;
	bool told;             /* or would have been: neither held back nor silenced */
	const char *held_back; /* the rule it follows from */
	bool silenced;
	const char *over;
	dec cost; /* of the GPU's time while it fired */
	bool has_cost;
	const char *currency;
};
struct alerts_ask {
	struct ask
		ask; /* its catalogue is needed; an open window is the last 24 hours of the data */
	const struct alert_rule *rule; /* [nrule] borrowed: the answer names them */
	size_t nrule;
	const struct alert_silence *silence; /* [nsilence] also those that have ended */
	size_t nsilence;
	const struct alert_match *match; /* [nmatch] only alerts that match, NULL = all */
	int nmatch;
	/* told after each node how many samples there were so far; NULL: nobody */
	void (*progress)(void *ctx, int64_t samples);
	void *ctx;
};
struct alerts_answer {
	int64_t since_ms, until_ms;
	int64_t end_ms;            /* of all readings there are, UNKNOWN_MS = none */
	const struct fired *fired; /* [nfired] by start, rule, GPU */
	size_t nfired;
	size_t gpus;
	int64_t samples;
};
/* What fired in [since, until). Returns 0 or a negative errno. */
int answer_alerts(const struct alerts_ask *q, struct alerts_answer *ret, struct err *err);
/* Does any that was told fire at the end of the window? */
bool alerts_still_fire(const struct alerts_answer *a);
#endif
