/* See top_json.h. */
#include "agent/top_json.h"

#include <math.h>
#include "base/jw.h"

static void text(struct jw *w, const char *key, const char *v)
{
	jw_key(w, key);
	jw_str(w, v && *v ? v : NULL);
}

static void num(struct jw *w, const char *key, double v, int digits)
{
	jw_key(w, key);
	jw_num(w, isfinite(v) ? v : NAN, digits);
}

static void money(struct jw *w, const char *key, bool known, dec v)
{
	jw_key(w, key);
	if (known)
		jw_dec(w, v);
	else
		jw_null(w);
}

static void usd_hour(struct jw *w, const struct top_model *m, int64_t share_ppb)
{
	dec hour = 0;
	bool known = top_usd_h(m, share_ppb, &hour);
	money(w, "usd_hour", known, hour);
}

static void when(struct jw *w, const char *key, int64_t ms)
{
	jw_key(w, key);
	if (ms == UNKNOWN_MS)
		jw_null(w);
	else
		jw_time(w, ms);
}

static void state(struct jw *w, enum state s, enum cause c)
{
	text(w, "state", state_name(s));
	text(w, "cause", cause_name(c));
}

/* ---- waste ---------------------------------------------------------------------------------------------------------------- */

static double gpu_seconds(dec ms_ppb)
{
	return dec_to_double(ms_ppb); /* 10^-12 of it: ms x ppb is 10^-12 s */
}

