/*
 * Statistics of workloads from telemetry: one pass over the readings, a node at a time. A reading
 * belongs to the job it names, else to the works that hold its GPU at its instant; time that no
 * reading covers counts nowhere.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/tm.h"
#include "plan/fleet/fleet_acc.h"
#include "plan/fleet/fleet_gpus.h"
#include "plan/fleet/fleet_power.h"

struct slot {
	size_t workload;
	int64_t from_ms, to_ms;
};
struct gpu {                   /* a GPU of the node being read */
	struct sv gpu;         /* as series name it */
	VEC(struct slot) slot; /* by start */
	size_t first;          /* those before have ended */
	struct power_gpu power;
};

struct node_info {
	size_t hold; /* its first in stats.hold, SIZE_MAX */
	size_t idle; /* the work of its free time, SIZE_MAX */
	/* its one work of which nobody says who holds it; SIZE_MAX: none or several */
	size_t only;
	bool several;
	/* read of its GPUs while nobody is known to have held them, and its time of that kind */
	double rest_j, rest_ms, nobody_ms;
};

struct stats {
	struct loader *l;
	struct acc **acc; /* [workload.n], NULL = no reading yet */
	VEC(struct gpu) gpu;
	size_t *gpu_of;       /* [series] */
	size_t *workload_of;  /* [series] the work that the series names, SIZE_MAX */
	size_t *hold;         /* [hold.n] by node */
	size_t idle_workload; /* of the node being read: its free time */
	struct intern node;
	VEC(struct node_info) info; /* by node */
	/* of the node being read: when jobs hold some of its GPUs and do not say which; by start */
	VEC(struct slot) unnamed;
	size_t first_unnamed; /* those before have ended */
	struct gpus *gpus;
	double idle_bound;
	int64_t rows;
};

/* ---- whose GPU -------------------------------------------------------------------------- */

/* "0;1;2" names "1", and so does a list with the uuid. */
static bool names_gpu(const char *gpus, struct sv gpu)
{
	struct sv rest = sv_of(gpus);

	while (rest.p)
		if (sv_eq(sv_trim(sv_cut(rest, ';', &rest)), gpu))
			return true;
	return false;
}

/* A GPU by its other name: the records of nodes say which uuid has which index. {NULL,0} where
 * they do not. */
static struct sv other_name(const struct loader *l, struct sv node, struct sv gpu)
{
	int64_t want = -1, k = 0;
	bool index = sv_i64(gpu, &want) == 0;

	for (size_t i = 0; i < l->nrec; i++) {
		struct sv rest = l->rec[i].gpu_ids;
		if (!sv_eq(l->rec[i].node, node) || !rest.n)
			continue;
		for (k = 0; rest.p; k++) {
			struct sv id = sv_trim(sv_cut(rest, ';', &rest));
			if (index && k == want)
				return id;
			if (!index && sv_eq(id, gpu))
				return sv_of(arena_printf((struct arena *)&l->mem, "%lld",
							  (long long)k));
		}
	}
	return SV_NULL;
}

static int by_start(const void *pa, const void *pb)
{
	const struct slot *a = pa, *b = pb;

	if (a->from_ms == b->from_ms)
		return cmp_size(a->workload, b->workload);
	return cmp_i64(a->from_ms, b->from_ms);
}

/* Has the ledger the job of the allocation on a GPU by this name, in its time? */
static bool is_on(const struct loader *l, const struct hold *h, const char *gpu)
{
	const struct workload *w = &l->f->workload.v[h->workload];
	struct str key = { 0 };

	fleet_on_key(&key, sv_of(w->node), sv_of(w->job), sv_of(gpu));
	int64_t i = intern_find(&l->on, str_sv(&key));
	str_free(&key);
	if (i < 0)
		return false;
	/* whole hours: those of another attempt may reach into the first and the last of its own */
	int64_t from = max_i64(l->on_hours.v[i].from_ms, h->from_ms),
		to = min_i64(l->on_hours.v[i].to_ms, h->to_ms);
	if (from >= to)
		return false;
	return to - from >= MS_HOUR || (from == h->from_ms && to == h->to_ms);
}

