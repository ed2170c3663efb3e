#ifndef TARE_MODEL_ACTION_H
#define TARE_MODEL_ACTION_H
/*
 * What a plan changes, as data. A recommendation is a list of actions in the order in which they
 * are done; the lines that are printed to do and to undo it are made from them and from nothing
 * else (report/action_text.h). So what is replayed, signed or carried out is what was printed. See
 * docs/design/0013-actions.md.
 *
 * Texts and arrays live in the arena of the plan. A name that nobody told is NULL or "".
 */
#include "model/model.h"

/*
 * A name as bills, job lists and clusters tell it, not yet fit to be printed. It is a struct so
 * that the compiler refuses it where a text goes: quote_names() of report/action_in.h is the one
 * way, and quotes it for where it goes.
 */
struct raw_name {
	const char *z;
};
static inline struct raw_name raw_name(const char *z)
{
	return (struct raw_name){ z };
}

enum action_kind {
	ACTION_SUBMIT, /* jobs or replicas ask for something else from now on */
	ACTION_TRIAL,  /* one of them first, and look */
	ACTION_N
};
const char *action_name(enum action_kind k); /* "submit"; the "do" of the JSON */

/* Submissions, by what is known when they are made. Not told (gpus: 0): any. */
struct habit {
	struct raw_name team, user, workload, cluster, service;
	struct raw_name name; /* of the jobs, with * for what differs */
	struct raw_name script, image;
	struct raw_name instance_type;
	int64_t gpus; /* asked for, of a machine */
};

/* What a submission asks for. */
struct submit_ask {
	int64_t gpus; /* of a machine; 0: none */
	struct raw_name instance_type;
	int64_t limit_ms; /* after which the scheduler kills it */
};
enum submit_change { SUBMIT_GPUS = 1, SUBMIT_TYPE = 2, SUBMIT_LIMIT = 4 };
struct action_submit {
	unsigned change; /* SUBMIT_... bits: of was and now, these count */
	struct submit_ask was, now;
};

/* The smallest run that shows whether it holds. */
enum trial_how {
	TRIAL_PROFILE, /* one of them where they will run, under tare profile */
};
struct action_trial {
	enum trial_how how;
};

struct action {
	enum action_kind kind;
	struct habit which; /* of what is submitted, where the kind is about that */
	union {
		struct action_submit submit;
		struct action_trial trial;
	};
};
#endif
