/*
 * The paid time of a pool whose nodes are known: the sum of its nodes. Cut at hours and wherever a
 * node comes or goes; the amounts of all nodes in an hour are added exactly, then rounded half-even
 * to nano, its pieces cumulatively, and what that leaves is kept as a remainder.
 */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"
#include "book/in.h"
#include "ledger/spread.h"
#include "ledger/tagset.h"

/* All instants at which anything changes, the hour marks between and those asked for, sorted and
 * each once. */
static size_t cuts_of(const struct paid_nodes *of, struct arena *mem, int64_t **ret)
{
	VEC(int64_t) cut = { 0 };
	int64_t lo = INT64_MAX, hi = INT64_MIN;
	size_t k = 0;

	for (size_t i = 0; i < of->n; i++)
		for (size_t j = 0; j < of->node[i].interval.n; j++) {
			const struct paid_interval *q = &of->node[i].interval.v[j];
			*vec_push(&cut) = q->from_ms;
			*vec_push(&cut) = q->to_ms;
			lo = min_i64(q->from_ms, lo);
			hi = max_i64(q->to_ms, hi);
		}
	for (int64_t t = lo == INT64_MAX ? 0 : tm_floor(lo, MS_HOUR) + MS_HOUR; lo < hi && t < hi;
	     t += MS_HOUR)
		*vec_push(&cut) = t;
	for (size_t i = 0; i < of->nat; i++)
		if (of->at_ms[i] > lo && of->at_ms[i] < hi)
			*vec_push(&cut) = of->at_ms[i];
	if (cut.n)
		sort_items(cut.v, cut.n, sizeof *cut.v, rising_i64);
	*ret = arena_alloc(mem, (cut.n + 1) * sizeof **ret);
	for (size_t i = 0; i < cut.n; i++)
		if (!i || cut.v[i] != cut.v[i - 1])
			(*ret)[k++] = cut.v[i];
	vec_free(&cut);
	return k;
}

struct walker { /* where a node stands */
	size_t at;
	struct spread spread[BASIS_N];
};

struct sum {
	int64_t gpu_milli;
	dec amount[BASIS_N];       /* from billed amounts, nano as dec */
	__int128 pico_ms[BASIS_N]; /* from rates */
	bool has[BASIS_N], any;
	struct sv purchase, currency, tags;
	struct payer payer;
	struct paid_share *share; /* of a machine that is closed alone */
	struct billed_as charge;  /* of the machine whose place on the bill is that of all: main */
	struct paid_interval riders;
	bool fits, watched; /* watched: all of them */
	enum quality watch_quality;
	enum quality quality;
	enum priced priced;
};

/* What two machines' tags say the same: pairs come again with each hour. */
struct tags_seen {
	struct arena *mem;
	struct intern pair; /* "A\0B" */
	VEC(struct sv) common;
	struct str key;
};

static struct sv common_tags(struct tags_seen *t, struct sv a, struct sv b)
{
	if (!a.n || sv_eq(a, b))
		return a;
	str_clear(&t->key);
	str_addsv(&t->key, a);
	str_addc(&t->key, '\0');
	str_addsv(&t->key, b);
	uint32_t id = intern_add(&t->pair, str_sv(&t->key));
	if (id == t->common.n)
		*vec_push(&t->common) = tagset_common(t->mem, a, b);
	return t->common.v[id];
}

static bool is_billed(const struct paid_interval *q)
{
	bool billed = false;

	for (int b = 0; b < BASIS_N; b++)
		billed |= q->has_amount[b];
	return billed;
}

static bool same_way(struct sv purchase, struct sv commitment, const struct paid_interval *main)
{
	return sv_eq(purchase, main->purchase) && sv_eq(commitment, main->charge.commitment);
}

/* What stands elsewhere on the bill than the pool's time, or was paid otherwise, rides along: of a
 * machine its riders, and all else of it where it is elsewhere itself. amount: of the piece. */
static void add_riders(struct sum *s, struct arena *mem, const struct paid_interval *q,
		       const struct paid_interval *main, struct span piece,
		       const int64_t amount[BASIS_N])
{
	const struct paid_interval whole = { .from_ms = piece.from_ms, .to_ms = piece.to_ms };
	bool here = same_way(q->purchase, q->charge.commitment, main);
	struct paid_rider own = { .kind = KIND_GPU,
				  .purchase = here ? SV_NULL : q->purchase,
				  .charge = q->charge,
				  .usage = true,
				  .ms = (int64_t)((__int128)(piece.to_ms - piece.from_ms) *
						  q->gpu_milli / 1000) };

	for (int b = 0; b < BASIS_N; b++) {
		own.has[b] = q->has_amount[b] || q->has_rate[b];
		own.nano[b] = amount[b];
	}
	for (const struct paid_rider *r = q->rider; r; r = r->next) {
		struct paid_rider at = *r, part = { 0 };
		bool is_main = false;
		s->fits &= rider_add_piece(&part, r, q, piece);
		part.kind = r->kind;
		if (r->kind == KIND_GPU) {
			struct sv purchase = sv_or(r->purchase, q->purchase);
			bool alike = same_way(purchase, r->charge.commitment, main);
			at.purchase = alike ? SV_NULL : purchase;
			is_main = alike && charge_same_place(&r->charge, &main->charge);
			own.ms -= part.ms;
			for (int b = 0; b < BASIS_N; b++)
				own.nano[b] -= part.nano[b];
		}
		if (!is_main)
			s->fits &= rider_add_piece(rider_of(&s->riders, mem, &at), &part, &whole,
						   piece);
	}
	if (!here || (is_billed(q) && !charge_same_place(&q->charge, &main->charge)))
		s->fits &= rider_add_piece(rider_of(&s->riders, mem, &own), &own, &whole, piece);
}

