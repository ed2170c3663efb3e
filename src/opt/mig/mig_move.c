/*
 * The cheapest way from today's layout: of all layouts on at most K GPUs that serve the rates, one
 * that drains few of the instances that run,
 *
 *   min  #{ today's instances that do not stay }
 *   s.t. rates reached, legal places, at most K GPUs;  stays: same GPU, place, type and service.
 *
 * Instances of a GPU can be destroyed and made while others on it run (MIG user guide), so an
 * instance that stays is not disturbed.
 *
 * 1. Whole GPUs stay as they are while the packer proves that what is left of the rates fits the
 *    GPUs that are left (three orders of trying, the best is kept).
 * 2. The packer's GPUs for the rest are given to today's other GPUs by assignment (Kuhn-Munkres),
 *    the weight of a pair being the most instances that can stay on it, found by trying all places.
 * 3. Services change places between instances of one type where one more then stays; an instance
 *    whose place is still free stays, and what it makes superfluous is not made.
 * 4. Each instance that would be drained is tried once more: what would be made in its place goes,
 *    and what services then lack is put into free places (a search of some hundred places).
 *
 * 2 is exact for the sets that 1 chose, the whole is not: see tests/unit/opt/t-mig_move.c for how
 * far it is from exhaustive search. Kuhn 1955, Munkres 1957 for the assignment.
 */
#include "opt/mig/mig_move.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

enum {
	ORDERS = 3,
	REST_NODES = 4000,  /* of the packer: found within these, or the GPU does not stay whole */
	ROOMS = 128,        /* kinds of rooms of GPUs that are told apart */
	REFILL_NODES = 400, /* places tried for one instance that may stay */
	REFILL_PASSES = 3,
};

struct part { /* an instance of a new GPU, before it has a place */
	int type;
	size_t service;
	int start, stays; /* stays: index in today or -1 */
};
struct gpu_now {
	int gpu; /* number */
	size_t n;
	int today[MIG_PER_GPU]; /* indices */
};
struct gpu_new {
	size_t n;
	struct part part[MIG_PER_GPU];
	int on; /* index of a gpu_now, -1: one more GPU */
};

struct work {
	const struct mig_move_in *in;
	struct gpu_now *now;
	size_t nnow;
	struct gpu_new *gpu;
	size_t ngpu;
};

static uint32_t mask_of(const struct mig_gpu *c, int type, int start)
{
	return ((1u << c->type[type].memory) - 1) << start;
}

bool mig_today_ok(const struct mig_gpu *c, size_t n, const struct mig_today *t, size_t *ret)
{
	for (size_t i = 0; i < n; i++) {
		struct mig_place p[MIG_PER_GPU + 1];
		size_t k = 0;
		for (size_t j = 0; j <= i; j++)
			if (t[j].gpu == t[i].gpu && k <= MIG_PER_GPU)
				p[k++] = (struct mig_place){ t[j].type, t[j].start };
		if (k > MIG_PER_GPU || !mig_placement_ok(c, k, p)) {
			*ret = i;
			return false;
		}
	}
	return true;
}

/* ---- GPUs ------------------------------------------------------------------------------- */

static double thr_of(const struct mig_move_in *in, int type, size_t service)
{
	return in->service[service].thr[type];
}

static int pack_rest(const struct mig_move_in *in, const double *rate, int64_t max_nodes,
		     struct mig_packing *ret, struct err *err)
{
	struct mig_service s[MIG_SERVICES];
	for (size_t m = 0; m < in->nservice; m++) {
		s[m].rate = rate[m];
		for (size_t t = 0; t < MIG_TYPES; t++) {
			if (t < in->pack->gpu.ntype)
				s[m].thr[t] = in->service[m].thr[in->type[t]];
			else
				s[m].thr[t] = 0;
		}
	}
	return mig_pack(in->pack, in->nservice, s, max_nodes, ret, err);
}

