/* See own_rate.h. */
#include "plan/lever/own_rate.h"

#include <stdlib.h>

#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "catalog/family.h"
#include "plan/fleet/fleet.h"

#define LEAST_GPU_HOURS 1.0
/* Of list in one currency; beyond it are credits that paid for most of it or somebody's margin, no
 * contract. Assumed: agreements are known of up to half of list. */
#define LEAST_FACTOR 0.2
#define FACTOR_MAX   3.0

const char *own_rate_basis_name(enum own_rate_basis b)
{
	static const char *const name[OWN_RATE_N] = { "bill", "catalogue" };

	return name[b];
}

struct list { /* on-demand prices of a type at a place over time */
	const char *provider, *region, *instance_type; /* interned in the fleet */
	struct price_row *row;
	size_t n;
};
struct sum { /* paid and list of a family, by one basis */
	struct own_rate r;
	double paid, list;
};
struct learner {
	const struct fleet *f;
	const struct catalog *c;
	struct arena *mem;
	VEC(struct list) list;
	VEC(struct sum) sum;
};

static struct sum *sum_of(struct learner *l, const struct workload *w, const char *list_currency,
			  enum own_rate_basis basis)
{
	char family[FAMILY_BUF];

	machine_family(w->provider, w->instance_type, w->gpu_model, family);
	for (size_t i = 0; i < l->sum.n; i++) {
		const struct own_rate *r = &l->sum.v[i].r;
		if (r->basis == basis && !strcmp(r->provider, w->provider) &&
		    !strcmp(r->family, family) && !strcmp(r->list_currency, list_currency))
			return &l->sum.v[i];
	}
	struct sum *s = vec_push(&l->sum);
	*s = (struct sum){ .r = { .provider = w->provider,
				  .family = arena_strn(l->mem, family, strlen(family)),
				  .list_currency = arena_strn(l->mem, list_currency,
							      strlen(list_currency)),
				  .basis = basis } };
	return s;
}

static const struct list *list_of(struct learner *l, const struct workload *w)
{
	static const char *const on_demand = "on_demand";
	struct price_query q = { .provider = w->provider,
				 .region_glob = w->region,
				 .instance_type = w->instance_type,
				 .purchase = &on_demand,
				 .npurchase = 1,
				 .currency = "*",
				 .at_ms = UNKNOWN_MS,
				 .history = true };
	struct err err;

	for (size_t i = 0; i < l->list.n; i++) {
		const struct list *x = &l->list.v[i];
		if (x->provider == w->provider && x->region == w->region &&
		    x->instance_type == w->instance_type)
			return x;
	}
	struct list *x = vec_push(&l->list);
	*x = (struct list){ w->provider, w->region, w->instance_type, NULL, 0 };
	if (catalog_prices(l->c, &q, &x->row, &x->n, &err) < 0)
		x->n = 0;
	return x;
}

/* The list price in force at the hour; a special term ("promo") is none. */
static const struct price_row *listed_at(const struct list *x, const struct workload *w,
					 int64_t at_ms)
{
	for (size_t i = 0; i < x->n; i++) {
		const struct price_row *p = &x->row[i];
		bool other_zone = p->zone && strcmp(p->zone, w->zone);
		bool no_list = p->own || (p->term && *p->term) || p->gpu_hour <= 0;
		if (no_list || other_zone)
			continue;
		if (p->from_ms > at_ms || (p->to_ms != UNKNOWN_MS && p->to_ms <= at_ms))
			continue;
		return p;
	}
	return NULL;
}

static int by_name(const void *pa, const void *pb)
{
	const struct own_rate *a = pa, *b = pb;
	int d = strcmp(a->provider, b->provider);

	if (!d)
		d = strcmp(a->family, b->family);
	if (!d)
		d = strcmp(a->list_currency, b->list_currency);
	if (d)
		return d;
	return (int)a->basis - (int)b->basis;
}

static bool same_list(const struct own_rate *a, const struct own_rate *b)
{
	return !strcmp(a->provider, b->provider) && !strcmp(a->family, b->family) &&
	       !strcmp(a->list_currency, b->list_currency);
}

/* Without an exchange rate nobody can tell. */
static bool is_contract(const struct fleet *f, const struct own_rate *r)
{
	double of_list;
	struct exchange_found found;

	if (!exchange_at(&f->exchange, r->list_currency, f->currency, f->until_ms, -1, &found))
		return true;
	of_list = r->factor / dec_to_double(found.rate);
	return of_list >= LEAST_FACTOR && of_list <= FACTOR_MAX;
}

void own_rates_learn(const struct fleet *f, const struct catalog *c, struct arena *mem,
		     struct own_rates *ret)
{
	struct learner l = { .f = f, .c = c, .mem = mem };

	*ret = (struct own_rates){ 0 };
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];

		/* What a bill charges by the hour: time of a discount on commitment, a market or
		 * nobody's price tells no contract. */
		if (w->kind == WORKLOAD_LINE || strcmp(w->purchase, "on_demand") || !*w->provider)
			continue;
		if (w->ms <= 0 || w->catalog_ms || w->unpriced_ms)
			continue;

		if (w->paid_nano > 0 && w->list_nano > 0) {
			struct sum *s = sum_of(&l, w, w->currency, OWN_RATE_BILL);
			s->paid += (double)w->paid_nano;
			s->list += (double)w->list_nano;
			s->r.gpu_hours += (double)w->ms / MS_HOUR;
		}
		if (!c || !*w->instance_type || !*w->region)
			continue;
		const struct list *x = list_of(&l, w);
		for (size_t k = w->hour0; k < w->hour0 + w->nhour && x->n; k++) {
			const struct workload_hour *h = &l.f->hour.v[k];
			const struct price_row *p = listed_at(x, w, h->hour_ms);
			double gpu_hours = (double)h->ms / MS_HOUR;
			if (!p || h->ms <= 0)
				continue;
			struct sum *s = sum_of(&l, w, p->currency, OWN_RATE_CATALOG);
			s->paid += (double)h->nano;
			s->list += gpu_hours * dec_to_double(p->gpu_hour) * 1e9;
			s->r.gpu_hours += gpu_hours;
		}
	}
	for (size_t i = 0; i < l.sum.n; i++) {
		struct sum *s = &l.sum.v[i];
		if (s->paid <= 0 || s->list <= 0 || s->r.gpu_hours < LEAST_GPU_HOURS)
			continue;
		s->r.factor = s->paid / s->list;
		if (is_contract(f, &s->r))
			*vec_push(&ret->v) = s->r;
	}

	/* One row each: the first of its name, which is the bill's. */
	size_t n = 0;

	if (ret->v.n)
		sort_items(ret->v.v, ret->v.n, sizeof *ret->v.v, by_name);
	for (size_t i = 0; i < ret->v.n; i++)
		if (!n || !same_list(&ret->v.v[n - 1], &ret->v.v[i]))
			ret->v.v[n++] = ret->v.v[i];
	ret->v.n = n;

	for (size_t i = 0; i < l.list.n; i++)
		free(l.list.v[i].row);
	vec_free(&l.list);
	vec_free(&l.sum);
}

void own_rates_free(struct own_rates *o)
{
	vec_free(&o->v);
}

const struct own_rate *own_rates_find(const struct own_rates *o, const char *provider,
				      const char *family, const char *list_currency)
{
	struct own_rate key = { .provider = text_or(provider, ""),
				.family = text_or(family, ""),
				.list_currency = text_or(list_currency, "") };

	for (size_t i = 0; i < o->v.n; i++)
		if (same_list(&o->v.v[i], &key))
			return &o->v.v[i];
	return NULL;
}
