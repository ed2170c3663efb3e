/* Who holds which part of which device right now, and in what state it is. */
#include "base/tm.h"
#include "watch/watch_join.h"

#include <math.h>
#include <stdio.h>
#include <xxhash.h>

#include "base/num.h"
#include "ledger/reading.h"
#include "model/known.h"
#include "plan/lever/gpu_speed.h"

/* an owner that was not seen for so long starts again; below the hour that feed/whose keeps it */
#define FORGET_MS  INT64_C(600000)
#define MODELS_MAX 1024 /* names of drivers */
/* a job seen within a minute of its start was seen from its start */
#define FROM_START_MS MS_MINUTE

/* Names come from drivers and exporters: whoever makes up new ones all the time takes no memory for
 * good. Between polls nobody holds a model. */
static void forget_models(struct watch_join *j)
{
	for (size_t i = 0; i < j->model.n; i++) {
		arena_free(&j->model.v[i]->mem);
		free(j->model.v[i]);
	}
	vec_clear(&j->model);
}

void watch_join_free(struct watch_join *j)
{
	forget_models(j);
	vec_free(&j->model);
	vec_free(&j->memory);
	vec_free(&j->dev);
	vec_free(&j->use);
	vec_free(&j->proc);
	vec_free(&j->owner);
	vec_free(&j->cpu);
	vec_free(&j->part);
	vec_free(&j->share);
	vec_free(&j->share_of);
	vec_free(&j->share_part);
}

const struct watch_model *watch_model_of(struct watch_join *j, const char *driver_name)
{
	for (size_t i = 0; i < j->model.n; i++)
		if (!strcmp(j->model.v[i]->driver, driver_name))
			return j->model.v[i];
	struct watch_model *m = xcalloc(1, sizeof *m);
	const struct gpu_spec *spec = NULL;
	if (j->catalog)
		spec = catalog_gpu(j->catalog, sv_of(driver_name));
	snprintf(m->driver, sizeof m->driver, "%s", driver_name);
	m->model = spec ? spec->model : m->driver;
	m->tdp_w = spec ? spec->tdp_w : NAN;
	m->pcie_bytes_s = spec ? gpu_roofline(spec, false).pcie_gb_s * 1e9 : NAN;
	m->spec = spec;
	share_geom_of(j->catalog, spec, j->conf->attrib.mig_share_by_memory, &m->mem, &m->geom);
	*vec_push(&j->model) = m;
	return m;
}

/* ---- owners ----------------------------------------------------------------------------- */

static bool hold_is_of(const struct whose_hold *h, const struct gpu_info *c,
		       const struct gpu_info *parent)
{
	const struct gpu_info *gpu = c;
	if (parent)
		gpu = parent;
	if (h->mig.n)
		return parent && sv_ieq(h->mig, sv_of(c->uuid));
	if (h->gpu.n)
		return sv_ieq(h->gpu, sv_of(gpu->uuid)) || sv_ieq(h->gpu, sv_of(c->uuid));
	if (h->index >= 0)
		return h->index == gpu->index;
	/* by the device's file */
	if (h->minor < 0 || h->minor != gpu->minor)
		return false;
	return h->gi < 0 || (parent && c->gi == h->gi);
}

static struct watch_use *use_of(struct watch_join *j, size_t first, const struct allocation *held)
{
	for (size_t i = first; i < j->use.n; i++)
		if (j->use.v[i].held == held)
			return &j->use.v[i];
	struct watch_use *u = vec_push(&j->use);
	*u = (struct watch_use){ .held = held,
				 .share_ppb = -1,
				 .share_kind = SHARE_TIMESLICE,
				 .util_pct = NAN,
				 .mem_bytes = NAN,
				 .cpu_util_pct = NAN };
	return u;
}

/* Processes of a use, copied behind each other. */
static void gather_procs(struct watch_join *j, const struct gpu_dev *d, size_t owner_first,
			 struct watch_use *u, size_t dev_first, double *ret_sm)
{
	*ret_sm = NAN;
	u->proc_first = j->proc.n - dev_first;
	for (size_t i = 0; i < d->nproc; i++) {
		if (j->owner.v[owner_first + i] != u->held)
			continue;
		*vec_push(&j->proc) = d->proc[i];
		u->nproc++;
		known_sum_add(&u->mem_bytes, d->proc[i].mem_bytes);
		known_sum_add(&u->cpu_util_pct, j->cpu.v[owner_first + i]);
		known_sum_add(ret_sm, d->proc[i].sm_util_pct);
	}
}

/* ---- state ------------------------------------------------------------------------------- */