/* The same by the names that the ledger may have for the k-th GPU of the readings: as they name it,
 * by its uuid, or its index on the node (book/post/hold.c). */
static bool is_on_gpu(const struct loader *l, const struct hold *h, size_t k, struct sv gpu,
		      struct sv other)
{
	const char *node = l->f->workload.v[h->workload].node;
	char name[4][160];

	snprintf(name[0], sizeof *name, "%.*s", SVF(gpu));
	snprintf(name[1], sizeof *name, "%.*s", SVF(other));
	snprintf(name[2], sizeof *name, "%s/%.*s", node, SVF(gpu));
	snprintf(name[3], sizeof *name, "%s/%zu", node, k);
	for (size_t i = 0; i < 3; i++)
		if (is_on(l, h, name[i]))
			return true;
	int64_t index;
	bool uuid_alone = !other.n && sv_i64(gpu, &index) < 0;
	return uuid_alone && is_on(l, h, name[3]);
}

/* Does this allocation hold this GPU, the k-th? One that names none holds all GPUs of a machine
 * that it fills, else those that the ledger has it on. */
static bool holds_gpu(const struct stats *st, const struct hold *h, size_t k, struct sv gpu,
		      struct sv other)
{
	const struct workload *w = &st->l->f->workload.v[h->workload];

	if (*h->gpus)
		return names_gpu(h->gpus, gpu) || (other.n && names_gpu(h->gpus, other));
	bool fills = w->node_index != SIZE_MAX && h->gpus_milli > 0 &&
		     h->gpus_milli >= st->l->f->node.v[w->node_index].gpus_milli;
	return fills || is_on_gpu(st->l, h, k, gpu, other);
}

static struct node_info *info_of(struct stats *st, struct sv node)
{
	int64_t k = -1;

	if (node.n)
		k = intern_find(&st->node, node);
	if (k < 0)
		return NULL;
	return &st->info.v[k];
}

static void fill_gpu(struct stats *st, struct gpu *c, struct sv node)
{
	const struct node_info *in = info_of(st, node);
	struct sv other = other_name(st->l, node, c->gpu);

	for (size_t i = in ? in->hold : SIZE_MAX; i < st->l->hold.n; i++) {
		const struct hold *h = &st->l->hold.v[st->hold[i]];
		if (!sv_is(node, st->l->f->workload.v[h->workload].node))
			break;
		if (holds_gpu(st, h, (size_t)(c - st->gpu.v), c->gpu, other)) {
			*vec_push(&c->slot) = (struct slot){ h->workload, h->from_ms, h->to_ms };
			*vec_push(&c->power.slot) = (struct power_slot){ h->workload, h->from_ms,
									 h->to_ms, h->use };
		}
	}
	if (c->slot.n)
		sort_items(c->slot.v, c->slot.n, sizeof *c->slot.v, by_start);
}

/* The work of a job that the series names: on its node, else wherever it is the only one. */
static size_t workload_named(const struct loader *l, struct sv job, struct sv node)
{
	int64_t j = fleet_job_on(l, job, node);
	size_t found = SIZE_MAX;

	for (size_t i = j < 0 ? SIZE_MAX : l->by_job.v[j]; i != SIZE_MAX; i = l->next.v[i]) {
		const struct workload *w = &l->f->workload.v[i];
		if (node.n && sv_is(node, w->node))
			return i;
		if (!*w->node || !node.n)
			found = i;
	}
	return found;
}

static void gpus_clear(struct stats *st)
{
	for (size_t i = 0; i < st->gpu.n; i++) {
		vec_free(&st->gpu.v[i].slot);
		power_free(&st->gpu.v[i].power);
	}
	vec_clear(&st->gpu);
}

/* A workload that a series names and no allocation binds to this GPU: it holds it while it is
 * read. */
static void add_power_slot(struct gpu *c, const struct series *s, size_t workload)
{
	const struct share_use open = { .kind = SHARE_TIMESLICE, .ppb = -1, .start = -1 };

	for (size_t i = 0; i < c->power.slot.n; i++)
		if (c->power.slot.v[i].workload == workload)
			return;
	*vec_push(&c->power.slot) = (struct power_slot){ workload, s->from_ms, s->to_ms, open };
}

