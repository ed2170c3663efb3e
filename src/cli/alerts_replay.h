#ifndef TARE_CLI_ALERTS_REPLAY_H
#define TARE_CLI_ALERTS_REPLAY_H
/*
 * The rules of alerts over what the store has of the past: the same engine as in the agent, fed
 * with the samples in their order. Whose a card was comes from the samples' own words, else from
 * the allocations that name the card; what it cost from the ledger's hours of that card.
 */
#include "agent/alerts_conf.h"
#include "cli/cli.h"

enum fired_state { FIRED_FIRING, FIRED_NO_DATA, FIRED_OVER };
extern const char *const fired_state_name[]; /* "firing" "no_data" "over" */

struct fired { /* one alert, from when it fired */
	const struct alert_rule *rule;
	const char *field[ALERT_FIELD_N];
	/* to: where it was over, else the end of what was read of the card */
	int64_t from_ms, to_ms;
	enum fired_state state;
	double value, worst;
	bool told;             /* or would have been: neither held back nor silenced */
	const char *held_back; /* the rule it follows from */
	bool silenced;
	const char *over;
	dec cost; /* of the card's time while it fired */
	bool has_cost;
	const char *currency;
};
struct replay {
	struct cli *c;
	const struct alerts_conf *conf;
	const struct alert_match *match; /* only alerts that match, NULL = all */
	int nmatch;
	int64_t since_ms, until_ms;
	int64_t end_ms;      /* of all readings there are, UNKNOWN_MS = none */
	VEC(struct fired) v; /* by start, rule, card */
	size_t cards;
	int64_t samples;
};
/* Fills v with what fired in [since, until); since and until are set where they are open: the last
 * 24 hours of the data. */
int replay_alerts(struct replay *r, struct store *s, struct err *err);
/* Fills cost and currency of all in v: what the card cost in each hour, by the part of the hour in
 * which the alert fired. */
int replay_price(struct replay *r, struct store *s, struct err *err);
void replay_free(struct replay *r);
#endif
