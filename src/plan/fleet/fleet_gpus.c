/* Readings by GPU and by hour, whoever held it: what the fleet did where nobody says for whom. */
#include "plan/fleet/fleet_gpus.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/tm.h"

#define HIGH_FRAC 0.99 /* of the readings: a GPU's high */
/* instants at which the GPUs at work are counted: each second of six weeks */
#define INSTANTS 4000000

struct gpu_seen {
	size_t at;         /* in fleet.gpu */
	uint32_t *hist;    /* [101] time by whole percent, seconds */
	double util_ms;    /* percent x ms */
	int64_t hour_ms;   /* the last hour that was read */
	int64_t worked_to; /* it is counted as working until then, from the window's start */
};

struct gpus {
	struct loader *l;
	struct intern key;
	VEC(struct gpu_seen *) v;
	double idle_pct, under_pct;
	int64_t nhour, nbucket;
	struct fleet_gpus_hour *hour; /* [nhour] of the window, in the fleet */
	double *load;                 /* [nbucket] GPUs x ms */
	/* [ninstant + 1] GPUs with use above the idle bound: more of them there than at the instant
	 * before, every instant_ms */
	int32_t *more;
	int64_t ninstant, instant_ms;
};

struct gpus *gpus_new(struct loader *l)
{
	struct fleet *f = l->f;
	struct gpus *c = arena_zalloc(&l->mem, sizeof *c);
	const struct conf *conf = l->opt->conf;

	c->l = l;
	c->idle_pct = conf ? conf->attrib.idle_util_pct : 0;
	c->under_pct = conf ? conf->attrib.underused_util_pct : 25;
	c->nhour = (f->until_ms - f->since_ms + MS_HOUR - 1) / MS_HOUR;
	c->nbucket = c->nhour * (MS_HOUR / FLEET_LOAD_MS);
	c->hour = arena_zalloc(&f->mem, ((size_t)c->nhour + 1) * sizeof *c->hour);
	for (int64_t i = 0; i < c->nhour; i++)
		c->hour[i].hour_ms = tm_floor(f->since_ms, MS_HOUR) + i * MS_HOUR;
	c->load = xcalloc((size_t)c->nbucket + 1, sizeof *c->load);
	c->instant_ms = MS_SECOND;
	while (c->nhour * MS_HOUR / c->instant_ms > INSTANTS)
		c->instant_ms *= 2;
	c->ninstant = (c->nhour * MS_HOUR + c->instant_ms - 1) / c->instant_ms;
	c->more = xcalloc((size_t)c->ninstant + 1, sizeof *c->more);
	return c;
}

struct gpu_seen *gpus_of_series(struct gpus *c, const struct sample_key *key)
{
	struct fleet *f = c->l->f;

	if (key->mig.n)
		return NULL;
	uint32_t k = intern_add(&c->key, sv_of(arena_printf(&c->l->mem, "%.*s\x1f%.*s",
							    SVF(key->node), SVF(key->gpu))));
	if (k < c->v.n)
		return c->v.v[k];
	struct gpu_seen *s = arena_zalloc(&c->l->mem, sizeof *s);
	*s = (struct gpu_seen){ .at = f->gpu.n,
				.hist = arena_zalloc(&c->l->mem, 101 * sizeof(uint32_t)),
				.hour_ms = UNKNOWN_MS };
	*vec_push(&f->gpu) = (struct fleet_gpu){ .node = fleet_text(f, key->node),
						 .gpu = fleet_text(f, key->gpu),
						 .gpu_model = fleet_text(f, key->gpu_model),
						 .util_mean_pct = NAN,
						 .util_high_pct = NAN,
						 .mem_peak_bytes = NAN,
						 .mem_total_bytes = NAN };
	return *vec_push(&c->v) = s;
}

