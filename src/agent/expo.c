#include "agent/expo.h"

#include <math.h>
#include <xxhash.h>

#include "base/clean.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "model/known.h"

/* ---- labels ------------------------------------------------------------------------------ */

/* Append `text` as the inside of a quoted label value. */
static void expo_escape(struct str *out, struct sv text)
{
	const char *p = text.p;

	/* How many bytes from the start are themselves, as all are of nearly every label. */
	size_t written = 0;
	size_t most = min_size(text.n, EXPO_LABEL_BYTES);
	while (written < most && within_int(text.p[written], ' ', '~') &&
	       !strchr("\\\"", text.p[written]))
		written++;

	uint32_t code;
	if (written)
		str_add(out, p, written);
	for (size_t i = written; i < text.n;) {
		size_t len = sv_utf8(p + i, text.n - i, &code);
		if (written + (len ? len : 3) > EXPO_LABEL_BYTES)
			break;
		written += len ? len : 3;
		if (!len)
			str_addz(out, "\xef\xbf\xbd");
		else if (p[i] == '\\' || p[i] == '"')
			str_addf(out, "\\%c", p[i]);
		else if (p[i] == '\n')
			str_addz(out, "\\n");
		else if (char_acts(code))
			str_addc(out, '?');
		else
			str_add(out, text.p + i, len);
		i += len ? len : 1;
	}
}

static void add_label(struct str *out, const char *name, struct sv value)
{
	if (!value.n)
		return;
	if (out->n && out->p[out->n - 1] != '{')
		str_addc(out, ',');
	str_addz(out, name);
	str_addz(out, "=\"");
	expo_escape(out, value);
	str_addc(out, '"');
}

static void label_int(struct str *out, const char *name, int v)
{
	str_addf(out, "%s%s=\"%d\"", text_if(out->n && out->p[out->n - 1] != '{', ","), name, v);
}

static void label_dev(struct str *out, const struct gpu_info *c)
{
	label_int(out, "gpu", c->index);
	add_label(out, "uuid", sv_of(c->uuid));
}

static void add_value(struct str *out, double v)
{
	/* Whole numbers, which most are, need no search for their digits. */
	if (v >= 0 && v < 1e12 && v == (double)(int64_t)v)
		str_addf(out, "} %lld\n", (long long)v);
	else
		str_addf(out, "} %.12g\n", v);
}

enum type { GAUGE, COUNTER, INFO };

/* name: without _total or _info. */
static void add_family(const struct expo_in *in, struct str *out, const char *name, enum type type,
		       const char *help)
{
	const char *suffix = "", *word = "gauge";
	if (type == COUNTER) {
		word = "counter";
		suffix = text_if(!in->openmetrics, "_total");
	} else if (type == INFO && in->openmetrics) {
		word = "info";
	} else if (type == INFO) {
		suffix = "_info";
	}
	str_addf(out, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, suffix, help, name, suffix, word);
}

/* ---- readings ---------------------------------------------------------------------------- */

