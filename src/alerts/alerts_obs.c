/* From the watch to the rules, and from an alert to a notice. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tm.h"
#include "base/num.h"
#include "alerts/alerts.h"
#include "model/known.h"

static void put_owner(const struct watch_dev *d, struct alert_obs *o)
{
	const struct allocation *h = NULL;
	size_t n = 0; /* different ones */

	for (size_t i = 0; i < d->nuse; i++) {
		if (!d->use[i].held || d->use[i].held == h)
			continue;
		n++;
		h = d->use[i].held;
	}
	o->held = d->nuse ? n > 0 : -1;
	if (n > 1)
		o->field[ALERT_JOB] = SV("several");
	if (n != 1)
		return;
	o->field[ALERT_CLUSTER] = h->cluster;
	o->field[ALERT_JOB] = h->job_id;
	o->field[ALERT_USER] = h->user;
	o->field[ALERT_TEAM] = h->team;
	o->field[ALERT_PROJECT] = h->project;
	o->field[ALERT_ENV] = h->env;
	o->field[ALERT_WORKLOAD] = h->workload;
}

static void put_values(const struct watch_dev *d, const struct catalog *c, struct alert_obs *o)
{
	const struct gpu_info *gpu = &d->gpu->info;
	const double *v = d->gpu->value;
	const struct gpu_spec *spec = c ? catalog_gpu(c, sv_of(d->model)) : NULL;
	double total = !isnan(v[METRIC_MEM_TOTAL_BYTES]) ? v[METRIC_MEM_TOTAL_BYTES]
							 : gpu->mem_total_bytes;

	memcpy(o->value, v, METRIC_N * sizeof *v);
	o->value[ALERT_MEM_USED_FRAC] = part_of(v[METRIC_MEM_USED_BYTES], total);
	o->value[ALERT_POWER_FRAC_OF_LIMIT] = part_of(v[METRIC_POWER_W], gpu->power_limit_w);
	o->value[ALERT_POWER_FRAC_OF_TDP] = part_of(
		v[METRIC_POWER_W], spec && spec->tdp_w > 0 ? spec->tdp_w : gpu->power_limit_w);
	if (!isnan(v[METRIC_XID]))
		o->value[ALERT_FAULT] = alert_xid_is_fault((int64_t)v[METRIC_XID]);
	if (o->held == 1 && d->gpu->procs_known)
		o->value[ALERT_HELD_NO_PROCESS] = d->nproc == 0;
	else if (o->held == 0)
		o->value[ALERT_HELD_NO_PROCESS] = 0;
}

bool agent_alerts_obs(const struct watch_view *v, const struct watch_dev *d,
		      const struct catalog *c, struct alert_obs *ret)
{
	const struct gpu_info *gpu = d->parent;

	if (!d->parent)
		gpu = &d->gpu->info;
	*ret = (struct alert_obs){ .from_ms = v->mono_ms - (v->step_ms > 0 ? v->step_ms : 1),
				   .to_ms = v->mono_ms };
	for (int i = 0; i < ALERT_SIGNAL_N; i++)
		ret->value[i] = NAN;
	ret->field[ALERT_NODE] = sv_of(v->node);

	/* A GPU is named by its uuid, where the driver tells none by its index; the caller keeps
	 * the text. A machine has sixteen at most. */
	static const char *const index[] = { "0", "1", "2",  "3",  "4",  "5",  "6",  "7",
					     "8", "9", "10", "11", "12", "13", "14", "15" };
	if (gpu->uuid[0])
		ret->field[ALERT_GPU] = (struct sv){ gpu->uuid,
						     strnlen(gpu->uuid, sizeof gpu->uuid) };
	else if (gpu->index >= 0 && gpu->index < 16)
		ret->field[ALERT_GPU] = sv_of(index[gpu->index]);
	else
		ret->field[ALERT_GPU] = SV_NULL;

	if (d->parent) {
		if (d->gpu->info.uuid[0])
			ret->field[ALERT_MIG] = sv_of(d->gpu->info.uuid);
		else
			ret->field[ALERT_MIG] = sv_of(d->gpu->info.mig_profile);
	}
	ret->field[ALERT_MODEL] = sv_of(d->model);
	put_owner(d, ret);
	if (!d->parent && !d->gpu->stuck)
		ret->value[ALERT_LOST] = !d->gpu->present;
	if (d->gpu->present) {
		put_values(d, c, ret);

		long at = (long)(d - v->dev);

		for (size_t i = 0; v->gpus && i < v->gpus->nevent; i++) {
			const struct gpu_event *e = &v->gpus->event[i];
			bool fault = e->kind == GPU_XID && alert_xid_is_fault(e->code);
			if (e->dev == at && (e->kind == GPU_ECC || fault))
				ret->value[ALERT_FAULT] = 1;
		}
	}
	return ret->field[ALERT_GPU].n > 0;
}

/* Price of the time since it began: of a whole GPU; parts of GPUs have none here. */
static const char *cost_of(const struct alert *al, int64_t wall_ms, const struct watch_rate *rate,
			   struct arena *mem)
{
	char buf[DEC_BUF];
	int64_t ms = wall_ms - al->since_ms;

	if (!rate || !rate->known || al->field[ALERT_MIG][0])
		return NULL;
	if (al->since_ms == UNKNOWN_MS || ms < 0)
		return NULL;
	dec_format_fixed(buf, dec_muldiv(rate->usd_gpu_hour, ms, MS_HOUR), 2);
	return arena_sv(mem, sv_of(buf));
}

struct notice agent_alerts_notice(const struct alert *al, bool over, int64_t wall_ms,
				  const struct watch_rate *rate, struct arena *mem)
{
	const struct alert_rule *r = al->rule;
	struct notice_label *label = arena_zalloc(mem, ALERT_FIELD_N * sizeof *label);
	const char *const *f = al->field;

	for (int i = 0; i < ALERT_FIELD_N; i++)
		label[i] = (struct notice_label){ alert_field_name[i], f[i] };
	struct notice n = {
		.id = arena_printf(mem, "%s/%s/%s/%s", r->name, f[ALERT_NODE], f[ALERT_GPU],
				   f[ALERT_MIG]),
		.group = arena_printf(mem, "%s/node/%s", r->name, f[ALERT_NODE]),
		.rule = r->name,
		.severity = alert_severity_name[r->severity],
		.summary = r->summary,
		.advice = r->advice,
		.signal = alert_signal_name(r->signal),
		.value = al->value,
		.worst = al->worst,
		.threshold = r->threshold,
		.above = r->cmp == ALERT_ABOVE,
		.over = over,
		.why_over = al->over,
		.starts_ms = al->since_ms,
		.ends_ms = i64_if(over, wall_ms),
		.label = label,
		.nlabel = ALERT_FIELD_N,
	};

	if (f[ALERT_JOB][0])
		n.group = arena_printf(mem, "%s/job/%s", r->name, f[ALERT_JOB]);
	if (over)
		n.cost = cost_of(al, wall_ms, rate, mem);
	if (rate && rate->known)
		n.currency = rate->currency;
	return n;
}
