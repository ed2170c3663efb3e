/*
 * Statistics of works from telemetry: one pass over the readings, a node at a time. A reading belongs to the job it names, else to the works that
 * hold its card at its instant; time that no reading covers counts nowhere.
 */
#include <math.h>
#include <stdlib.h>

#include "base/tm.h"
#include "plan/fleet_in.h"

#define MEM_BINS 200	    /* of a card: quantiles of memory are right to 0.5 % of the card, rounded up */
#define WORK_PART 100	    /* a card is in use with work in more than 1/100 of its readings ... */
#define WORK_READINGS 2	    /* ... and in at least so many: a stray one is none */

struct sum { double v; double ms; }; /* weighted by time */

struct card_stats {
	const char *gpu;     /* id, interned in the fleet */
	int64_t n, busy;
	double mem_peak, mem_total;
	uint32_t mem[MEM_BINS + 1];
	struct card_stats *next;
};

struct acc { /* of a work */
	struct card_stats *card;
	uint32_t *hist; /* [101], in the fleet */
	int64_t n, idle, ms;
	double util_ms, active_util_ms, active_ms;
	double model_bytes; /* memory of a card of this model, NAN */
	struct sum metric[METRIC_N];
	int64_t first_busy_ms, last_busy_ms;
};

struct slot { size_t work; int64_t from_ms, to_ms; };
struct card { /* a card of the node being read */
	struct sv gpu; /* as series name it */
	VEC(struct slot) slot; /* by start */
	size_t first;	       /* those before have ended */
};

struct node_info {
	size_t hold;  /* its first in stats.hold, SIZE_MAX */
	size_t idle;  /* the work of its free time, SIZE_MAX */
	size_t only;  /* its one work of which nobody says who holds it; SIZE_MAX: none or several */
	bool several;
};

struct stats {
	struct loader *l;
	struct acc **acc; /* [work.n], NULL = no reading yet */
	VEC(struct card) card;
	size_t *card_of;      /* [series] */
	size_t *work_of;      /* [series] the work that the series names, SIZE_MAX */
	size_t *hold;	      /* [hold.n] by node */
	size_t idle_work;     /* of the node being read: its free time */
	struct intern node;
	VEC(struct node_info) info; /* by node */
	double idle_bound;
	int64_t rows;
};

/* ---- a reading ----------------------------------------------------------------------------------------------------------------------------- */

static double bytes_of_model(const struct loader *l, struct sv model)
{
	const struct gpu_spec *g = l->opt->catalog && model.n ? catalog_gpu(l->opt->catalog, model) : NULL;

	return g ? g->memory_gib * 1073741824.0 : NAN;
}

static struct acc *acc_of(struct stats *st, size_t w)
{
	if (!st->acc[w]) {
		st->acc[w] = arena_zalloc(&st->l->mem, sizeof *st->acc[w]);
		st->acc[w]->hist = arena_zalloc(&st->l->f->mem, 101 * sizeof(uint32_t));
		const struct work *x = &st->l->f->work.v[w]; /* of a slice the card's size says nothing */
		st->acc[w]->model_bytes = x->share_kind == SHARE_MIG ? NAN : bytes_of_model(st->l, sv_of(x->gpu_model));
		st->acc[w]->first_busy_ms = st->acc[w]->last_busy_ms = UNKNOWN_MS;
	}
	return st->acc[w];
}

static struct card_stats *card_of(struct stats *st, struct acc *a, const char *gpu)
{
	for (struct card_stats *c = a->card; c; c = c->next)
		if (c->gpu == gpu)
			return c;
	struct card_stats *c = arena_zalloc(&st->l->mem, sizeof *c);
	c->gpu = gpu;
	c->next = a->card;
	return a->card = c;
}

static void add_util(struct stats *st, struct acc *a, struct card_stats *c, const struct sample *s, double step)
{
	double u = s->value[METRIC_GPU_UTIL_PCT];

	if (isnan(u))
		return;
	u = u < 0 ? 0 : u > 100 ? 100 : u;
	a->hist[(int)(u + 0.5)]++;
	a->n++;
	c->n++;
	a->ms += s->step_ms;
	a->util_ms += u * step;
	if (u <= st->idle_bound) {
		a->idle++;
		return;
	}
	c->busy++;
	a->active_util_ms += u * step;
	a->active_ms += step;
	if (a->first_busy_ms == UNKNOWN_MS || s->t_ms < a->first_busy_ms)
		a->first_busy_ms = s->t_ms;
	if (s->t_ms + s->step_ms > a->last_busy_ms)
		a->last_busy_ms = s->t_ms + s->step_ms;
}

