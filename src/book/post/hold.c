/*
 * Who holds which GPU: owners of allocations and series, what allocations declare and how they
 * ended, and their binding to the GPUs of a node.
 */
#include <stdlib.h>

#include "base/num.h"
#include "base/tm.h"
#include "book/post/choice.h"
#include "ledger/infer.h"
#include "ledger/share.h"
#include "ledger/tagset.h"
#include "model/job_end.h"

/* ---- owners ------------------------------------------------------------------------------ */

static size_t add_owner(struct post *p, const struct owner *o, struct sv service)
{
	for (size_t i = p->owner.n; i-- > 0 && p->owner.n - i < 16;)
		if (p->owner.v[i] == o && !p->shares.v[i] && sv_eq(service, p->served.v[i]))
			return i;
	*vec_push(&p->owner) = o;
	*vec_push(&p->served) = service;
	*vec_push(&p->shares) = NULL;
	return p->owner.n - 1;
}

/* The service that a job of this name or id serves: one that a request log knows. */
static struct sv service_of(const struct post *p, struct sv name, struct sv job_id)
{
	if (name.n && intern_find(&p->book->services, name) >= 0)
		return name;
	if (job_id.n && intern_find(&p->book->services, job_id) >= 0)
		return job_id;
	return SV_NULL;
}

static size_t owner_of_alloc(struct post *p, size_t i)
{
	const struct allocation *a = &p->alloc[i];
	struct sv service = service_of(p, a->name, a->job_id);
	struct owner_evidence ev = {
		.user = a->user,
		.team = a->team,
		.project = a->project,
		.env = a->env,
		.workload = a->workload,
		.job = a->job_id,
		.name = a->name,
		.account = a->account,
		.namespace_ = a->namespace_,
		.node = a->node,
		.cluster = sv_or(a->cluster, p->paid.cluster),
		.queue = a->queue,
		.gpu_model = sv_or(a->gpu_model, p->paid.gpu_model),
		.tags = a->tags,
		.duration_ms = a->end_ms != UNKNOWN_MS && a->start_ms != UNKNOWN_MS
				       ? a->end_ms - a->start_ms
				       : UNKNOWN_MS,
		.gpus_milli = a->gpus_milli,
		.open_end = a->open_end || a->end_ms == UNKNOWN_MS,
		.has_requests = service.n > 0,
	};

	if (!p->run || !p->run[i] || !*p->run[i])
		return add_owner(p, owner_resolve(p->book->owners, &ev), service);
	/* the run is known only beside the other attempts */
	struct owner *o = arena_alloc(&p->mem, sizeof *o);
	*o = owner_evaluate(p->book->owners, &ev);
	o->field[OWNER_RUN] = sv_of(p->run[i]);
	o->source[OWNER_RUN] = FROM_INFERENCE;
	return add_owner(p, o, service);
}

static size_t owner_of_series(struct post *p, const struct sample_key *k)
{
	struct sv service = service_of(p, SV_NULL, k->job_id);
	struct owner_evidence ev = {
		.user = k->user,
		.team = k->team,
		.project = k->project,
		.env = k->env,
		.workload = k->workload,
		.job = k->job_id,
		.name = k->job_id,
		.node = k->node,
		.cluster = sv_or(k->cluster, p->paid.cluster),
		.gpu_model = sv_or(k->gpu_model, p->paid.gpu_model),
		.duration_ms = UNKNOWN_MS,
		.gpus_milli = UNKNOWN_I64,
		.has_requests = service.n > 0,
	};

	if (!k->job_id.n && !k->user.n && !k->team.n && !k->project.n)
		return ATTRIB_NOBODY;
	return add_owner(p, owner_resolve(p->book->owners, &ev), service);
}

/* Who answers for the time nobody holds: the tags of the bill's resource and what rules make of its
 * account and service, else nobody. Tags that name no owner are kept all the same: money is asked
 * for by any of them. */