/* main: whose place on the bill and way to pay are those of all */
static void add_interval(struct sum *s, struct walker *w, const struct paid_interval *q,
			 struct tags_seen *tags, const struct paid_interval *main,
			 struct span piece)
{
	const int64_t from = piece.from_ms, to = piece.to_ms;
	int64_t amount[BASIS_N] = { 0 };
	struct sv own = q->tags;

	for (const struct paid_share *x = q->share; x; x = x->next)
		own = common_tags(tags, own, x->tags);
	s->gpu_milli += q->gpu_milli;
	if (!s->any) {
		s->currency = q->currency;
		s->quality = q->quality;
		s->priced = q->priced;
		s->watched = true;
		s->tags = own;
		s->payer = q->payer;
		s->charge = main->charge;
		s->purchase = main->purchase;
		s->fits = true;
	}
	/* machines of several owners: nobody answers for all */
	s->share = s->any ? NULL : q->share;
	s->tags = common_tags(tags, s->tags, own);
	s->payer = payer_common(&s->payer, &q->payer);
	s->charge.instance_type = charge_common(&s->charge, &q->charge).instance_type;
	s->watched &= q->watched;
	if (q->watched && q->watch_quality > s->watch_quality)
		s->watch_quality = q->watch_quality;
	if (sv_is(s->purchase, "owned") && !sv_is(q->purchase, "owned"))
		s->purchase = SV("mixed"); /* its energy is not that of all of this time */
	s->any = true;
	s->quality = max_int(q->quality, s->quality);
	s->priced = max_int(q->priced, s->priced);
	for (int b = 0; b < BASIS_N; b++) {
		dec rest;
		if (q->has_amount[b]) {
			if (from == q->from_ms)
				spread_start(&w->spread[b], nano_to_dec(q->amount_nano[b]),
					     q->to_ms - q->from_ms, &rest);
			amount[b] = spread_next(&w->spread[b], to - from);
			s->amount[b] += nano_to_dec(amount[b]);
			s->has[b] = true;
		} else if (q->has_rate[b]) {
			__int128 pico_ms = q->rate_node_hour[b] * (to - from);
			amount[b] = (int64_t)(pico_ms / ((__int128)1000 * MS_HOUR));
			s->pico_ms[b] += pico_ms;
			s->has[b] = true;
		}
	}
	add_riders(s, tags->mem, q, main, piece, amount);
}

/* Whose place and way are those of all: what rates give, which stands nowhere on a bill and is
 * rounded by the hour; then rented machines, since the energy of time that is owned is metered. */
static bool is_before(const struct paid_interval *q, const struct paid_interval *main)
{
	bool billed = is_billed(q);

	if (billed != is_billed(main))
		return !billed;
	return sv_is(main->purchase, "owned") && !sv_is(q->purchase, "owned");
}

/* What bill lines and rates left in a piece, and what of it rates gave. */
static void put_rest(struct paid_node *p, enum basis b, int64_t t, const char *currency,
		     const struct remainder *add)
{
	int64_t day = tm_floor(t, MS_DAY);

	if (!add->pico_ms && !add->amount && !add->rated)
		return;
	for (size_t i = p->rest.n; i-- > 0 && p->rest.n - i < 8;)
		if (p->rest.v[i].from_ms == day && p->rest.v[i].basis == b &&
		    !strcmp(p->rest.v[i].currency, currency)) {
			p->rest.v[i].pico_ms += add->pico_ms;
			p->rest.v[i].amount += add->amount;
			p->rest.v[i].rated += add->rated;
			return;
		}
	*vec_push(&p->rest) = (struct remainder){ .currency = currency,
						  .basis = b,
						  .from_ms = day,
						  .to_ms = day + MS_DAY,
						  .amount = add->amount,
						  .pico_ms = add->pico_ms,
						  .rated = add->rated };
}

/* What rates have given in an hour so far, exactly and as booked: its pieces add up to the hour's
 * amount rounded, not to the sum of rounded pieces. */
struct hour_rated {
	int64_t hour_ms;
	__int128 pico_ms[BASIS_N];
	dec booked[BASIS_N];
	dec all[BASIS_N]; /* with the amounts of bills */
};