static void add_memory(struct card_stats *c, const struct sample *s, double model_bytes)
{
	double used = s->value[METRIC_MEM_USED_BYTES], total = s->value[METRIC_MEM_TOTAL_BYTES];

	if (isnan(used) || used < 0)
		return;
	if (isnan(total) || total <= 0)
		total = model_bytes;
	c->mem_peak = used > c->mem_peak ? used : c->mem_peak;
	if (isnan(total) || total <= 0)
		return;
	c->mem_total = total > c->mem_total ? total : c->mem_total;
	double bin = ceil(used / total * MEM_BINS);
	c->mem[bin > MEM_BINS ? MEM_BINS : (int)bin]++;
}

static void add(struct stats *st, size_t w, const char *gpu, const struct sample *s, double model_bytes)
{
	struct acc *a = acc_of(st, w);

	model_bytes = isnan(model_bytes) ? a->model_bytes : model_bytes;
	struct card_stats *c = card_of(st, a, gpu);
	double step = s->step_ms;

	add_util(st, a, c, s, step);
	add_memory(c, s, model_bytes);
	for (int m = 0; m < METRIC_N; m++)
		if (!isnan(s->value[m])) {
			a->metric[m].v += s->value[m] * step;
			a->metric[m].ms += step;
		}
}

/* ---- whose card ------------------------------------------------------------------------------------------------------------------------------- */

/* "0;1;2" names "1", and so does a list with the uuid. */
static bool names_card(const char *cards, struct sv gpu)
{
	struct sv rest = sv_of(cards);

	while (rest.p)
		if (sv_eq(sv_trim(sv_cut(rest, ';', &rest)), gpu))
			return true;
	return false;
}

/* A card by its other name: the records of nodes say which uuid has which index. {NULL,0} where they do not. */
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
				return sv_of(arena_printf((struct arena *)&l->mem, "%lld", (long long)k));
		}
	}
	return SV_NULL;
}

static int by_start(const void *pa, const void *pb)
{
	const struct slot *a = pa, *b = pb;

	return a->from_ms == b->from_ms ? (a->work < b->work ? -1 : a->work > b->work) : a->from_ms < b->from_ms ? -1 : 1;
}

/* Does this allocation hold this card? One that names none holds all cards of a machine that it fills. */
static bool holds(const struct stats *st, const struct hold *h, struct sv gpu, struct sv other)
{
	const struct work *w = &st->l->f->work.v[h->work];

	if (*h->cards)
		return names_card(h->cards, gpu) || (other.n && names_card(h->cards, other));
	return w->node_index != SIZE_MAX && h->gpus_milli > 0 && h->gpus_milli >= st->l->f->node.v[w->node_index].gpus_milli;
}

static struct node_info *info_of(struct stats *st, struct sv node)
{
	int64_t k = node.n ? intern_find(&st->node, node) : -1;

	return k < 0 ? NULL : &st->info.v[k];
}

static void fill_card(struct stats *st, struct card *c, struct sv node)
{
	const struct node_info *in = info_of(st, node);
	struct sv other = other_name(st->l, node, c->gpu);

	for (size_t i = in ? in->hold : SIZE_MAX; i < st->l->hold.n; i++) {
		const struct hold *h = &st->l->hold.v[st->hold[i]];
		if (!sv_is(node, st->l->f->work.v[h->work].node))
			break;
		if (holds(st, h, c->gpu, other))
			*vec_push(&c->slot) = (struct slot){ h->work, h->from_ms, h->to_ms };
	}
	if (c->slot.n)
		qsort(c->slot.v, c->slot.n, sizeof *c->slot.v, by_start);
}

/* The work of a job that the series names: on its node, else wherever it is the only one. */
static size_t work_named(const struct loader *l, struct sv job, struct sv node)
{
	int64_t j = job.n ? intern_find(&l->job, job) : -1;
	size_t found = SIZE_MAX;

	for (size_t i = j < 0 ? SIZE_MAX : l->by_job.v[j]; i != SIZE_MAX; i = l->next.v[i]) {
		const struct work *w = &l->f->work.v[i];
		if (node.n && sv_is(node, w->node))
			return i;
		if (!*w->node || !node.n)
			found = i;
	}
	return found;
}

static void cards_clear(struct stats *st)
{
	for (size_t i = 0; i < st->card.n; i++)
		vec_free(&st->card.v[i].slot);
	vec_clear(&st->card);
}

static void cards_of_node(struct stats *st, const struct series *s, size_t n)
{
	const struct node_info *in = info_of(st, s->key.node);

	cards_clear(st);
	st->idle_work = in ? in->idle : SIZE_MAX;
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;
		while (k < st->card.n && !sv_eq(st->card.v[k].gpu, s[i].key.gpu))
			k++;
		if (k == st->card.n) {
			*vec_push(&st->card) = (struct card){ .gpu = s[i].key.gpu };
			fill_card(st, &st->card.v[k], s[i].key.node);
		}
		st->card_of[i] = k;
		st->work_of[i] = work_named(st->l, s[i].key.job_id, s[i].key.node);
		if (st->work_of[i] == SIZE_MAX && !s[i].key.job_id.n && !st->card.v[k].slot.n && in)
			st->work_of[i] = in->only;
	}
}