/* 1: the rest fits, 0: it does not. */
static int rest_fits(const struct mig_move_in *in, const double *rate, int gpus, struct err *err)
{
	struct mig_packing p = { 0 };

	/* Compute slices that the rates take at the least: each service on its best type. */
	double least_slices = 0;
	for (size_t m = 0; m < in->nservice; m++) {
		double best = 0;
		for (size_t t = 0; t < in->gpu->ntype; t++)
			best = fmax(best, thr_of(in, (int)t, m) / in->gpu->type[t].compute);
		if (rate[m] > 0)
			least_slices += rate[m] / best;
	}
	if (least_slices > gpus * in->gpu->compute * (1 + 1e-9))
		return 0;

	int r = pack_rest(in, rate, REST_NODES, &p, err);
	if (r >= 0)
		r = p.unservable < 0 && p.gpus <= gpus;
	mig_packing_free(&p);
	return r;
}

/* In which order GPUs are tried: as they come, the fullest first, those that carry most of their
 * services' rates first. */
static double worth_trying(const struct mig_move_in *in, const struct gpu_now *c, int order)
{
	double s = 0;
	for (size_t i = 0; i < c->n && order == 2; i++) {
		const struct mig_today *t = &in->today[c->today[i]];
		double rate = in->service[t->service].rate;
		if (rate > 0)
			s += fmin(1, thr_of(in, t->type, (size_t)t->service) / rate);
	}
	if (order == 1)
		return (double)c->n;
	return s;
}

/* fixed [nnow]: which GPUs stay whole. Returns how many, or a negative errno; rate is what is
 * left. */
static int fix_gpus(const struct work *w, int order, int gpus, bool *fixed, double *rate,
		    struct err *err)
{
	bool *tried = xcalloc(w->nnow + 1, sizeof *tried);
	int n = 0, r = 0;
	for (size_t step = 0; step < w->nnow && n < gpus && r >= 0; step++) {
		size_t best = w->nnow;
		for (size_t k = 0; k < w->nnow; k++)
			if (!tried[k] &&
			    (best == w->nnow || worth_trying(w->in, &w->now[k], order) >
							worth_trying(w->in, &w->now[best], order)))
				best = k;
		double left[MIG_SERVICES];
		tried[best] = true;
		if (!w->now[best].n)
			continue;
		memcpy(left, rate, sizeof left);

		/* The instances of one GPU taken off the rates. */
		const struct mig_move_in *in = w->in;
		for (size_t i = 0; i < w->now[best].n; i++) {
			const struct mig_today *t = &in->today[w->now[best].today[i]];
			left[t->service] =
				fmax(0, left[t->service] - thr_of(in, t->type, (size_t)t->service));
		}

		r = rest_fits(w->in, left, gpus - n - 1, err);
		if (r == 1) {
			memcpy(rate, left, sizeof left);
			fixed[best] = true;
			n++;
		}
	}
	free(tried);
	if (r < 0)
		return r;
	return n;
}

/* ---- one new GPU on one of today's ------------------------------------------------------ */

struct fit {
	const struct mig_move_in *in;
	const struct gpu_now *now; /* NULL: one more GPU */
	struct gpu_new *gpu;
	struct part best[MIG_PER_GPU];
	int most, kept;
	uint32_t used;
	bool taken[MIG_PER_GPU]; /* of today's */
	bool found;
};

/* How many of the parts from i on could stay, whatever their places. */
static int could_stay(const struct fit *f, size_t from)
{
	bool taken[MIG_PER_GPU];
	int n = 0;
	memcpy(taken, f->taken, sizeof taken);
	for (size_t i = from; f->now && i < f->gpu->n; i++)
		for (size_t k = 0; k < f->now->n; k++) {
			const struct mig_today *t = &f->in->today[f->now->today[k]];
			if (taken[k] || t->type != f->gpu->part[i].type ||
			    (size_t)t->service != f->gpu->part[i].service)
				continue;
			taken[k] = true;
			n++;
			break;
		}
	return n;
}

static void place_from(struct fit *f, size_t i)
{
	const struct mig_gpu *c = f->in->gpu;
	if (f->found && f->kept + could_stay(f, i) <= f->most)
		return;
	if (i == f->gpu->n) {
		f->found = true;
		f->most = f->kept;
		memcpy(f->best, f->gpu->part, sizeof f->best);
		return;
	}
	struct part *p = &f->gpu->part[i];
	for (size_t k = 0; f->now && k < f->now->n; k++) {
		const struct mig_today *t = &f->in->today[f->now->today[k]];
		uint32_t m = mask_of(c, t->type, t->start);
		if (f->taken[k] || t->type != p->type)
			continue;
		if ((size_t)t->service != p->service || (f->used & m))
			continue;
		p->start = t->start;
		p->stays = f->now->today[k];
		f->used |= m;
		f->taken[k] = true;
		f->kept++;
		place_from(f, i + 1);
		f->kept--;
		f->taken[k] = false;
		f->used &= ~m;
	}
	p->stays = -1;
	for (int s = 0; s < c->memory; s++) {
		uint32_t m = mask_of(c, p->type, s);
		if (!(c->type[p->type].starts >> s & 1) || (f->used & m))
			continue;
		p->start = s;
		f->used |= m;
		place_from(f, i + 1);
		f->used &= ~m;
	}
}