void gpus_add(struct gpus *c, struct gpu_seen *of, const struct sample *s, double model_bytes)
{
	struct fleet_gpu *f = &c->l->f->gpu.v[of->at];
	double util = s->value[METRIC_GPU_UTIL_PCT], used = s->value[METRIC_MEM_USED_BYTES],
	       total = s->value[METRIC_MEM_TOTAL_BYTES];

	c->l->f->readings++;
	f->mem_peak_bytes = fmax(f->mem_peak_bytes, used);
	f->mem_total_bytes = fmax(f->mem_total_bytes, known_or(total, model_bytes));
	if (isnan(util))
		return;
	util = fmin(100, fmax(0, util));

	int64_t hour = tm_floor(s->t_ms, MS_HOUR), i = -1;
	bool idle = util <= c->idle_pct;

	if (c->nhour)
		i = (hour - c->hour[0].hour_ms) / MS_HOUR;
	if (i < 0 || i >= c->nhour)
		return;
	c->hour[i].gpus += hour != of->hour_ms;
	of->hour_ms = hour;
	of->hist[(int)(util + 0.5)] += (uint32_t)((s->step_ms + 999) / 1000);
	of->util_ms += util * (double)s->step_ms;
	f->n++;
	f->ms += s->step_ms;
	if (idle)
		f->idle_ms += s->step_ms;
	if (!idle && util < c->under_pct)
		f->under_ms += s->step_ms;
	c->hour[i].ms += s->step_ms;
	if (idle)
		c->hour[i].idle_ms += s->step_ms;

	/* A reading is spread over the intervals that it covers. Of one GPU they come in order of
	 * time. */
	int64_t from = s->t_ms - c->hour[0].hour_ms, to = from + s->step_ms;

	for (int64_t b = from / FLEET_LOAD_MS; from < to && b < c->nbucket; b++) {
		int64_t end = to;
		if ((b + 1) * FLEET_LOAD_MS < to)
			end = (b + 1) * FLEET_LOAD_MS;
		c->load[b] += (double)(end - from) * util / 100;
		from = end;
	}

	/* It works at the instants in it that no reading before had. */
	int64_t first = max_i64(s->t_ms - c->hour[0].hour_ms, of->worked_to);

	if (idle || first >= to)
		return;
	first = (first + c->instant_ms - 1) / c->instant_ms;
	int64_t last = min_i64((to + c->instant_ms - 1) / c->instant_ms, c->ninstant);

	of->worked_to = to;
	if (first >= last)
		return;
	c->more[first]++;
	c->more[last]--;
}

static double high_of(const struct gpu_seen *s)
{
	double all = 0, seen = 0;

	for (int i = 0; i <= 100; i++)
		all += s->hist[i];
	for (int i = 0; i <= 100; i++)
		if ((seen += s->hist[i]) >= HIGH_FRAC * all && seen > 0)
			return i;
	return NAN;
}

void gpus_conclude(struct gpus *c)
{
	struct fleet *f = c->l->f;

	for (size_t i = 0; i < c->v.n; i++) {
		struct gpu_seen *s = c->v.v[i];
		struct fleet_gpu *gpu = &f->gpu.v[s->at];
		if (gpu->ms > 0)
			gpu->util_mean_pct = s->util_ms / (double)gpu->ms;
		gpu->util_high_pct = high_of(s);
	}
	f->under_pct = c->under_pct;
	f->gpus_hour = c->hour;
	f->ngpus_hour = f->gpu.n ? (size_t)c->nhour : 0;

	struct fleet *fleet = c->l->f;

	for (int64_t b = 0; b < c->nbucket; b++) {
		if (c->load[b] / FLEET_LOAD_MS > fleet->peak_gpus) {
			fleet->peak_gpus = c->load[b] / FLEET_LOAD_MS;
			fleet->peak_ms = c->hour[0].hour_ms + b * FLEET_LOAD_MS;
		}
	}
	int worked = 0;

	for (int64_t i = 0; i < c->ninstant; i++) {
		struct fleet_gpus_hour *h = &c->hour[i * c->instant_ms / MS_HOUR];
		worked += c->more[i];
		h->worked = max_int(worked, h->worked);
	}
	intern_free(&c->key);
	vec_free(&c->v);
	free(c->load);
	free(c->more);
}