static void find_unnamed(struct stats *st, struct sv node)
{
	const struct node_info *in = info_of(st, node);

	vec_clear(&st->unnamed);
	st->first_unnamed = 0;
	for (size_t i = in ? in->hold : SIZE_MAX; i < st->l->hold.n; i++) {
		const struct hold *h = &st->l->hold.v[st->hold[i]];
		if (!sv_is(node, st->l->f->workload.v[h->workload].node))
			break;
		if (!*h->gpus)
			*vec_push(&st->unnamed) = (struct slot){ h->workload, h->from_ms,
								 h->to_ms };
	}
	if (st->unnamed.n)
		sort_items(st->unnamed.v, st->unnamed.n, sizeof *st->unnamed.v, by_start);
}

/* Does a job that does not say which GPUs it holds run during a reading, or a step beside it? */
static bool is_beside_unnamed(struct stats *st, const struct sample *s)
{
	const struct slot *v = st->unnamed.v;
	size_t *first = &st->first_unnamed;

	while (*first < st->unnamed.n && v[*first].to_ms <= s->t_ms - s->step_ms)
		(*first)++;
	for (size_t i = *first; i < st->unnamed.n && v[i].from_ms < s->t_ms + s->step_ms; i++)
		if (v[i].to_ms > s->t_ms - s->step_ms)
			return true;
	return false;
}

static void gpus_of_node(struct stats *st, const struct series *s, size_t n)
{
	const struct node_info *in = info_of(st, s->key.node);

	gpus_clear(st);
	find_unnamed(st, s->key.node);
	st->idle_workload = in ? in->idle : SIZE_MAX;
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;
		while (k < st->gpu.n && !sv_eq(st->gpu.v[k].gpu, s[i].key.gpu))
			k++;
		if (k == st->gpu.n) {
			*vec_push(&st->gpu) = (struct gpu){ .gpu = s[i].key.gpu };
			fill_gpu(st, &st->gpu.v[k], s[i].key.node);
		}
		st->gpu_of[i] = k;
		st->workload_of[i] = workload_named(st->l, s[i].key.job_id, s[i].key.node);
		if (st->workload_of[i] == SIZE_MAX && !s[i].key.job_id.n && !st->gpu.v[k].slot.n &&
		    in)
			st->workload_of[i] = in->only;
	}
	bool by_memory = st->l->opt->conf && st->l->opt->conf->attrib.mig_share_by_memory;

	for (size_t i = 0; i < n; i++)
		if (st->workload_of[i] != SIZE_MAX && s[i].key.job_id.n)
			add_power_slot(&st->gpu.v[st->gpu_of[i]], &s[i], st->workload_of[i]);
	for (size_t k = 0; k < st->gpu.n; k++) {
		struct gpu *c = &st->gpu.v[k];
		struct sv model = SV_NULL;
		for (size_t i = 0; i < n; i++)
			if (st->gpu_of[i] == k)
				model = sv_or(model, s[i].key.gpu_model);
		for (size_t i = 0; i < c->power.slot.n && !model.n; i++)
			model = sv_of(st->l->f->workload.v[c->power.slot.v[i].workload].gpu_model);
		const struct gpu_spec *g = NULL;
		if (st->l->opt->catalog && model.n)
			g = catalog_gpu(st->l->opt->catalog, model);
		if (st->l->opt->catalog)
			share_geom_of(st->l->opt->catalog, g, by_memory, &st->l->mem,
				      &c->power.geom);
		else
			c->power.geom = (struct share_geom){ .compute = 7,
							     .memory = 8,
							     .by_memory = by_memory };
		power_start(&c->power);
	}
}

static void add_sample(struct stats *st, size_t w, const char *gpu, const struct sample *s,
		       double model_bytes)
{
	if (!st->acc[w])
		st->acc[w] = acc_new(st->l, &st->l->f->workload.v[w]);
	acc_add(st->l, st->acc[w], gpu, s, model_bytes, st->idle_bound);
}

/* Has the ledger an hour of this workload at the instant: before and after what is paid of a
 * machine nobody knows whether it was free. */
