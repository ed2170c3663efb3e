#ifndef TARE_PLAN_ALONE_BILL_SEEN_H
#define TARE_PLAN_ALONE_BILL_SEEN_H
/*
 * What the bills of a window say by themselves, whatever else is known: summed while their lines
 * are read once, in the fleet's currency: others at the rate of their day. Amounts are effective
 * cost, billed where that is unknown. A line counts for the month in which its charge period
 * begins. Memory: by what is distinct (services, tags, families of machines, commitments, storage),
 * not by lines. Texts are terminated, "" = not known, in the fleet's arena.
 */
#include "ledger/conf.h"
#include "model/action.h"
#include "plan/fleet/fleet.h"

struct bill_sum {
	int64_t rows;
	dec cost;
};
struct bill_month {
	int64_t month_ms;       /* its first instant */
	int64_t from_ms, to_ms; /* charge periods of usage that begin in it */
	struct bill_sum all;
};
struct bill_service {
	const char *name; /* "" where the bill names none */
	struct bill_sum all;
};
struct bill_cell { /* a service in a month */
	uint32_t service, month;
	dec cost;
};
struct bill_tag {
	const char *key;
	struct bill_sum all;    /* lines that carry it */
	struct bill_sum nobody; /* of these, lines of which no team is known */
	size_t values;          /* different ones */
};
/* Machines of a family at a place, bought on demand; of usage alone. */
struct bill_family {
	const char *provider, *region, *family;
	const char *instance_type; /* of all of them; "" = several */
	const char *gpu_model;     /* "" = none */
	int64_t gpus_milli;        /* of one machine; 0 = none, or several types */
	bool gpus_apart;           /* lines of GPUs without a machine's type: Google's */
	int64_t on_ms;             /* of machines, of GPUs where these stand apart */
	dec cost;
	int64_t *nano; /* [nhour] what each hour of the window cost */
	/* [nhour] the same in the money it is billed in, which no rate of exchange moves; NULL: in
	 * several */
	int64_t *own;
	const char *own_currency;
	int64_t *hour_ms; /* [nhour] of on_ms, in each hour of it */
};
struct bill_commitment {
	const char *id, *type, *provider;
	/* of what it covers, or would have; "" = not told, or several */
	const char *instance_type, *region, *gpu_model;
	dec used, unused;
	int64_t unused_ms;    /* time of its machines that was not used */
	int64_t used_to_ms;   /* end of the last line that it covers, UNKNOWN_MS */
	int64_t unused_to_ms; /* of the last line that says it was not used */
	int64_t ends_ms;      /* of a purchase's charge period longer than a month, UNKNOWN_MS */
};
struct bill_capacity { /* a reservation of machines with GPUs: bill_capacity.h */
	const char *id, *instance_type, *region;
	dec empty;        /* paid while no machine was in it */
	int64_t empty_ms; /* of its machines */
	int64_t last_ms;  /* end of its last line */
};
struct bill_storage {
	const char *provider, *service, *resource;
	dec cost;
	dec early, late; /* in the first and in the last quarter of the window */
};
struct bill_seen {
	struct bill_sum all, gpu, kind[KIND_N];
	struct bill_sum no_team;
	dec billed;                   /* of the same lines as all */
	int64_t no_cost, no_cost_gpu; /* lines without an effective cost that are billed at 0 */
	int64_t other_rows;           /* in currencies without a rate: in no sum */
	VEC(const char *) other;      /* these currencies */
	int64_t from_ms, to_ms;       /* of usage; UNKNOWN_MS: none */
	int64_t quarter_ms;           /* of the window: of early and late */
	VEC(struct bill_month) month; /* in order of time, as lines come */
	VEC(struct bill_service) service;
	VEC(struct bill_cell) cell;
	VEC(struct bill_tag) tag; /* most lines first */
	int64_t hour0_ms;         /* of the window */
	size_t nhour;
	/* keys of tags that mean a team, a project by now, in the order they are tried */
	const struct raw_name *team_key, *project_key;
	size_t nteam_key, nproject_key;
	/* usage of machines, by the hour and on demand, of which no line says the type: in no
	 * family; the service of the most recent */
	struct bill_sum untyped;
	const char *untyped_service, *untyped_provider;
	VEC(struct bill_family) family;
	VEC(struct bill_commitment) commitment;
	VEC(struct bill_capacity) capacity;
	VEC(struct bill_storage) storage;
};

/*
 * Reads the bill lines that begin in the window of f; *ret is in its arena, NULL where there are
 * none. After the works, which tell the currency. 0 or a negative errno. O(lines).
 */
int bill_seen_load(struct store *s, const struct conf *c, struct span window, struct fleet *f,
		   struct bill_seen **ret, struct err *err);
void bill_seen_free(struct bill_seen *b); /* its lists; NULL is fine */
/* "6f1c2d3e-demo" of an ARN. */
const char *bill_commitment_name(const struct bill_commitment *c);
/* v over the days that the bill speaks of, as an amount of a month. */
dec bill_month_of(const struct bill_seen *b, dec v, double month_hours);
#endif
