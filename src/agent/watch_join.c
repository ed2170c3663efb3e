/* Who holds which part of which device right now, and in what state it is. */
#include "agent/watch_join.h"

#include <math.h>
#include <stdio.h>
#include <xxhash.h>

#include "ledger/reading.h"
#include "plan/gpu_speed.h"

#define WHOLE_PPB      INT64_C(1000000000)
#define DEFAULT_SLICES 7 /* of every MIG card so far that is not in the catalogue */
#define FORGET_MS \
	INT64_C(600000) /* a holder that was not seen for so long starts anew; below the hour that feed/whose keeps it */
#define MODELS_MAX 1024 /* names of drivers */
#define FROM_START_MS \
	INT64_C(60000) /* a job seen within a minute of its start was seen from its start */

void watch_join_free(struct watch_join *j)
{
	for (size_t i = 0; i < j->model.n; i++)
		free(j->model.v[i]);
	vec_free(&j->model);
	vec_free(&j->memory);
	vec_free(&j->dev);
	vec_free(&j->use);
	vec_free(&j->proc);
	vec_free(&j->owner);
	vec_free(&j->cpu);
}

/* Names come from drivers and exporters: whoever makes up new ones all the time takes no memory for good. Between polls nobody holds a model. */
static void forget_models(struct watch_join *j)
{
	for (size_t i = 0; i < j->model.n; i++)
		free(j->model.v[i]);
	vec_clear(&j->model);
}

const struct watch_model *watch_model_of(struct watch_join *j, const char *driver_name)
{
	for (size_t i = 0; i < j->model.n; i++)
		if (!strcmp(j->model.v[i]->driver, driver_name))
			return j->model.v[i];
	struct watch_model *m = xcalloc(1, sizeof *m);
	const struct gpu_spec *spec = j->catalog ? catalog_gpu(j->catalog, sv_of(driver_name))
						 : NULL;
	snprintf(m->driver, sizeof m->driver, "%s", driver_name);
	m->model = spec ? spec->model : m->driver;
	m->tdp_w = spec ? spec->tdp_w : NAN;
	m->pcie_bytes_s = spec ? gpu_roofline(spec, false).pcie_gb_s * 1e9 : NAN;
	m->mig_slices = spec && spec->mig_compute_slices > 0 ? spec->mig_compute_slices
							     : DEFAULT_SLICES;
	const struct mig_profile *p;
	while (spec && m->nprofile < 16 &&
	       (p = catalog_mig_at(j->catalog, spec->model, m->nprofile)))
		m->profile[m->nprofile++] = p;
	*vec_push(&j->model) = m;
	return m;
}

/* ---- shares ------------------------------------------------------------------------------------------------------------------ */

/* Compute slices of "3g.40gb", "1c.3g.40gb"; 0 = not known. */
static int slices_of(const char *profile)
{
	const char *g = strchr(profile, 'g');
	return g > profile && g[-1] >= '1' && g[-1] <= '9' ? g[-1] - '0' : 0;
}

static int64_t instance_ppb(const struct watch_model *m, const struct gpu_card *c)
{
	int n = slices_of(c->mig_profile);
	if (n > m->mig_slices)
		n = m->mig_slices;
	return WHOLE_PPB * n / m->mig_slices;
}

/* The part of its physical card that device i is; a card with MIG enabled is what its instances leave. */
static int64_t device_ppb(const struct gpu_view *v, size_t i, const struct watch_model *m)
{
	const struct gpu_card *c = &v->dev[i].card;
	if (c->parent >= 0)
		return instance_ppb(m, c);
	int64_t rest = WHOLE_PPB;
	for (size_t k = 0; k < v->ndev; k++)
		if (v->dev[k].card.parent == (int)i)
			rest -= instance_ppb(m, &v->dev[k].card);
	return rest > 0 ? rest : 0;
}

/*
 * Parts of a device among its holders: the declared ones have theirs, the others equal parts of what is left, or, where nothing is
 * left, equal parts of the device before all are scaled to it. Returns what nobody holds. As ledger/attrib_share.c does for history.
 */