/* Most instances that stay when `gpu` lies on `now`; places are written where write is. */
static int fit_on(const struct mig_move_in *in, const struct gpu_now *now, struct gpu_new *gpu,
		  bool write)
{
	struct fit f = { .in = in, .now = now, .gpu = gpu };
	struct part was[MIG_PER_GPU];
	memcpy(was, gpu->part, sizeof was);
	if (!write && (!now || !could_stay(&f, 0)))
		return 0;
	place_from(&f, 0);
	memcpy(gpu->part, write && f.found ? f.best : was, sizeof was);
	return f.most;
}

/* ---- assignment -------------------------------------------------------------------------- */

/* Kuhn-Munkres: rows to columns of an n x n matrix so that the sum of cost is least. */
static void assign_least(size_t n, const double *cost, size_t *ret_col)
{
	double *u = xcalloc(n + 1, sizeof *u), *v = xcalloc(n + 1, sizeof *v),
	       *least = xcalloc(n + 1, sizeof *least);
	size_t *row = xcalloc(n + 1, sizeof *row), *way = xcalloc(n + 1, sizeof *way);
	bool *seen = xcalloc(n + 1, sizeof *seen);
	for (size_t i = 1; i <= n; i++) { /* 1-based: column 0 holds the row that looks for one */
		size_t col = 0;
		row[0] = i;
		for (size_t k = 0; k <= n; k++) {
			least[k] = INFINITY;
			seen[k] = false;
		}
		while (row[col]) {
			size_t r = row[col], next = 0;
			double step = INFINITY;
			seen[col] = true;
			for (size_t k = 1; k <= n; k++) {
				if (seen[k])
					continue;
				double d = cost[(r - 1) * n + k - 1] - u[r] - v[k];
				if (d < least[k]) {
					least[k] = d;
					way[k] = col;
				}
				if (least[k] < step) {
					step = least[k];
					next = k;
				}
			}
			for (size_t k = 0; k <= n; k++) {
				if (seen[k]) {
					u[row[k]] += step;
					v[k] -= step;
				} else {
					least[k] -= step;
				}
			}
			col = next;
		}
		for (; col; col = way[col])
			row[col] = row[way[col]];
	}
	for (size_t k = 1; k <= n; k++)
		ret_col[row[k] - 1] = k - 1;
	free(u);
	free(v);
	free(least);
	free(row);
	free(way);
	free(seen);
}

/* The new GPUs onto today's GPUs that are not kept whole. */
static void match_gpus(struct work *w, const bool *fixed)
{
	size_t *at = xcalloc(w->nnow + 1, sizeof *at), nfree = 0;
	for (size_t k = 0; k < w->nnow; k++)
		if (!fixed[k])
			at[nfree++] = k;
	size_t n = max_size(nfree, w->ngpu);
	double *cost = xcalloc(n * n + 1, sizeof *cost);
	size_t *col = xcalloc(n + 1, sizeof *col);
	for (size_t j = 0; j < w->ngpu; j++)
		for (size_t k = 0; k < nfree; k++) /* a GPU that is there, before a further one */
			cost[j * n + k] = -1e-3 - fit_on(w->in, &w->now[at[k]], &w->gpu[j], false);
	assign_least(n, cost, col);
	for (size_t j = 0; j < w->ngpu; j++)
		w->gpu[j].on = col[j] < nfree ? (int)at[col[j]] : -1;
	free(at);
	free(cost);
	free(col);
}

static int place_gpu(const struct work *w, struct gpu_new *c)
{
	return fit_on(w->in, c->on < 0 ? NULL : &w->now[c->on], c, true);
}

/* ---- services that change places --------------------------------------------------------- */

