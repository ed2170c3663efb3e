/* A profile as JSON. See profile_view.h. */
#include "agent/profile_json.h"
#include <math.h>
#include <string.h>
#include "base/jw.h"
#include "opt/gpu_choice.h"

static void stat(struct jw *w, const char *key, const struct profile_stat *s)
{
	jw_key(w, key);
	if (!s->n) {
		jw_null(w);
		return;
	}
	jw_obj(w);
	jw_put_num(w, "p50", s->p50, 4);
	jw_put_num(w, "p95", s->p95, 4);
	jw_put_num(w, "p99", s->p99, 4);
	jw_put_num(w, "mean", s->mean, 4);
	jw_put_num(w, "peak", s->peak, 4);
	jw_put_int(w, "readings", s->n);
	jw_end_obj(w);
}

static const int shown[] = { METRIC_GPU_UTIL_PCT,     METRIC_SM_ACTIVE_FRAC,
			     METRIC_OCCUPANCY_FRAC,   METRIC_TENSOR_ACTIVE_FRAC,
			     METRIC_DRAM_ACTIVE_FRAC, METRIC_MEM_USED_BYTES,
			     METRIC_POWER_W,          METRIC_TEMP_CELSIUS,
			     METRIC_PCIE_RX_BYTES_S,  METRIC_PCIE_TX_BYTES_S,
			     METRIC_SM_CLOCK_MHZ,     METRIC_NVLINK_RX_BYTES_S,
			     METRIC_NVLINK_TX_BYTES_S };

static void stats(struct jw *w, const struct profile_stat *all)
{
	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
		stat(w, metric_name((enum metric)shown[i]), &all[shown[i]]);
}

static void device(struct jw *w, const struct profile_report *r, size_t i)
{
	const struct profile_dev *d = r->dev[i];
	jw_obj(w);
	jw_put_int(w, "index", d->index);
	jw_put_text(w, "uuid", d->uuid);
	jw_put_text(w, "gpu_model", *d->model ? d->model : d->name);
	jw_put_text(w, "mig_profile", d->mig_profile);
	jw_put_text(w, "found_by", profile_how_name(d->how));
	jw_put_num(w, "mem_total_bytes", d->facts.mem_total_bytes, 0);
	jw_put_num(w, "power_limit_w", d->facts.power_limit_w, 1);
	stats(w, r->each[i]);
	jw_end_obj(w);
}

static void verdict(struct jw *w, const struct profile_judgement *j)
{
	static const char *const second[] = { NULL, "sm_active", "power" }, *const sure[] = {
		"low", "medium", "high"
	};
	jw_key(w, "verdict");
	jw_obj(w);
	jw_put_text(w, "verdict", profile_verdict_name(j->verdict));
	jw_put_text(w, "by_utilisation", profile_verdict_name(j->by_util));
	jw_put_text(w, "second_signal", second[j->second]);
	jw_key(w, "contradicted");
	jw_bool(w, j->contradicted);
	jw_put_text(w, "confidence", sure[j->confidence]);
	jw_put_text(w, "why", j->why);
	jw_end_obj(w);
}