static int64_t split(struct watch_use *u, size_t n, int64_t whole)
{
	int64_t sum = 0, nopen = 0;
	for (size_t i = 0; i < n; i++) {
		sum += u[i].share_ppb >= 0 ? u[i].share_ppb : 0;
		nopen += u[i].share_ppb < 0;
	}
	int64_t each = !nopen            ? 0
		       : sum < WHOLE_PPB ? (WHOLE_PPB - sum) / nopen
					 : WHOLE_PPB / (int64_t)n;
	for (size_t i = 0; i < n; i++)
		if (u[i].share_ppb < 0)
			u[i].share_ppb = each;
	sum += each * nopen;
	int64_t of = sum > WHOLE_PPB ? sum : WHOLE_PPB, given = 0;
	for (size_t i = 0; i < n; i++) {
		u[i].share_ppb = (int64_t)((__int128)whole * u[i].share_ppb / of);
		given += u[i].share_ppb;
	}
	int64_t rest = whole - given;
	/* What rounding left of a device that is full goes to the first. */
	if (n && of - sum <= (int64_t)n && rest <= 2 * (int64_t)n + 2) {
		u[0].share_ppb += rest;
		rest = 0;
	}
	return rest;
}

/* Could any profile of the card still be made in what the instances leave? Places count where the driver says them. */
static bool is_stranded(const struct gpu_view *v, size_t card, const struct watch_model *m)
{
	int free_slices = m->mig_slices;
	uint32_t used = 0;
	bool places = true;
	for (size_t k = 0; k < v->ndev; k++) {
		const struct gpu_card *c = &v->dev[k].card;
		if (c->parent != (int)card)
			continue;
		const struct mig_profile *of = NULL;
		for (size_t p = 0; p < m->nprofile; p++)
			if (!strcmp(m->profile[p]->name, c->mig_profile))
				of = m->profile[p];
		free_slices -= slices_of(c->mig_profile);
		if (of && c->mig_start >= 0 && c->mig_start < 16)
			used |= ((1U << of->memory_slices) - 1) << c->mig_start;
		else
			places = false;
	}
	for (size_t p = 0; p < m->nprofile; p++) {
		const struct mig_profile *f = m->profile[p];
		bool fits = f->compute_slices <= free_slices;
		for (int s = 0; fits && places && f->nstart && s < f->nstart; s++) {
			fits = !(used & (((1U << f->memory_slices) - 1) << f->start[s]));
			if (fits)
				break;
			fits = s + 1 < f->nstart;
		}
		if (fits)
			return false;
	}
	return m->nprofile > 0;
}

/* ---- holders ------------------------------------------------------------------------------------------------------------------ */

static bool hold_is_of(const struct whose_hold *h, const struct gpu_card *c,
		       const struct gpu_card *parent)
{
	const struct gpu_card *card = parent ? parent : c;
	if (h->mig.n)
		return parent && sv_ieq(h->mig, sv_of(c->uuid));
	if (h->gpu.n)
		return sv_ieq(h->gpu, sv_of(card->uuid)) || sv_ieq(h->gpu, sv_of(c->uuid));
	if (h->index >= 0)
		return h->index == card->index;
	return h->minor >= 0 && h->minor == card->minor &&
	       (h->gi < 0 || (parent && c->gi == h->gi)); /* by the device's file */
}

static struct watch_use *use_of(struct watch_join *j, size_t first, const struct allocation *held)
{
	for (size_t i = first; i < j->use.n; i++)
		if (j->use.v[i].held == held)
			return &j->use.v[i];
	struct watch_use *u = vec_push(&j->use);
	*u = (struct watch_use){ .held = held,
				 .share_ppb = -1,
				 .util_pct = NAN,
				 .mem_bytes = NAN,
				 .cpu_util_pct = NAN };
	return u;
}

/* A whole card held is no declared share: whoever else is there shares it equally. */
static void add_holds(struct watch_join *j, const struct watch_in *in, size_t first,
		      const struct gpu_card *c, const struct gpu_card *parent)
{
	for (size_t i = 0; i < in->nhold; i++) {
		const struct whose_hold *h = &in->hold[i];
		if (!h->held || !hold_is_of(h, c, parent))
			continue;
		struct watch_use *u = use_of(j, first, h->held);
		bool part = !parent && h->share_kind != SHARE_WHOLE && h->share_kind != SHARE_MIG &&
			    h->share_ppb >= 0;
		if (part)
			u->share_ppb = (u->share_ppb < 0 ? 0 : u->share_ppb) + h->share_ppb;
	}
}

