/* A profile as JSON. See profile_view.h. */
#include "cli/profile_json.h"
#include <math.h>
#include <string.h>
#include "base/jw.h"

static void text(struct jw *w, const char *key, const char *z)
{
	jw_key(w, key);
	jw_str(w, z && *z ? z : NULL);
}

static void num(struct jw *w, const char *key, double v, int digits)
{
	jw_key(w, key);
	jw_num(w, isfinite(v) ? v : NAN, digits);
}

static void whole(struct jw *w, const char *key, int64_t v)
{
	jw_key(w, key);
	if (v == UNKNOWN_I64)
		jw_null(w);
	else
		jw_int(w, v);
}

static void money(struct jw *w, const char *key, bool known, dec v)
{
	jw_key(w, key);
	if (known)
		jw_dec(w, v);
	else
		jw_null(w);
}

static void nano(struct jw *w, const char *key, double v)
{
	bool known = isfinite(v) && fabs(v) < 9e18;
	money(w, key, known, known ? nano_to_dec((int64_t)llround(v)) : 0);
}

static void stat(struct jw *w, const char *key, const struct profile_stat *s)
{
	jw_key(w, key);
	if (!s->n) {
		jw_null(w);
		return;
	}
	jw_obj(w);
	num(w, "p50", s->p50, 4);
	num(w, "p95", s->p95, 4);
	num(w, "p99", s->p99, 4);
	num(w, "mean", s->mean, 4);
	num(w, "peak", s->peak, 4);
	whole(w, "readings", s->n);
	jw_end_obj(w);
}

static const int shown[] = { METRIC_GPU_UTIL_PCT, METRIC_SM_ACTIVE_FRAC, METRIC_OCCUPANCY_FRAC, METRIC_TENSOR_ACTIVE_FRAC, METRIC_DRAM_ACTIVE_FRAC,
			     METRIC_MEM_USED_BYTES, METRIC_POWER_W, METRIC_TEMP_CELSIUS, METRIC_PCIE_RX_BYTES_S, METRIC_PCIE_TX_BYTES_S,
			     METRIC_SM_CLOCK_MHZ, METRIC_NVLINK_RX_BYTES_S, METRIC_NVLINK_TX_BYTES_S };

static void stats(struct jw *w, const struct profile_stat *all)
{
	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
		stat(w, metric_name((enum metric)shown[i]), &all[shown[i]]);
}

static void device(struct jw *w, const struct profile_report *r, size_t i)
{
	const struct profile_dev *d = r->dev[i];
	jw_obj(w);
	whole(w, "index", d->index);
	text(w, "uuid", d->uuid);
	text(w, "gpu_model", *d->model ? d->model : d->name);
	text(w, "mig_profile", d->mig_profile);
	text(w, "found_by", profile_how_name(d->how));
	num(w, "mem_total_bytes", d->facts.mem_total_bytes, 0);
	num(w, "power_limit_w", d->facts.power_limit_w, 1);
	stats(w, r->each[i]);
	jw_end_obj(w);
}

static void verdict(struct jw *w, const struct profile_judgement *j)
{
	static const char *const second[] = { NULL, "sm_active", "power" }, *const sure[] = { "low", "medium", "high" };
	jw_key(w, "verdict");
	jw_obj(w);
	text(w, "verdict", profile_verdict_name(j->verdict));
	text(w, "by_utilisation", profile_verdict_name(j->by_util));
	text(w, "second_signal", second[j->second]);
	jw_key(w, "contradicted");
	jw_bool(w, j->contradicted);
	text(w, "confidence", sure[j->confidence]);
	text(w, "why", j->why);
	jw_end_obj(w);
}

static void finding(struct jw *w, const struct profile_view *v, const struct diag_finding *f)
{
	struct str e = { 0 };
	double day = v->p->rate.known ? diag_cost_day(f, f->dev < 0 ? v->r->ndev : 1, dec_to_double(v->p->rate.usd_gpu_hour)) : NAN;
	diag_evidence_text(f, &e);
	jw_obj(w);
	text(w, "cause", diag_cause_name(f->cause));
	num(w, "confidence", f->confidence, 3);
	num(w, "time_frac", f->time_frac, 4);
	num(w, "lost_frac", f->lost_frac, 4);
	nano(w, "cost_hour", day / 24 * 1e9);
	text(w, "evidence", str_z(&e));
	text(w, "change", diag_change(f->cause));
	jw_end_obj(w);
	str_free(&e);
}

static void diagnosis(struct jw *w, const struct profile_view *v)
{
	const struct diag_result *d = &v->r->diag;
	jw_key(w, "diagnosis");
	if (!v->r->ndev) {
		jw_null(w);
		return;
	}
	jw_obj(w);
	text(w, "verdict", diag_verdict_name(d->verdict));
	jw_key(w, "findings");
	jw_arr(w);
	for (int i = 0; i < d->n; i++)
		finding(w, v, &d->finding[i]);
	jw_end_arr(w);
	jw_key(w, "missing");
	jw_arr(w);
	for (int i = 0; i < d->nmissing; i++)
		jw_str(w, d->missing[i]);
	jw_end_arr(w);
	jw_end_obj(w);
}