static bool has_hour(const struct fleet *f, const struct workload *w, int64_t at_ms)
{
	const struct workload_hour *h = f->hour.v + w->hour0;
	size_t i = first_where(k, w->nhour, h[k].hour_ms + MS_HOUR > at_ms);

	return i < w->nhour && h[i].hour_ms <= at_ms;
}

/*
 * A reading is of a step, and a job begins and ends within one: work that is read beside a hold is
 * that job's, and says nothing of the time in which nobody held the GPU. So is work while a job
 * runs of which only the number of GPUs is known.
 */
static void give_to_owners(struct stats *st, struct gpu *c, const char *gpu, const struct sample *s,
			   double model_bytes)
{
	bool held = false, beside = false;

	while (c->first < c->slot.n && c->slot.v[c->first].to_ms <= s->t_ms - s->step_ms)
		c->first++;
	for (size_t i = c->first; i < c->slot.n && c->slot.v[i].from_ms < s->t_ms + s->step_ms;
	     i++) {
		const struct slot *hold = &c->slot.v[i];
		if (hold->from_ms <= s->t_ms && hold->to_ms > s->t_ms) {
			add_sample(st, hold->workload, gpu, s, model_bytes);
			held = true;
		} else if (hold->to_ms > s->t_ms - s->step_ms) {
			beside = true;
		}
	}
	if (held || st->idle_workload == SIZE_MAX ||
	    !has_hour(st->l->f, &st->l->f->workload.v[st->idle_workload], s->t_ms))
		return;
	beside = beside || is_beside_unnamed(st, s);
	if (!beside || !(s->value[METRIC_GPU_UTIL_PCT] > st->idle_bound))
		add_sample(st, st->idle_workload, gpu, s, model_bytes);
}

static int read_node(struct stats *st, const struct series *s, size_t n, struct err *err)
{
	struct fleet *f = st->l->f;
	struct sample_cursor *c;
	struct sample v;
	size_t i;
	int r = store_samples(st->l->store, s, n, (struct span){ f->since_ms, f->until_ms }, &c,
			      err);

	if (r < 0)
		return r;
	gpus_of_node(st, s, n);
	const char **gpu = xcalloc(n, sizeof *gpu);
	double *bytes = xcalloc(n, sizeof *bytes);
	struct gpu_seen **seen = xcalloc(n, sizeof(*seen));
	for (size_t k = 0; k < n; k++) {
		gpu[k] = intern_z(&f->text, intern_add(&f->text, s[k].key.gpu));
		bytes[k] = s[k].key.mig.n ? NAN : fleet_model_bytes(st->l, s[k].key.gpu_model);
		seen[k] = gpus_of_series(st->gpus, &s[k].key);
	}
	while ((r = sample_cursor_next(c, &i, &v, err)) > 0) {
		if (v.t_ms < f->since_ms || v.t_ms >= f->until_ms)
			continue;
		if (seen[i])
			gpus_add(st->gpus, seen[i], &v, bytes[i]);
		if (!s[i].key.mig.n)
			power_add(f, &st->gpu.v[st->gpu_of[i]].power, &v, f->until_ms);
		if (st->workload_of[i] != SIZE_MAX)
			add_sample(st, st->workload_of[i], gpu[i], &v, bytes[i]);
		else if (!s[i].key.job_id.n)
			give_to_owners(st, &st->gpu.v[st->gpu_of[i]], gpu[i], &v, bytes[i]);
		if (st->l->opt->progress && ++st->rows % 1048576 == 0)
			st->l->opt->progress(st->l->opt->progress_ctx, "readings", st->rows);
	}
	struct node_info *in = info_of(st, s->key.node);
	for (size_t k = 0; k < st->gpu.n && in; k++) {
		in->rest_j += st->gpu.v[k].power.rest_j;
		in->rest_ms += st->gpu.v[k].power.rest_ms;
	}
	sample_cursor_close(c);
	free(gpu);
	free(bytes);
	free(seen);
	return r;
}

/* ---- the whole --------------------------------------------------------------------------- */