static void sum_up(double *sum, double v)
{
	if (!isnan(v))
		*sum = isnan(*sum) ? v : *sum + v;
}

/* Owners of the device's processes; those that nobody is known for are nobody's unless one holder has the device to itself. */
static void add_procs(struct watch_join *j, const struct watch_in *in, size_t first,
		      const struct gpu_dev *d)
{
	vec_clear(&j->owner);
	vec_clear(&j->cpu);
	for (size_t i = 0; i < d->nproc; i++) {
		const struct allocation *a = in->owner(in->ctx, &d->proc[i]);
		*vec_push(&j->owner) = a;
		*vec_push(&j->cpu) = in->cpu(in->ctx, &d->proc[i]);
		if (a)
			use_of(j, first, a);
	}
	if (j->use.n - first != 1)
		return;
	for (size_t i = 0; i < d->nproc; i++)
		if (!j->owner.v[i])
			j->owner.v[i] = j->use.v[first].held;
}

/* Processes of a use, copied behind each other. */
static void gather(struct watch_join *j, const struct gpu_dev *d, struct watch_use *u,
		   size_t dev_first, double *ret_sm)
{
	*ret_sm = NAN;
	u->proc_first = j->proc.n - dev_first;
	for (size_t i = 0; i < d->nproc; i++) {
		if (j->owner.v[i] != u->held)
			continue;
		*vec_push(&j->proc) = d->proc[i];
		u->nproc++;
		sum_up(&u->mem_bytes, d->proc[i].mem_bytes);
		sum_up(&u->cpu_util_pct, j->cpu.v[i]);
		sum_up(ret_sm, d->proc[i].sm_util_pct);
	}
}

/* ---- state -------------------------------------------------------------------------------------------------------------------- */