static const struct reading_name {
	enum metric metric;
	const char *name, *help;
	double scale; /* to the base unit */
	enum type type;
} reading_name[] = {
	{ METRIC_GPU_UTIL_PCT, "tare_gpu_utilization_ratio", "Time in which a kernel ran", 0.01,
	  GAUGE },
	{ METRIC_SM_ACTIVE_FRAC, "tare_gpu_sm_active_ratio",
	  "Multiprocessors with work, over time and multiprocessors", 1, GAUGE },
	{ METRIC_OCCUPANCY_FRAC, "tare_gpu_sm_occupancy_ratio",
	  "Resident warps of what is possible", 1, GAUGE },
	{ METRIC_TENSOR_ACTIVE_FRAC, "tare_gpu_tensor_active_ratio", "Time the tensor cores worked",
	  1, GAUGE },
	{ METRIC_DRAM_ACTIVE_FRAC, "tare_gpu_dram_active_ratio",
	  "Time the memory interface moved data", 1, GAUGE },
	{ METRIC_MEM_UTIL_PCT, "tare_gpu_memory_utilization_ratio",
	  "Time in which device memory was read or written", 0.01, GAUGE },
	{ METRIC_MEM_USED_BYTES, "tare_gpu_memory_used_bytes", "Device memory in use", 1, GAUGE },
	{ METRIC_MEM_TOTAL_BYTES, "tare_gpu_memory_total_bytes", "Device memory", 1, GAUGE },
	{ METRIC_POWER_W, "tare_gpu_power_watts", "Power drawn", 1, GAUGE },
	{ METRIC_TEMP_CELSIUS, "tare_gpu_temperature_celsius", "Temperature of the GPU", 1, GAUGE },
	{ METRIC_SM_CLOCK_MHZ, "tare_gpu_sm_clock_hertz", "Clock of the multiprocessors", 1e6,
	  GAUGE },
	{ METRIC_MEM_CLOCK_MHZ, "tare_gpu_memory_clock_hertz", "Clock of the memory", 1e6, GAUGE },
	{ METRIC_THROTTLE_BITS, "tare_gpu_throttle_reasons",
	  "Why clocks are held back: NVML's bit mask", 1, GAUGE },
	{ METRIC_PCIE_RX_BYTES_S, "tare_gpu_pcie_receive_bytes_per_second", "PCIe, to the GPU", 1,
	  GAUGE },
	{ METRIC_PCIE_TX_BYTES_S, "tare_gpu_pcie_transmit_bytes_per_second", "PCIe, from the GPU",
	  1, GAUGE },
	{ METRIC_NVLINK_RX_BYTES_S, "tare_gpu_nvlink_receive_bytes_per_second",
	  "NVLink, to the GPU", 1, GAUGE },
	{ METRIC_NVLINK_TX_BYTES_S, "tare_gpu_nvlink_transmit_bytes_per_second",
	  "NVLink, from the GPU", 1, GAUGE },
	{ METRIC_ENERGY_J, "tare_gpu_energy_joules", "Energy since the driver was loaded", 1,
	  COUNTER },
	{ METRIC_ECC_UNCORRECTED, "tare_gpu_ecc_uncorrected_errors", "Uncorrected memory errors", 1,
	  COUNTER },
	{ METRIC_PROC_COUNT, "tare_gpu_processes", "Processes on it", 1, GAUGE },
};
/* What dcgm-exporter calls them, in its units. */
static const struct reading_name dcgm_name[] = {
	{ METRIC_GPU_UTIL_PCT, "DCGM_FI_DEV_GPU_UTIL", "GPU utilization (in %).", 1, GAUGE },
	{ METRIC_MEM_UTIL_PCT, "DCGM_FI_DEV_MEM_COPY_UTIL", "Memory utilization (in %).", 1,
	  GAUGE },
	{ METRIC_MEM_USED_BYTES, "DCGM_FI_DEV_FB_USED", "Framebuffer memory used (in MiB).",
	  1.0 / 1048576, GAUGE },
	{ METRIC_POWER_W, "DCGM_FI_DEV_POWER_USAGE", "Power draw (in W).", 1, GAUGE },
	{ METRIC_TEMP_CELSIUS, "DCGM_FI_DEV_GPU_TEMP", "GPU temperature (in C).", 1, GAUGE },
	{ METRIC_SM_CLOCK_MHZ, "DCGM_FI_DEV_SM_CLOCK", "SM clock frequency (in MHz).", 1, GAUGE },
	{ METRIC_MEM_CLOCK_MHZ, "DCGM_FI_DEV_MEM_CLOCK", "Memory clock frequency (in MHz).", 1,
	  GAUGE },
	{ METRIC_SM_ACTIVE_FRAC, "DCGM_FI_PROF_SM_ACTIVE",
	  "Ratio of cycles an SM has at least one warp assigned.", 1, GAUGE },
	{ METRIC_OCCUPANCY_FRAC, "DCGM_FI_PROF_SM_OCCUPANCY",
	  "Ratio of resident warps to the maximum.", 1, GAUGE },
	{ METRIC_TENSOR_ACTIVE_FRAC, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
	  "Ratio of cycles the tensor pipe is active.", 1, GAUGE },
	{ METRIC_DRAM_ACTIVE_FRAC, "DCGM_FI_PROF_DRAM_ACTIVE",
	  "Ratio of cycles the memory interface is active.", 1, GAUGE },
	{ METRIC_PCIE_RX_BYTES_S, "DCGM_FI_PROF_PCIE_RX_BYTES", "PCIe receive rate (in bytes/s).",
	  1, GAUGE },
	{ METRIC_PCIE_TX_BYTES_S, "DCGM_FI_PROF_PCIE_TX_BYTES", "PCIe transmit rate (in bytes/s).",
	  1, GAUGE },
	{ METRIC_XID, "DCGM_FI_DEV_XID_ERRORS", "Value of the last XID error encountered.", 1,
	  GAUGE },
};

