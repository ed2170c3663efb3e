/* tare plan gpu: prices, candidates, and the order of them; tare profile asks here too. See
 * opt/gpu_choice.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/plan_gpu.h"

static size_t card_count(const struct catalog *cat)
{
	size_t n = 0;
	while (catalog_gpu_at(cat, n))
		n++;
	return n;
}

int plan_gpu_prices(struct cli *c, const struct catalog *cat, const char *provider,
		    const char *region_glob, const char *purchase, enum machine_cpu cpu,
		    struct gpu_price **ret, struct err *err)
{
	const char *word = purchase ? purchase : "on_demand";
	struct price_query q = { .provider = provider,
				 .region_glob = region_glob,
				 .at_ms = c->now_ms,
				 .purchase = &word,
				 .npurchase = 1 };
	struct price_row *row = NULL;
	size_t n = 0, ncard = card_count(cat);
	if (!purchase_is_known(sv_of(word))) {
		err_set(err, -EINVAL, "--purchase: '%s' is no way to buy", word);
		err_hint(
			err,
			"the words are on_demand spot reserved_1y reserved_3y committed_1y committed_3y savings_plan owned");
		return -EINVAL;
	}
	int r = catalog_prices(cat, &q, &row, &n, err);
	if (r < 0)
		return r;
	struct gpu_price *p = xcalloc(ncard + 1, sizeof *p);
	for (size_t k = 0; k < ncard; k++)
		p[k].nano_gpu_hour = INT64_MIN;
	for (size_t i = 0; i < n; i++) { /* cheapest first */
		const struct price_row *x = &row[i];
		if (!x->gpu_model || x->gpu_milli < 1000 || !x->currency ||
		    strcmp(x->currency, "USD") != 0 || x->gpu_hour <= 0 ||
		    !dec_fits_nano(x->gpu_hour))
			continue;
		if (cpu != CPU_ANY && (machine_cpu_of(x->provider, x->instance_type,
						      x->gpu_model) == CPU_ARM) != (cpu == CPU_ARM))
			continue; /* a machine without a name is x86, as nearly all are */
		for (size_t k = 0; k < ncard; k++)
			if (p[k].nano_gpu_hour == INT64_MIN &&
			    !strcmp(catalog_gpu_at(cat, k)->model, x->gpu_model))
				p[k] = (struct gpu_price){ dec_to_nano(x->gpu_hour),
							   x->provider,
							   x->region,
							   x->instance_type,
							   x->purchase,
							   x->source,
							   x->as_of_ms,
							   x->gpu_milli };
	}
	free(row);
	*ret = p;
	return 0;
}

size_t plan_gpu_card(const struct catalog *cat, const struct gpu_spec *g)
{
	size_t i = 0;
	while (catalog_gpu_at(cat, i) != g)
		i++;
	return i;
}

/* Cards that are sold there, but only in machines with the other processor. */
static int count_left_out(struct plan_gpu *a, size_t ncard, struct err *err)
{
	struct gpu_price *any = NULL;
	int r = a->cpu == CPU_ANY ? 0
				  : plan_gpu_prices(a->c, a->cat, a->provider, a->region,
						    a->purchase, CPU_ANY, &any, err);

	a->left_out = xcalloc(ncard + 1, sizeof *a->left_out);
	for (size_t i = 0; i < ncard && any; i++)
		if (any[i].nano_gpu_hour != INT64_MIN && a->price[i].nano_gpu_hour == INT64_MIN)
			a->left_out[a->nleft_out++] = catalog_gpu_at(a->cat, i);
	free(any);
	return r;
}

/* Cards that somebody sells there, and the one it runs on now. */
int plan_gpu_choose(struct plan_gpu *a, struct err *err)
{
	struct gpu_speeds *table = NULL;
	size_t ncard = card_count(a->cat);
	int r = plan_gpu_prices(a->c, a->cat, a->provider, a->region, a->purchase, a->cpu,
				&a->price, err);
	if (r < 0 || (r = count_left_out(a, ncard, err)) < 0)
		return r;
	a->gpu = xcalloc(ncard + 1, sizeof *a->gpu);
	for (size_t i = 0; i < ncard; i++)
		if ((a->price[i].nano_gpu_hour != INT64_MIN &&
		     !(a->same_maker &&
		       strcmp(catalog_gpu_at(a->cat, i)->vendor, a->on->vendor) != 0)) ||
		    (a->on_given && catalog_gpu_at(a->cat, i) == a->on))
			a->gpu[a->n++] = catalog_gpu_at(a->cat, i);
	a->cand = xcalloc(a->n + 1, sizeof *a->cand);
	a->speed = xcalloc(a->n + 1, sizeof *a->speed);
	a->order = xcalloc(a->n + 1, sizeof *a->order);
	struct gpu_speed_ask q = { a->group, a->workload, a->on,
				   a->own,   a->nown,     a->has_shares ? &a->shares : NULL };
	r = gpu_speeds_new(a->cat, a->group, &table, err);
	if (r >= 0)
		r = gpu_speeds_ask(table, &q, a->n, a->gpu, a->speed, err);
	gpu_speeds_free(table);
	for (size_t i = 0; i < a->n && r >= 0; i++)
		a->cand[i] = (struct gpu_candidate){
			.memory_gib = gpu_usable_gib(a->gpu[i]),
			.nano_gpu_hour = a->price[plan_gpu_card(a->cat, a->gpu[i])].nano_gpu_hour,
			.speed = a->speed[i].speed,
			.lo = a->speed[i].lo,
			.hi = a->speed[i].hi
		};
	if (r >= 0)
		r = a->fit = gpu_choose(&a->need, a->n, a->cand, a->order, err);
	return r;
}

void plan_gpu_free(struct plan_gpu *a)
{
	free(a->gpu);
	free(a->cand);
	free(a->speed);
	free(a->order);
	free(a->price);
	free(a->left_out);
}

/* What the work costs on the card it runs on now; NAN. */
double plan_gpu_cost_now(const struct plan_gpu *a)
{
	for (size_t i = 0; i < a->n && a->on_given; i++)
		if (a->gpu[i] == a->on)
			return a->cand[i].nano_per_work;
	return NAN;
}

double plan_gpu_steps_now(const struct plan_gpu *a)
{
	for (size_t i = 0; i < a->nown; i++)
		if (a->own[i].gpu == a->on)
			return a->own[i].speed;
	return NAN;
}