static struct watch_memory *memory_of(struct watch_join *j, const struct gpu_card *c,
				      const struct allocation *held, int64_t now_ms)
{
	uint64_t dev = XXH3_64bits(c->uuid, strlen(c->uuid)) ^
		       (uint64_t)(c->uuid[0] ? 0 : c->index + 1);
	struct watch_memory *old = NULL;
	for (size_t i = 0; i < j->memory.n; i++) {
		struct watch_memory *m = &j->memory.v[i];
		bool stale = now_ms - m->seen_ms > FORGET_MS || m->seen_ms > now_ms + FORGET_MS;
		if (m->dev == dev && m->held == held && !stale)
			return m->seen_ms = now_ms, m;
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

static bool is_notebook(const struct allocation *a)
{
	return sv_ihas(a->name, SV("jupyter")) || sv_ihas(a->name, SV("notebook"));
}

/* What the ledger would say if the allocation ended now. */
static enum cause idle_cause(const struct conf *conf, const struct watch_memory *m,
			     const struct allocation *a, enum state s, enum cause c)
{
	if (c == CAUSE_STALLED)
		return c;
	if (s == STATE_IDLE_EMPTY)
		return m->was_busy     ? CAUSE_EXITED
		       : m->from_start ? CAUSE_NEVER_LAUNCHED
				       : CAUSE_WAITING;
	if (is_notebook(a))
		return CAUSE_NOTEBOOK;
	if (sv_is(a->workload, "inference"))
		return CAUSE_WARM_SERVER;
	return (double)m->idle_ms >= conf->attrib.finished_after_s * 1000 ? CAUSE_FINISHED
									  : CAUSE_NONE;
}

static struct reading read_of(const struct watch_join *j, const struct gpu_dev *d,
			      const struct watch_model *m, const struct sample *s)
{
	struct reading none = { READ_NONE, false, 0 };
	return d->present ? reading_of(&j->conf->attrib, d->card.mem_total_bytes,
				       d->card.parent >= 0 ? NAN : m->tdp_w, s)
			  : none;
}

static void state_held(struct watch_join *j, const struct watch_in *in, const struct gpu_dev *d,
		       const struct watch_model *m, struct watch_use *u, bool sole, double sm_pct)
{
	struct sample s = { .step_ms = 1 };
	memcpy(s.value, d->value, sizeof s.value);
	if (!sole && !isnan(sm_pct)) { /* its own processes speak for it, not the card */
		for (int k = 0; k < METRIC_N; k++)
			s.value[k] = NAN;
		s.value[METRIC_GPU_UTIL_PCT] = sm_pct > 100 ? 100 : sm_pct;
		s.value[METRIC_MEM_USED_BYTES] = u->mem_bytes;
		s.value[METRIC_MEM_TOTAL_BYTES] = d->value[METRIC_MEM_TOTAL_BYTES];
	}
	struct reading r = read_of(j, d, m, &s);
	struct watch_memory *mem = memory_of(j, &d->card, u->held, in->now_ms);
	reading_state(&r, &u->state, &u->cause);
	if ((sole || !isnan(sm_pct)) && r.class != READ_NONE)
		u->util_pct = r.util_ppm / 1e4;
	if (r.class == READ_BUSY || r.class == READ_UNDERUSED) {
		mem->was_busy = true;
		mem->idle_ms = 0;
	} else if (r.class != READ_NONE) {
		mem->idle_ms += in->step_ms;
		u->cause = idle_cause(j->conf, mem, u->held, u->state, u->cause);
	}
}

/* Nobody is known to hold it: free, unless a reading shows work or memory on it. */
static void state_unheld(struct watch_join *j, const struct watch_in *in, size_t i,
			 const struct watch_model *m, struct watch_use *u, bool nobody)
{
	const struct gpu_dev *d = &in->gpus->dev[i];
	struct sample s = { .step_ms = 1 };
	memcpy(s.value, d->value, sizeof s.value);
	struct reading r = read_of(j, d, m, &s);
	u->state = STATE_UNALLOCATED;
	u->cause = d->stuck ? CAUSE_NONE : !d->present ? CAUSE_DOWN : CAUSE_FREE;
	if (d->card.parent < 0 && d->card.mig_enabled && d->present && !d->stuck) {
		u->cause = is_stranded(in->gpus, i, m) ? CAUSE_STRANDED : CAUSE_FREE;
		return;
	}
	if (!nobody || r.class == READ_NONE)
		return;
	u->util_pct = r.util_ppm / 1e4;
	if (r.class != READ_EMPTY && r.class != READ_HELD_NO_MEMORY)
		reading_state(&r, &u->state, &u->cause);
}

/* ---- a device ----------------------------------------------------------------------------------------------------------------- */

static void join_dev(struct watch_join *j, const struct watch_in *in, size_t i)
{
	const struct gpu_dev *d = &in->gpus->dev[i];
	const struct gpu_card *parent = d->card.parent >= 0 &&
							(size_t)d->card.parent < in->gpus->ndev
						? &in->gpus->dev[d->card.parent].card
						: NULL;
	const struct watch_model *m = watch_model_of(j, parent ? parent->name : d->card.name);
	size_t first = j->use.n, proc_first = j->proc.n;
	double sm;

	add_holds(j, in, first, &d->card, parent);
	add_procs(j, in, first, d);
	size_t n = j->use.n - first;
	int64_t whole = device_ppb(in->gpus, i, m);
	int64_t rest = n ? split(&j->use.v[first], n, whole) : whole;
	for (size_t k = first; k < first + n; k++) {
		gather(j, d, &j->use.v[k], proc_first, &sm);
		state_held(j, in, d, m, &j->use.v[k], n == 1, sm);
	}
	struct watch_use nobody = {
		.share_ppb = rest, .util_pct = NAN, .mem_bytes = NAN, .cpu_util_pct = NAN
	};
	gather(j, d, &nobody, proc_first, &sm);
	if (rest > 0 || !n) {
		state_unheld(j, in, i, m, &nobody, !n);
		*vec_push(&j->use) = nobody;
	}
	*vec_push(&j->dev) = (struct watch_dev){ .gpu = d,
						 .parent = parent,
						 .model = m->model,
						 .pcie_bytes_s = m->pcie_bytes_s,
						 .tdp_w = parent ? NAN : m->tdp_w,
						 .nuse = j->use.n - first,
						 .nproc = j->proc.n - proc_first };
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
	for (size_t i = 0; i < in->gpus->ndev; i++)
		join_dev(j, in, i);
	/* Both arrays have stopped moving. */
	for (size_t i = 0, use = 0, proc = 0; i < j->dev.n; i++) {
		struct watch_dev *d = &j->dev.v[i];
		d->use = j->use.v ? j->use.v + use : NULL;
		d->proc = j->proc.v ? j->proc.v + proc : NULL;
		use += d->nuse;
		proc += d->nproc;
	}
}
