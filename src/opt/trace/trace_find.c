/* What the sums of a trace mean (opt/trace/trace.c says how they come about): each finding is a
 * share of the time of all GPUs, the largest first. */
#include "opt/trace/trace_in.h"

#define SAY_FRAC 0.1 /* of the window: less is no finding */

static struct diag_finding share_finding(enum diag_cause c, const char *metric, double frac)
{
	struct diag_finding f = { .cause = c,
				  .dev = -1,
				  .confidence = 0.9,
				  .time_frac = frac,
				  .lost_frac = frac,
				  .nevidence = 1 };

	f.evidence[0] = (struct diag_evidence){ metric, frac, SAY_FRAC, true };
	return f;
}

static void add_evidence(struct diag_finding *f, const char *metric, double value, double limit)
{
	f->evidence[f->nevidence++] = (struct diag_evidence){ metric, value, limit, value > limit };
}

static void keep_finding(struct trace_report *r, struct diag_finding f)
{
	int at = r->nfinding;

	if (!(f.lost_frac >= SAY_FRAC))
		return;
	while (at > 0 && f.lost_frac > r->finding[at - 1].lost_frac)
		at--;
	if (at >= DIAG_FINDINGS)
		return;
	int last = r->nfinding;
	if (r->nfinding >= DIAG_FINDINGS)
		last = DIAG_FINDINGS - 1;
	for (int i = last; i > at; i--)
		r->finding[i] = r->finding[i - 1];
	r->finding[at] = f;
	r->nfinding = last + 1;
}

void trace_find(struct trace_report *r)
{
	double all = (double)r->window_ns * r->ngpu, loader = 0, launch = 0, copies = 0, comm = 0,
	       unfilled = 0, busy = 0, known = 0, sum = 0;
	int64_t kernels = 0, tiny = 0;

	for (int i = 0; i < r->ngpu; i++) {
		const struct trace_gpu *c = &r->gpu[i];
		loader += (double)c->gap_ns[TRACE_GAP_LOADER];
		launch += (double)(c->gap_ns[TRACE_GAP_LAUNCH] + c->gap_ns[TRACE_GAP_SYNC]);
		copies += (double)(c->h2d_exposed_ns + c->d2h_exposed_ns);
		comm += (double)c->comm_exposed_ns;
		unfilled += (double)c->unfilled_ns;
		known += (double)c->blocks_known_ns;
		busy += (double)c->busy_ns;
		sum += (double)c->kernel_sum_ns;
		kernels += c->kernels;
		tiny += c->tiny;
	}
	if (!(all > 0))
		return;
	struct diag_finding f = share_finding(DIAG_LOADER, "gap_loader_frac", loader / all);
	add_evidence(&f, "gpu_busy_frac", busy / all, 0.9);
	keep_finding(r, f);
	f = share_finding(DIAG_LAUNCH, "gap_launch_and_sync_frac", launch / all);
	add_evidence(&f, "tiny_kernels_frac", kernels ? (double)tiny / (double)kernels : 0, 0.5);
	keep_finding(r, f);
	f = share_finding(DIAG_PCIE, "copies_without_kernels_frac", copies / all);
	keep_finding(r, f);
	f = share_finding(DIAG_COMM, "collectives_without_compute_frac", comm / all);
	keep_finding(r, f);
	/* Kernels with less than a block for each SM leave SMs empty however long they run. Half of
	 * them at most is lost: how full the last one is, nobody says. */
	f = share_finding(DIAG_SMALL_BATCH, "kernels_below_one_block_per_sm_frac",
			  known > 0 ? unfilled / known : 0);
	f.time_frac = sum > 0 ? unfilled / sum * busy / all : 0;
	f.lost_frac = 0.5 * f.time_frac;
	f.confidence = 0.7;
	keep_finding(r, f);
}
