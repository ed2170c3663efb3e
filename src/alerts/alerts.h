#ifndef TARE_ALERTS_ALERTS_H
#define TARE_ALERTS_ALERTS_H
/*
 * Alerts in the agent: every poll of the watch goes through the rules (opt/alert/alert.h); what is
 * to be told goes to the receivers (act/notify.h) in a thread of its own, so that no receiver can
 * delay a poll. State is kept in DIR/alerts.state: written after every word to a receiver's queue,
 * once a minute and at the end; a restart neither tells twice nor forgets.
 *
 * Memory: about 14 KiB a GPU, and a queue of 256 notices a receiver.
 */
#include "alerts/alerts_conf.h"
#include "watch/watch.h"

struct agent_alerts_opt {
	const struct alerts_conf *conf; /* must outlive it, or until another is in use */
	const struct catalog *catalog;  /* board power; may be NULL */
	/* of the state, and of silences (control.db); NULL: neither; copied */
	const char *dir;
	const char *db; /* a store whose silences hold too, or NULL; copied */
	bool dry_run;   /* nothing is sent: `show` gets what would be */
	/* may be NULL; called from agent_alerts_view() */
	void (*show)(void *ctx, const char *text);
	void *ctx;
};
struct agent_alerts;
/* The kept states of the folder, text for alerts_load(); empty: there are none. -EBADMSG:
 * damaged. */
int alerts_state_read(const char *dir, struct str *ret, struct err *err);
/* A state that makes no sense is quarantined as alerts.state.bad and told in err, with 0: it goes
 * on as new. */
int agent_alerts_open(const struct agent_alerts_opt *opt, int64_t now_ms, int64_t mono_ms,
		      struct agent_alerts **ret, struct err *err);
/* Judge what was polled; view->t_ms is the wall clock. Cheap; never waits for a receiver. */
void agent_alerts_view(struct agent_alerts *a, const struct watch_view *v);
/*
 * Settings read again: in use from the first view or tick on at which no receiver is being told
 * something, so that nobody waits. Rules that are as they were keep their states, what waits for a
 * receiver that is still there is kept, a new receiver gets what fires. conf must live until
 * it is in use and as long as that: agent_alerts_conf().
 */
void agent_alerts_use(struct agent_alerts *a, const struct alerts_conf *conf);
/* in use now; those before it are not looked at any more */
const struct alerts_conf *agent_alerts_conf(const struct agent_alerts *a);
/* Everything that is pending or firing, such as for /metrics. */
void agent_alerts_each(const struct agent_alerts *a, void (*fn)(void *ctx, const struct alert *al),
		       void *ctx);
/* over all receivers */
struct agent_alerts_stat {
	int64_t sent, failed, dropped, waiting;
	char last_error[200];
};
struct agent_alerts_stat agent_alerts_stat(struct agent_alerts *a);
/* Saves, gives receivers up to wait_ms for what is waiting, ends. */
void agent_alerts_close(struct agent_alerts *a, int64_t now_ms, int64_t mono_ms, int64_t wait_ms);

/* What the rules see of a device of the view; false: nothing that can be told by a name. The texts
 * of *ret live as long as the view. */
bool agent_alerts_obs(const struct watch_view *v, const struct watch_dev *d,
		      const struct catalog *c, struct alert_obs *ret);
/* A notice about an alert; texts in mem. cost of the time since it began where the price is
 * known. */
struct notice agent_alerts_notice(const struct alert *al, bool over, int64_t wall_ms,
				  const struct watch_rate *rate, struct arena *mem);
#endif