static bool stays_in(const struct gpu_new *c, int today)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->part[i].stays == today)
			return true;
	return false;
}

/* Give a part of GPU j that must be made, of this type, the service of a part of another GPU that
 * must be made too: true where one more of j then stays. */
static bool swap_in(struct work *w, size_t j, const struct mig_today *t, int kept)
{
	struct gpu_new *c = &w->gpu[j];
	for (size_t i = 0; i < c->n; i++) {
		struct part *p = &c->part[i];
		if (p->stays >= 0 || p->type != t->type || p->service == (size_t)t->service)
			continue;
		for (size_t o = 0; o < w->ngpu; o++)
			for (size_t q = 0; q < w->gpu[o].n; q++) {
				struct part *x = &w->gpu[o].part[q];
				struct gpu_new was = *c;
				if (o == j || x->stays >= 0)
					continue;
				if (x->type != t->type || x->service != (size_t)t->service)
					continue;
				size_t other = p->service;
				p->service = x->service;
				if (place_gpu(w, c) > kept) {
					x->service = other;
					return true;
				}
				*c = was;
			}
	}
	return false;
}

static void swap_services(struct work *w)
{
	for (size_t j = 0; j < w->ngpu; j++) {
		struct gpu_new *c = &w->gpu[j];
		const struct gpu_now *now = NULL;
		if (c->on >= 0)
			now = &w->now[c->on];
		for (size_t k = 0; now && k < now->n; k++) {
			int kept = 0;
			for (size_t i = 0; i < c->n; i++)
				kept += c->part[i].stays >= 0;
			if (!stays_in(c, now->today[k]))
				swap_in(w, j, &w->in->today[now->today[k]], kept);
		}
	}
}

/* ---- the layout -------------------------------------------------------------------------- */

static bool place_is_free(const struct mig_move_in *in, const struct gpu_new *c,
			  const struct mig_today *t)
{
	struct mig_place p[MIG_PER_GPU + 1];
	for (size_t i = 0; i < c->n; i++)
		p[i] = (struct mig_place){ c->part[i].type, c->part[i].start };
	p[c->n] = (struct mig_place){ t->type, t->start };
	return c->n < MIG_PER_GPU && mig_placement_ok(in->gpu, c->n + 1, p);
}

/* What runs where nothing will lie stays. */
static void keep_in_free_places(struct work *w)
{
	for (size_t j = 0; j < w->ngpu; j++) {
		struct gpu_new *c = &w->gpu[j];
		const struct gpu_now *now = NULL;
		if (c->on >= 0)
			now = &w->now[c->on];
		for (size_t k = 0; now && k < now->n; k++) {
			const struct mig_today *t = &w->in->today[now->today[k]];
			if (!stays_in(c, now->today[k]) && place_is_free(w->in, c, t))
				c->part[c->n++] = (struct part){ t->type, (size_t)t->service,
								 t->start, now->today[k] };
		}
	}
}

static double served_rate(const struct work *w, size_t service)
{
	double s = 0;
	for (size_t j = 0; j < w->ngpu; j++)
		for (size_t i = 0; i < w->gpu[j].n; i++)
			if (w->gpu[j].part[i].service == service)
				s += thr_of(w->in, w->gpu[j].part[i].type, service);
	return s;
}

/* What would be made and is not needed. */
static void drop_superfluous(struct work *w)
{
	for (size_t j = 0; j < w->ngpu; j++) {
		struct gpu_new *c = &w->gpu[j];
		for (size_t i = 0; i < c->n;) {
			const struct part *p = &c->part[i];
			double thr = thr_of(w->in, p->type, p->service);
			bool spare = served_rate(w, p->service) - thr >=
				     w->in->service[p->service].rate * (1 - 1e-12);
			if (p->stays >= 0 || !spare) {
				i++;
				continue;
			}
			memmove(&c->part[i], &c->part[i + 1], (c->n - i - 1) * sizeof *c->part);
			c->n--;
		}
	}
}

/* ---- one more that stays ----------------------------------------------------------------- */

struct refill {
	struct work *w;
	int nodes;
	double lacks[MIG_SERVICES]; /* rate that is not served */
	uint32_t *room; /* [ngpu] memory and compute slices in use: equal ones are alike */
};

