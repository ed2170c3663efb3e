#ifndef TARE_OPT_ALERT_ALERT_H
#define TARE_OPT_ALERT_ALERT_H
/*
 * Alerts: rules over readings of GPUs, as a state machine without clock, file or socket. Readings
 * with their times go in, transitions come out; the agent (live) and `tare alerts` (replay over the
 * store) run the same code.
 *
 * A rule looks at one signal of one GPU (or MIG instance): an aggregate over a sliding window is
 * compared with a threshold, and has to hold for a while. States: ok -> pending -> firing -> ok,
 * and `no data`.
 *
 *   pending -> firing   the condition held for `for_ms` of observed time
 *   firing -> ok        the value was at or beyond the clear threshold for `clear_for_ms` of
 *                       observed time
 *   unknown readings    neither fire nor resolve: they stop both counts. After no_data_ms of them
 *                       the state is `no data`: what was pending starts again then; what fired goes
 *                       on as firing when readings come back
 *   window not covered  (less than 80 % of it has readings, or it is longer than what was seen):
 *                       undecided, which changes nothing
 *
 * One alert per cause: a rule names the rules it follows from. While one of these is pending or
 * firing on the same GPU, it is held back: it has its state, but nobody is notified; when the cause
 * is over, it begins again. Silences hold back too. What was told is also told when it is over.
 */
#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"
#include "base/str.h"
#include "model/model.h"

/* What a rule may look at: the readings of enum metric, then these. */
enum alert_signal {
	ALERT_MEM_USED_FRAC = METRIC_N, /* memory used / memory of the GPU */
	/* power / board power of the catalogue, where that is not known the enforced limit */
	ALERT_POWER_FRAC_OF_TDP,
	ALERT_POWER_FRAC_OF_LIMIT, /* power / enforced limit */
	ALERT_LOST,                /* 1: was there and is not any more; 0: it is there */
	/* 1: the driver reported an error of the hardware (alert_xid_is_fault), 0: not */
	ALERT_FAULT,
	/* 1: somebody holds it and no process is on it; 0: not so */
	ALERT_HELD_NO_PROCESS,
	ALERT_SIGNAL_N
};
const char *alert_signal_name(int signal);
int alert_signal_of(struct sv name);  /* -1 */
bool alert_xid_is_fault(int64_t xid); /* errors of the GPU, as against those of programs on it */

enum alert_agg { ALERT_LAST, ALERT_MEAN, ALERT_MAX, ALERT_MIN, ALERT_P95, ALERT_AGG_N };
enum alert_cmp { ALERT_ABOVE, ALERT_BELOW, ALERT_CMP_N };
enum alert_severity { ALERT_INFO, ALERT_WARNING, ALERT_CRITICAL, ALERT_SEVERITY_N };
enum alert_held {
	ALERT_HELD_ANY,
	ALERT_HELD_YES,
	ALERT_HELD_FREE,
	ALERT_HELD_NOT_FREE, /* held, or not known */
	ALERT_HELD_N
};
enum alert_state { ALERT_OK, ALERT_PENDING, ALERT_FIRING, ALERT_NO_DATA, ALERT_STATE_N };
/* these three end with NULL */
extern const char *const alert_agg_name[ALERT_AGG_N + 1];
extern const char *const alert_severity_name[ALERT_SEVERITY_N + 1];
extern const char *const alert_held_name[ALERT_HELD_N + 1];
extern const char *const alert_cmp_name[ALERT_CMP_N], *const alert_state_name[ALERT_STATE_N];

/* Whose GPU: identity (the first three) and what scopes, routes and silences look at. */
enum alert_field {
	ALERT_NODE,
	ALERT_GPU,
	ALERT_MIG,
	ALERT_MODEL,
	ALERT_CLUSTER,
	ALERT_JOB,
	ALERT_USER,
	ALERT_TEAM,
	ALERT_PROJECT,
	ALERT_ENV,
	ALERT_WORKLOAD,
	ALERT_FIELD_N
};
/* "node" "gpu" "mig" "gpu_model" ... "workload" */
extern const char *const alert_field_name[ALERT_FIELD_N];

/* field: "rule", "severity" or one of alert_field_name; an unknown field matches no glob */
struct alert_match {
	const char *field, *glob;
	bool negate;
};
#define ALERT_MATCH_MAX   8
#define ALERT_FOLLOWS_MAX 6

