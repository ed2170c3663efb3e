/*
 * Tenants of the store's fleet: services, notebooks, and what is held day and night and used some
 * hours a day (a development box), of those that run at the end of the history. A service counts by
 * the 99th percentile of its readings, as a card must hold in its busiest minutes; a session by the
 * 95th, as its owner waits for a turn. Memory is the highest reading.
 */
#include <math.h>
#include <string.h>

#include "answer/plan_share_in.h"
#include "base/tm.h"
#include "plan/levers.h"
#include "plan/use_hours.h"
#include "plan/work.h"

#define LIVE_MS       MS_DAY /* before the end of the history: it still runs */
#define DEV_MS        (7 * MS_DAY)
#define DEV_USED_FRAC 0.34 /* as the finding always_on has it */
#define WHOLE_CARD    1000

/* Part of the card in all but `above` of the readings. */
static double load_of(const struct work *w, double above)
{
	const uint32_t *hist = w->stats.util_hist;
	uint64_t all = 0, seen = 0;
	int at = 100;

	if (!hist || w->stats.covered_frac < WORK_COVERED_FRAC)
		return NAN;
	for (int i = 0; i <= 100; i++)
		all += hist[i];
	for (; at > 0 && (double)(seen + hist[at]) <= above * (double)all; at--)
		seen += hist[at];
	return all ? at / 100.0 : NAN;
}

static bool is_dev_box(const struct fleet *f, const struct work *w)
{
	struct use_hours use = { 0 };

	if (w->kind != WORK_JOB || w->end_ms - w->start_ms < DEV_MS)
		return false;
	use_hours_add(&use, f, w);
	return use_hours_frac(&use) <= DEV_USED_FRAC;
}

static enum plan_share share_with(const struct plan_conf *conf, const struct work *w, bool *told)
{
	enum plan_share with = PLAN_SHARE_TEAM;

	*told = false;
	for (size_t i = 0; i < conf->rule.n; i++)
		if (conf->rule.v[i].share_with != PLAN_SHARE_TEAM &&
		    plan_rule_matches(&conf->rule.v[i], w)) {
			with = conf->rule.v[i].share_with;
			*told = true;
		}
	return with;
}

static const char *kept(struct arena *mem, const char *z)
{
	return arena_strn(mem, z, strlen(z));
}

static const char *name_of(const struct work *w)
{
	return *w->name ? w->name : w->job;
}

static void add_work(const struct plan_share_ask *q, const struct work *w, bool service,
		     struct share_asked_list *ret)
{
	struct arena *mem = q->ask.mem;
	const char *name = service ? w->service : name_of(w);
	struct share_asked t = { .name = kept(mem, name),
				 .service = service ? kept(mem, name) : "",
				 .owner = *w->team || *w->user ? kept(mem, work_owner(w)) : "",
				 .gpu_model = kept(mem, w->gpu_model),
				 .mem_bytes = w->stats.mem_peak_bytes,
				 .card_bytes = w->stats.mem_total_bytes,
				 .load_frac = load_of(w, service ? 0.01 : 0.05),
				 .interactive = !service };

	t.share_with = share_with(q->conf, w, &t.told);
	*vec_push(ret) = t;
}

static void leave_out(const struct plan_share_ask *q, const struct work *w,
		      struct plan_share_answer *a)
{
	const char *who = name_of(w);

	if (w->share_kind != SHARE_WHOLE || w->gpus_milli < WHOLE_CARD)
		*vec_push(&a->note) = arena_printf(q->ask.mem, "'%s' has a part of a card already.",
						   who);
	else
		*vec_push(&a->note) = arena_printf(
			q->ask.mem,
			"'%s' holds %.3g cards: who works on several is not asked about.", who,
			(double)w->gpus_milli / WHOLE_CARD);
}

static void add_works(const struct plan_share_ask *q, const struct fleet *f,
		      struct share_asked_list *ret, struct plan_share_answer *a)
{
	for (size_t i = 0; i < f->work.n; i++) {
		const struct work *w = &f->work.v[i];
		bool service = w->kind == WORK_SERVICE,
		     job = w->kind == WORK_JOB && w->end_ms >= f->until_ms - LIVE_MS,
		     live = service && w->end_ms >= f->until_ms - LIVE_MS;
		if (!live && !(job && (w->notebook || is_dev_box(f, w))))
			continue;
		if (w->gpus_milli == WHOLE_CARD && w->share_kind == SHARE_WHOLE)
			add_work(q, w, service, ret);
		else
			leave_out(q, w, a);
	}
}

int share_ask_fleet(const struct plan_share_ask *q, struct share_asked_list *ret,
		    struct plan_share_answer *a, struct err *err)
{
	struct fleet f = { 0 };
	const struct fleet_opt o = { .conf = q->ask.conf,
				     .catalog = q->ask.catalog,
				     .since_ms = q->ask.since_ms,
				     .until_ms = q->ask.until_ms };
	int r = fleet_load(q->ask.store, &o, &f, err);

	if (r < 0)
		return r;
	add_works(q, &f, ret, a);
	fleet_free(&f);
	return 0;
}