static uint32_t room_of(const struct mig_gpu *c, const struct gpu_new *x)
{
	uint32_t mask = 0, compute = 0;
	for (size_t i = 0; i < x->n; i++) {
		mask |= mask_of(c, x->part[i].type, x->part[i].start);
		compute += (uint32_t)c->type[x->part[i].type].compute;
	}
	return mask << 8 | compute;
}

/* First legal start of a type on the GPU, -1. */
static int free_start(const struct mig_move_in *in, const struct gpu_new *x, int type)
{
	const struct mig_gpu *c = in->gpu;
	for (int s = 0; s < c->memory; s++) {
		struct mig_today t = { 0, type, s, 0 };
		if ((c->type[type].starts >> s & 1) && place_is_free(in, x, &t))
			return s;
	}
	return -1;
}

/* Has one of the GPUs before the same room? Then this one brings nothing new. seen [ROOMS]; when
 * it is full, GPUs are alike too early and a place is missed, not more. */
static bool is_seen(uint32_t *seen, size_t *nseen, uint32_t room)
{
	for (size_t i = 0; i < *nseen; i++)
		if (seen[i] == room)
			return true;
	if (*nseen == ROOMS)
		return true;
	seen[(*nseen)++] = room;
	return false;
}

static bool refill_places(struct refill *f);

/* Put what services lack into free places; true where all is served then. */
static bool refill_places(struct refill *f)
{
	const struct mig_move_in *in = f->w->in;
	int s = -1; /* what lacks most */
	double most = 1e-9;
	uint32_t seen[ROOMS];
	size_t nseen = 0;
	for (size_t k = 0; k < in->nservice; k++) {
		double part = f->lacks[k] / fmax(in->service[k].rate, 1e-9);
		if (part > most) {
			most = part;
			s = (int)k;
		}
	}
	if (s < 0)
		return true;
	for (size_t j = 0; j < f->w->ngpu; j++) {
		if (is_seen(seen, &nseen, f->room[j]))
			continue;
		for (size_t k = 0; k < in->pack->gpu.ntype; k++) {
			struct part p = { in->type[k], (size_t)s, -1, -1 };
			if (thr_of(in, p.type, p.service) > 0)
				p.start = free_start(in, &f->w->gpu[j], p.type);
			if (p.start < 0)
				continue;
			if (--f->nodes < 0)
				return false;

			/* One instance there, and the rest; the GPU is as it was where that leads
			 * nowhere. */
			struct gpu_new *c = &f->w->gpu[j];
			double thr = thr_of(in, p.type, p.service);
			c->part[c->n++] = p;
			f->lacks[p.service] -= thr;
			f->room[j] = room_of(in->gpu, c);
			if (refill_places(f))
				return true;
			f->lacks[p.service] += thr;
			c->n--;
			f->room[j] = room_of(in->gpu, c);
		}
	}
	return false;
}

/* Take from the GPU what lies where an instance of today lies; false if something that stays
 * does. */
static bool clear_place(const struct mig_move_in *in, struct gpu_new *c, const struct mig_today *t)
{
	uint32_t m = mask_of(in->gpu, t->type, t->start);
	for (size_t i = c->n; i-- > 0;) {
		if (!(mask_of(in->gpu, c->part[i].type, c->part[i].start) & m))
			continue;
		if (c->part[i].stays >= 0)
			return false;
		memmove(&c->part[i], &c->part[i + 1], (c->n - i - 1) * sizeof *c->part);
		c->n--;
	}
	return place_is_free(in, c, t);
}

/* Let an instance of today stay, and make again what it displaces. false: all is as it was. */
static bool let_stay(struct work *w, size_t gpu, int today, struct gpu_new *was)
{
	const struct mig_today *t = &w->in->today[today];
	struct gpu_new *c = &w->gpu[gpu];
	struct refill f = { .w = w, .nodes = REFILL_NODES };
	memcpy(was, w->gpu, w->ngpu * sizeof *was);
	bool ok = clear_place(w->in, c, t);
	if (ok) {
		c->part[c->n++] = (struct part){ t->type, (size_t)t->service, t->start, today };
		drop_superfluous(w);
		for (size_t s = 0; s < w->in->nservice; s++)
			f.lacks[s] = w->in->service[s].rate * (1 - 1e-12) - served_rate(w, s);
		f.room = xmalloc(w->ngpu * sizeof *f.room);
		for (size_t j = 0; j < w->ngpu; j++)
			f.room[j] = room_of(w->in->gpu, &w->gpu[j]);
		ok = refill_places(&f);
		free(f.room);
	}
	if (!ok)
		memcpy(w->gpu, was, w->ngpu * sizeof *was);
	return ok;
}

