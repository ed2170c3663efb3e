/* See choice.h. Memory: 80 bytes per holding that is chosen for and GPU (MIG instance) of
 * its node. */
#include "book/post/choice.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "ledger/reading.h"

#define NCLASS (READ_EMPTY + 1)
/* Use that two steps of readings can be wrong by, at either end of a job. */
#define STEPS_WRONG 4

#define NO_INSTANCE ((size_t)-1)

struct fit { /* a holding and a GPU or instance */
	int64_t ms[NCLASS];
	int64_t use;
	int64_t util, mem; /* ppm x ms, of the GPU and of its memory */
};

struct choice {
	struct post *post;
	size_t ngpu; /* those there were when it was read */
	VEC(struct choice_instance) instance;
	size_t *instance_of; /* [nseries] NO_INSTANCE: of a GPU */
	bool *by_instance;   /* [hold.n] an instance is chosen, not a GPU */
	struct fit **fit;    /* [hold.n], each [ngpu], or [instance.n]; NULL: not chosen for */
	int64_t *step_ms;    /* [hold.n] the longest step of readings in its time */
	int64_t *next;       /* [hold.n] the use of the best GPU that it would not get */
	int64_t *over_ms;    /* [hold.n] when all up to this one are over */
	int64_t *loss;       /* [hold.n + 1] scratch of loss_of_others() */
};

/* What a series said last, until when. */
struct said {
	int64_t from_ms, to_ms;
	enum reading_class class;
	int64_t util_ppm, mem_ppm; /* 0: not known */
};

static size_t gpus_wanted(const struct holding *h)
{
	return (size_t)((h->a.gpus_milli + 999) / 1000);
}

void choice_free(struct choice *c)
{
	if (!c)
		return;
	vec_free(&c->instance);
	free(c->by_instance);
	free(c->fit);
	free(c->step_ms);
	free(c->next);
	free(c->over_ms);
	free(c->loss);
	free(c);
}

/* ---- what was read ----------------------------------------------------------------------- */

/* What is chosen among for it. */
static size_t count_units(const struct choice *c, size_t h)
{
	if (c->by_instance[h])
		return c->instance.n;
	return c->ngpu;
}

/* Does it hold this GPU, or this instance? */
static bool has_unit(const struct choice *c, const struct holding *h, bool instance, size_t unit)
{
	if (!instance)
		return hold_has_gpu(h, unit);
	const struct choice_instance *i = &c->instance.v[unit];
	return hold_has_gpu(h, i->gpu) && sv_eq(h->a.mig, i->mig);
}

static void find_instances(struct choice *c)
{
	struct post *p = c->post;

	c->instance_of = arena_alloc(&p->mem, p->nseries * sizeof *c->instance_of);
	for (size_t i = 0; i < p->nseries; i++)
		c->instance_of[i] = NO_INSTANCE;
	for (size_t g = 0; g < p->gpus.n; g++) {
		size_t first = c->instance.n;
		for (size_t k = 0; k < p->gpus.v[g].series.n; k++) {
			size_t of = p->gpus.v[g].series.v[k], i = first;
			struct sv mig = p->series[of].key.mig;
			while (mig.n && i < c->instance.n && !sv_eq(c->instance.v[i].mig, mig))
				i++;
			if (mig.n && i == c->instance.n)
				*vec_push(&c->instance) = (struct choice_instance){ g, mig };
			if (mig.n)
				c->instance_of[of] = i;
		}
	}
}

/* Are the instances that [from, to) hold alike, one each, of which nothing says which it is? */
static bool hold_same_instances(const struct post *p, size_t from, size_t to)
{
	struct sv profile = SV_NULL;

	for (size_t i = from; i < to; i++) {
		const struct holding *h = &p->hold.v[i];
		if (h->a.share_kind != SHARE_MIG)
			continue;
		bool named = h->ngpu || h->raw->gpu_ids.n;
		if (named || h->a.gpus_milli != 1000 || !h->raw->mig_profile.n)
			return false;
		if (profile.n && !sv_eq(profile, h->raw->mig_profile))
			return false;
		profile = h->raw->mig_profile;
	}
	return profile.n > 0;
}

/* Those without names for some of their GPUs and fewer of them than there are, and which touch the
 * days that are computed, or one beside them that does. */
