#ifndef TARE_PLAN_PLAN_CONF_H
#define TARE_PLAN_PLAN_CONF_H
/* The section `plan:` of the configuration file (docs/CONFIG.md): what people know and the history
 * does not say. */
#include <stdint.h>
#include "base/err.h"
#include "base/mem.h"
#include "base/setting.h"

/* team project env workload user job name cluster node service = pattern */
struct plan_match {
	const char *field, *glob;
};
enum plan_share {                    /* who may be on the same GPU */
		  PLAN_SHARE_TEAM,   /* the same team; as if nothing were said */
		  PLAN_SHARE_OTHERS, /* other teams too */
		  PLAN_SHARE_NOBODY,
};
struct plan_rule { /* a fact about the works that match: all conditions hold */
	VEC(struct plan_match) when;
	int checkpointable;         /* 1, 0, -1 = not said */
	int interruptible;          /* 0: never on spot */
	double deadline_slack_frac; /* NAN */
	double slo_p99_ms;          /* of a service, NAN */
	double data_gb;             /* read by a run, lies in its region; NAN = not known */
	enum plan_share share_with;
	/* services: part of the replicas that stays on demand when the rest may go to spot; NAN =
	 * not allowed */
	double spot_floor_frac;
	/* the owner's word: it goes on as it is until then; 0: not said */
	int64_t steady_until_ms;
	/* 1: a reservation of capacity holds its machines, 0: none does, -1: not said */
	int capacity_reserved;
	bool frozen;               /* leave alone */
	VEC(const char *) opt_out; /* levers */
};
/* one that runs; no bill says when it ends */
struct plan_commitment {
	const char *name;
	int64_t ends_ms;
	double usd_hour;
};
/*
 * What the levers ask of the history before they say Ready or Try first: the table of
 * docs/CONFIG.md, "plan.gates". Spans in days, weeks, hours as the name says; parts as _frac.
 */
struct plan_gates {
	double history_days; /* of the history that counts as habit, back from its end */
	double watched_frac; /* of a habit's time that was watched */
	double stop_ready_days, stop_trial_days, stop_watched_frac, stop_told_days;
	double trim_ready_runs, trim_ready_weeks, trim_ready_factor;
	double trim_trial_runs, trim_trial_factor;
	double count_ready_runs, count_ready_weeks;
	double count_trial_runs, count_more_frac; /* runs that may need more than the default */
	double cpu_peak_frac, ram_factor;         /* of the smaller machine; of the largest need */
	double gpu_runs, gpu_weeks;
	double replicas_ready_weeks, replicas_trial_weeks, replicas_log_s, replicas_peak_factor;
	double share_weeks; /* MIG, MPS, time slices */
	double schedule_ready_weeks, schedule_trial_weeks, schedule_wake_min;
	double spot_runs, spot_gpu_hours, spot_market_weeks, spot_slack_frac;
	double drill_days; /* that a restore drill counts */
	double region_runs;
	double storage_days, storage_kept_days; /* not read for; the snapshot is kept */
	double commit_full_weeks, commit_half_weeks, commit_use_pct, commit_3y_weeks;
	/* memory: of the highest reading, with many runs and fine samples, some, few */
	double memory_many_factor, memory_many_runs, memory_many_step_s;
	double memory_some_factor, memory_some_runs, memory_some_step_s;
	double memory_few_factor, memory_few_runs;
	double prealloc_frac; /* a flat reading of so much of the GPU says nothing of the need */
	double capacity_starts, capacity_frac, capacity_min; /* a type is had again */
	/* fewer starts that tell how long one waits; what is assumed where there are not as many */
	double capacity_trial_starts, capacity_wait_min;
	double outcome_days; /* on each side of an item that was applied */
	double fold_frac;    /* of the bill: smaller items are folded into one line */
};
struct plan_conf {
	struct arena mem;
	struct plan_gates gates;
	VEC(struct plan_rule) rule;
	double demand_sd_frac;           /* 0.10: of a cluster's demand, month to month */
	double deadline_slack_frac;      /* 0.25 */
	double serving_target_util_frac; /* 0.80: of a GPU in the busiest minutes after sharing */
	double slo_p99_growth_frac;      /* where no SLO is told: p99 may grow by this part, 0.5 */
	double restart_minutes;          /* of a job on a new machine, 6 */
	double checkpoint_stall_s;       /* 20 */
	double boot_minutes;             /* of a machine, 5 */
	double work_day_usd;             /* of somebody who does what the plan says, 800 */
	double idle_release_minutes;     /* a free machine is given back after this, 15 */
	double trim_headroom_frac;       /* booked time = used time x (1 + this), 0.125 */
	double wacc_frac;                /* cost of capital a year, 0.08 */
	double upfront_cap_usd;          /* INFINITY */
	/* chance a year that the GPU type is outdated before the term ends, 0.10 */
	double outdated_year_frac;
	/* training (plan/lever/lever_training.c): 0.01, 0.001, 10, 0.01 */
	double early_stop_lost_frac, early_stop_delta_frac, failed_soon_minutes, sweep_near_frac;
	/* "1y" (default), "3y", "none": longest commitment that may be proposed */
	const char *max_term;
	double egress_usd_gb; /* between regions, 0.02; out of the provider 0.09 */
	double egress_out_usd_gb;
	VEC(const char *) regions; /* where works may run besides their own; empty: nowhere else */
	VEC(const char *) frozen_team;
	/* not of the file: measured speeds (plan/lever/own_speed.h), the caller's; NULL = none */
	const struct own_speeds *own;
	/* the same: ids whose trial came to go, [ntried] */
	const char *const *tried;
	size_t ntried;
	VEC(struct plan_commitment) commitment;
	double month_hours; /* of the ledger's settings, 730 */
};
extern const struct setting plan_section;
/* path NULL: the defaults. Errors name file, line and key. */
int plan_conf_load(const char *path, struct plan_conf *ret, struct err *err);
/* The same from text in memory; name is what errors call it. */
int plan_conf_parse(const char *name, struct sv text, struct plan_conf *ret, struct err *err);
void plan_conf_free(struct plan_conf *c);
#endif