static bool any_value(const struct watch_view *v, enum metric m)
{
	for (size_t i = 0; i < v->ndev; i++)
		if (!isnan(v->dev[i].gpu->value[m]))
			return true;
	return false;
}

static void write_own(const struct expo_in *in, struct str *out)
{
	const struct watch_view *v = in->view;
	for (size_t k = 0; k < sizeof reading_name / sizeof *reading_name; k++) {
		const struct reading_name *r = &reading_name[k];
		if (!any_value(v, r->metric))
			continue;
		add_family(in, out, r->name, r->type, r->help);
		for (size_t i = 0; i < v->ndev; i++) {
			double x = v->dev[i].gpu->value[r->metric];
			if (isnan(x))
				continue;
			str_addz(out, r->name);
			str_addz(out, r->type == COUNTER ? "_total{" : "{");
			label_dev(out, &v->dev[i].gpu->info);
			add_value(out, x * r->scale);
		}
	}
}

static void write_dcgm(const struct expo_in *in, struct str *out)
{
	const struct watch_view *v = in->view;
	for (size_t k = 0; k < sizeof dcgm_name / sizeof *dcgm_name; k++) {
		const struct reading_name *r = &dcgm_name[k];
		if (!any_value(v, r->metric))
			continue;
		add_family(in, out, r->name, GAUGE, r->help);
		for (size_t i = 0; i < v->ndev; i++) {
			const struct watch_dev *d = &v->dev[i];
			const struct gpu_info *gpu = d->parent;
			double x = d->gpu->value[r->metric];
			if (!d->parent)
				gpu = &d->gpu->info;
			if (isnan(x))
				continue;
			str_addf(out, "%s{", r->name);
			label_int(out, "gpu", d->gpu->info.index);
			add_label(out, "UUID", sv_of(gpu->uuid));
			if (gpu->minor >= 0)
				str_addf(out, ",device=\"nvidia%d\"", gpu->minor);
			add_label(out, "modelName", sv_of(gpu->name));
			add_label(out, "Hostname", sv_of(v->node));
			add_label(out, "GPU_I_PROFILE", sv_of(d->gpu->info.mig_profile));
			if (d->parent)
				label_int(out, "GPU_I_ID", d->gpu->info.gi);
			/* the first owner of a device, as dcgm-exporter labels it */
			const struct allocation *a = NULL;
			for (size_t u = 0; u < d->nuse && !a; u++)
				a = d->use[u].held;
			if (a && a->namespace_.n) {
				add_label(out, "namespace", a->namespace_);
				add_label(out, "pod", a->name);
			}
			add_value(out, x * r->scale);
		}
	}
}

static void write_gpus(const struct expo_in *in, struct str *out)
{
	const struct watch_view *v = in->view;
	add_family(in, out, "tare_gpu", INFO, "GPUs and MIG instances");
	for (size_t i = 0; i < v->ndev; i++) {
		str_addz(out, "tare_gpu_info{");
		label_dev(out, &v->dev[i].gpu->info);
		add_label(out, "gpu_model", sv_of(v->dev[i].model));
		add_label(out, "mig_profile", sv_of(v->dev[i].gpu->info.mig_profile));
		if (v->dev[i].parent)
			add_label(out, "parent", sv_of(v->dev[i].parent->uuid));
		add_value(out, 1);
	}
	add_family(in, out, "tare_gpu_present", GAUGE,
		   "1: it answers, 0: it was there and is lost, or its driver hangs");
	for (size_t i = 0; i < v->ndev; i++) {
		str_addz(out, "tare_gpu_present{");
		label_dev(out, &v->dev[i].gpu->info);
		add_value(out, v->dev[i].gpu->present && !v->dev[i].gpu->stuck);
	}
}

static void label_owner(struct str *out, const struct allocation *a)
{
	if (!a)
		return;
	add_label(out, "job", a->job_id);
	add_label(out, "user", a->user);
	add_label(out, "team", a->team);
	add_label(out, "project", a->project);
	add_label(out, "env", a->env);
	add_label(out, "workload", a->workload);
	add_label(out, "namespace", a->namespace_);
}

