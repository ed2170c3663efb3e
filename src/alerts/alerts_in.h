#ifndef TARE_ALERTS_ALERTS_IN_H
#define TARE_ALERTS_ALERTS_IN_H
/* Inside the agent's alerts: alerts.c polls and sends, alerts_state.c keeps. */
#include <pthread.h>

#include "alerts/alerts.h"
#include "base/tm.h"

struct agent_alerts {
	struct agent_alerts_opt opt; /* opt.conf is changed under the lock, while nothing is out */
	struct alerts *engine;
	struct watch_rate rate;
	bool *to;           /* [receivers] scratch of routing */
	int64_t *resend_ms; /* [receivers] when an Alertmanager is told again */
	int64_t mono_ms, wall_ms, save_ms, silence_ms;
	bool dirty;

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake;
	pthread_t thread;
	bool threaded, stop;
	/* to be used when nothing is out, and nothing is taken out before; NULL */
	const struct alerts_conf *fresh;
	struct agent_alerts_stat before; /* of queues that were */
	int64_t clock_off_ms;            /* the caller's clock less this program's */
	struct notify *queue;
	size_t out;     /* batches being sent */
	bool delivered; /* since it was last saved */
};

#define SAVE_MS MS_MINUTE /* of the state, where nothing is told */

/* into a receiver's queue; takes the lock */
void alerts_put(struct agent_alerts *a, size_t target, const struct notice *n);
/* The states and what receivers have not taken yet, as text; and back: < 0 where it makes no
 * sense. */
void alerts_state_text(struct agent_alerts *a, struct str *out);
int alerts_state_parse(struct agent_alerts *a, const struct str *text, struct err *err);
void alerts_load_silences(struct agent_alerts *a);
/* A new file in place of the old one; where that fails (a full disk) the old one stays and it is
 * tried again. */
void alerts_save_state(struct agent_alerts *a);
/* a state that makes no sense is quarantined, and told */
void alerts_load_state(struct agent_alerts *a, struct err *err);

#endif