size_t hold_unheld_owner(struct post *p, const struct payer *payer, struct sv tags)
{
	struct owner_evidence ev = { .account = payer->account,
				     .sub_account = payer->sub_account,
				     .sub_account_name = payer->sub_account_name,
				     .service = payer->service,
				     .tags = tags,
				     .node = p->paid.node,
				     .cluster = p->paid.cluster,
				     .duration_ms = UNKNOWN_MS,
				     .gpus_milli = UNKNOWN_I64 };
	const struct owner *o = owner_resolve(p->book->owners, &ev);
	bool any = o->tags.n > 0;

	for (int f = 0; f < OWNER_N; f++)
		any |= o->field[f].n > 0;
	if (any)
		return add_owner(p, o, SV_NULL);
	return ATTRIB_NOBODY;
}

size_t hold_shared_owner(struct post *p, struct paid_share *share)
{
	bool any = false;

	if (share->mix != ATTRIB_NOBODY)
		return share->mix;
	for (struct paid_share *s = share; s; s = s->next) {
		s->owner = hold_unheld_owner(p, &s->payer, s->tags);
		any |= s->owner != ATTRIB_NOBODY;
	}
	if (!any)
		return ATTRIB_NOBODY;
	*vec_push(&p->owner) = NULL;
	*vec_push(&p->served) = SV_NULL;
	*vec_push(&p->shares) = share;
	return share->mix = p->owner.n - 1;
}

/* ---- allocations ------------------------------------------------------------------------- */

/* Whether the work came to nothing, and why. session: a notebook, a shell or a service. */
static enum state end_state(const struct allocation *a, bool session, enum cause *cause)
{
	static const enum cause of_end[] = {
		[JOB_END_FAILED] = CAUSE_FAILED,    [JOB_END_NODE_FAILED] = CAUSE_NODE_FAILURE,
		[JOB_END_TIMEOUT] = CAUSE_FAILED,   [JOB_END_CANCELLED] = CAUSE_CANCELLED,
		[JOB_END_KILLED] = CAUSE_CANCELLED, [JOB_END_PREEMPTED] = CAUSE_PREEMPTED,
		[JOB_END_EVICTED] = CAUSE_EVICTED,  [JOB_END_HUNG] = CAUSE_HUNG,
		[JOB_END_REQUEUED] = CAUSE_NONE
	};

	*cause = CAUSE_NONE;
	if (sv_starts(a->state, SV("overhead:"))) {
		int c = cause_of(sv_from(a->state, 9));
		*cause = c > 0 ? (enum cause)c : CAUSE_NONE;
		return STATE_OVERHEAD;
	}
	enum job_end end = job_end_of(a->state);
	enum cause why = of_end[end];
	if (why == CAUSE_NONE)
		return STATE_NONE;
	/* Of a session a time limit is the end, as being cancelled is: nothing has come to nothing
	 * by that. */
	if (session && (end == JOB_END_TIMEOUT || why == CAUSE_CANCELLED))
		return STATE_NONE;
	/* What a checkpoint saved is not lost; how much that was is not known here, so nothing is
	 * claimed. */
	if (a->checkpointable == 1 && why != CAUSE_FAILED && why != CAUSE_HUNG)
		return STATE_NONE;
	*cause = why;
	return STATE_LOST;
}

static bool is_mig(const struct allocation *a)
{
	return a->share_kind == SHARE_MIG || a->mig_profile.n;
}

/* What still runs has been seen to run until the end of the data. */
int64_t hold_running_end(const struct post *p, const struct allocation *a)
{
	if (a->end_ms == UNKNOWN_MS)
		return p->book->horizon_ms;
	return a->end_ms;
}

/* Jobs by the bare name that readings may have of them: their pod's, else their own. */
struct bare {
	struct intern name;
	VEC(size_t) first; /* [name] job */
	size_t *next;      /* [nalloc] */
};

static void bare_index(const struct post *p, struct bare *ret)
{
	struct intern read = { 0 };

	for (size_t i = 0; i < p->nseries; i++)
		if (p->series[i].key.job_id.n)
			intern_add(&read, p->series[i].key.job_id);
	ret->next = xcalloc(p->nalloc + 1, sizeof *ret->next);
	for (size_t i = 0; i < p->nalloc; i++) {
		const struct allocation *a = &p->alloc[i];
		struct sv name = sv_or(job_pod(a->job_id, a->namespace_), a->job_id);
		if (!name.n || intern_find(&read, name) < 0)
			continue;
		uint32_t k = intern_add(&ret->name, name);
		if (k == ret->first.n)
			*vec_push(&ret->first) = SIZE_MAX;
		ret->next[i] = ret->first.v[k];
		ret->first.v[k] = i;
	}
	intern_free(&read);
}