static struct watch_memory *memory_of(struct watch_join *j, const struct gpu_info *c,
				      const struct allocation *held, int64_t now_ms)
{
	uint64_t dev = XXH3_64bits(c->uuid, strlen(c->uuid)) ^
		       (uint64_t)(c->uuid[0] ? 0 : c->index + 1);
	struct watch_memory *old = NULL;
	for (size_t i = 0; i < j->memory.n; i++) {
		struct watch_memory *m = &j->memory.v[i];
		bool stale = now_ms - m->seen_ms > FORGET_MS || m->seen_ms > now_ms + FORGET_MS;
		if (m->dev == dev && m->held == held && !stale) {
			m->seen_ms = now_ms;
			return m;
		}
		if (!old && stale)
			old = m;
	}
	if (!old)
		old = vec_push(&j->memory);
	bool from_start = held->start_ms != UNKNOWN_MS &&
			  held->start_ms >= j->began_ms - FROM_START_MS;
	*old = (struct watch_memory){
		.dev = dev, .held = held, .from_start = from_start, .seen_ms = now_ms
	};
	return old;
}

/* What the ledger would say if the allocation ended now. */
static enum cause idle_cause(const struct conf *conf, const struct watch_memory *m,
			     const struct allocation *a, enum state s, enum cause c)
{
	if (c == CAUSE_STALLED)
		return c;
	if (s == STATE_IDLE_EMPTY) {
		if (m->was_busy)
			return CAUSE_EXITED;
		if (m->from_start)
			return CAUSE_NEVER_LAUNCHED;
		return CAUSE_WAITING;
	}
	if (sv_ihas(a->name, SV("jupyter")) || sv_ihas(a->name, SV("notebook")))
		return CAUSE_NOTEBOOK;
	if (sv_is(a->workload, "inference"))
		return CAUSE_WARM_SERVER;
	if ((double)m->idle_ms >= conf->attrib.finished_after_s * 1000)
		return CAUSE_FINISHED;
	return CAUSE_NONE;
}

static struct reading read_of(const struct watch_join *j, const struct gpu_dev *d,
			      const struct watch_model *m, const struct sample *s)
{
	struct reading none = { READ_NONE, false, 0 };
	if (d->present)
		return reading_of(&j->conf->attrib, d->info.mem_total_bytes,
				  num_if(d->info.parent < 0, m->tdp_w), s);
	return none;
}

/* How an owner's part of a device is told. */
struct held_how {
	bool sole;     /* the device's readings are all of this owner's */
	double sm_pct; /* of the owner's own processes; NAN */
};

static void state_held(struct watch_join *j, const struct watch_in *in, const struct gpu_dev *d,
		       const struct watch_model *m, struct watch_use *u, struct held_how how)
{
	bool own = !how.sole && !isnan(how.sm_pct);

	struct sample s = { .step_ms = 1 };
	memcpy(s.value, d->value, sizeof s.value);
	if (own) { /* its own processes speak for it, not the GPU */
		for (int k = 0; k < METRIC_N; k++)
			s.value[k] = NAN;
		s.value[METRIC_GPU_UTIL_PCT] = min_double(100, how.sm_pct);
		s.value[METRIC_MEM_USED_BYTES] = u->mem_bytes;
		s.value[METRIC_MEM_TOTAL_BYTES] = d->value[METRIC_MEM_TOTAL_BYTES];
	}
	struct reading r = read_of(j, d, m, &s);
	struct watch_memory *mem = memory_of(j, &d->info, u->held, in->now_ms);
	reading_state(&r, &u->state, &u->cause);
	if ((how.sole || own) && r.class != READ_NONE)
		u->util_pct = r.util_ppm / 1e4;
	if (r.class == READ_BUSY || r.class == READ_UNDERUSED) {
		mem->was_busy = true;
		mem->idle_ms = 0;
	} else if (r.class != READ_NONE) {
		mem->idle_ms += in->step_ms;
		u->cause = idle_cause(j->conf, mem, u->held, u->state, u->cause);
	}
}

/* Its readings are those of its instances. */
static bool has_instances(const struct gpu_dev *d)
{
	return d->info.parent < 0 && d->info.mig_enabled;
}

/* Nobody is known to hold it: does something that no reading tells lie on it? A MIG instance has no
 * utilisation, and its processes may be those of another pid namespace: they, or memory in use, say
 * that it is not free. */
static bool is_taken(struct watch_join *j, const struct gpu_dev *d, const struct watch_model *m)
{
	double used = d->value[METRIC_MEM_USED_BYTES], total = d->value[METRIC_MEM_TOTAL_BYTES];
	double empty = j->conf->attrib.empty_bytes;
	struct sample s = { .step_ms = 1 };

	memcpy(s.value, d->value, sizeof s.value);
	if (!d->present || has_instances(d) || read_of(j, d, m, &s).class != READ_NONE)
		return false;
	if (!isnan(total) && j->conf->attrib.empty_frac * total > empty)
		empty = j->conf->attrib.empty_frac * total;
	return d->nproc > 0 || used > empty;
}