static bool find_choosing(struct choice *c)
{
	struct post *p = c->post;
	bool any = false;

	for (size_t i = 0, n; i < p->hold.n; i += n) {
		int64_t to_ms = p->hold.v[i].a.to_ms;
		c->over_ms[i] = to_ms;
		for (n = 1; i + n < p->hold.n && p->hold.v[i + n].a.from_ms < to_ms; n++)
			c->over_ms[i + n] = to_ms = max_i64(p->hold.v[i + n].a.to_ms, to_ms);
		if (to_ms <= p->computed.from_ms || p->hold.v[i].a.from_ms >= p->computed.to_ms)
			continue;
		bool instances = c->instance.n && hold_same_instances(p, i, i + n);
		for (size_t k = i; k < i + n; k++) {
			const struct holding *h = &p->hold.v[k];
			size_t want = gpus_wanted(h);
			c->by_instance[k] = instances && h->a.share_kind == SHARE_MIG;
			bool few = want < c->ngpu || c->by_instance[k];
			if (h->raw->gpu_ids.n || !want || !few || h->ngpu >= want)
				continue;
			c->fit[k] = arena_zalloc(&p->mem, count_units(c, k) * sizeof **c->fit);
			any = true;
		}
	}
	return any;
}

static int64_t use_of(const struct holding *h, const struct sample_key *k, enum reading_class class)
{
	if (k->job_id.n && !attrib_reads(&h->a, k->mig, k->job_id))
		return -2;
	switch (class) {
	case READ_BUSY:
	case READ_UNDERUSED:
	case READ_STALLED: return 2;
	case READ_HELD: return 1;
	case READ_NONE:
	case READ_HELD_NO_MEMORY:
	case READ_EMPTY: break;
	}
	return 0;
}

struct reader {
	struct choice *c;
	VEC(size_t) active; /* holdings */
	size_t next;        /* that begins */
};

/* Adds (sign 1) or takes back (-1) what a series of a GPU said. */
static void add_reading(struct reader *r, const struct said *s, size_t gpu, size_t series, int sign)
{
	const struct post *p = r->c->post;
	const struct sample_key *k = &p->series[series].key;
	size_t instance = r->c->instance_of[series];

	for (; r->next < p->hold.n && p->hold.v[r->next].a.from_ms < s->to_ms; r->next++)
		if (r->c->fit[r->next])
			*vec_push(&r->active) = r->next;
	for (size_t i = 0; i < r->active.n; i++) {
		const struct holding *h = &p->hold.v[r->active.v[i]];
		size_t unit = r->c->by_instance[r->active.v[i]] ? instance : gpu;
		int64_t from = max_i64(s->from_ms, h->a.from_ms),
			to = min_i64(s->to_ms, h->a.to_ms);
		if (from >= to || unit == NO_INSTANCE)
			continue;
		struct fit *f = &r->c->fit[r->active.v[i]][unit];
		f->use += sign * use_of(h, k, s->class) * (to - from);
		if (!k->job_id.n || attrib_reads(&h->a, k->mig, k->job_id)) {
			f->ms[s->class] += sign * (to - from);
			f->util += sign * s->util_ppm * (to - from);
			f->mem += sign * s->mem_ppm * (to - from);
		}
	}
}

/* Those that are over at t and will not be read any more; steps of the others. */
static void step_reader(struct reader *r, const struct sample *s)
{
	const struct post *p = r->c->post;
	size_t keep = 0;

	for (size_t i = 0; i < r->active.n; i++) {
		size_t h = r->active.v[i];
		if (p->hold.v[h].a.to_ms <= s->t_ms)
			continue;
		r->active.v[keep++] = h;
		r->c->step_ms[h] = max_i64(s->step_ms, r->c->step_ms[h]);
	}
	r->active.n = keep;
}

static struct said said_of(const struct reading *r, const struct sample *s, double mem_total)
{
	struct said ret = { s->t_ms, s->t_ms + s->step_ms, r->class, 0, 0 };
	double total = s->value[METRIC_MEM_TOTAL_BYTES], used = s->value[METRIC_MEM_USED_BYTES];