static void bare_free(struct bare *b)
{
	intern_free(&b->name);
	vec_free(&b->first);
	free(b->next);
}

/* The bare name of a pod that readings use, where it is no other's at any of its time. */
static struct sv bare_name(const struct post *p, const struct bare *b, size_t i)
{
	const struct allocation *a = &p->alloc[i];
	struct sv pod = job_pod(a->job_id, a->namespace_);
	int64_t k = -1, to_ms = hold_running_end(p, a);

	if (pod.n)
		k = intern_find(&b->name, pod);
	if (k < 0)
		return SV_NULL;
	for (size_t j = b->first.v[k]; j != SIZE_MAX; j = b->next[j]) {
		const struct allocation *o = &p->alloc[j];
		bool beside = o->start_ms < to_ms && hold_running_end(p, o) > a->start_ms;
		if (beside && !sv_eq(o->job_id, a->job_id))
			return SV_NULL;
	}
	return pod;
}

static void describe_hold(struct post *p, size_t i, struct sv bare, struct holding *h)
{
	const struct allocation *a = &p->alloc[i];
	struct attrib_alloc *t = &h->a;

	h->raw = a;
	*t = (struct attrib_alloc){
		.from_ms = a->start_ms,
		.to_ms = min_i64(hold_running_end(p, a), p->to_ms),
		.owner = owner_of_alloc(p, i),
		.gpus_milli = a->gpus_milli,
		.share_kind = is_mig(a) ? SHARE_MIG : a->share_kind,
		.share_ppb = a->share_ppb,
		.mig_start = -1,
		.job_id = a->job_id,
		.job_alias = sv_or(tagset_slurm_number(&p->mem, a->tags), bare),
		.quality = QUALITY_MEASURED,
		.notebook = sv_ihas(a->name, SV("jupyter")) || sv_ihas(a->name, SV("notebook")),
	};
	/* one that ended before the window only says under whom a reading began */
	if (t->to_ms > p->from_ms && t->from_ms < p->from_ms)
		t->from_ms = p->from_ms;
	const struct owner *o = p->owner.v[t->owner];
	t->service = sv_is(o->field[OWNER_WORKLOAD], "inference");
	bool session = t->service || infer_is_session(a->name);
	t->end_state = end_state(a, session, &t->end_cause);
	if (is_mig(a)) {
		struct share_geom g;
		share_geom_of(NULL, p->gpu, false, &p->mem, &g);
		t->mig_start = a->mig_start;
		t->mig_gpu_compute = g.compute;
		t->mig_gpu_memory = g.memory;
		share_slices(p->book->catalog, p->gpu, a->mig_profile, &t->mig_compute,
			     &t->mig_memory);
	}
	/* Less than one GPU without a share is a share of one: 460 of 1000. */
	if (a->gpus_milli < 1000 && t->share_ppb < 0 && t->share_kind != SHARE_MIG) {
		t->share_ppb = a->gpus_milli * 1000000;
		t->gpus_milli = 1000;
	}
}

void hold_take(struct post *p)
{
	int *attempt = arena_alloc(&p->mem, (p->nalloc + 1) * sizeof *attempt);

	p->run = arena_zalloc(&p->mem, (p->nalloc + 1) * sizeof *p->run);
	if (p->nalloc)
		runs_group(p->alloc, p->nalloc, &p->mem, p->run, attempt);
	struct bare bare = { 0 };

	bare_index(p, &bare);
	for (size_t i = 0; i < p->nalloc; i++) {
		struct holding h = { 0 };
		if (p->alloc[i].start_ms == UNKNOWN_MS ||
		    allocation_told_again(p->alloc, p->nalloc, i))
			continue;
		describe_hold(p, i, bare_name(p, &bare, i), &h);
		if (h.a.from_ms < h.a.to_ms)
			*vec_push(&p->hold) = h;
	}
	bare_free(&bare);
}

/* ---- GPUs ------------------------------------------------------------------------------- */