static void let_more_stay(struct work *w)
{
	struct gpu_new *was = xcalloc(w->ngpu + 1, sizeof *was);
	bool more = true;
	for (int pass = 0; pass < REFILL_PASSES && more; pass++) {
		more = false;
		for (size_t j = 0; j < w->ngpu; j++) {
			int on = w->gpu[j].on;
			for (size_t k = 0; on >= 0 && k < w->now[on].n; k++)
				if (!stays_in(&w->gpu[j], w->now[on].today[k]))
					more |= let_stay(w, j, w->now[on].today[k], was);
		}
	}
	free(was);
}

/* ---- what it comes to -------------------------------------------------------------------- */

static int instance_cmp(const struct mig_move_in *in, const struct mig_instance *a,
			const struct mig_instance *b)
{
	if (a->gpu != b->gpu)
		return cmp_int(a->gpu, b->gpu);
	int x = in->gpu->type[a->type].compute, y = in->gpu->type[b->type].compute;
	if (x != y) /* the largest first: the order in which they must be made */
		return cmp_int(y, x);
	return cmp_int(a->start, b->start);
}

static void put_layout(const struct work *w, struct mig_move *m)
{
	int next = 0;
	for (size_t k = 0; k < w->nnow; k++)
		if (w->now[k].gpu >= next)
			next = w->now[k].gpu + 1;
	for (size_t i = 0; i < w->in->ntoday; i++)
		*vec_push(&m->drains) = w->in->today[i].service >= 0;
	for (size_t j = 0; j < w->ngpu; j++) {
		const struct gpu_new *c = &w->gpu[j];
		int gpu = next;
		if (c->on >= 0)
			gpu = w->now[c->on].gpu;
		if (!c->n)
			continue;
		next += c->on < 0;
		m->gpus++;
		for (size_t i = 0; i < c->n; i++) {
			const struct part *p = &c->part[i];
			struct mig_instance x = (struct mig_instance){ gpu, p->type, p->start,
								       p->service };
			int stays = p->stays;
			*vec_push(&m->instance) = x;
			*vec_push(&m->stays) = stays;
			for (size_t k = m->instance.n - 1;
			     k && instance_cmp(w->in, &m->instance.v[k], &m->instance.v[k - 1]) < 0;
			     k--) {
				struct mig_instance t = m->instance.v[k];
				int s = m->stays.v[k];
				m->instance.v[k] = m->instance.v[k - 1];
				m->instance.v[k - 1] = t;
				m->stays.v[k] = m->stays.v[k - 1];
				m->stays.v[k - 1] = s;
			}
			if (p->stays >= 0)
				m->drains.v[p->stays] = false;
			m->kept += p->stays >= 0;
			m->made += p->stays < 0;
		}
	}
	for (size_t i = 0; i < m->drains.n; i++)
		m->drained += m->drains.v[i];
}

/* ---- the order --------------------------------------------------------------------------- */

static double drained_thr(const struct mig_move_in *in, const struct mig_move *m, int gpu,
			  size_t service)
{
	double s = 0;
	for (size_t k = 0; k < in->ntoday; k++)
		if (m->drains.v[k] && in->today[k].gpu == gpu &&
		    in->today[k].service == (int)service)
			s += thr_of(in, in->today[k].type, service);
	return s;
}

/* Least part of its rate that a service has while the GPU's instances are drained. */
static double lowest_served(const struct mig_move_in *in, const struct mig_move *m,
			    const double *has, int gpu, size_t *ret_service)
{
	double low = INFINITY;
	for (size_t s = 0; s < in->nservice; s++) {
		double left = has[s] - drained_thr(in, m, gpu, s);
		double part = INFINITY;
		if (in->service[s].rate > 0)
			part = left / in->service[s].rate;
		if (part < low) {
			low = part;
			*ret_service = s;
		}
	}
	return low;
}