static void write_held(const struct expo_in *in, struct str *out)
{
	const struct watch_view *v = in->view;
	add_family(in, out, "tare_gpu_held_ratio", GAUGE,
		   "Who holds which part of a GPU now, and in what state it is");
	for (size_t i = 0; i < v->ndev; i++)
		for (size_t k = 0; k < v->dev[i].nuse; k++) {
			const struct watch_use *u = &v->dev[i].use[k];
			str_addz(out, "tare_gpu_held_ratio{");
			label_dev(out, &v->dev[i].gpu->info);
			str_addf(out, ",part=\"%zu\"", k);
			label_owner(out, u->held);
			add_label(out, "state", sv_of(state_name(u->state)));
			add_label(out, "cause", sv_of(cause_name(u->cause)));
			add_value(out, (double)u->share_ppb / 1e9);
		}
	if (!v->rate.known)
		return;
	add_family(in, out, "tare_gpu_hour_price", GAUGE, "Price of a whole GPU for an hour");
	str_addz(out, "tare_gpu_hour_price{");
	add_label(out, "currency", sv_of(v->rate.currency));
	add_label(out, "source", sv_of(v->rate.source));
	add_value(out, dec_to_double(v->rate.usd_gpu_hour));
}

/* ---- counters ---------------------------------------------------------------------------- */

struct series {
	uint64_t key;
	char *labels;
	double seconds, cost;
	int64_t used;
};
struct expo_sums {
	VEC(struct series) series;
	int64_t round;
	bool priced;
	char currency[8];
};

struct expo_sums *expo_sums_new(void)
{
	return xcalloc(1, sizeof(struct expo_sums));
}

void expo_sums_free(struct expo_sums *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->series.n; i++)
		free(s->series.v[i].labels);
	vec_free(&s->series);
	free(s);
}

static uint64_t mix_hash(uint64_t h, struct sv v)
{
	return XXH3_64bits_withSeed(text_if(v.n, v.p), v.n, h * 31 + 1);
}

static uint64_t key_of(const struct gpu_info *c, const struct watch_use *u)
{
	uint64_t h =
		mix_hash(mix_hash((uint64_t)u->state * 64 + (uint64_t)u->cause, sv_of(c->uuid)),
			 SV_NULL) ^
		(uint64_t)(c->index + 1);
	if (!u->held)
		return h;
	const struct allocation *a = u->held;
	return mix_hash(
		mix_hash(mix_hash(mix_hash(mix_hash(mix_hash(mix_hash(h + 1, a->job_id), a->user),
						    a->team),
					   a->project),
				  a->env),
			 a->workload),
		a->namespace_);
}

static struct series *series_of(struct expo_sums *s, const struct watch_dev *d,
				const struct watch_use *u)
{
	uint64_t key = key_of(&d->gpu->info, u);
	struct series *oldest = NULL;
	for (size_t i = 0; i < s->series.n; i++) {
		if (s->series.v[i].key == key)
			return &s->series.v[i];
		if (!oldest || s->series.v[i].used < oldest->used)
			oldest = &s->series.v[i];
	}
	struct str labels = { 0 };
	str_addc(&labels, '{');
	label_dev(&labels, &d->gpu->info);
	label_owner(&labels, u->held);
	add_label(&labels, "state", sv_of(state_name(u->state)));
	add_label(&labels, "cause", sv_of(cause_name(u->cause)));
	/* oldest does not hold once there is a new one */
	bool room = s->series.n < EXPO_SERIES_MAX;
	struct series *n = oldest;
	if (room)
		n = vec_push(&s->series);
	if (!room)
		free(n->labels);
	*n = (struct series){ .key = key, .labels = labels.p };
	return n;
}

void expo_sums_add(struct expo_sums *s, const struct watch_view *v, int64_t ms)
{
	double usd_s = 0;
	if (v->rate.known)
		usd_s = dec_to_double(v->rate.usd_gpu_hour) / 3600;
	s->round++;
	s->priced |= v->rate.known;
	if (v->rate.known)
		memcpy(s->currency, v->rate.currency, sizeof s->currency);
	for (size_t i = 0; i < v->ndev; i++)
		for (size_t k = 0; k < v->dev[i].nuse; k++) {
			const struct watch_use *u = &v->dev[i].use[k];
			struct series *n = series_of(s, &v->dev[i], u);
			double part = (double)u->share_ppb / 1e9 * (double)ms / 1000;
			n->seconds += part;
			n->cost += part * usd_s;
			n->used = s->round;
		}
}

