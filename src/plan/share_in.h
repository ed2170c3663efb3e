#ifndef TARE_PLAN_SHARE_IN_H
#define TARE_PLAN_SHARE_IN_H
/* What the files of lever share know of each other: machines of one kind, the services on them,
 * their load. */
#include "opt/share.h"
#include "plan/levers.h"
#include "sim/requests.h"

struct svc {
	const char *service, *team;
	const struct work *one;   /* a replica */
	double cards, busy_cards; /* mean over the window; busy: x utilisation */
	double mem_p99, mem_total, covered_ms, ms;
	struct sim_service sim;
	struct sim_minute *minute;
	size_t nminute;
	double limit_ms;         /* of the 99th percentile */
	bool promised, fixed;    /* fixed: keeps its cards */
	int before, need, after; /* replicas: of history, fewest, with the cards that stay anyway */
	double need_load;        /* cards' worth of load in the busiest minutes / target */
	int neighbour;           /* shares its last card with this one, -1 */
	double neighbour_load;   /* and has so much of it */
	enum share_kind kind;
	int type; /* of its MIG instance there */
	const char *why;
	struct sim_minutes result;
};

struct machine {
	const char *node;
	uint32_t id;
	int64_t gpus_milli, cost_nano;
	double ms;
	bool mixed;
	int service_cards;
	bool back;
};

struct pool {
	const struct work *key;
	VEC(struct svc) svc;
	VEC(struct machine) node;
	int gpus; /* of one machine */
};

struct share_at {
	uint32_t pool, machine;
}; /* where a machine is, by the number of its name */
struct share_state {
	const struct lever_in *in;
	struct rec_list *out;
	VEC(struct pool) pool;
	struct intern nodes; /* names of all machines in pools */
	VEC(struct share_at) at;
};

/* share_load.c: pools, services and machines from the fleet; share_free() takes them back. */
void share_collect(struct share_state *s);
void share_free(struct share_state *s);
/* The machine of this pool on which a work ran, or NULL. O(1): works and machines may be a hundred
 * thousand. */
struct machine *share_machine(const struct share_state *s, struct pool *p, const struct work *w);
/* after its machines were put into another order */
void share_machines_moved(struct share_state *s, struct pool *p);
/* Load, limit and replicas of a service; `fixed`, with a note, where it cannot be replayed. */
int share_ready(struct share_state *s, struct svc *v, struct err *err);

/* share_tell.c: title, evidence, actions; after the replay of what stays. */
int share_cards(const struct pool *p, bool after); /* of the machines */
void share_tell(struct share_state *s, struct rec *rec, struct pool *p, int back);

#endif
