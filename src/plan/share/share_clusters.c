/*
 * Lever share: a service in several clusters. Its request log tells all its requests together, so
 * which part of them each cluster has is inferred from the GPUs:
 *
 *   part     = busy GPUs here / busy GPUs of the service
 *   uneven   = max(1, u95 / l95), where u95 is the 95th percentile of the readings here and l95
 * that
 *              of the load which an even part of each minute would give
 *   load(t)  = requests(t) x GPU time of one x part x uneven
 *
 * A part that moves over the day (people east by day, west by night) shows in high readings that an
 * even part does not explain: then every minute counts as high as those.
 */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "plan/share/share_in.h"
#include "base/sort.h"

#define HIGH_FRAC 0.95

/* Of whole percents; NAN without readings. */
static double high_reading(const struct share_state *s, struct pool *p, const struct svc *v)
{
	const struct fleet *f = s->in->fleet;
	uint64_t n[101] = { 0 }, all = 0, sum = 0;
	int at = 0;

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (w->kind != WORKLOAD_SERVICE || w->service != v->service)
			continue;
		if (!w->stats.util_hist || !share_machine(s, p, w))
			continue;
		for (int k = 0; k <= 100; k++) {
			n[k] += w->stats.util_hist[k];
			all += w->stats.util_hist[k];
		}
	}
	if (!all)
		return NAN;
	while (at < 100 && (double)(sum += n[at]) < HIGH_FRAC * (double)all)
		at++;
	return at / 100.0;
}

bool share_cluster_part(const struct share_state *s, struct pool *p, struct svc *v)
{
	double read = high_reading(s, p, v), even = NAN;
	double *load = xcalloc(v->nminute + 1, sizeof *load);

	/* Of a GPU, by an even part of the minutes. */
	for (size_t i = 0; i < v->nminute; i++)
		load[i] = sim_load(&v->sim, &v->minute[i]) / v->before;
	sort_items(load, v->nminute, sizeof *load, rising_double);
	if (v->nminute)
		even = load[(size_t)(HIGH_FRAC * (double)(v->nminute - 1))];
	free(load);

	if (isnan(read) || !(even > 0))
		return false;
	v->uneven = fmax(1, read / even);
	v->sim.load_factor *= v->uneven;
	v->peak *= v->uneven;
	return true;
}

void share_tell_cluster(struct share_state *s, struct rec *rec, const struct svc *v)
{
	const struct lever_in *in = s->in;

	rec_tier(rec, TIER_TRIAL);
	rec_evidence(in, rec,
		     (struct evidence){
			     QUALITY_ESTIMATED,
			     arena_printf(in->mem, "%s: part of its requests in this cluster",
					  v->service),
			     .unit = "frac", .source = "telemetry of its GPUs in all clusters" },
		     "%.3f", v->part);
	rec_evidence(in, rec,
		     (struct evidence){ QUALITY_MEASURED,
					arena_printf(in->mem,
						     "%s: high readings over those of an even part",
						     v->service),
					.source = "telemetry, request log" },
		     "%.2f", v->uneven);
	rec_risk(
		in, rec,
		"%s runs in %zu clusters, and its log does not say where a request went: %.0f %% of them are taken for this one's. If another cluster fails, all of them come here: %.0f %% of what is left could do.",
		v->service, v->clusters, v->part * 100,
		v->peak / (v->part * v->uneven) / v->after * 100);
}