struct alert_rule {
	const char *name, *summary, *advice; /* summary: what is so; advice: what to do */
	int signal;
	enum alert_agg agg;
	int64_t window_ms; /* 0 with ALERT_LAST */
	enum alert_cmp cmp;
	/* ABOVE: fires at value > threshold, clears at value <= clear (clear <= threshold); BELOW
	 * mirrored */
	double threshold, clear;
	int64_t for_ms, clear_for_ms, no_data_ms;
	enum alert_severity severity;
	enum alert_held held; /* only where the GPU is held, is free, or is not known to be free */
	/* what was seen with one job says nothing of the next: begins again when the owner
	 * changes */
	bool per_owner;
	struct alert_match match[ALERT_MATCH_MAX]; /* scope: all must hold */
	int nmatch;
	/* rules that, pending or firing on the same GPU, are the cause of this */
	const char *follows[ALERT_FOLLOWS_MAX];
	int nfollows;
	bool disabled;
};
/* The shipped table (seed 002's, and a lost GPU, a fault, a GPU held without a process). */
extern const struct alert_rule alert_defaults[];
extern const size_t alert_defaults_n;
/* 0, or -EINVAL with what is wrong with the numbers of a rule. */
int alert_rule_check(const struct alert_rule *r, struct err *err);

struct alert_silence {
	const char *id, *why, *by;
	struct alert_match match[ALERT_MATCH_MAX];
	int nmatch;
	int64_t from_ms, until_ms;
};

/* One rule on one GPU. Texts are clean for a terminal: bounded, valid UTF-8, no control
 * characters. */
struct alert {
	const struct alert_rule *rule;
	/* [ALERT_FIELD_N], "" = not known; as they were when it began to fire */
	const char *const *field;
	enum alert_state state;
	bool firing; /* also when there is no data at the moment */
	bool told;   /* somebody was told, and not yet that it is over */
	bool silenced;
	const struct alert_rule *held_back; /* the cause it follows from, or NULL */
	/* wall clock: firing since (pending: since when), over at; UNKNOWN_MS */
	int64_t since_ms, resolved_ms;
	double value, worst; /* aggregate now and at its worst while firing, NAN */
	/* why it is over: "cleared" "owner changed" "out of scope" "cause over" "gone" */
	const char *over;
};
enum alert_event {
	ALERT_EV_PENDING,
	ALERT_EV_FIRING,
	ALERT_EV_OVER,
	ALERT_EV_NO_DATA,
	ALERT_EV_TELL,
	ALERT_EV_TELL_OVER
};
/* *a is valid during the call; nothing of the engine may be called in it. */
typedef void alert_fn(void *ctx, enum alert_event ev, const struct alert *a, int64_t wall_ms);

/* Readings of one GPU over (from, to] of a clock that never jumps (replay: the time of the
 * samples). */
struct alert_obs {
	struct sv field[ALERT_FIELD_N];
	int64_t from_ms, to_ms;
	int held;                     /* 1, 0, -1 not known */
	double value[ALERT_SIGNAL_N]; /* NAN = unknown */
};

struct alerts;
#define ALERT_GPUS_MAX 65536
/* rule[n] is borrowed and must outlive the engine. */
struct alerts *alerts_new(const struct alert_rule *rule, size_t n, alert_fn *fn, void *ctx);
void alerts_free(struct alerts *a);
/* In force from the next observation or tick; copied. */
void alerts_silence(struct alerts *a, const struct alert_silence *s, size_t n);
/*
 * Judge one GPU. wall_ms: the wall clock at o->to_ms, for people. Readings that end at or before
 * the last one's end are ignored. Memory: about 1 KiB a GPU and rule with a window (13 KiB with
 * p95). At most ALERT_GPUS_MAX GPUs, more are ignored.
 */
void alerts_observe(struct alerts *a, const struct alert_obs *o, int64_t wall_ms);
/* Time passes: GPUs without readings, silences that end. A GPU not seen for a day is
 * forgotten. */
void alerts_tick(struct alerts *a, int64_t now_ms, int64_t wall_ms);
/* Every alert that is pending or firing, by GPU and rule. */
void alerts_each(const struct alerts *a, void (*fn)(void *ctx, const struct alert *al), void *ctx);
size_t alerts_gpus(const struct alerts *a);

/*
 * State as text, to go on after a restart: states, counts and windows, with times as ages, so that
 * it does not matter what the clock that never jumps says after a reboot. The time between is a
 * gap, as unknown readings are. A rule that has changed starts again.
 */
void alerts_save(const struct alerts *a, int64_t now_ms, int64_t wall_ms, struct str *out);
/* Into an engine that has seen nothing. -EBADMSG for what is no such text: the engine is then as
 * new. */
int alerts_load(struct alerts *a, struct sv text, int64_t now_ms, int64_t wall_ms, struct err *err);

bool alert_matches(const struct alert_match *m, int n, const char *rule, const char *severity,
		   const char *const field[ALERT_FIELD_N]);
/* "team=vision", "node!=gpu-0*", "rule=gpu_hot"; several separated by commas. The texts lie in buf,
 * which text is copied to. -EINVAL. */
int alert_match_parse(char *buf, struct alert_match ret[ALERT_MATCH_MAX], int *ret_n,
		      struct err *err);
/* "team=vision,node!=gpu-0*", as it was given. */
void alert_match_text(const struct alert_match *m, int n, struct str *out);
/* Copy at most n - 1 bytes, cut at a character, with "?" for control characters and broken
 * UTF-8. */
void alert_clean(char *to, size_t n, struct sv text);

#endif
