/* See sacct_alloc.h. */
#include "feed/jobs/sacct_alloc.h"

#include <math.h>

#include "base/num.h"
#include "ledger/share.h"

/* Hand *a to the sink, with the part of the job's CPU and memory that goes with these of its
 * GPUs: Slurm's accounting does not say what each node gave. */
static int emit_allocation(struct sacct_alloc *s, struct allocation *a, struct err *err)
{
	double part = 1;

	if (s->gpus_milli > 0)
		part = (double)a->gpus_milli / (double)s->gpus_milli;
	a->cpu_milli = s->cpu > 0 ? llround((double)s->cpu * 1000 * part) : UNKNOWN_I64;
	a->ram_mib = s->mem_mib > 0 ? llround((double)s->mem_mib * part) : UNKNOWN_I64;
	if (a->gpus_milli > 0)
		return s->r->sink->allocation(s->r->sink->ctx, a, err);
	return 0;
}

/* n whole GPUs over the nodes of the job: evenly, the first nodes one more; jobs of fewer GPUs than
 * nodes name no node. */
static int emit_whole_gpus(struct sacct_alloc *s, struct allocation *a, int64_t n,
			   const struct sv *node, long nnode, struct err *err)
{
	int rc = 0;

	if (nnode <= 1 || n < nnode) {
		a->node = nnode == 1 ? node[0] : SV_NULL;
		s->unplaced += nnode > 1;
		a->gpus_milli = n * 1000;
		return emit_allocation(s, a, err);
	}
	s->uneven += n % nnode != 0;
	for (long i = 0; i < nnode && rc >= 0; i++) {
		a->node = node[i];
		a->gpus_milli = (n / nnode + (i < n % nnode)) * 1000;
		rc = emit_allocation(s, a, err);
	}
	return rc;
}

static int emit_type(struct sacct_alloc *s, struct allocation *a, const struct tres_type *t,
		     const struct sv *node, long nnode, struct err *err)
{
	struct sv model = t->type, profile = SV_NULL;
	bool mig = share_mig_name(t->type, &model, &profile);

	a->share_kind = mig ? SHARE_MIG : SHARE_WHOLE;
	a->mig_profile = profile;
	a->gpu_model = sv_or(model, sv_of(feed_set_get(s->r, "gpu_model")));
	return emit_whole_gpus(s, a, t->n, node, nnode, err);
}

/* gres/mps and gres/shard: parts of one GPU, or of one GPU a node. */
static int emit_shares(struct sacct_alloc *s, struct allocation *a, const struct tres_gpus *t,
		       const struct sv *node, long nnode, struct err *err)
{
	bool mps = t->mps > 0;
	int64_t parts = t->shard, whole = s->shards_per_gpu, gpus = max_i64(nnode, 1);

	a->share_kind = SHARE_TIMESLICE;
	if (mps) {
		parts = t->mps;
		whole = s->mps_per_gpu;
		a->share_kind = SHARE_MPS;
	}
	a->gpu_model = sv_of(feed_set_get(s->r, "gpu_model"));
	if (whole && parts > gpus * whole)
		gpus = (parts + whole - 1) / whole;
	s->gpus_milli = gpus * 1000;
	a->share_ppb = whole ? (int64_t)((__int128)parts * 1000000000 / (gpus * whole)) : -1;
	if (mps && !feed_set_get(s->r, "mps_per_gpu"))
		feed_note(
			s->r->report,
			"gres/mps counts were read as hundredths of a GPU (--set mps_per_gpu=N says otherwise)");
	if (!mps && !whole)
		feed_note(
			s->r->report,
			"gres/shard: shards of a GPU share it equally (--set shards_per_gpu=N gives each its part)");
	return emit_whole_gpus(s, a, gpus, node, nnode, err);
}

int sacct_emit_gpus(struct sacct_alloc *s, struct allocation *a, const struct tres_gpus *t,
		    const struct sv *node, long nnode, struct err *err)
{
	int64_t typed = 0;
	int rc = 0;

	for (size_t i = 0; i < t->ntype && rc >= 0; i++) {
		typed += t->type[i].n;
		rc = emit_type(s, a, &t->type[i], node, nnode, err);
	}
	if (rc >= 0 && t->all > typed) /* types that accounting does not record */
		rc = emit_type(s, a, &(struct tres_type){ SV_NULL, t->all - typed }, node, nnode,
			       err);
	bool whole = t->all > 0 || typed, parts = t->mps > 0 || t->shard > 0;
	if (rc >= 0 && !whole && parts)
		rc = emit_shares(s, a, t, node, nnode, err);
	return rc;
}

int64_t sacct_gpus_milli(const struct tres_gpus *t)
{
	int64_t typed = 0;

	for (size_t i = 0; i < t->ntype; i++)
		typed += t->type[i].n;
	return max_i64(t->all, typed) * 1000;
}

bool sacct_holds_gpus(const struct tres_gpus *t)
{
	bool typed = false;

	for (size_t i = 0; i < t->ntype; i++)
		typed |= t->type[i].n > 0;
	if (typed || t->all > 0)
		return true;
	return t->mps > 0 || t->shard > 0;
}