	if (isnan(total))
		total = mem_total;
	if (r->class != READ_NONE)
		ret.util_ppm = r->util_ppm;
	if (used > 0 && total >= used)
		ret.mem_ppm = (int64_t)(used / total * 1e6);
	return ret;
}

static int read_all(struct reader *r, struct sample_cursor *cursor, const size_t *gpu_of,
		    struct said *said, struct err *err)
{
	const struct post *p = r->c->post;
	const struct attrib_conf *conf = &p->book->opt.conf->attrib;
	double mem = p->gpu ? p->gpu->memory_gib * 1073741824.0 : NAN,
	       tdp_w = p->gpu ? p->gpu->tdp_w : NAN;
	struct sample s;
	size_t i;
	int rc;

	while ((rc = sample_cursor_next(cursor, &i, &s, err)) > 0) {
		struct said *last = &said[i];
		if (last->to_ms > s.t_ms) { /* it takes over from here */
			last->from_ms = s.t_ms;
			add_reading(r, last, gpu_of[i], i, -1);
		}
		const struct reading read = reading_of(conf, mem, tdp_w, &s);
		*last = said_of(&read, &s, mem);
		add_reading(r, last, gpu_of[i], i, 1);
		step_reader(r, &s);
	}
	return rc;
}

static int by_use(const void *a, const void *b)
{
	return cmp_i64(*(const int64_t *)b, *(const int64_t *)a);
}

static void find_next_best(struct choice *c)
{
	size_t most = max_size(c->ngpu, c->instance.n);
	int64_t *use = arena_alloc(&c->post->mem, most * sizeof *use);

	for (size_t i = 0; i < c->post->hold.n; i++) {
		size_t want = gpus_wanted(&c->post->hold.v[i]), n = count_units(c, i);
		if (!c->fit[i])
			continue;
		for (size_t u = 0; u < n; u++)
			use[u] = c->fit[i][u].use;
		sort_items(use, n, sizeof *use, by_use);
		c->next[i] = want < n ? use[want] : 0; /* there is one instance */
	}
}

static int read_fits(struct choice *c, struct err *err)
{
	struct post *p = c->post;
	struct reader r = { .c = c };
	struct sample_cursor *cursor = NULL;
	size_t *gpu_of = arena_alloc(&p->mem, p->nseries * sizeof *gpu_of);
	struct said *said = arena_zalloc(&p->mem, p->nseries * sizeof *said);
	struct span all = { INT64_MAX, INT64_MIN };

	for (size_t g = 0; g < p->gpus.n; g++)
		for (size_t k = 0; k < p->gpus.v[g].series.n; k++)
			gpu_of[p->gpus.v[g].series.v[k]] = g;
	for (size_t i = 0; i < p->hold.n; i++) {
		if (!c->fit[i])
			continue;
		all.from_ms = min_i64(p->hold.v[i].a.from_ms, all.from_ms);
		all.to_ms = max_i64(p->hold.v[i].a.to_ms, all.to_ms);
	}
	int rc = store_samples(p->book->store, p->series, p->nseries, all, &cursor, err);
	if (rc < 0)
		return rc;
	rc = read_all(&r, cursor, gpu_of, said, err);
	sample_cursor_close(cursor);
	vec_free(&r.active);
	if (rc < 0)
		return rc;
	find_next_best(c);
	return 0;
}

int choice_read(struct post *p, struct choice **ret, struct err *err)
{
	struct choice *c;
	int rc;

	*ret = NULL;
	if (!p->nseries || !p->hold.n)
		return 0;
	c = xcalloc(1, sizeof *c);
	*c = (struct choice){ .post = p,
			      .ngpu = p->gpus.n,
			      .by_instance = xcalloc(p->hold.n, sizeof *c->by_instance),
			      .fit = xcalloc(p->hold.n, sizeof *c->fit),
			      .step_ms = xcalloc(p->hold.n, sizeof *c->step_ms),
			      .next = xcalloc(p->hold.n, sizeof *c->next),
			      .over_ms = xcalloc(p->hold.n, sizeof *c->over_ms),
			      .loss = xcalloc(p->hold.n + 1, sizeof *c->loss) };
	find_instances(c);
	bool any = find_choosing(c);
	rc = any ? read_fits(c, err) : 0;
	if (any && !rc)
		*ret = c;
	else
		choice_free(c);
	return rc;
}