static void write_sums(const struct expo_in *in, struct str *out)
{
	const struct expo_sums *s = in->sums;
	if (!s->series.n)
		return;
	add_family(
		in, out, "tare_gpu_state_seconds", COUNTER,
		"Time of GPUs by owner, state and cause since the agent started, shares applied");
	for (size_t i = 0; i < s->series.n; i++) {
		str_addf(out, "tare_gpu_state_seconds_total%s", s->series.v[i].labels);
		add_value(out, s->series.v[i].seconds);
	}
	if (!s->priced)
		return;
	add_family(
		in, out, "tare_gpu_cost", COUNTER,
		"What that time cost, an estimate in the unit of label currency; exact money is in the ledger");
	for (size_t i = 0; i < s->series.n; i++) {
		str_addf(out, "tare_gpu_cost_total%s,currency=\"", s->series.v[i].labels);
		expo_escape(out, sv_of(s->currency));
		str_addc(out, '"');
		add_value(out, s->series.v[i].cost);
	}
}

/* ---- the machine and the agent ----------------------------------------------------------- */

static void add_single(const struct expo_in *in, struct str *out, const char *name, enum type type,
		       double v, const char *help)
{
	if (isnan(v))
		return;
	add_family(in, out, name, type, help);
	str_addf(out, "%s%s %.12g\n", name, text_if(type == COUNTER, "_total"), v);
}

/* ---- alerts ------------------------------------------------------------------------------ */

static void write_alert(void *ctx, const struct alert *al)
{
	static const enum alert_field told[] = { ALERT_JOB,     ALERT_USER, ALERT_TEAM,
						 ALERT_PROJECT, ALERT_ENV,  ALERT_WORKLOAD };
	struct str *out = ctx;
	const char *gpu = al->field[ALERT_GPU];
	/* a GPU without an uuid is told by its number */
	bool is_number = *gpu && gpu[strspn(gpu, "0123456789")] == 0;
	str_addz(out, "tare_alert{");
	add_label(out, "rule", sv_of(al->rule->name));
	add_label(out, "severity", sv_of(alert_severity_name[al->rule->severity]));
	add_label(out, "state", sv_of(al->firing ? "firing" : alert_state_name[al->state]));
	add_label(out, is_number ? "gpu" : "uuid", sv_of(gpu));
	add_label(out, "mig", sv_of(al->field[ALERT_MIG]));
	for (size_t i = 0; i < sizeof told / sizeof *told; i++)
		add_label(out, alert_field_name[told[i]], sv_of(al->field[told[i]]));
	add_label(out, "held_back_by", sv_of(al->held_back ? al->held_back->name : ""));
	add_label(out, "silenced", sv_of(al->silenced ? "true" : "false"));
	add_value(out, 1);
}

static void write_self(const struct expo_in *in, struct str *out)
{
	const struct agent_self *s = in->self;
	add_family(in, out, "tare_agent", INFO, "The agent");
	str_addf(out, "tare_agent_info{version=\"%s\"} 1\n", TARE_VERSION);
	add_single(in, out, "tare_agent_ticks", COUNTER, (double)s->ticks, "Looks at the machine");
	add_single(in, out, "tare_agent_ticks_missed", COUNTER, (double)s->missed,
		   "Looks that were due while another was not done");
	add_single(in, out, "tare_agent_tick_jitter_p99_seconds", GAUGE,
		   agent_jitter_ms(s, 0.99) / 1000,
		   "How late 99 % of ticks are at most, since the start");
	add_single(in, out, "tare_agent_tick_mean_seconds", GAUGE,
		   num_if(s->ticks, s->tick_ms_sum / (double)s->ticks / 1000), "What a look takes");
	add_single(in, out, "tare_agent_clock_jumps", COUNTER, (double)in->counts->jumps,
		   "Times the wall clock was set");
	add_single(
		in, out, "tare_agent_clock_held_seconds", GAUGE, (double)s->held_ms / 1000,
		"How long what is seen has been held back as the clock was not steady; 0: it is not");
	add_single(in, out, "tare_agent_gap_seconds", COUNTER, (double)in->counts->gap_ms / 1000,
		   "Time in which nobody looked");
	if (in->view)
		add_single(in, out, "tare_agent_driver_stuck_seconds", GAUGE,
			   (double)in->view->gpus->stuck_ms / 1000,
			   "How long a driver has not answered; 0: all do");
	add_single(in, out, "tare_agent_samples", COUNTER, (double)in->counts->samples,
		   "Readings taken");
	add_single(in, out, "tare_agent_write_errors", COUNTER, (double)in->write->errors,
		   "Writes that failed at first, as on a full disk");
	add_single(in, out, "tare_agent_raw_rows_lost", COUNTER, (double)in->write->raw_rows_lost,
		   "Rows of raw readings that could not be kept");
	add_single(in, out, "tare_agent_pending_flushes", GAUGE, (double)in->write->pending,
		   "Flushes that wait for room on the disk");
}