static void give_to_holders(struct stats *st, struct card *c, const char *gpu, const struct sample *s, double model_bytes)
{
	bool held = false;

	while (c->first < c->slot.n && c->slot.v[c->first].to_ms <= s->t_ms)
		c->first++;
	for (size_t i = c->first; i < c->slot.n && c->slot.v[i].from_ms <= s->t_ms; i++)
		if (c->slot.v[i].to_ms > s->t_ms) {
			add(st, c->slot.v[i].work, gpu, s, model_bytes);
			held = true;
		}
	if (!held && st->idle_work != SIZE_MAX)
		add(st, st->idle_work, gpu, s, model_bytes);
}

static int read_node(struct stats *st, const struct series *s, size_t n, struct err *err)
{
	struct fleet *f = st->l->f;
	struct sample_cursor *c;
	struct sample v;
	size_t i;
	int r = store_samples(st->l->store, s, n, f->since_ms, f->until_ms, &c, err);

	if (r < 0)
		return r;
	cards_of_node(st, s, n);
	const char **gpu = xcalloc(n, sizeof *gpu);
	double *bytes = xcalloc(n, sizeof *bytes);
	for (size_t k = 0; k < n; k++) {
		gpu[k] = intern_z(&f->text, intern_add(&f->text, s[k].key.gpu));
		bytes[k] = s[k].key.mig.n ? NAN : bytes_of_model(st->l, s[k].key.gpu_model);
	}
	while ((r = sample_cursor_next(c, &i, &v, err)) > 0) {
		if (v.t_ms < f->since_ms || v.t_ms >= f->until_ms)
			continue;
		if (st->work_of[i] != SIZE_MAX)
			add(st, st->work_of[i], gpu[i], &v, bytes[i]);
		else if (!s[i].key.job_id.n)
			give_to_holders(st, &st->card.v[st->card_of[i]], gpu[i], &v, bytes[i]);
		if (st->l->opt->progress && ++st->rows % 1048576 == 0)
			st->l->opt->progress(st->l->opt->progress_ctx, "readings", st->rows);
	}
	sample_cursor_close(c);
	free(gpu);
	free(bytes);
	return r;
}

/* ---- the end ---------------------------------------------------------------------------------------------------------------------------------- */

static double quantile(const uint32_t *hist, int bins, int64_t n, double q)
{
	int64_t want = (int64_t)ceil(q * (double)n), seen = 0;

	for (int i = 0; i < bins; i++)
		if ((seen += hist[i]) >= want && seen)
			return i;
	return NAN;
}

static double mean(const struct sum *s)
{
	return s->ms > 0 ? s->v / s->ms : NAN;
}

static bool in_use(const struct card_stats *c)
{
	return c->busy >= WORK_READINGS && c->busy * WORK_PART > c->n;
}

static void conclude_cards(struct work_stats *s, const struct acc *a)
{
	int64_t spare = 0, spare_busy = 0;

	for (const struct card_stats *c = a->card; c; c = c->next) {
		int64_t n = 0;
		for (int i = 0; i <= MEM_BINS; i++)
			n += c->mem[i];
		double p99 = n ? quantile(c->mem, MEM_BINS + 1, n, 0.99) / MEM_BINS * c->mem_total : c->mem_peak;
		p99 = p99 > c->mem_peak ? c->mem_peak : p99;
		s->cards += c->n > 0;
		s->cards_used += in_use(c);
		spare += in_use(c) ? 0 : c->n;
		spare_busy += in_use(c) ? 0 : c->busy;
		if (!(n || c->mem_peak > 0))
			continue;
		if (isnan(s->mem_p99_bytes) || p99 > s->mem_p99_bytes)
			s->mem_p99_bytes = p99;
		if (isnan(s->mem_peak_bytes) || c->mem_peak > s->mem_peak_bytes)
			s->mem_peak_bytes = c->mem_peak;
		if (c->mem_total > 0 && (isnan(s->mem_total_bytes) || c->mem_total > s->mem_total_bytes))
			s->mem_total_bytes = c->mem_total;
	}
	s->spare_active_frac = spare ? (double)spare_busy / (double)spare : NAN;
}

