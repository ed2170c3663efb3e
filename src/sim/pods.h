#ifndef TARE_SIM_PODS_H
#define TARE_SIM_PODS_H
/*
 * Replicas on machines while somebody scales, cordons, drains, waits and stops: what would happen
 * if lines of a plan were carried out one after the other. A replica takes a GPU.
 *
 * As Kubernetes does: a new replica goes where fewest of its service are, then where most GPUs are
 * free; scaling down takes what does not run yet, then from the machine with most of the service; a
 * drain evicts at once, and what it evicts starts elsewhere and works only once somebody has waited
 * for it. Ties between machines go to the first or to the last of them: nobody knows, so a plan is
 * to hold both ways.
 *
 * The first rule that is broken stays in `broke`; what is done afterwards changes nothing.
 */
#include <stdbool.h>
#include <stddef.h>

enum pods_break {
	PODS_FINE,
	PODS_NONE_LEFT, /* a service without a replica that works */
	PODS_OVERLOAD,  /* its highest minute is more than the replicas that work can do */
	PODS_NO_WAIT,   /* a drain or a stop while replicas are still on their way */
	PODS_NO_ROOM,   /* somebody waits for replicas for which there is no GPU */
	PODS_NOT_EMPTY, /* a machine is stopped with replicas on it */
	PODS_UNKNOWN,   /* no such machine or service, or it is not as the action says it was */
};
const char *pods_break_text(enum pods_break b); /* "would leave a service without a replica" */

struct pods_node {
	int gpus; /* for replicas */
	bool cordoned, gone;
};
struct pods {
	size_t nnode, nsvc;
	struct pods_node *node; /* [nnode] */
	double *load;           /* [nsvc] GPUs' worth of work in its highest minute */
	int *live, *starting;   /* [nsvc * nnode] */
	int *pending;           /* [nsvc] without a machine */
	bool last;              /* ties go to the last machine */
	enum pods_break broke;
};

/* All machines without a GPU, all services without a replica and load. */
void pods_new(struct pods *p, size_t nnode, size_t nsvc, bool last);
void pods_free(struct pods *p);
/* to: of pods_new() with the same sizes */
void pods_copy(struct pods *to, const struct pods *from);

/* `n` < 1 breaks a rule; more than there are start elsewhere. */
void pods_scale(struct pods *p, size_t svc, int n);
void pods_cordon(struct pods *p, size_t node);
void pods_drain(struct pods *p, size_t node);
/* Until all replicas of a service work. */
void pods_wait(struct pods *p, size_t svc);
void pods_stop(struct pods *p, size_t node);

int pods_count(const struct pods *p, size_t svc);           /* wanted: with those on the way */
int pods_working(const struct pods *p, size_t svc);         /* of them */
int pods_on(const struct pods *p, size_t svc, size_t node); /* of them, there */
int pods_room(const struct pods *p);                        /* GPUs for new ones */
/* That work when the machine with most of them is lost. */
int pods_one_lost(const struct pods *p, size_t svc);

#endif