void expo_write(const struct expo_in *in, struct str *out)
{
	if (in->view) {
		write_gpus(in, out);
		write_own(in, out);
		write_held(in, out);
		write_sums(in, out);

		const struct host_view *h = &in->view->host;
		add_single(in, out, "tare_node_cpu_utilization_ratio", GAUGE, h->cpu_util_pct / 100,
			   "All processors of the machine");
		add_single(in, out, "tare_node_memory_available_bytes", GAUGE,
			   h->mem_available_bytes, "Main memory that can be had");
		add_single(in, out, "tare_node_network_receive_bytes_per_second", GAUGE,
			   h->nic_rx_bytes_s, "All links, RDMA too");
		add_single(in, out, "tare_node_network_transmit_bytes_per_second", GAUGE,
			   h->nic_tx_bytes_s, "All links, RDMA too");

		const struct serving_reading *s = &in->view->serving;
		add_single(in, out, "tare_serving_requests_running", GAUGE, s->running,
			   "Requests that the inference server works on");
		add_single(in, out, "tare_serving_requests_waiting", GAUGE, s->waiting,
			   "Requests that wait in its queue");
		add_single(in, out, "tare_serving_batch_requests", GAUGE, s->batch,
			   "Requests of one execution, mean");
		add_single(in, out, "tare_serving_queue_seconds", GAUGE, s->queue_ms / 1000,
			   "How long a request waits, mean");
		add_single(in, out, "tare_serving_requests_per_second", GAUGE, s->requests_s,
			   "Requests finished");
		add_single(in, out, "tare_serving_tokens_per_second", GAUGE, s->tokens_s,
			   "Tokens generated");
		add_single(in, out, "tare_serving_cache_used_ratio", GAUGE, s->cache_frac,
			   "Of the key-value cache");
		if (in->dcgm_names)
			write_dcgm(in, out);
	}
	if (in->alerts) {
		struct agent_alerts_stat s = agent_alerts_stat(in->alerts);
		struct str rows = { 0 };
		agent_alerts_each(in->alerts, write_alert, &rows);
		if (rows.n)
			add_family(in, out, "tare_alert", GAUGE,
				   "Alerts that are pending or firing");
		str_addsv(out, str_sv(&rows));
		str_free(&rows);
		add_single(in, out, "tare_alert_notices_sent", COUNTER, (double)s.sent,
			   "Notices that receivers took");
		add_single(in, out, "tare_alert_notices_failed", COUNTER, (double)s.failed,
			   "Notices that were given up");
		add_single(in, out, "tare_alert_notices_dropped", COUNTER, (double)s.dropped,
			   "Notices for which the queue had no room");
		add_single(in, out, "tare_alert_notices_waiting", GAUGE, (double)s.waiting,
			   "Notices that receivers have not taken yet");
	}
	write_self(in, out);
	if (in->send) {
		add_single(in, out, "tare_agent_batches_sent", COUNTER, (double)in->send->batches,
			   "Batches that the server took");
		add_single(
			in, out, "tare_agent_batches_refused", COUNTER, (double)in->send->refused,
			"Batches that the server refused permanently: kept in the folder refused");
		add_single(in, out, "tare_agent_send_tries_failed", GAUGE,
			   (double)in->send->failing,
			   "Tries to send since the server last said yes");
	}
	if (in->openmetrics)
		str_addz(out, "# EOF\n");
}