static int put_interval(struct paid_node *p, const struct sum *s, struct span piece,
			const char *currency, struct hour_rated *hour, struct err *err)
{
	const int64_t from = piece.from_ms;
	if (!s->fits)
		return paid_too_large(sv_or(p->node, p->cluster), from, err);
	struct paid_interval *q = vec_push(&p->interval);

	*q = (struct paid_interval){ .from_ms = from,
				     .to_ms = piece.to_ms,
				     .purchase = s->purchase,
				     .currency = s->currency,
				     .tags = s->tags,
				     .payer = s->payer,
				     .share = s->share,
				     .charge = s->charge,
				     .rider = s->riders.rider,
				     .quality = s->quality,
				     .priced = s->priced,
				     .recorded = true,
				     .watched = s->watched,
				     .watch_quality = s->watch_quality,
				     .gpu_milli = s->gpu_milli };
	if (tm_floor(from, MS_HOUR) != hour->hour_ms)
		*hour = (struct hour_rated){ .hour_ms = tm_floor(from, MS_HOUR) };
	for (int b = 0; b < BASIS_N; b++) {
		if (!s->has[b])
			continue;
		/* what this piece gets of the hour's rates, in whole nano units */
		dec before = hour->booked[b];
		hour->pico_ms[b] += s->pico_ms[b];
		hour->booked[b] = div_half_even(hour->pico_ms[b], (__int128)1000 * MS_HOUR) * 1000;
		dec rated = hour->booked[b] - before, all = s->amount[b] + rated;
		hour->all[b] += all;
		if (paid_is_too_large(hour->all[b]))
			return paid_too_large(sv_or(p->node, p->cluster), from, err);
		q->has_amount[b] = true;
		q->amount_nano[b] = dec_to_nano(all);
		put_rest(p, (enum basis)b, from, currency,
			 &(struct remainder){ .pico_ms = s->pico_ms[b] - rated * MS_HOUR,
					      .rated = rated });
	}
	return 0;
}

struct merger {
	const struct paid_nodes *of;
	int64_t *cut; /* [ncut] */
	size_t ncut;
	struct tags_seen tags;
	struct paid_node *ret;
};

/* The interval in which a node stands at that time, of this currency; NULL: none. */
static const struct paid_interval *interval_at(const struct merger *m, size_t node,
					       struct walker *w, struct sv currency, int64_t t)
{
	const struct paid_node *n = &m->of->node[node];

	while (w->at < n->interval.n && n->interval.v[w->at].to_ms <= t)
		w->at++;
	if (w->at >= n->interval.n)
		return NULL;
	const struct paid_interval *q = &n->interval.v[w->at];
	bool own = sv_eq(q->currency.n ? q->currency : sv_of(m->of->currency), currency);
	return q->from_ms <= t && own ? q : NULL;
}

static int merge_currency(struct merger *m, struct sv currency, struct walker *w, struct err *err)
{
	const int64_t *cut = m->cut;
	struct hour_rated hour = { .hour_ms = UNKNOWN_MS };
	int rc = 0;

	for (size_t k = 0; k + 1 < m->ncut && !rc; k++) {
		const struct span piece = { cut[k], cut[k + 1] };
		const struct paid_interval *main = NULL, *q;
		struct sum s = { 0 };
		for (size_t i = 0; i < m->of->n; i++) {
			q = interval_at(m, i, &w[i], currency, cut[k]);
			if (q && (!main || is_before(q, main)))
				main = q;
		}
		for (size_t i = 0; i < m->of->n; i++) {
			q = interval_at(m, i, &w[i], currency, cut[k]);
			if (q && main)
				add_interval(&s, &w[i], q, &m->tags, main, piece);
		}
		if (s.any)
			rc = put_interval(m->ret, &s, piece, currency.p, &hour, err);
	}
	return rc;
}

int paid_merge(struct arena *mem, const struct paid_nodes *of, struct paid_node *ret,
	       struct err *err)
{
	const struct sv none = sv_of(of->currency);
	struct merger m = { .of = of, .tags.mem = mem, .ret = ret };
	struct intern seen = { 0 };
	m.ncut = cuts_of(of, mem, &m.cut);
	int rc = 0;

	for (size_t i = 0; i < of->n; i++)
		for (size_t j = 0; j < of->node[i].interval.n && !rc; j++) {
			struct sv c = of->node[i].interval.v[j].currency;
			size_t before = seen.n;
			if (intern_add(&seen, sv_or(c, none)) != before)
				continue;
			struct walker *w = arena_zalloc(mem, (of->n + 1) * sizeof *w);
			rc = merge_currency(&m, sv_of(arena_sv(mem, sv_or(c, none))), w, err);
		}
	intern_free(&m.tags.pair);
	vec_free(&m.tags.common);
	str_free(&m.tags.key);
	intern_free(&seen);
	return rc;
}