static void conclude(struct work *w, const struct acc *a)
{
	struct work_stats *s = &w->stats;
	const struct sum *m = a->metric;
	double rx = mean(&m[METRIC_PCIE_RX_BYTES_S]), tx = mean(&m[METRIC_PCIE_TX_BYTES_S]);
	/* A share of a card covers its share of the card's time. */
	double share = w->gpus_milli > 0 && w->gpus_milli < 1000 ? (double)w->gpus_milli / 1000 : 1;

	conclude_cards(s, a);
	s->covered_frac = w->ms > 0 ? fmin(1, (double)a->ms * share / (double)w->ms) : 0;
	s->sm_mean_frac = mean(&m[METRIC_SM_ACTIVE_FRAC]);
	s->tensor_mean_frac = mean(&m[METRIC_TENSOR_ACTIVE_FRAC]);
	s->dram_mean_frac = mean(&m[METRIC_DRAM_ACTIVE_FRAC]);
	s->occupancy_mean_frac = mean(&m[METRIC_OCCUPANCY_FRAC]);
	s->pcie_mean_bytes_s = isnan(rx) ? tx : isnan(tx) ? rx : rx + tx;
	s->cpu_mean_pct = mean(&m[METRIC_CPU_UTIL_PCT]);
	s->power_mean_w = mean(&m[METRIC_POWER_W]);
	if (!a->n)
		return;
	s->util_mean_pct = a->util_ms / (double)a->ms;
	s->util_p95_pct = quantile(a->hist, 101, a->n, 0.95);
	s->active_util_mean_pct = a->active_ms > 0 ? a->active_util_ms / a->active_ms : NAN;
	s->idle_frac = (double)a->idle / (double)a->n;
	s->first_busy_ms = a->first_busy_ms;
	s->last_busy_ms = a->last_busy_ms;
	s->util_hist = a->hist;
}

static int by_node(const void *pa, const void *pb, void *ctx)
{
	const struct loader *l = ctx;
	size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
	int d = strcmp(l->f->work.v[l->hold.v[a].work].node, l->f->work.v[l->hold.v[b].work].node);

	return d ? d : a < b ? -1 : a > b;
}

static struct node_info *new_info(struct stats *st, const char *node)
{
	uint32_t k = intern_add(&st->node, sv_of(node));

	if (k == st->info.n)
		*vec_push(&st->info) = (struct node_info){ SIZE_MAX, SIZE_MAX, SIZE_MAX, false };
	return &st->info.v[k];
}

static void index_nodes(struct stats *st)
{
	struct loader *l = st->l;

	st->hold = xcalloc(l->hold.n + 1, sizeof *st->hold);
	for (size_t i = 0; i < l->hold.n; i++)
		st->hold[i] = i;
	qsort_r(st->hold, l->hold.n, sizeof *st->hold, by_node, l);
	for (size_t i = 0; i < l->hold.n; i++) {
		struct node_info *in = new_info(st, l->f->work.v[l->hold.v[st->hold[i]].work].node);
		in->hold = in->hold == SIZE_MAX ? i : in->hold;
	}
	for (size_t i = 0; i < l->f->work.n; i++) {
		const struct work *w = &l->f->work.v[i];
		if (!*w->node || w->kind == WORK_LINE || w->kind == WORK_UNKNOWN || (w->kind != WORK_FREE && *w->job))
			continue;
		struct node_info *in = new_info(st, w->node);
		if (w->kind == WORK_FREE) {
			in->idle = in->idle == SIZE_MAX ? i : in->idle;
			continue;
		}
		in->only = in->several || in->only != SIZE_MAX ? SIZE_MAX : i;
		in->several |= in->only == SIZE_MAX;
	}
}

int fleet_read_stats(struct loader *l, struct err *err)
{
	struct stats st = { .l = l, .idle_bound = l->opt->conf ? l->opt->conf->attrib.idle_util_pct : 0 };
	struct series *s;
	size_t n;
	int r = store_series(l->store, NULL, &l->mem, &s, &n, err);

	if (r < 0)
		return r;
	st.acc = xcalloc(l->f->work.n + 1, sizeof(*st.acc));
	st.card_of = xcalloc(n + 1, sizeof *st.card_of);
	st.work_of = xcalloc(n + 1, sizeof *st.work_of);
	index_nodes(&st);
	for (size_t i = 0, k; i < n && r >= 0; i = k) {
		for (k = i + 1; k < n && s[i].key.node.n && sv_eq(s[k].key.node, s[i].key.node); k++)
			;
		r = read_node(&st, s + i, k - i, err);
	}
	for (size_t i = 0; i < l->f->work.n && r >= 0; i++)
		if (st.acc[i])
			conclude(&l->f->work.v[i], st.acc[i]);
	cards_clear(&st);
	vec_free(&st.card);
	vec_free(&st.info);
	intern_free(&st.node);
	free(st.acc);
	free(st.card_of);
	free(st.work_of);
	free(st.hold);
	return r < 0 ? r : 0;
}
