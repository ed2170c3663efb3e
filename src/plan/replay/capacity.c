#include "plan/replay/capacity.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "plan/levers.h"

#define CAME_MS MS_HOUR   /* from a machine's first paid instant to its first job */
#define SKEW_MS MS_MINUTE /* clocks of the scheduler and of the bill */

static bool is_or_any(const char *want, const char *z)
{
	return !want || !*want || !strcmp(want, z);
}

/* The interval that came for this job; SIZE_MAX: it was there, or it is not of this kind. */
static size_t came_for(const struct fleet *f, const struct workload *w,
		       const struct capacity_of *of)
{
	if (w->node_index == SIZE_MAX)
		return SIZE_MAX;
	const char *node = f->node.v[w->node_index].node;

	for (size_t k = w->node_index; k < f->node.n && f->node.v[k].node == node; k++) {
		const struct fleet_node *m = &f->node.v[k];
		if (m->from_ms > w->start_ms + SKEW_MS)
			break;
		bool new = m->from_ms > f->since_ms && w->start_ms - m->from_ms <= CAME_MS &&
			   w->start_ms < m->to_ms;
		if (new &&is_or_any(of->gpu_model, m->gpu_model) &&
		    is_or_any(of->region, m->region) && is_or_any(of->purchase, m->purchase) &&
		    m->gpus_milli >= of->gpus_milli)
			return k;
	}
	return SIZE_MAX;
}

bool capacity_came_for(const struct fleet *f, const struct workload *w)
{
	const struct capacity_of any = { 0 };

	return came_for(f, w, &any) != SIZE_MAX;
}

struct capacity capacity_known(const struct fleet *f, const struct plan_gates *gates,
			       const struct capacity_of *of)
{
	const struct workload **first = xcalloc(f->node.n + 1, sizeof(*first));
	struct intern seen = { 0 };
	struct str key = { 0 };
	struct capacity ret = { 0 };
	int64_t most_ms = (int64_t)(gates->capacity_min * MS_MINUTE);

	int64_t since_ms = f->until_ms - (int64_t)(gates->history_days * MS_DAY);
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (w->kind != WORKLOAD_JOB || !*w->job)
			continue;
		if (w->start_ms == UNKNOWN_MS || w->start_ms < since_ms)
			continue;
		size_t k = came_for(f, w, of);
		if (k != SIZE_MAX && (!first[k] || w->start_ms < first[k]->start_ms))
			first[k] = w;
	}
	for (size_t k = 0; k < f->node.n; k++) {
		const struct workload *w = first[k];
		/* without its submission the wait is not known */
		if (!w || w->submit_ms == UNKNOWN_MS)
			continue;
		/* of a job on several machines, which came together, the first */
		size_t known = seen.n;
		str_clear(&key);
		str_addf(&key, "%s\x1f%s", w->cluster, w->job);
		if (intern_add(&seen, str_sv(&key)) != known)
			continue;
		int64_t wait_ms = w->start_ms - w->submit_ms;
		ret.starts++;
		ret.soon += wait_ms <= most_ms;
		ret.longest_ms = max_i64(wait_ms, ret.longest_ms);
	}
	str_free(&key);
	intern_free(&seen);
	free(first);
	ret.known = ret.starts > 0 && (double)ret.starts >= gates->capacity_starts &&
		    (double)ret.soon >= gates->capacity_frac * (double)ret.starts;
	return ret;
}

bool capacity_is_reserved(const struct plan_conf *conf, const struct workload *w)
{
	for (size_t i = conf->rule.n; i--;)
		if (conf->rule.v[i].capacity_reserved >= 0 &&
		    plan_rule_matches(&conf->rule.v[i], w))
			return conf->rule.v[i].capacity_reserved == 1;
	return false;
}

