#ifndef TARE_ANSWER_PLAN_PLAN_SHARE_H
#define TARE_ANSWER_PLAN_PLAN_SHARE_H
/* Which services and notebooks may share a GPU, and how: MIG, MPS, time slices, or whole
 * (opt/share/share.h). */
#include "answer/ask.h"
#include "model/model.h"
#include "opt/share/share.h"
#include "plan/plan_conf.h"

enum plan_share_across {
	ACROSS_MIG,  /* owners who differ share MIG GPUs only: a fault stays inside */
	ACROSS_NONE, /* nothing */
	ACROSS_ALL,  /* MPS and time slices too: they trust each other */
};
struct plan_share_ask {
	/* catalog and mem are needed; store where there is no file: what runs at the end of its
	 * history is asked about */
	struct ask ask;
	const struct plan_conf *conf; /* its rules say share_with; of a store */
	/* tenants (feed/planner/plan_csv.h), at most SHARE_TENANTS with their replicas; or NULL */
	const char *file;
	/* the GPU; NULL: of a file an A100-80GB, of a store those that the tenants have now */
	const char *gpu;
	double target_util_frac; /* of a GPU in its busiest minutes */
	enum plan_share_across across;
	/* of a GPU that is freed; 0: of a store, what it costs now; of a file, not asked */
	dec usd_gpu_hour;
	double month_hours;
};

struct plan_share_member {           /* of a GPU */
	const char *name, *owner;    /* owner "": not known */
	const char *kind;            /* "service", "notebook" */
	double mem_bytes, load_frac; /* NAN: not known */
	const char *profile;         /* of MIG, else NULL */
	int threads_pct;             /* of MPS, else INT_MIN */
	int64_t mem_mib;             /* limit of MPS, else UNKNOWN_I64 */
};
struct plan_share_gpu {
	int64_t number; /* from 1 */
	const char *gpu_model;
	const char *how; /* "mig", "mps", "timeslice", "whole" */
	const char *why;
	struct plan_share_member *member;
	size_t nmember;
};
struct plan_share_apart { /* has a GPU of its own, and why not with these */
	const char *tenant, *with;
	size_t others; /* with whom it is the same, beside `with` */
	const char *why;
};
struct plan_share_answer {
	size_t tenants; /* each with a GPU of its own today */
	size_t gpus, lower_bound;
	bool proven; /* no way has fewer */
	/* of the tenants: need more memory than the GPU has, a whole one too */
	size_t too_large;
	struct plan_share_gpu *gpu;
	size_t ngpu;
	struct plan_share_apart *apart;
	size_t napart;
	/* of the GPUs freed; of several prices the lowest. Not where no price is known */
	bool priced;
	dec worth_month;
	const char *currency; /* of it; "" = not known */
	struct {
		const char **v;
		size_t n, cap;
	} note; /* who was left out, and why */
};
/*
 * Returns 0 or a negative errno: -EINVAL for a GPU that is not known, -ENODATA where nobody is
 * there to share, what the file's reader or the store says. Texts lie in ask.mem;
 * plan_share_free() in any case.
 */
int answer_plan_share(const struct plan_share_ask *q, struct plan_share_answer *ret,
		      struct err *err);
void plan_share_free(struct plan_share_answer *a);
#endif
