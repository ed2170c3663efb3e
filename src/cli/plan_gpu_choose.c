/* tare plan gpu: prices, candidates, and the order of them; tare profile asks here too. See opt/gpu_choice.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include "cli/plan_gpu.h"

static size_t card_count(const struct catalog *cat)
{
	size_t n = 0;
	while (catalog_gpu_at(cat, n))
		n++;
	return n;
}

/* "g5g.xlarge": letters, generation, then g. */
static bool is_graviton(const char *instance_type)
{
	size_t family = strcspn(instance_type, "0123456789"), generation = strspn(instance_type + family, "0123456789");
	return family && generation && instance_type[family + generation] == 'g';
}

enum machine_cpu machine_cpu_of(const char *provider, const char *instance_type, const char *gpu_model)
{
	static const char *const grace[] = { "gh200", "gb200", "gb300" };
	struct sv type = sv_of(instance_type), gpu = sv_of(gpu_model);
	for (size_t i = 0; i < sizeof grace / sizeof *grace; i++)
		if (sv_ihas(type, sv_of(grace[i])) || sv_ihas(gpu, sv_of(grace[i])))
			return CPU_ARM;
	if (!type.n)
		return CPU_ANY;
	if (provider && !strcmp(provider, "aws"))
		return is_graviton(instance_type) || !strncmp(instance_type, "p6e", 3) ? CPU_ARM : CPU_X86;
	return provider && !strcmp(provider, "gcp") && !strncmp(instance_type, "a4x", 3) ? CPU_ARM : CPU_X86;
}

enum machine_cpu machine_cpu_here(void)
{
	struct utsname u;
	if (uname(&u) < 0)
		return CPU_ANY;
	return !strcmp(u.machine, "x86_64") ? CPU_X86 : !strcmp(u.machine, "aarch64") ? CPU_ARM : CPU_ANY;
}

int plan_gpu_prices(struct cli *c, const struct catalog *cat, const char *provider, const char *region_glob, const char *purchase,
		    enum machine_cpu cpu, struct gpu_price **ret, struct err *err)
{
	const char *word = purchase ? purchase : "on_demand";
	struct price_query q = { .provider = provider, .region_glob = region_glob, .at_ms = c->now_ms, .purchase = &word, .npurchase = 1 };
	struct price_row *row = NULL;
	size_t n = 0, ncard = card_count(cat);
	if (!purchase_is_known(sv_of(word))) {
		err_set(err, -EINVAL, "--purchase: '%s' is no way to buy", word);
		err_hint(err, "the words are on_demand spot reserved_1y reserved_3y committed_1y committed_3y savings_plan owned");
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
		if (!x->gpu_model || x->gpu_milli < 1000 || !x->currency || strcmp(x->currency, "USD") != 0 || x->gpu_hour <= 0 || !dec_fits_nano(x->gpu_hour))
			continue;
		if (cpu != CPU_ANY && machine_cpu_of(x->provider, x->instance_type, x->gpu_model) == (cpu == CPU_X86 ? CPU_ARM : CPU_X86))
			continue;
		for (size_t k = 0; k < ncard; k++)
			if (p[k].nano_gpu_hour == INT64_MIN && !strcmp(catalog_gpu_at(cat, k)->model, x->gpu_model))
				p[k] = (struct gpu_price){ dec_to_nano(x->gpu_hour), x->provider, x->region, x->instance_type, x->purchase, x->source, x->as_of_ms,
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

/* Cards that somebody sells there, and the one it runs on now. */
int plan_gpu_choose(struct plan_gpu *a, struct err *err)
{
	struct gpu_speeds *table = NULL;
	size_t ncard = card_count(a->cat);
	int r = plan_gpu_prices(a->c, a->cat, a->provider, a->region, a->purchase, a->cpu, &a->price, err);
	if (r < 0)
		return r;
	a->gpu = xcalloc(ncard + 1, sizeof *a->gpu);
	for (size_t i = 0; i < ncard; i++)
		if ((a->price[i].nano_gpu_hour != INT64_MIN && !(a->same_maker && strcmp(catalog_gpu_at(a->cat, i)->vendor, a->on->vendor) != 0)) ||
		    (a->on_given && catalog_gpu_at(a->cat, i) == a->on))
			a->gpu[a->n++] = catalog_gpu_at(a->cat, i);
	a->cand = xcalloc(a->n + 1, sizeof *a->cand);
	a->speed = xcalloc(a->n + 1, sizeof *a->speed);
	a->order = xcalloc(a->n + 1, sizeof *a->order);
	struct gpu_speed_ask q = { a->group, a->workload, a->on, a->own, a->nown, a->has_shares ? &a->shares : NULL };
	r = gpu_speeds_new(a->cat, a->group, &table, err);
	if (r >= 0)
		r = gpu_speeds_ask(table, &q, a->n, a->gpu, a->speed, err);
	gpu_speeds_free(table);
	for (size_t i = 0; i < a->n && r >= 0; i++)
		a->cand[i] = (struct gpu_candidate){ .memory_gib = gpu_usable_gib(a->gpu[i]), .nano_gpu_hour = a->price[plan_gpu_card(a->cat, a->gpu[i])].nano_gpu_hour,
						     .speed = a->speed[i].speed, .lo = a->speed[i].lo, .hi = a->speed[i].hi };
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
