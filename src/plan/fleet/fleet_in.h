#ifndef TARE_PLAN_FLEET_FLEET_IN_H
#define TARE_PLAN_FLEET_FLEET_IN_H
/* What the files that load a fleet share; nobody else includes it. */
#include "base/str.h"
#include "ledger/share.h"
#include "plan/fleet/fleet.h"

/* An interval in which a workload holds GPUs of its node: from an allocation. */
struct hold {
	size_t workload;
	const char *gpus; /* "0;1" or uuids; "" = not told */
	int64_t from_ms, to_ms, gpus_milli;
	struct share_use use; /* of each of its GPUs */
};

/* The hours in which the ledger has a job on a GPU and knows what it did. */
struct held_hours {
	int64_t from_ms, to_ms;
};

struct loader {
	struct store *store;
	const struct fleet_opt *opt;
	struct fleet *f;
	struct arena mem; /* until the load is done */
	VEC(struct hold) hold;
	/* works by their job: first in by_job[number of the text], then next[workload] */
	struct intern job;
	VEC(size_t) by_job;
	size_t njob; /* of fleet.job */
	/* Slurm's own numbers of them: job of number[i] */
	struct intern number;
	VEC(uint32_t) number_of;
	/* pods by machine and bare name: job of pod[i], UINT32_MAX: several */
	struct intern pod;
	VEC(uint32_t) pod_of;
	VEC(size_t) next;
	struct intern on; /* fleet_on_key() of jobs */
	VEC(struct held_hours) on_hours;
	struct node *rec; /* [nrec] node records in force, by node and start */
	size_t nrec;
	size_t unmatched;  /* allocations in the window that no entry speaks of */
	size_t longer;     /* jobs that began before the data or go on after it */
	struct intern ask; /* of f->ask, by its shape */
	bool currencies;   /* the ledger has others than the one planned in */
	bool host_told;    /* some allocation says what it holds of its machine's CPU or memory */
	struct nameless_gpu nameless;
	bool when_known; /* the window begins where all sources are known */
	size_t odd;      /* allocations that end before they begin */
};

static inline const char *fleet_text(struct fleet *f, struct sv s)
{
	return intern_z(&f->text, intern_add(&f->text, s));
}
/* "node, job, GPU" as entries name them, of intern `on`. */
static inline void fleet_on_key(struct str *s, struct sv node, struct sv job, struct sv gpu)
{
	str_clear(s);
	str_addf(s, "%.*s\x1f%.*s\x1f%.*s", SVF(node), SVF(job), SVF(gpu));
}
void fleet_note(struct fleet *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* entries -> works, hours, sums (fleet_workloads.c) */
int fleet_read_workloads(struct loader *l, struct err *err);
/* node records -> intervals; after the works (fleet_nodes.c) */
int fleet_read_nodes(struct loader *l, struct err *err);
/* allocations -> when, what, how it ended; and who holds which GPU (fleet_jobs.c) */
int fleet_read_jobs(struct loader *l, struct err *err);
/* The number in l->job of a job, by its name or Slurm's own number of it; -1: none. After the
 * jobs. */
int64_t fleet_job_number(const struct loader *l, struct sv job);
/* The same of readings of a node, which may name a pod without its namespace. */
int64_t fleet_job_on(const struct loader *l, struct sv job, struct sv node);
int fleet_read_present(struct loader *l, struct err *err);  /* jobs without GPUs */
int fleet_read_services(struct loader *l, struct err *err); /* the request log (fleet_jobs.c) */
/* curves of training runs; after the jobs (fleet_curves.c) */
int fleet_read_curves(struct loader *l, struct err *err);
/* readings -> statistics (fleet_stats.c) */
int fleet_read_stats(struct loader *l, struct err *err);
bool fleet_is_elastic(const char *purchase);

#endif