static void finding(struct jw *w, const struct profile_view *v, const struct diag_finding *f)
{
	struct str e = { 0 };
	double day = v->p->rate.known ? diag_cost_day(f, f->dev < 0 ? v->r->ndev : 1,
						      dec_to_double(v->p->rate.usd_gpu_hour))
				      : NAN;
	diag_evidence_text(f, &e);
	jw_obj(w);
	jw_put_text(w, "cause", diag_cause_name(f->cause));
	jw_put_num(w, "confidence", f->confidence, 3);
	jw_put_num(w, "time_frac", f->time_frac, 4);
	jw_put_num(w, "lost_frac", f->lost_frac, 4);
	jw_put_nano(w, "cost_hour", day / 24 * 1e9);
	jw_put_text(w, "evidence", str_z(&e));
	jw_put_text(w, "change", diag_change(f->cause));
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
	jw_put_text(w, "verdict", diag_verdict_name(d->verdict));
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

static void candidate(struct jw *w, const struct profile_card *k, double slow_now)
{
	jw_obj(w);
	jw_put_text(w, "gpu_model", k->model);
	jw_put_num(w, "memory_gib", k->memory_gib, 3);
	jw_put_nano(w, "usd_gpu_hour",
		    k->nano_gpu_hour == INT64_MIN ? NAN : (double)k->nano_gpu_hour);
	jw_put_text(w, "provider", k->provider);
	jw_put_text(w, "region", k->region);
	jw_put_text(w, "instance_type", k->instance_type);
	jw_put_num(w, "speed", k->speed.speed, 4);
	jw_put_num(w, "speed_p05", k->speed.lo, 4);
	jw_put_num(w, "speed_p95", k->speed.hi, 4);
	jw_put_text(w, "speed_from", speed_how_name(k->speed.how));
	jw_put_num(w, "saving_frac", 1 - k->nano_per_work / slow_now, 4);
	jw_put_num(w, "saving_p05_frac", 1 - k->nano_hi / slow_now, 4);
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
	jw_put_text(w, "why_not", f->why_not);
	jw_put_num(w, "vram_need_gib", f->asked ? f->vram_p99_gib * GPU_CHOICE_VRAM_ROOM : NAN, 3);
	jw_key(w, "cheaper");
	jw_bool(w, f->better);
	jw_key(w, "sure");
	jw_bool(w, f->sure);
	jw_key(w, "candidates");
	jw_arr(w);
	for (size_t i = 0; i < f->ncard; i++)
		candidate(w, &f->card[i], f->slow_now);
	jw_end_arr(w);
	jw_end_obj(w);
}

static void price(struct jw *w, const struct profile_view *v)
{
	const struct profile_report *r = v->r;
	const struct watch_rate *p = &v->p->rate;
	jw_put_text(w, "currency", p->known ? p->currency : NULL);
	jw_put_dec(w, "usd_gpu_hour", p->known, p->usd_gpu_hour);
	jw_put_text(w, "price_from", p->known ? p->source : NULL);
	jw_put_text(w, "provider", p->provider);
	jw_put_text(w, "region", p->region);
	jw_put_text(w, "instance_type", p->instance_type);
	jw_put_text(w, "purchase", p->purchase);
	jw_put_dec(w, "cost", r->has_cost, r->cost);
	jw_put_dec(w, "cost_hour", r->has_cost, r->cost_hour);
	jw_put_int(w, "steps", v->p->steps);
	jw_put_num(w, "steps_s", r->steps_s, 6);
	jw_put_dec(w, "cost_1000_steps", r->has_cost_1000, r->cost_1000_steps);
}

void profile_json(const struct profile_view *v, struct str *out)
{
	const struct profile_report *r = v->r;
	const struct profile *p = v->p;
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_put_text(&w, "schema", "tare.profile/1");
	jw_put_text(&w, "id", v->kept);
	jw_put_text(&w, "command", p->command);
	jw_put_text(&w, "workload", p->work);
	jw_put_text(&w, "node", p->node);
	jw_key(&w, "start");
	jw_time(&w, p->start_ms);
	jw_put_num(&w, "elapsed_s", (double)r->elapsed_ms / 1000, 3);
	jw_put_num(&w, "gpu_s", (double)r->gpu_ms / 1000, 3);
	jw_put_num(&w, "before_gpu_s", (double)r->before_ms / 1000, 3);
	jw_put_num(&w, "interval_s", (double)p->interval_ms / 1000, 3);
	jw_put_num(&w, "gap_s", (double)p->gap_ms / 1000, 3);
	jw_put_int(&w, "exit_code", p->exit_code < 0 ? UNKNOWN_I64 : p->exit_code);
	jw_put_int(&w, "gpus_used", (int64_t)r->ndev);
	jw_put_int(&w, "gpus_unused", r->unused);
	jw_put_text(&w, "problem", r->ndev ? NULL : p->problem);
	price(&w, v);
	stats(&w, r->all);
	stat(&w, "command_cpu_pct", &r->cmd_cpu);
	stat(&w, "host_cpu_pct", &r->host_cpu);
	jw_put_num(&w, "cpu_s", p->cpu_s, 3);
	jw_put_num(&w, "rss_peak_bytes", p->rss_peak_bytes, 0);
	jw_put_int(&w, "processes", p->procs_seen);
	jw_put_int(&w, "processes_left", p->procs_left);
	jw_put_num(&w, "energy_j", r->energy_j, 1);
	jw_put_text(&w, "energy_quality",
		    isnan(r->energy_j) ? NULL : quality_name(r->energy_quality));
	jw_put_num(&w, "shared_s", (double)r->shared_ms / 1000, 3);
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
