/* See top_json.h. */
#include "agent/top_json.h"

#include <math.h>
#include "base/jw.h"

static void usd_hour(struct jw *w, const struct top_model *m, int64_t share_ppb)
{
	dec hour = 0;
	bool known = top_usd_h(m, share_ppb, &hour);
	jw_put_dec(w, "usd_hour", known, hour);
}

static void state(struct jw *w, enum state s, enum cause c)
{
	jw_put_text(w, "state", state_name(s));
	jw_put_text(w, "cause", cause_name(c));
}

/* ---- waste ------------------------------------------------------------------------------- */

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
		jw_put_num(w, "gpu_seconds", gpu_seconds(m->by.v[i].ms_ppb), 3);
		jw_put_dec(w, "cost", m->priced, m->by.v[i].cost);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void waste(struct jw *w, const struct top_model *m)
{
	jw_key(w, "wasted");
	jw_obj(w);
	jw_put_time(w, "since", m->since_ms);
	jw_put_text(w, "source", m->booked ? "agent" : "since_start");
	jw_put_num(w, "gpu_seconds", gpu_seconds(m->wasted_ms_ppb), 3);
	jw_put_dec(w, "cost", m->priced, m->wasted);
	waste_by(w, m);
	jw_end_obj(w);
}

/* ---- machine ----------------------------------------------------------------------------- */

static void rate(struct jw *w, const struct top_model *m)
{
	const struct watch_rate *r = &m->snap->rate;
	jw_key(w, "currency");
	jw_str(w, r->known ? *r->currency ? r->currency : "USD" : NULL);
	jw_key(w, "rate");
	jw_obj(w);
	jw_put_dec(w, "usd_gpu_hour", r->known, r->usd_gpu_hour);
	usd_hour(w, m, (int64_t)m->snap->ncard * 1000000000);
	jw_put_text(w, "provider", r->provider);
	jw_put_text(w, "region", r->region);
	jw_put_text(w, "zone", r->zone);
	jw_put_text(w, "instance_type", r->instance_type);
	jw_put_text(w, "purchase", r->purchase);
	jw_put_text(w, "source", r->known ? r->source : NULL);
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
	jw_put_num(w, "cpu_util_pct", h->cpu_util_pct, 1);
	jw_put_num(w, "mem_total_bytes", h->mem_total_bytes, 0);
	jw_put_num(w, "mem_available_bytes", h->mem_available_bytes, 0);
	jw_put_num(w, "nic_rx_bytes_s", h->nic_rx_bytes_s, 0);
	jw_put_num(w, "nic_tx_bytes_s", h->nic_tx_bytes_s, 0);
	jw_put_num(w, "disk_read_bytes_s", h->disk_read_bytes_s, 0);
	jw_put_num(w, "disk_write_bytes_s", h->disk_write_bytes_s, 0);
	jw_end_obj(w);
}

/* ---- devices ----------------------------------------------------------------------------- */

static void holder(struct jw *w, const struct top_model *m, const struct snap_part *p)
{
	jw_obj(w);
	jw_key(w, "held");
	jw_bool(w, p->held);
	jw_put_text(w, "user", p->user);
	jw_put_text(w, "team", p->team);
	jw_put_text(w, "project", p->project);
	jw_put_text(w, "workload", p->workload);
	jw_put_text(w, "job_id", p->job);
	jw_put_text(w, "name", p->name);
	jw_put_time(w, "since", p->since_ms);
	jw_put_num(w, "share_frac", (double)p->share_ppb / 1e9, 9);
	state(w, p->state, p->cause);
	jw_put_num(w, "gpu_util_pct", p->util_pct, 1);
	jw_put_num(w, "mem_used_bytes", p->mem_bytes, 0);
	jw_put_num(w, "cpu_util_pct", p->cpu_util_pct, 1);
	usd_hour(w, m, p->share_ppb);
	jw_end_obj(w);
}

static void process(struct jw *w, const struct snap_proc *p)
{
	jw_obj(w);
	jw_key(w, "pid");
	jw_int(w, p->pid);
	jw_put_text(w, "user", p->user);
	jw_put_text(w, "job_id", p->job);
	jw_put_text(w, "command", p->command);
	jw_put_text(w, "type",
		    p->type == 'C'   ? "compute"
		    : p->type == 'G' ? "graphics"
		    : p->type == 'M' ? "mps"
				     : NULL);
	jw_put_num(w, "mem_used_bytes", p->mem_bytes, 0);
	jw_put_num(w, "sm_util_pct", p->sm_util_pct, 1);
	jw_put_num(w, "cpu_util_pct", p->cpu_util_pct, 1);
	jw_end_obj(w);
}

static void readings(struct jw *w, const struct snap_dev *d)
{
	for (enum metric i = 0; i < METRIC_N; i++)
		/* of the machine */
		if (i != METRIC_CPU_UTIL_PCT && i != METRIC_NIC_RX_BYTES_S &&
		    i != METRIC_NIC_TX_BYTES_S)
			jw_put_num(w, metric_name(i), d->value[i],
				   fabs(d->value[i]) >= 1e6 ? 0 : 6);
	jw_put_num(w, "power_limit_w", d->card.power_limit_w, 1);
}

static void gpu(struct jw *w, const struct top_model *m, const struct snap_dev *d)
{
	const struct top_track *t = top_track_of(m, d);
	dec ms = 0, cost = top_wasted(t, &ms);
	jw_obj(w);
	jw_key(w, "index");
	jw_int(w, d->card.index);
	jw_put_text(w, "uuid", d->card.uuid);
	jw_put_text(w, "gpu_model", d->model);
	jw_put_text(w, "name", d->card.name);
	jw_put_text(w, "mig_profile", d->card.mig_profile);
	jw_key(w, "mig_parent");
	if (d->card.parent >= 0)
		jw_str(w, m->snap->dev[d->card.parent].card.uuid);
	else
		jw_null(w);
	jw_key(w, "present");
	if (d->stuck)
		jw_null(w);
	else
		jw_bool(w, d->present);
	jw_key(w, "driver_answers");
	jw_bool(w, !d->stuck);
	readings(w, d);
	usd_hour(w, m, top_share_ppb(d));
	jw_put_num(w, "wasted_gpu_seconds", gpu_seconds(ms), 3);
	jw_put_dec(w, "wasted_cost", m->priced, cost);
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
	jw_put_text(&w, "schema", "tare.top/1");
	jw_put_time(&w, "time", m->snap->t_ms);
	jw_put_num(&w, "step_s", m->snap->step_ms > 0 ? (double)m->snap->step_ms / 1000 : NAN, 3);
	jw_put_text(&w, "node", m->snap->node);
	jw_put_text(&w, "driver", m->snap->driver);
	jw_put_text(&w, "problem", m->snap->problem);
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