/* ---- the choice -------------------------------------------------------------------------- */

/* What those that begin later, while h runs, lose where h takes this GPU or instance: of some that
 * run at once one alone could have had it, those one after the other all. From the last one on,
 * loss[i] is the most that i and those after it lose. */
static int64_t loss_of_others(const struct choice *c, size_t h, size_t unit)
{
	const struct post *p = c->post;
	const struct holding *hold = p->hold.v;
	size_t end = h + 1;

	while (end < p->hold.n && hold[end].a.from_ms < hold[h].a.to_ms)
		end++;
	c->loss[end] = 0;
	for (size_t i = end; i-- > h + 1;) {
		bool chooses = c->fit[i] && !hold[i].ngpu;
		c->loss[i] = c->loss[i + 1];
		if (!chooses || c->by_instance[i] != c->by_instance[h])
			continue;
		int64_t own = c->fit[i][unit].use - c->next[i];
		if (own <= 0)
			continue;
		size_t left = end - (i + 1);
		size_t after = i + 1 +
			       first_where(k, left, hold[i + 1 + k].a.from_ms >= hold[i].a.to_ms);
		c->loss[i] = max_i64(own + c->loss[after], c->loss[i]);
	}
	return c->loss[h + 1];
}

struct rank {
	int64_t value, read_ms;
	size_t unit;
};

static int by_value(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->value != y->value)
		return cmp_i64(y->value, x->value);
	if (x->read_ms != y->read_ms)
		return cmp_i64(y->read_ms, x->read_ms);
	return cmp_size(x->unit, y->unit);
}

void choice_order(const struct choice *c, size_t h, size_t *ret)
{
	size_t n = c->post->gpus.n;
	struct rank *rank = arena_zalloc(&c->post->mem, n * sizeof *rank);

	for (size_t g = 0; g < n; g++) {
		rank[g].unit = g;
		if (c->fit[h] && !c->by_instance[h] && g < c->ngpu)
			rank[g].value = c->fit[h][g].use - loss_of_others(c, h, g);
	}
	sort_items(rank, n, sizeof *rank, by_value);
	for (size_t g = 0; g < n; g++)
		ret[g] = rank[g].unit;
}

size_t choice_instances(const struct choice *c, size_t h, const struct choice_instance **ret)
{
	size_t n = c->instance.n;

	if (!c->fit[h] || !c->by_instance[h])
		return 0;
	struct rank *rank = arena_zalloc(&c->post->mem, n * sizeof *rank);
	for (size_t i = 0; i < n; i++) {
		const struct fit *f = &c->fit[h][i];
		rank[i].unit = i;
		rank[i].value = f->use - loss_of_others(c, h, i);
		for (int k = READ_NONE + 1; k < NCLASS; k++)
			rank[i].read_ms += f->ms[k]; /* at other times there may be others */
	}
	sort_items(rank, n, sizeof *rank, by_value);
	struct choice_instance *v = arena_alloc(&c->post->mem, n * sizeof *v);
	for (size_t i = 0; i < n; i++)
		v[i] = c->instance.v[rank[i].unit];
	*ret = v;
	return n;
}

/* ---- doubt ------------------------------------------------------------------------------- */

static bool meets_span(const struct holding *h, struct span s)
{
	return h->a.from_ms < s.to_ms && h->a.to_ms > s.from_ms;
}

/* Two GPUs, or two instances. */
struct pair {
	bool instances;
	size_t own, other;
};

static struct pair swap_pair(const struct pair *p)
{
	return (struct pair){ p->instances, p->other, p->own };
}

/* Who meets a time on the other GPU and not on the own; the time grows to all of theirs. -1: one of
 * them was not chosen for, or holds a part of a GPU. */
static int64_t count_met(const struct choice *c, const struct pair *of, struct span s,
			 struct span *grow, int64_t *ret_gain)
{
	const struct post *p = c->post;
	size_t i = first_where(k, p->hold.n, c->over_ms[k] > s.from_ms);
	int64_t n = 0;