/* Nobody is known to hold it: free, if somebody watched or a reading shows neither work nor memory
 * on it; by the reading where that shows some. */
struct unheld {
	bool nobody; /* has any of it */
	bool watched, stranded;
};

static void state_unheld(struct watch_join *j, const struct gpu_dev *d, const struct watch_model *m,
			 struct watch_use *u, struct unheld how)
{
	struct sample s = { .step_ms = 1 };
	memcpy(s.value, d->value, sizeof s.value);
	struct reading r = read_of(j, d, m, &s);
	bool seen = how.watched || !how.nobody;
	u->state = seen || r.class == READ_EMPTY ? STATE_UNALLOCATED : STATE_UNKNOWN;
	u->cause = u->state == STATE_UNALLOCATED ? CAUSE_FREE : CAUSE_UNWATCHED;
	if (u->state == STATE_UNALLOCATED && !d->present)
		u->cause = CAUSE_DOWN;
	if (has_instances(d) && d->present && !d->stuck) {
		u->cause = how.stranded ? CAUSE_STRANDED : CAUSE_FREE;
		return;
	}
	if (!how.nobody || r.class == READ_NONE)
		return;
	u->util_pct = r.util_ppm / 1e4;
	if (r.class != READ_EMPTY && r.class != READ_HELD_NO_MEMORY)
		reading_state(&r, &u->state, &u->cause);
}

/* ---- a GPU ------------------------------------------------------------------------------ */

static const struct gpu_info *parent_of(const struct watch_in *in, size_t i)
{
	int parent = in->gpus->dev[i].info.parent;
	if (parent >= 0 && (size_t)parent < in->gpus->ndev)
		return &in->gpus->dev[parent].info;
	return NULL;
}

static const struct watch_model *model_of(struct watch_join *j, const struct watch_in *in, size_t i)
{
	const struct gpu_info *parent = parent_of(in, i);
	return watch_model_of(j, parent ? parent->name : in->gpus->dev[i].info.name);
}

/* Who is on a device, and room for the part that nobody has. */
static void find_owners(struct watch_join *j, const struct watch_in *in, size_t i)
{
	const struct gpu_dev *d = &in->gpus->dev[i];
	const struct gpu_info *parent = parent_of(in, i);
	struct watch_part p = { .first = j->use.n, .owner_first = j->owner.n };
	/* who is there without a hold, by his processes, takes turns with the others */
	for (size_t k = 0; k < in->nhold; k++) {
		const struct whose_hold *h = &in->hold[k];
		if (!h->held || !hold_is_of(h, &d->info, parent))
			continue;
		struct watch_use *u = use_of(j, p.first, h->held);
		bool part = !parent && h->share_kind != SHARE_WHOLE && h->share_kind != SHARE_MIG;
		u->share_kind = h->share_kind;
		if (part && h->share_ppb >= 0)
			u->share_ppb = max_i64(u->share_ppb, 0) + h->share_ppb;
	}
	if (d->held)
		use_of(j, p.first, d->held)->share_kind = d->held->share_kind;
	for (size_t k = 0; k < d->nproc; k++) {
		const struct allocation *a = in->owner(in->ctx, &d->proc[k]);
		*vec_push(&j->owner) = a;
		*vec_push(&j->cpu) = in->cpu(in->ctx, &d->proc[k]);
		if (a)
			use_of(j, p.first, a);
	}
	p.nheld = j->use.n - p.first;
	/* processes that nobody is known for are nobody's unless one owner has the device to
	 * itself */
	for (size_t k = 0; p.nheld == 1 && k < d->nproc; k++)
		if (!j->owner.v[p.owner_first + k])
			j->owner.v[p.owner_first + k] = j->use.v[p.first].held;
	*vec_push(&j->use) =
		(struct watch_use){ .util_pct = NAN, .mem_bytes = NAN, .cpu_util_pct = NAN };
	if (parent) {
		const struct watch_model *m = model_of(j, in, i);
		p.instance = (struct share_use){ .kind = SHARE_MIG,
						 .ppb = -1,
						 .start = d->info.mig_start,
						 .mig = sv_of(d->info.uuid) };
		share_slices(j->catalog, m->spec, sv_of(d->info.mig_profile), &p.instance.compute,
			     &p.instance.memory);
	}
	*vec_push(&j->part) = p;
}

static void push_share(struct watch_join *j, struct share_use u, size_t use)
{
	*vec_push(&j->share) = u;
	*vec_push(&j->share_of) = use;
}