static int by_node(const void *pa, const void *pb, void *ctx)
{
	const struct loader *l = ctx;
	size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
	int d = strcmp(l->f->workload.v[l->hold.v[a].workload].node,
		       l->f->workload.v[l->hold.v[b].workload].node);

	if (d)
		return d;
	return cmp_size(a, b);
}

static struct node_info *new_info(struct stats *st, const char *node)
{
	uint32_t k = intern_add(&st->node, sv_of(node));

	if (k == st->info.n)
		*vec_push(&st->info) = (struct node_info){ SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX,
							   false };
	return &st->info.v[k];
}

/* Free time, and time of which only readings tell. */
static bool is_nobodys(const struct workload *w)
{
	return w->kind != WORKLOAD_LINE && w->kind != WORKLOAD_SERVICE && !*w->job;
}

static void index_nodes(struct stats *st)
{
	struct loader *l = st->l;

	st->hold = xcalloc(l->hold.n + 1, sizeof *st->hold);
	for (size_t i = 0; i < l->hold.n; i++)
		st->hold[i] = i;
	qsort_r(st->hold, l->hold.n, sizeof *st->hold, by_node, l);
	for (size_t i = 0; i < l->hold.n; i++) {
		struct node_info *in =
			new_info(st, l->f->workload.v[l->hold.v[st->hold[i]].workload].node);
		if (in->hold == SIZE_MAX)
			in->hold = i;
	}
	for (size_t i = 0; i < l->f->workload.n; i++) {
		const struct workload *w = &l->f->workload.v[i];
		if (!*w->node || w->kind == WORKLOAD_LINE)
			continue;
		struct node_info *in = new_info(st, w->node);
		if (is_nobodys(w))
			in->nobody_ms += (double)w->ms;
		if (w->kind == WORKLOAD_UNKNOWN || (w->kind != WORKLOAD_FREE && *w->job))
			continue;
		if (w->kind == WORKLOAD_FREE) {
			if (in->idle == SIZE_MAX)
				in->idle = i;
			continue;
		}
		in->only = in->several || in->only != SIZE_MAX ? SIZE_MAX : i;
		in->several |= in->only == SIZE_MAX;
	}
}

int fleet_read_stats(struct loader *l, struct err *err)
{
	struct stats st = { .l = l,
			    .idle_bound = l->opt->conf ? l->opt->conf->attrib.idle_util_pct : 0 };
	struct series *s;
	size_t n;
	int r = store_series(l->store, NULL, &l->mem, &s, &n, err);

	if (r < 0)
		return r;
	st.gpus = gpus_new(l);
	st.acc = xcalloc(l->f->workload.n + 1, sizeof(*st.acc));
	st.gpu_of = xcalloc(n + 1, sizeof *st.gpu_of);
	st.workload_of = xcalloc(n + 1, sizeof *st.workload_of);
	index_nodes(&st);
	for (size_t i = 0, k; i < n && r >= 0; i = k) {
		for (k = i + 1; k < n && s[i].key.node.n && sv_eq(s[k].key.node, s[i].key.node);
		     k++)
			;
		r = read_node(&st, s + i, k - i, err);
	}
	for (size_t i = 0; i < l->f->workload.n && r >= 0; i++)
		if (st.acc[i])
			acc_conclude(st.acc[i], &l->f->workload.v[i]);

	/* What no slot of a machine's GPUs had, over its time that nobody is known to have
	 * held. */
	for (size_t i = 0; i < st.l->f->workload.n; i++) {
		struct workload *w = &st.l->f->workload.v[i];
		const struct node_info *in = info_of(&st, sv_of(w->node));
		if (!in || !is_nobodys(w) || in->nobody_ms <= 0)
			continue;
		double part = (double)w->ms / in->nobody_ms;
		w->stats.energy_j += in->rest_j * part;
		w->stats.energy_ms += in->rest_ms * part;
	}

	gpus_conclude(st.gpus);
	gpus_clear(&st);
	vec_free(&st.gpu);
	vec_free(&st.unnamed);
	vec_free(&st.info);
	intern_free(&st.node);
	free(st.acc);
	free(st.gpu_of);
	free(st.workload_of);
	free(st.hold);
	if (r < 0)
		return r;
	return 0;
}