/* GPUs that drain nothing first, then always the GPU that leaves the services most. */
static void find_order(const struct mig_move_in *in, struct mig_move *m)
{
	double has[MIG_SERVICES] = { 0 };
	VEC(int) todo = { 0 };
	for (size_t k = 0; k < in->ntoday; k++)
		if (in->today[k].service >= 0)
			has[in->today[k].service] += thr_of(in, in->today[k].type,
							    (size_t)in->today[k].service);
	for (size_t i = 0; i < m->instance.n; i++) {
		const struct mig_instance *x = &m->instance.v[i];
		bool drained = false; /* its GPU, before it is made */
		for (size_t k = 0; k < in->ntoday && !drained; k++)
			drained = m->drains.v[k] && in->today[k].gpu == x->gpu;
		if (m->stays.v[i] < 0 && !drained)
			has[x->service] += thr_of(in, x->type, x->service);
	}
	for (size_t k = 0; k < in->ntoday; k++) {
		bool have = !m->drains.v[k];
		for (size_t i = 0; i < todo.n && !have; i++)
			have = todo.v[i] == in->today[k].gpu;
		if (!have)
			*vec_push(&todo) = in->today[k].gpu;
	}
	m->low_frac = INFINITY;
	while (todo.n) {
		size_t best = 0, service = 0, best_service = 0;
		double low = -INFINITY;
		for (size_t i = 0; i < todo.n; i++) {
			double v = lowest_served(in, m, has, todo.v[i], &service);
			if (v > low) {
				low = v;
				best = i;
				best_service = service;
			}
		}
		if (low < m->low_frac) {
			m->low_frac = low;
			m->low_service = best_service;
		}

		int gpu = todo.v[best];
		struct mig_step step = { .gpu = gpu };
		for (size_t s = 0; s < in->nservice; s++)
			has[s] -= drained_thr(in, m, gpu, s);
		for (size_t k = 0; k < in->ntoday; k++)
			step.drained += m->drains.v[k] && in->today[k].gpu == gpu;
		for (size_t i = 0; i < m->instance.n; i++) {
			const struct mig_instance *x = &m->instance.v[i];
			if (x->gpu != gpu || m->stays.v[i] >= 0)
				continue;
			has[x->service] += thr_of(in, x->type, x->service);
			step.made++;
		}
		*vec_push(&m->step) = step;
		todo.v[best] = todo.v[--todo.n];
	}
	vec_free(&todo);
}

/* ---- all of it --------------------------------------------------------------------------- */

/* One order of trying. 1, 0: it does not fit, or a negative errno. */
static int try_order(struct work *w, int order, int gpus, struct mig_move *m, struct err *err)
{
	bool *fixed = xcalloc(w->nnow + 1, sizeof *fixed);
	double rate[MIG_SERVICES] = { 0 };
	struct mig_packing p = { 0 };
	for (size_t s = 0; s < w->in->nservice; s++)
		rate[s] = w->in->service[s].rate;
	int n = fix_gpus(w, order, gpus, fixed, rate, err), r = n;
	if (r >= 0)
		r = pack_rest(w->in, rate, n ? REST_NODES : 0, &p, err);
	if (r >= 0)
		r = p.unservable < 0 && p.gpus <= gpus - n;
	if (r == 1) {
		w->gpu = xcalloc((size_t)p.gpus + 2 * w->nnow + 1, sizeof *w->gpu);
		w->ngpu = 0;

		/* The packer's instances as GPUs without places. */
		for (size_t i = 0; i < p.instance.n; i++) {
			const struct mig_instance *x = &p.instance.v[i];
			struct gpu_new *c = &w->gpu[w->ngpu + (size_t)x->gpu];
			if (c->n < MIG_PER_GPU)
				c->part[c->n++] = (struct part){ w->in->type[x->type], x->service,
								 x->start, -1 };
		}
		w->ngpu += (size_t)p.gpus;

		match_gpus(w, fixed);
		for (size_t j = 0; j < w->ngpu; j++)
			place_gpu(w, &w->gpu[j]);
		swap_services(w);
		for (size_t k = 0; k < w->nnow; k++) {
			if (!fixed[k])
				continue;
			struct gpu_new *c = &w->gpu[w->ngpu++];
			c->on = (int)k;
			for (size_t i = 0; i < w->now[k].n; i++) {
				const struct mig_today *t = &w->in->today[w->now[k].today[i]];
				c->part[c->n++] = (struct part){ t->type, (size_t)t->service,
								 t->start, w->now[k].today[i] };
			}
		}
		keep_in_free_places(w);
		drop_superfluous(w);

		/* Further GPUs up to `gpus`: today's that are not in use. */
		for (size_t k = 0; k < w->nnow && w->ngpu < (size_t)gpus; k++) {
			bool used = false;
			for (size_t j = 0; j < w->ngpu; j++)
				used |= w->gpu[j].on == (int)k;
			if (!used)
				w->gpu[w->ngpu++] = (struct gpu_new){ .on = (int)k };
		}

		let_more_stay(w);
		put_layout(w, m);
		find_order(w->in, m);
		free(w->gpu);
	}
	mig_packing_free(&p);
	free(fixed);
	return r;
}

