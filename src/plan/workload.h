#ifndef TARE_PLAN_WORKLOAD_H
#define TARE_PLAN_WORKLOAD_H
/* What several levers and findings ask about a work of the fleet. Pure; nothing here changes a
 * fleet. */
#include "opt/size/rightsize.h"
#include "plan/lever/lever.h"

/* readings cover at least this part of a workload before anything is said about what it did */
#define WORKLOAD_COVERED_FRAC 0.9

/* Does the machine go when the work goes: it holds all of it, or no machine is known. */
bool workload_fills_machine(const struct fleet *f, const struct workload *w);
/* Its use in this state is still that of the history (no lever has moved or shrunk it). */
bool use_is_history(const struct workload *w, const struct use *u);
/* Money of the work before an instant, by its hours; within an hour in proportion to time. */
int64_t workload_cost_before(const struct fleet *f, const struct workload *w, int64_t at_ms);
/*
 * When it holds its machine, as the plan runs it, span by span (*at: 0 at first); false: no more.
 * A job does from its start to its end. Of who has no job id only the hours are known in which the
 * ledger has him: between them nobody may have been there.
 */
bool workload_holds(const struct fleet *f, const struct workload *w, const struct use *u,
		    size_t *at, int64_t *ret_from_ms, int64_t *ret_to_ms);
/* u->cost_nano x num / den, half-even; den 0: unchanged. num and den are amounts of the history. */
int64_t use_scaled(const struct use *u, int64_t num, int64_t den);
/* "resnet-lr-8" -> "resnet-lr-#": runs that differ in numbers alone are one kind of job; by its job
 * id where it has no name. In arena a. */
const char *workload_pattern(struct arena *a, const struct workload *w);
/* Does the history know any job or service: more than machines and whose they are. */
bool workload_jobs_are_known(const struct fleet *f);
const char *workload_owner(const struct workload *w); /* team, else user, else "nobody" */
/* A job that works through something: no notebook, and known to be no service in disguise. */
bool workload_is_batch(const struct workload *w);
/* That it holds its machine, all its attempts; when the last of these begins. */
int64_t workload_held_ms(const struct workload *w);
int64_t workload_last_start_ms(const struct workload *w);
/* Time between the attempts of a requeued job, in which it holds nothing; as the plan runs it. */
int64_t use_between_ms(const struct workload *w, const struct use *u);
/*
 * That it holds its machine from its start to the last sign of work on its GPUs or CPUs, ms, at
 * most all that it holds it. All of that where fewer than WORKLOAD_COVERED_FRAC of it were read, or
 * nothing was: unread time counts as work.
 */
int64_t workload_used_ms(const struct workload *w);
/* The same of the one of its attempts that is longest: a limit is of each. */
int64_t workload_attempt_ms(const struct workload *w);
/* Do its readings show that it does nothing: 1 they do, 0 not known, -1 it works. */
int workload_seen_idle(const struct workload *w);
/* Was it used in this hour, by a GPU for a second or by the CPUs without one: 1, 0, or NAN: not
 * known. */
double workload_hour_use(const struct workload_hour *h);
/* Did it come to its own end, as far as the scheduler says. */
bool workload_completed(const struct workload *w);
/* The recommendation of this lever with this tail among out [first..), or a new one. */
struct rec *rec_find_or_new(const struct lever_in *in, struct rec_list *out, size_t first,
			    const char *lever, const char *id_tail);
/* Risk by the table of the design: no misses low, at most 1 % medium, else high; never lower than
 * it is. */
void rec_risk_by_misses(struct rec *r);
/* For actions: the machine on which it ran; submissions of its owner, or of its service, on its
 * machine type. */
struct machine_ref workload_machine(const struct workload *w);
struct habit workload_habit(const struct workload *w);
/* For actions: the namespace that all of them are in which tell one, of the replicas of a service
 * (cluster: "" = wherever it runs), of what a recommendation changes. NULL: none, or several. */
struct raw_name service_namespace(const struct fleet *f, const char *service, const char *cluster);
/* Of the replicas of a service, likewise; CONTROLLER_UNKNOWN: none is told, or several. */
enum controller service_controller(const struct fleet *f, const char *service, const char *cluster);
/* Why what keeps this replica can neither have fewer of them nor let a drain move it; NULL: it
 * can. */
const char *workload_stays_why(const struct workload *w);
struct raw_name rec_namespace(const struct fleet *f, const struct rec *r);
/* TO_... bits: who runs the work of a cluster, as far as namespaces, node pools and ids of jobs
 * say; 0: they do not. */
unsigned cluster_scheduler(const struct fleet *f, const char *cluster);
/* Of one machine of a cluster of which that says `cluster`: where both are there, whose work was on
 * it. */
unsigned machine_scheduler(const struct fleet *f, const struct workload *of, unsigned cluster);
/* Has the job an id that Slurm gives: digits, of an array or a step too. */
bool workload_is_slurm(const struct workload *w);
/* Action: they ask for so many GPUs of another machine type from now on. */
double hours_of(int64_t ms);
/* The other half of the lever rightsize_count (lever_count_pack.c). What it says of jobs that need
 * fewer GPUs than they hold of a machine, ret [fleet.workload.n], all 0 before. */
enum pack_says {
	PACK_NOT_ASKED,
	PACK_TAKES,      /* they are in a proposal with the GPUs they need */
	PACK_SAVES_NONE, /* with these no machine less carries all jobs */
	PACK_CANNOT,     /* their machines cannot be stopped, or not all of them is known */
};
int rightsize_count_pack(const struct lever_in *in, struct rec_list *out, enum pack_says *ret);
/*
 * Part of the readings below 5 % between its first and last work, of the GPUs it uses; NAN where
 * too little was read. What starves a job is in rightsize_diagnose().
 */
double workload_starved_frac(const struct workload *w);
/* Why its GPUs are not busy, from the means there are (opt/size/rightsize.h). */
enum diagnosis workload_diagnose(const struct workload *w);

#endif