static size_t add_gpu(struct post *p, struct sv node, struct sv text)
{
	gpu_names_add(&p->names, node, text, &p->mem);
	*vec_push(&p->gpus) = (struct post_gpu){ 0 };
	return p->gpus.n - 1;
}

/* The GPUs a node's record or bill gives it. */
void hold_gpus_of_node(struct post *p)
{
	size_t n = (size_t)((p->paid.gpu_milli + 999) / 1000);

	gpu_names_record(&p->names, sv_or(p->paid.node, sv_of(p->key)), p->paid.record,
			 p->paid.nrecord, n, &p->mem);
	for (size_t i = 0; i < n; i++)
		*vec_push(&p->gpus) = (struct post_gpu){ 0 };
}

void hold_gpus_of_series(struct post *p)
{
	struct gpu_read *r = arena_zalloc(&p->mem, (p->nseries + 1) * sizeof *r);

	p->series_owner = arena_alloc(&p->mem, (p->nseries + 1) * sizeof *p->series_owner);
	for (size_t i = 0; i < p->nseries; i++) {
		const struct series *s = &p->series[i];
		r[i] = (struct gpu_read){ s->key.gpu, { s->from_ms, s->to_ms }, 0 };
	}
	gpu_names_read(&p->names, r, p->nseries, &p->mem);
	while (p->gpus.n < p->names.v.n)
		*vec_push(&p->gpus) = (struct post_gpu){ 0 };
	for (size_t i = 0; i < p->nseries; i++) {
		*vec_push(&p->gpus.v[r[i].gpu].series) = i;
		p->series_owner[i] = owner_of_series(p, &p->series[i].key);
	}
}

void hold_gpus_of_jobs(struct post *p)
{
	for (size_t i = 0; i < p->trait->ngpu; i++) {
		struct sv id = p->trait->gpu[i];
		bool is_mig = sv_starts(id, SV("MIG-"));
		if (gpu_names_find(&p->names, id) < 0 && !(is_mig && p->gpus.n == 1))
			add_gpu(p, p->paid.node, id);
	}
}

bool hold_has_gpu(const struct holding *h, size_t gpu)
{
	for (size_t j = 0; j < h->ngpu; j++)
		if (h->gpu[j] == gpu)
			return true;
	return false;
}

/* How many GPUs one holds that names none. */
static size_t count_wanted(const struct post *p, const struct holding *h, bool recorded)
{
	size_t want = (size_t)((h->a.gpus_milli + 999) / 1000);

	if (recorded && (!want || want > p->gpus.n))
		return p->gpus.n;
	return want;
}

/* GPUs that an allocation names; unknown names become GPUs of their own where no record says how
 * many there are. */
static void bind_named(struct post *p, struct holding *h, bool recorded)
{
	struct sv rest = h->raw->gpu_ids;

	size_t room = rest.n / 2 + 2 + count_wanted(p, h, recorded);

	h->gpu = arena_alloc(&p->mem, room * sizeof *h->gpu);
	while (rest.n) {
		struct sv id = sv_trim(sv_cut(rest, ';', &rest)), mig;
		if (!id.n)
			continue;
		long c = gpu_names_find(&p->names, id);
		if (c < 0 && sv_starts(id, SV("MIG-")) && p->gpus.n == 1)
			c = 0;
		if (c < 0 && !recorded)
			c = (long)add_gpu(p, h->raw->node, id);
		if (c < 0 || hold_has_gpu(h, (size_t)c)) /* once: hold_of_gpu() has room for that */
			continue;
		h->gpu[h->ngpu++] = (size_t)c;
		sv_cut(id, '/', &mig);
		if (is_mig(h->raw))
			h->a.mig = sv_starts(id, SV("MIG-")) ? id : mig;
	}
}

/* Instances that one job holds, and names none, are held one by one: several may be of one GPU. */
static void part_instances(struct post *p, bool recorded)
{
	size_t n = p->hold.n;
	struct holding *whole = arena_copy(&p->mem, p->hold.v, n, sizeof *whole);

	p->hold.n = 0;
	for (size_t i = 0; i < n; i++) {
		struct holding h = whole[i];
		bool mig = h.a.share_kind == SHARE_MIG && h.a.mig_compute > 0;
		int64_t parts = 1;
		if (mig && !h.raw->gpu_ids.n && h.a.gpus_milli > 1000) {
			parts = (h.a.gpus_milli + 999) / 1000;
			h.a.gpus_milli = 1000;
		}
		if (recorded) /* one more than there can be shows that it is too many */
			parts = min_i64((int64_t)p->gpus.n * h.a.mig_gpu_compute + 1, parts);
		*vec_push(&p->hold) = h;
		for (h.nth = 1; (int64_t)h.nth < parts; h.nth++)
			*vec_push(&p->hold) = h;
	}
}

