#ifndef TARE_PLAN_SHARE_SHARE_IN_H
#define TARE_PLAN_SHARE_SHARE_IN_H
/* What the files of lever share know of each other: machines of one kind, the services on them,
 * their load. */
#include "opt/share/share.h"
#include "plan/levers.h"
#include "plan/workload.h"
#include "sim/pods.h"
#include "sim/requests.h"

/* Do so many replicas hold, as what is left of them; is their load below the target, as all there
 * are. More than hold as what is left hold the better as all. Asked once each. */
struct share_held {
	bool asked, all, left;
};

struct svc {
	const char *service, *team;
	const struct workload *one; /* a replica */
	double gpus, busy_gpus;     /* mean over the window; busy: x utilisation */
	double mem_p99, mem_total, covered_ms, ms;
	struct sim_service sim;
	struct sim_minute *minute;
	size_t nminute;
	double weeks;    /* with requests in the log */
	double peak;     /* GPUs' worth of work in its highest minute */
	double limit_ms; /* of the 99th percentile */
	/* by an earlier step of the plan: its load there is not known; by this lever alone: what
	 * it proposed for it is in the plan */
	bool changed, shared;
	bool promised, fixed;    /* fixed: keeps its GPUs, and its machines stay */
	int before, after;       /* replicas: of history, proposed */
	int left;                /* fewest that must work when a machine is lost */
	struct share_held *held; /* [nheld] by number of replicas */
	int nheld;
	VEC(const struct workload *) replica; /* those at the end of the window */
	int lost_left; /* with the plan: that work when the worst machine is lost */
	const char *why;
	size_t clusters; /* in which it runs; more than one: see share_clusters.c */
	double part,
		uneven; /* of its requests that are this cluster's; 1 where it is the only one */
	struct sim_minutes result, lost;
};

struct machine {
	const char *node;
	uint32_t id;
	const struct workload *one; /* a workload on it */
	int64_t gpus_milli, cost_nano;
	double ms;
	bool mixed, fixed; /* with other work, with a service that keeps its GPUs */
	int service_gpus;  /* at the end of the window */
	int gpus;          /* for the replicas that may move */
	bool back;
};

struct share_step {
	enum action_kind kind; /* replicas, spread, rollout: of svc; cordon, drain, stop: of node */
	size_t svc, node;
	int was, now;
};
struct share_steps {
	VEC(struct share_step) v;
};

struct pool {
	const struct workload *key;
	VEC(struct svc) svc;
	VEC(struct machine) node;
	int gpus; /* of one machine */
};

struct share_at {
	uint32_t pool, machine;
}; /* where a machine is, by the number of its name */
/* What a number of replicas has to hold; without one it shows which of them binds. */
enum share_rule {
	SHARE_LATENCY = 1, /* its latency with a machine lost */
	SHARE_LOST = 2,    /* its highest minute with a machine lost, and its latency */
	SHARE_MORE = 4,    /* more than its highest minute */
	SHARE_BUSY = 8,    /* the 99th percentile of load below the target */
};
struct share_state {
	const struct lever_in *in;
	unsigned without; /* of enum share_rule */
	struct rec_list *out;
	VEC(struct pool) pool;
	struct intern nodes; /* names of all machines in pools */
	VEC(struct share_at) at;
};

/* share_load.c: pools, services and machines from the fleet; share_free() takes them back. */
void share_collect(struct share_state *s);
void share_free(struct share_state *s);
/* The machine of this pool on which a workload ran, or NULL. O(1): works and machines may be a
 * hundred thousand. */
struct machine *share_machine(const struct share_state *s, struct pool *p,
			      const struct workload *w);
/* Load, limit and replicas of a service; `fixed`, with a note, where it cannot be replayed. */
int share_ready(struct share_state *s, struct pool *p, struct svc *v, struct err *err);
/* share_clusters.c: the load of this cluster's part of a service that runs in several, after
 * load_factor is that of an even part; false: its readings do not tell. And what is said of it. */
bool share_cluster_part(const struct share_state *s, struct pool *p, struct svc *v);
void share_tell_cluster(struct share_state *s, struct rec *rec, const struct svc *v);

/*
 * share_steps.c: the order of scaling, cordons, drains, waits and stops after which `keep` machines
 * are left and each service has v->after replicas, of which v->left work when a machine is lost;
 * at no point is one without a replica or above what its replicas can do in its highest minute.
 * Marks the machines that go. False: no such order was found, and nothing is marked.
 */
bool share_find_steps(struct pool *p, size_t keep, struct share_steps *ret);
/* The order in which one machine is emptied and stays, by the same rules. */
bool share_find_empty(const struct pool *p, size_t node, struct share_steps *ret);
/*
 * The replay of what is printed: carries out the actions of a recommendation, one after the other,
 * on the machines of history, with ties both ways. PODS_FINE where nothing breaks, all machines
 * that are to go were stopped empty, and what is left holds; sets lost_left of the services.
 */
enum pods_break share_replay(struct pool *p, const struct rec *r, double peak_factor);

/* share_tell.c: title, evidence, actions; after the replay of what stays. */
void share_tell(struct share_state *s, struct rec *rec, struct pool *p,
		const struct share_steps *steps);
void share_add_action(const struct fleet *f, struct rec *rec, const struct pool *p,
		      const struct share_step *x);
/* share_pair.c: two services on a GPU, to be tried: advice. */
void share_propose_pair(struct share_state *s, struct pool *p);
/* share_gpus.c: notebooks, development boxes and services on fewer GPUs: advice. */
void share_propose_gpus(struct share_state *s);
void share_tell_left(struct share_state *s, struct rec *rec, struct pool *p);

#endif