static void candidate(struct jw *w, const struct profile_fit *f, size_t k)
{
	const struct plan_gpu *g = &f->gpu;
	const struct gpu_candidate *c = &g->cand[k];
	const struct gpu_price *p = &g->price[plan_gpu_card(g->cat, g->gpu[k])];
	jw_obj(w);
	text(w, "gpu_model", g->gpu[k]->model);
	num(w, "memory_gib", c->memory_gib, 3);
	nano(w, "usd_gpu_hour", c->nano_gpu_hour == INT64_MIN ? NAN : (double)c->nano_gpu_hour);
	text(w, "provider", p->provider);
	text(w, "region", p->region);
	text(w, "instance_type", p->instance_type);
	num(w, "speed", g->speed[k].speed, 4);
	num(w, "speed_p05", g->speed[k].lo, 4);
	num(w, "speed_p95", g->speed[k].hi, 4);
	text(w, "speed_from", speed_how_name(g->speed[k].how));
	num(w, "saving_frac", 1 - c->nano_per_work / f->slow_now, 4);
	num(w, "saving_p05_frac", 1 - c->nano_hi / f->slow_now, 4);
	jw_end_obj(w);
}

static void fits(struct jw *w, const struct profile_view *v)
{
	const struct profile_fit *f = v->fit;
	jw_key(w, "fit");
	if (!f) {
		jw_null(w);
		return;
	}
	jw_obj(w);
	text(w, "why_not", f->why_not);
	num(w, "vram_need_gib", f->asked ? f->gpu.need.vram_p99_gib * GPU_CHOICE_VRAM_ROOM : NAN, 3);
	jw_key(w, "cheaper");
	jw_bool(w, f->better);
	jw_key(w, "sure");
	jw_bool(w, f->sure);
	jw_key(w, "candidates");
	jw_arr(w);
	for (size_t i = 0; f->asked && i < 5 && (int64_t)i < f->gpu.fit; i++)
		candidate(w, f, f->gpu.order[i]);
	jw_end_arr(w);
	jw_end_obj(w);
}

static void price(struct jw *w, const struct profile_view *v)
{
	const struct profile_report *r = v->r;
	const struct watch_rate *p = &v->p->rate;
	text(w, "currency", p->known ? p->currency : NULL);
	money(w, "usd_gpu_hour", p->known, p->usd_gpu_hour);
	text(w, "price_from", p->known ? p->source : NULL);
	text(w, "provider", p->provider);
	text(w, "region", p->region);
	text(w, "instance_type", p->instance_type);
	text(w, "purchase", p->purchase);
	money(w, "cost", r->has_cost, r->cost);
	money(w, "cost_hour", r->has_cost, r->cost_hour);
	whole(w, "steps", v->p->steps);
	num(w, "steps_s", r->steps_s, 6);
	money(w, "cost_1000_steps", r->has_cost_1000, r->cost_1000_steps);
}

void profile_json(const struct profile_view *v, struct str *out)
{
	const struct profile_report *r = v->r;
	const struct profile *p = v->p;
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	text(&w, "schema", "tare.profile/1");
	text(&w, "id", v->kept);
	text(&w, "command", p->command);
	text(&w, "workload", p->work);
	text(&w, "node", p->node);
	jw_key(&w, "start");
	jw_time(&w, p->start_ms);
	num(&w, "elapsed_s", (double)r->elapsed_ms / 1000, 3);
	num(&w, "gpu_s", (double)r->gpu_ms / 1000, 3);
	num(&w, "before_gpu_s", (double)r->before_ms / 1000, 3);
	num(&w, "interval_s", (double)p->interval_ms / 1000, 3);
	num(&w, "gap_s", (double)p->gap_ms / 1000, 3);
	whole(&w, "exit_code", p->exit_code < 0 ? UNKNOWN_I64 : p->exit_code);
	whole(&w, "gpus_used", (int64_t)r->ndev);
	whole(&w, "gpus_unused", r->unused);
	text(&w, "problem", r->ndev ? NULL : p->problem);
	price(&w, v);
	stats(&w, r->all);
	stat(&w, "command_cpu_pct", &r->cmd_cpu);
	stat(&w, "host_cpu_pct", &r->host_cpu);
	num(&w, "cpu_s", p->cpu_s, 3);
	num(&w, "rss_peak_bytes", p->rss_peak_bytes, 0);
	whole(&w, "processes", p->procs_seen);
	whole(&w, "processes_left", p->procs_left);
	num(&w, "energy_j", r->energy_j, 1);
	text(&w, "energy_quality", isnan(r->energy_j) ? NULL : quality_name(r->energy_quality));
	num(&w, "shared_s", (double)r->shared_ms / 1000, 3);
	jw_key(&w, "gpus");
	jw_arr(&w);
	for (size_t i = 0; i < r->ndev; i++)
		device(&w, r, i);
	jw_end_arr(&w);
	verdict(&w, &r->judged);
	diagnosis(&w, v);
	fits(&w, v);
	jw_end_obj(&w);
	str_addc(out, '\n');
}