/* The GPUs on which readings name its job. */
static void bind_read(struct post *p, struct holding *h, size_t want)
{
	size_t skip = h->nth;

	for (size_t c = 0; c < p->gpus.n && h->ngpu < want; c++)
		for (size_t i = 0; i < p->gpus.v[c].series.n && !hold_has_gpu(h, c); i++) {
			const struct series *s = &p->series[p->gpus.v[c].series.v[i]];
			bool meets = s->from_ms < h->a.to_ms && s->to_ms > h->a.from_ms;
			bool named = meets && s->key.job_id.n;
			if (!named || !attrib_reads(&h->a, s->key.mig, s->key.job_id))
				continue;
			if (skip)
				skip--;
			else
				h->gpu[h->ngpu++] = c;
		}
}

/* Of a GPU in MIG mode instances are read, of another none. Is this one such as it holds? */
bool hold_fits_mode(const struct post *p, const struct holding *h, size_t gpu)
{
	bool instances = false;

	for (size_t i = 0; i < p->gpus.v[gpu].series.n && !instances; i++) {
		const struct series *s = &p->series[p->gpus.v[gpu].series.v[i]];
		bool meets = s->from_ms < h->a.to_ms && s->to_ms > h->a.from_ms;
		instances = meets && s->key.mig.n;
	}
	return instances == (h->a.share_kind == SHARE_MIG);
}

/* What it takes of each of its GPUs, of 10^9; an equal part of whatever is there: 0. */
static int64_t share_taken(const struct holding *h)
{
	const struct attrib_alloc *a = &h->a;

	if (a->share_ppb >= 0)
		return a->share_ppb;
	if (a->share_kind == SHARE_WHOLE)
		return SHARE_PPB;
	if (a->share_kind != SHARE_MIG)
		return 0;
	int64_t compute = SHARE_PPB * a->mig_compute / a->mig_gpu_compute;
	return max_i64(SHARE_PPB * a->mig_memory / a->mig_gpu_memory, compute);
}

/* Is there no room on the GPU beside those who hold it at any time of this allocation? */
static bool is_taken(const struct post *p, const struct holding *h, size_t gpu)
{
	int64_t share = share_taken(h);

	for (size_t i = 0; i < p->hold.n && share <= SHARE_PPB; i++) {
		const struct holding *o = &p->hold.v[i];
		bool meets = o->a.to_ms > h->a.from_ms && o->a.from_ms < h->a.to_ms;
		if (o != h && meets && hold_has_gpu(o, gpu))
			share += share_taken(o);
	}
	return share > SHARE_PPB;
}

/* The GPUs of its node, the best for it first: those of its mode, of these such as its readings
 * fit, else the lowest. ret [p->gpus.n] */
static void order_gpus(const struct post *p, const struct choice *choice, size_t i, size_t *ret)
{
	size_t n = p->gpus.n, nother = 0, k = 0, *other = xcalloc(n + 1, sizeof *other);

	for (size_t c = 0; c < n; c++)
		ret[c] = c;
	if (choice)
		choice_order(choice, i, ret);
	for (size_t c = 0; c < n; c++)
		if (hold_fits_mode(p, &p->hold.v[i], ret[c]))
			ret[k++] = ret[c];
		else
			other[nother++] = ret[c];
	memcpy(ret + k, other, nother * sizeof *ret);
	free(other);
}