/*
 * The shares of a GPU and its instances. Who holds the GPU while there are instances has what
 * they leave. In 10^-9 of the GPU, cut; what that leaves is nobody's, or the first one's where the
 * GPU is full.
 */
static void share_gpu(struct watch_join *j, const struct watch_in *in, size_t gpu)
{
	struct watch_part *own = &j->part.v[gpu];
	struct share_sum sum;
	bool has_instances = false;
	vec_clear(&j->share);
	vec_clear(&j->share_of);
	for (size_t i = 0; i < in->gpus->ndev; i++) {
		const struct watch_part *p = &j->part.v[i];
		if (in->gpus->dev[i].info.parent != (int)gpu)
			continue;
		has_instances = true;
		for (size_t k = 0; k < p->nheld; k++)
			push_share(j, p->instance, p->first + k);
		if (!p->nheld)
			push_share(j, p->instance, p->first);
	}
	for (size_t k = own->first; k < own->first + own->nheld; k++) {
		const struct watch_use *u = &j->use.v[k];
		enum share_kind kind = SHARE_TIMESLICE;
		if (!has_instances)
			kind = u->share_kind;
		push_share(j, (struct share_use){ .kind = kind, .ppb = u->share_ppb, .start = -1 },
			   k);
	}
	vec_clear(&j->share_part);
	vec_grow(&j->share_part, j->share.n + 1);
	share_split(&model_of(j, in, gpu)->geom, SHARE_ONE, j->share.n, j->share.v, j->share_part.v,
		    &sum);
	int64_t left = SHARE_PPB;
	for (size_t k = 0; k < j->share.n; k++)
		left -= j->use.v[j->share_of.v[k]].share_ppb = j->share_part.v[k] / SHARE_PER_PPB;
	bool full = sum.rest == 0 && j->share.n > 0;
	j->use.v[full ? j->share_of.v[0] : own->first + own->nheld].share_ppb += left;
	own->stranded = sum.stranded;
}

static void join_dev(struct watch_join *j, const struct watch_in *in, size_t i)
{
	const struct gpu_dev *d = &in->gpus->dev[i];
	const struct watch_part p = j->part.v[i];
	const struct gpu_info *parent = parent_of(in, i);
	const struct watch_model *m = model_of(j, in, i);
	size_t proc_first = j->proc.n;
	struct watch_use *nobody = &j->use.v[p.first + p.nheld];
	double sm;

	for (size_t k = p.first; k < p.first + p.nheld; k++) {
		gather_procs(j, d, p.owner_first, &j->use.v[k], proc_first, &sm);
		state_held(j, in, d, m, &j->use.v[k], (struct held_how){ p.nheld == 1, sm });
	}
	gather_procs(j, d, p.owner_first, nobody, proc_first, &sm);
	bool there = nobody->share_ppb > 0 || !p.nheld;
	/* Would an owner be seen? The GPU of MIG instances has none of its own, and one that is
	 * lost none at all. */
	bool has_none = !d->present || has_instances(d);
	bool watched = has_none || d->procs_known || in->sees_holds;
	watched &= !d->stuck;
	if (watched && !p.nheld)
		watched = !is_taken(j, d, m);
	if (there)
		state_unheld(j, d, m, nobody, (struct unheld){ !p.nheld, watched, p.stranded });
	*vec_push(&j->dev) = (struct watch_dev){ .gpu = d,
						 .parent = parent,
						 .model = m->model,
						 .pcie_bytes_s = m->pcie_bytes_s,
						 .tdp_w = parent ? NAN : m->tdp_w,
						 .nuse = p.nheld + there,
						 .nproc = j->proc.n - proc_first,
						 .watched = watched };
}

void watch_join_run(struct watch_join *j, const struct watch_in *in)
{
	if (!j->began_ms)
		j->began_ms = in->now_ms;
	if (j->model.n > MODELS_MAX)
		forget_models(j);
	vec_clear(&j->dev);
	vec_clear(&j->use);
	vec_clear(&j->proc);
	vec_clear(&j->owner);
	vec_clear(&j->cpu);
	vec_clear(&j->part);
	for (size_t i = 0; i < in->gpus->ndev; i++)
		find_owners(j, in, i);
	for (size_t i = 0; i < in->gpus->ndev; i++)
		if (!parent_of(in, i))
			share_gpu(j, in, i);
	for (size_t i = 0; i < in->gpus->ndev; i++)
		join_dev(j, in, i);
	/* The arrays have stopped moving. */
	for (size_t i = 0, proc = 0; i < j->dev.n; i++) {
		struct watch_dev *d = &j->dev.v[i];
		d->use = j->use.v + j->part.v[i].first;
		d->proc = j->proc.v ? j->proc.v + proc : NULL;
		proc += d->nproc;
	}
}