int mig_move(const struct mig_move_in *in, int gpus, struct mig_move *ret, struct err *err)
{
	struct work w = { .in = in };
	int r = 0, found = 0;
	memset(ret, 0, sizeof *ret);
	w.now = xcalloc(in->ntoday + 1, sizeof *w.now);
	for (size_t i = 0; i < in->ntoday; i++) {
		size_t k = 0;
		while (k < w.nnow && w.now[k].gpu != in->today[i].gpu)
			k++;
		if (k == w.nnow)
			w.now[w.nnow++].gpu = in->today[i].gpu;
		if (in->today[i].service >= 0 && w.now[k].n < MIG_PER_GPU)
			w.now[k].today[w.now[k].n++] = (int)i;
	}
	if (w.nnow > MIG_MOVE_GPUS || gpus > MIG_MOVE_GPUS) {
		r = err_set(
			err, -E2BIG,
			"%zu GPUs today, and %d to move to: a way is worked out for up to %d of each",
			w.nnow, gpus, MIG_MOVE_GPUS);
		err_hint(err, "ask for each node pool on its own, with its part of the rates");
	}
	for (int order = 0; order < ORDERS && r >= 0; order++) {
		struct mig_move m = { 0 };
		r = try_order(&w, order, gpus, &m, err);
		bool better = r == 1 && (!found || m.drained < ret->drained ||
					 (m.drained == ret->drained && m.gpus < ret->gpus));
		if (better) {
			mig_move_free(ret);
			*ret = m;
			found = 1;
		} else {
			mig_move_free(&m);
		}
	}
	free(w.now);
	if (r < 0)
		return r;
	return found;
}

void mig_move_free(struct mig_move *m)
{
	vec_free(&m->instance);
	vec_free(&m->stays);
	vec_free(&m->drains);
	vec_free(&m->step);
	memset(m, 0, sizeof *m);
}

static bool rates_reached(const struct mig_move_in *in, const struct mig_move *m)
{
	for (size_t s = 0; s < in->nservice; s++) {
		double sum = 0;
		for (size_t i = 0; i < m->instance.n; i++)
			if (m->instance.v[i].service == s)
				sum += thr_of(in, m->instance.v[i].type, s);
		if (sum < in->service[s].rate * (1 - 1e-9))
			return false;
	}
	return true;
}

bool mig_move_ok(const struct mig_move_in *in, int gpus, const struct mig_move *m)
{
	int laid_out = 0;
	if (m->stays.n != m->instance.n || m->drains.n != in->ntoday || m->gpus > gpus)
		return false;
	for (size_t i = 0; i < m->instance.n;) {
		struct mig_place p[MIG_PER_GPU];
		size_t n = 0;
		int gpu = m->instance.v[i].gpu;
		for (; i < m->instance.n && m->instance.v[i].gpu == gpu; i++) {
			const struct mig_instance *x = &m->instance.v[i];
			int k = m->stays.v[i];
			const struct mig_today *t = NULL;
			if (k >= 0)
				t = &in->today[k];
			if (n == MIG_PER_GPU)
				return false;
			p[n++] = (struct mig_place){ x->type, x->start };
			bool same = !t || (t->gpu == gpu && t->type == x->type &&
					   t->start == x->start && t->service == (int)x->service);
			if (!same || (t && m->drains.v[k]))
				return false;
		}
		if (!mig_placement_ok(in->gpu, n, p))
			return false;
		laid_out++;
	}
	return laid_out == m->gpus && rates_reached(in, m);
}