void capacity_hold(struct fleet *f, const struct plan_conf *conf)
{
	for (size_t i = 0; i < f->workload.n; i++) {
		struct workload *w = &f->workload.v[i];
		if (w->kind == WORKLOAD_LINE || !capacity_is_reserved(conf, w))
			continue;
		w->elastic = false;
		if (w->node_index != SIZE_MAX)
			f->node.v[w->node_index].elastic = false;
	}
}

static enum capacity_basis find_basis(const struct lever_in *in, const char *id,
				      const struct workload *w, const struct capacity *seen)
{
	if (capacity_is_reserved(in->conf, w))
		return CAPACITY_RESERVED;
	if (seen->known)
		return CAPACITY_KNOWN;
	for (size_t i = 0; i < in->conf->ntried; i++)
		if (!strcmp(in->conf->tried[i], id))
			return CAPACITY_TRIED;
	if ((double)seen->starts >= in->conf->gates.capacity_trial_starts)
		return CAPACITY_SEEN;
	return CAPACITY_ASSUMED;
}

struct capacity_wait capacity_wait_of(const struct lever_in *in, const char *id,
				      const struct workload *w, const struct capacity_of *of)
{
	const struct plan_gates *g = &in->conf->gates;
	struct capacity_wait ret = { .seen = capacity_known(in->fleet, g, of) };
	int64_t boot_ms = (int64_t)(in->conf->boot_minutes * MS_MINUTE);

	ret.basis = find_basis(in, id, w, &ret.seen);
	switch (ret.basis) {
	case CAPACITY_RESERVED:
	case CAPACITY_KNOWN: break;
	case CAPACITY_TRIED: ret.ms = (int64_t)(g->capacity_min * MS_MINUTE); break;
	case CAPACITY_SEEN: ret.ms = ret.seen.longest_ms; break;
	case CAPACITY_ASSUMED: ret.ms = (int64_t)(g->capacity_wait_min * MS_MINUTE); break;
	}
	ret.ms = max_i64(ret.ms, boot_ms);
	return ret;
}

bool capacity_judge(const struct lever_in *in, struct rec *r, const struct workload *w,
		    const struct capacity_of *of)
{
	const struct plan_gates *g = &in->conf->gates;
	const char *what = filled_or(of->gpu_model, "this kind");
	struct capacity_wait c = capacity_wait_of(in, r->id, w, of);

	if (c.basis == CAPACITY_RESERVED) {
		rec_evidence(in, r,
			     (struct evidence){
				     QUALITY_ASSUMED,
				     arena_printf(in->mem, "machines with %s held by a reservation",
						  what),
				     .source = "plan.rules" },
			     "%s", "yes");
		return true;
	}
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED,
					arena_printf(in->mem,
						     "machines with %s had again within %g minutes",
						     what, g->capacity_min),
					.unit = "starts", .source = "job list, node list" },
		     "%lld of %lld", (long long)c.seen.soon, (long long)c.seen.starts);
	if (c.basis == CAPACITY_KNOWN)
		return true;

	/* How long it is waited for, as the replay has it. */
	static const char *const source[] = { [CAPACITY_TRIED] = "trial, plan.gates.capacity_min",
					      [CAPACITY_SEEN] = "job list, node list",
					      [CAPACITY_ASSUMED] = "plan.gates.capacity_wait_min" };

	rec_evidence(in, r,
		     (struct evidence){
			     c.basis == CAPACITY_ASSUMED ? QUALITY_ASSUMED : QUALITY_MEASURED,
			     arena_printf(in->mem, "waited for a machine with %s, at most", what),
			     .unit = "min", .source = source[c.basis] },
		     "%.0f", (double)c.ms / MS_MINUTE);

	rec_tier(r, TIER_TRIAL);
	rec_risk(
		in, r,
		"The provider may have no machine with %s when it is wanted again: history shows %lld of %lld starts within %g minutes, %g of %g are asked for.",
		what, (long long)c.seen.soon, (long long)c.seen.starts, g->capacity_min,
		g->capacity_frac * g->capacity_starts, g->capacity_starts);
	return false;
}