static void waste_by(struct jw *w, const struct top_model *m)
{
	jw_key(w, "by");
	jw_arr(w);
	for (size_t i = 0; i < m->by.n; i++) {
		jw_obj(w);
		state(w, m->by.v[i].state, m->by.v[i].cause);
		num(w, "gpu_seconds", gpu_seconds(m->by.v[i].ms_ppb), 3);
		money(w, "cost", m->priced, m->by.v[i].cost);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void waste(struct jw *w, const struct top_model *m)
{
	jw_key(w, "wasted");
	jw_obj(w);
	when(w, "since", m->since_ms);
	text(w, "source", m->booked ? "agent" : "since_start");
	num(w, "gpu_seconds", gpu_seconds(m->wasted_ms_ppb), 3);
	money(w, "cost", m->priced, m->wasted);
	waste_by(w, m);
	jw_end_obj(w);
}

/* ---- machine ---------------------------------------------------------------------------------------------------------------- */

static void rate(struct jw *w, const struct top_model *m)
{
	const struct watch_rate *r = &m->snap->rate;
	jw_key(w, "currency");
	jw_str(w, r->known ? *r->currency ? r->currency : "USD" : NULL);
	jw_key(w, "rate");
	jw_obj(w);
	money(w, "usd_gpu_hour", r->known, r->usd_gpu_hour);
	usd_hour(w, m, (int64_t)m->snap->ncard * 1000000000);
	text(w, "provider", r->provider);
	text(w, "region", r->region);
	text(w, "zone", r->zone);
	text(w, "instance_type", r->instance_type);
	text(w, "purchase", r->purchase);
	text(w, "source", r->known ? r->source : NULL);
	jw_end_obj(w);
}

static void host(struct jw *w, const struct host_view *h)
{
	jw_key(w, "host");
	jw_obj(w);
	jw_key(w, "cpus");
	if (h->cpus > 0)
		jw_int(w, h->cpus);
	else
		jw_null(w);
	num(w, "cpu_util_pct", h->cpu_util_pct, 1);
	num(w, "mem_total_bytes", h->mem_total_bytes, 0);
	num(w, "mem_available_bytes", h->mem_available_bytes, 0);
	num(w, "nic_rx_bytes_s", h->nic_rx_bytes_s, 0);
	num(w, "nic_tx_bytes_s", h->nic_tx_bytes_s, 0);
	num(w, "disk_read_bytes_s", h->disk_read_bytes_s, 0);
	num(w, "disk_write_bytes_s", h->disk_write_bytes_s, 0);
	jw_end_obj(w);
}

/* ---- devices ------------------------------------------------------------------------------------------------------------------ */

static void holder(struct jw *w, const struct top_model *m, const struct snap_part *p)
{
	jw_obj(w);
	jw_key(w, "held");
	jw_bool(w, p->held);
	text(w, "user", p->user);
	text(w, "team", p->team);
	text(w, "project", p->project);
	text(w, "workload", p->workload);
	text(w, "job_id", p->job);
	text(w, "name", p->name);
	when(w, "since", p->since_ms);
	num(w, "share_frac", (double)p->share_ppb / 1e9, 9);
	state(w, p->state, p->cause);
	num(w, "gpu_util_pct", p->util_pct, 1);
	num(w, "mem_used_bytes", p->mem_bytes, 0);
	num(w, "cpu_util_pct", p->cpu_util_pct, 1);
	usd_hour(w, m, p->share_ppb);
	jw_end_obj(w);
}

static void process(struct jw *w, const struct snap_proc *p)
{
	jw_obj(w);
	jw_key(w, "pid");
	jw_int(w, p->pid);
	text(w, "user", p->user);
	text(w, "job_id", p->job);
	text(w, "command", p->command);
	text(w, "type", p->type == 'C' ? "compute" : p->type == 'G' ? "graphics" : p->type == 'M' ? "mps" : NULL);
	num(w, "mem_used_bytes", p->mem_bytes, 0);
	num(w, "sm_util_pct", p->sm_util_pct, 1);
	num(w, "cpu_util_pct", p->cpu_util_pct, 1);
	jw_end_obj(w);
}

static void readings(struct jw *w, const struct snap_dev *d)
{
	for (enum metric i = 0; i < METRIC_N; i++)
		if (i != METRIC_CPU_UTIL_PCT && i != METRIC_NIC_RX_BYTES_S && i != METRIC_NIC_TX_BYTES_S) /* of the machine */
			num(w, metric_name(i), d->value[i], fabs(d->value[i]) >= 1e6 ? 0 : 6);
	num(w, "power_limit_w", d->card.power_limit_w, 1);
}

static void gpu(struct jw *w, const struct top_model *m, const struct snap_dev *d)
{
	const struct top_track *t = top_track_of(m, d);
	dec ms = 0, cost = top_wasted(t, &ms);
	jw_obj(w);
	jw_key(w, "index");
	jw_int(w, d->card.index);
	text(w, "uuid", d->card.uuid);
	text(w, "gpu_model", d->model);
	text(w, "name", d->card.name);
	text(w, "mig_profile", d->card.mig_profile);
	jw_key(w, "mig_parent");
	if (d->card.parent >= 0)
		jw_str(w, m->snap->dev[d->card.parent].card.uuid);
	else
		jw_null(w);
	jw_key(w, "present");
	jw_bool(w, d->present);
	readings(w, d);
	usd_hour(w, m, top_share_ppb(d));
	num(w, "wasted_gpu_seconds", gpu_seconds(ms), 3);
	money(w, "wasted_cost", m->priced, cost);
	jw_key(w, "holders");
	jw_arr(w);
	for (size_t i = 0; i < d->npart; i++)
		holder(w, m, &d->part[i]);
	jw_end_arr(w);
	jw_key(w, "processes");
	if (d->procs_known) {
		jw_arr(w);
		for (size_t i = 0; i < d->nproc; i++)
			process(w, &d->proc[i]);
		jw_end_arr(w);
	} else
		jw_null(w);
	jw_end_obj(w);
}

void top_json(const struct top_model *m, struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	text(&w, "schema", "tare.top/1");
	when(&w, "time", m->snap->t_ms);
	num(&w, "step_s", m->snap->step_ms > 0 ? (double)m->snap->step_ms / 1000 : NAN, 3);
	text(&w, "node", m->snap->node);
	text(&w, "driver", m->snap->driver);
	text(&w, "problem", m->snap->problem);
	rate(&w, m);
	waste(&w, m);
	host(&w, &m->snap->host);
	jw_key(&w, "gpus");
	jw_arr(&w);
	for (size_t i = 0; i < m->snap->ndev; i++)
		gpu(&w, m, &m->snap->dev[i]);
	jw_end_arr(&w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}