	*ret_gain = 0;
	for (; i < p->hold.n && p->hold.v[i].a.from_ms < s.to_ms; i++) {
		const struct holding *h = &p->hold.v[i];
		if (!meets_span(h, s) || !has_unit(c, h, of->instances, of->other))
			continue;
		bool whole = h->a.share_kind == SHARE_WHOLE && h->a.share_ppb < 0;
		bool chosen = of->instances ? c->by_instance[i] : whole;
		if (!c->fit[i] || !chosen)
			return -1;
		if (has_unit(c, h, of->instances, of->own))
			continue;
		grow->from_ms = min_i64(h->a.from_ms, grow->from_ms);
		grow->to_ms = max_i64(h->a.to_ms, grow->to_ms);
		*ret_gain += c->fit[i][of->own].use - c->fit[i][of->other].use;
		n++;
	}
	return n;
}

/* Do two GPUs read the same in its time, but for a twentieth of it, or of the GPU? */
static bool read_alike(const struct choice *c, size_t h, size_t a, size_t b)
{
	const struct fit *x = &c->fit[h][a], *y = &c->fit[h][b];
	int64_t len = c->post->hold.v[h].a.to_ms - c->post->hold.v[h].a.from_ms, diff = 0, rest = 0;

	for (int k = READ_NONE + 1; k < NCLASS; k++) {
		int64_t d = x->ms[k] - y->ms[k];
		diff += d < 0 ? -d : d;
		rest += d;
	}
	diff += rest < 0 ? -rest : rest; /* what no reading covers */
	int64_t most_ms = len / 20 + STEPS_WRONG / 2 * c->step_ms[h];
	bool as_much = llabs(x->util - y->util) <= most_ms * 1000000 &&
		       llabs(x->mem - y->mem) <= most_ms * 1000000;
	return as_much && diff <= 2 * most_ms;
}

/* Could holding h as well have the other as its own? */
static bool as_good(const struct choice *c, size_t h, const struct pair *of)
{
	const struct holding *a = &c->post->hold.v[h];
	const struct fit *x = &c->fit[h][of->own], *y = &c->fit[h][of->other];
	const struct pair back_of = swap_pair(of);
	struct span s = { a->a.from_ms, a->a.to_ms }, all = s, again;
	int64_t wrong = STEPS_WRONG * c->step_ms[h], gain, back;
	int64_t n = count_met(c, of, s, &all, &gain);

	if (n < 0)
		return false;
	if (!n)
		return x->use <= wrong || x->use < 2 * y->use;
	again = all;
	if (count_met(c, &back_of, all, &again, &back) < 0)
		return false;
	int64_t more;
	all = again;
	if (count_met(c, of, again, &all, &more) != n)
		return false; /* it would take others along */
	return gain + back >= -wrong;
}

/* Is there another instance that it could as well hold, and which reads otherwise? */
static bool doubts_instance(const struct choice *c, size_t h)
{
	const struct holding *a = &c->post->hold.v[h];
	struct pair of = { .instances = true };

	while (of.own < c->instance.n && !has_unit(c, a, true, of.own))
		of.own++;
	for (; of.own < c->instance.n && of.other < c->instance.n; of.other++)
		if (of.other != of.own && !read_alike(c, h, of.own, of.other) && as_good(c, h, &of))
			return true;
	return false;
}

static void doubt_choice(struct choice *c, size_t h)
{
	struct holding *a = &c->post->hold.v[h];
	bool *used = arena_zalloc(&c->post->mem, c->ngpu * sizeof *used);

	a->doubt = arena_zalloc(&c->post->mem, (a->ngpu + 1) * sizeof *a->doubt);
	if (c->by_instance[h]) {
		a->doubt[0] = doubts_instance(c, h);
		return;
	}
	for (size_t j = a->nread; j < a->ngpu; j++)
		for (size_t g = 0; g < c->ngpu && a->gpu[j] < c->ngpu; g++) {
			/* each other GPU stands in for one */
			if (used[g] || hold_has_gpu(a, g) || read_alike(c, h, a->gpu[j], g))
				continue;
			const struct pair of = { .own = a->gpu[j], .other = g };
			if (!hold_fits_mode(c->post, a, g) || !as_good(c, h, &of))
				continue;
			used[g] = a->doubt[j] = true;
			break;
		}
}

void choice_doubt(struct choice *c)
{
	for (size_t i = 0; i < c->post->hold.n; i++)
		if (c->fit[i])
			doubt_choice(c, i);
}