/* The best instance for it that nobody holds in its time, where there is room. */
static bool bind_instance(const struct post *p, const struct choice *choice, size_t i)
{
	struct holding *h = &p->hold.v[i];
	const struct choice_instance *v = NULL;
	size_t n = choice ? choice_instances(choice, i, &v) : 0;

	for (size_t k = 0; k < n; k++) {
		bool taken = is_taken(p, h, v[k].gpu);
		for (size_t j = 0; j < p->hold.n && !taken; j++) {
			const struct attrib_alloc *o = &p->hold.v[j].a;
			bool meets = o->to_ms > h->a.from_ms && o->from_ms < h->a.to_ms;
			taken = meets && sv_eq(o->mig, v[k].mig) &&
				hold_has_gpu(&p->hold.v[j], v[k].gpu);
		}
		if (taken)
			continue;
		h->gpu[h->ngpu++] = v[k].gpu;
		h->a.mig = v[k].mig;
		h->a.quality = QUALITY_ESTIMATED;
		return true;
	}
	return false;
}

/*
 * Beside the GPUs that its readings name the best for it on which there is room. Where a record
 * says how many GPUs there are, more held than that is shared; without one there are as many as are
 * held, and those that nobody names stand together.
 */
static void bind_free(struct post *p, const struct choice *choice, size_t i, bool recorded)
{
	struct holding *h = &p->hold.v[i];
	size_t want = count_wanted(p, h, recorded);
	bool all = recorded && (size_t)((h->a.gpus_milli + 999) / 1000) >= p->gpus.n;
	size_t n = p->gpus.n, *order = arena_alloc(&p->mem, (n + 1) * sizeof *order);

	if (bind_instance(p, choice, i))
		return;
	order_gpus(p, choice, i, order);
	for (size_t c = 0; c < n && h->ngpu < want; c++) {
		bool taken = hold_has_gpu(h, order[c]) || (!all && is_taken(p, h, order[c]));
		if (!taken)
			h->gpu[h->ngpu++] = order[c];
	}
	while (!recorded && h->ngpu < want)
		h->gpu[h->ngpu++] = add_gpu(p, SV_NULL, SV(""));
	for (size_t c = 0; c < p->gpus.n && h->ngpu < want; c++) {
		/* more held than there is: the rest is shared from the start */
		if (!hold_has_gpu(h, c))
			h->gpu[h->ngpu++] = c;
	}
	if (!all)
		h->a.quality = QUALITY_ESTIMATED;
}

void hold_bind_read(struct post *p)
{
	for (size_t i = 0; i < p->hold.n; i++) {
		struct holding *h = &p->hold.v[i];
		bind_named(p, h, true);
		bind_read(p, h, count_wanted(p, h, false));
	}
}

int hold_bind(struct post *p, bool recorded, bool *ret_by_gpu, struct err *err)
{
	bool named = p->trait->names_gpus;
	struct choice *choice;

	*ret_by_gpu = false;

	for (size_t i = 0; i < p->hold.n; i++) {
		struct holding *h = &p->hold.v[i];
		if (h->raw->gpu_ids.n)
			bind_named(p, h, recorded);
		named |= h->ngpu > 0;
	}
	/* an agent tells of each GPU when it was gone or not seen, though nothing was read of it */
	named |= recorded && p->trait->told;
	/* nobody tells the GPUs apart: the node is a pool of them */
	if (!p->gpus.n || (!named && !p->nseries))
		return 0;
	part_instances(p, recorded);
	for (size_t i = 0; i < p->hold.n; i++) {
		struct holding *h = &p->hold.v[i];
		if (h->ngpu)
			continue;
		size_t want = count_wanted(p, h, recorded);
		h->gpu = arena_alloc(&p->mem, (want + 1) * sizeof *h->gpu);
		bind_read(p, h, want);
		h->nread = h->ngpu;
		h->open = true;
	}
	int rc = choice_read(p, &choice, err);
	for (size_t i = 0; i < p->hold.n && !rc; i++)
		if (p->hold.v[i].open)
			bind_free(p, choice, i, recorded);
	if (!rc && choice)
		choice_doubt(choice);
	choice_free(choice);
	*ret_by_gpu = true;
	return rc;
}

size_t hold_of_gpu(const struct post *p, size_t gpu, struct attrib_alloc *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < p->hold.n; i++)
		for (size_t j = 0; j < p->hold.v[i].ngpu; j++)
			if (p->hold.v[i].gpu[j] == gpu) {
				ret[n] = p->hold.v[i].a;
				ret[n++].doubt = p->hold.v[i].doubt && p->hold.v[i].doubt[j];
			}
	return n;
}
