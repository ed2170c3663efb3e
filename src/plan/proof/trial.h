#ifndef TARE_PLAN_PROOF_TRIAL_H
#define TARE_PLAN_PROOF_TRIAL_H
/*
 * The smallest experiment that decides a recommendation of tier *Try first*: how many runs of which
 * submissions, what is changed for them alone, and what has to come out. Pure: made from the
 * recommendation, its workloads and the gates; judged from measured runs.
 *
 *   speed     at least that at the slow end of the range, and at which the longest run still ends
 *             by its limit (or deadline): what the saving and the replay stand on
 *   memory    at most what the GPU has over the headroom of so many runs (plan.gates.memory_*)
 *   run time  at most the new limit over plan.gates.trim_ready_factor
 *
 * One run decides where it is TRIAL_CLOSE_FRAC or more beside the bound, else one more, at most
 * TRIAL_RUNS_MAX: then their median decides.
 */
#include "plan/lever/own_speed.h"
#include "plan/plan.h"

#define TRIAL_CLOSE_FRAC 0.10
#define TRIAL_RUNS_MAX   3
#define TRIAL_NOISE_FRAC 0.05 /* that two runs of one program on one machine may differ by */

enum trial_kind {
	TRIAL_RUN,       /* a run on what is proposed, under tare profile */
	TRIAL_INTERRUPT, /* the same, stopped once and continued */
	TRIAL_WATCH,     /* more runs as they are, with the limit of today */
	TRIAL_CANARY,    /* one replica or GPU so, for a day */
	TRIAL_AWAY,      /* a machine or its storage is away for a while, its owner told before */
	TRIAL_WAKE,      /* machines are switched off and on once; as often as runs says */
	TRIAL_KIND_N
};
const char *trial_kind_name(enum trial_kind k); /* "run" "interrupt" "watch" ... */

enum trial_measure {
	MEASURE_SPEED,   /* of the work against today's machine */
	MEASURE_STEPS,   /* a second, of the whole run */
	MEASURE_MEMORY,  /* bytes of the fullest GPU, highest */
	MEASURE_RUN,     /* seconds */
	MEASURE_EXIT,    /* code */
	MEASURE_P99,     /* ms */
	MEASURE_WAKE,    /* minutes until it is there again */
	MEASURE_ASKED,   /* times that somebody asked for it */
	MEASURE_LOST,    /* minutes of work done again after the interruption */
	MEASURE_QUALITY, /* of the model's metric as it is today */
	MEASURE_N
};
const char *trial_measure_name(enum trial_measure m); /* "speed_frac" "steps_s" ... */

struct trial_check {
	enum trial_measure what;
	double least, most; /* NAN: no such bound */
	const char *why;    /* whence the bound */
};
struct plan_trial {
	const struct rec *rec;
	enum trial_kind kind;
	struct habit which;
	const char *workload;   /* what the runs are called under tare profile; "" = no such runs */
	int64_t runs, runs_max; /* 0: hours */
	double hours;           /* that it takes at least where it is no run; 0: a run's time */
	const struct gpu_spec *from, *to; /* NULL where the GPU stays or is not known */
	double gpus_from, gpus_to;
	const char *instance_type; /* to run on, "" */
	double told_days;          /* before it its owner is told */
	int64_t cost_nano;         /* of these runs, as the plan has it; 0: not known */
	double speed_told;         /* against today's machine, as the plan has it; NAN */
	struct trial_check check[MEASURE_N];
	size_t ncheck;
	struct action *action; /* [naction] for these runs alone, in mem */
	size_t naction;
};
/* Of a recommendation or of advice of the plan. In mem. */
void plan_trial_make(const struct plan *p, const struct rec *r, const struct catalog *cat,
		     const struct plan_conf *conf, struct arena *mem, struct plan_trial *ret);

/*
 * Days from its begin to its verdict, at least: a machine off and on so often, a run, a day of a
 * canary. 0 where its trial came to go by now, or nothing says how long.
 */
double plan_trial_days(const struct fleet *f, const struct plan_conf *conf, const struct rec *r);

/* What a run came to; NAN, -1 where it is not told. */
struct trial_run {
	const char *workload, *run;
	const struct gpu_spec *gpu;
	double gpus, steps_s, memory_bytes, seconds;
	int exit_code;
	int64_t at_ms;
};
struct trial_runs {
	VEC(struct trial_run) v;
};
enum trial_verdict { TRIAL_OPEN, TRIAL_GO, TRIAL_NO_GO };
const char *trial_verdict_name(enum trial_verdict v); /* "open" "go" "no_go" */
struct trial_result {
	enum trial_verdict verdict;
	size_t there, here; /* runs on what is proposed, and as today */
	/* medians, the highest, the longest; NAN */
	double steps_now, steps_there, speed_frac, memory_bytes, seconds;
	const char *why; /* one sentence, in mem */
};
/* The runs of t->workload on its GPUs are looked at, others left out. */
void plan_trial_judge(const struct plan_trial *t, const struct trial_runs *runs, struct arena *mem,
		      struct trial_result *ret);
void trial_runs_add(const struct own_speed *o, struct trial_runs *runs);
#endif
