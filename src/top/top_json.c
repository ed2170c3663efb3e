/* See top_json.h. */
#include "top/top_json.h"

#include <limits.h>
#include <math.h>

#include "model/known.h"
#include "top/docs.h"
#include "base/mem.h"
#include "base/str.h"
#include "report/col.h"

struct money {
	bool known;
	dec v;
};
struct lost_row { /* of a state */
	const char *state, *cause;
	double gpu_s;
	struct money cost;
};
struct owner_row {
	bool held;
	const char *user, *team, *project, *workload, *job, *name, *state, *cause;
	int64_t since_ms;
	double share, util_pct, mem_bytes, cpu_pct;
	struct money hour;
};
struct process_row {
	int pid;
	const char *user, *job, *command, *type;
	double mem_bytes, sm_pct, cpu_pct;
};
struct gpu_row {
	int index;
	const char *uuid, *model, *name, *mig_profile, *mig_parent, *node;
	bool present, has_present, answers, has_process;
	double value[METRIC_N], limit_w, wasted_s;
	struct money hour, wasted;
	const struct owner_row *owner;
	const struct process_row *process;
	size_t nowner, nprocess;
};
struct doc {
	int64_t t_ms, since_ms;
	double step_s, wasted_s;
	const char *node, *driver, *problem, *currency;
	const char *provider, *region, *zone, *instance_type, *purchase, *price_from, *source;
	struct money gpu_hour, hour, wasted;
	const struct lost_row *by;
	size_t nby;
	int cpus;
	struct host_view host;
	const struct gpu_row *gpu;
	size_t ngpu;
};

/* ---- columns ----------------------------------------------------------------------------- */

#define TEXT(S, key, member, what)                                    \
	{                                                             \
		key, COL_TEXT, offsetof(struct S, member), NULL, what \
	}
#define MONEY(S, key, member, what)                                        \
	{                                                                  \
		key, COL_DEC, offsetof(struct S, member.v), "money", what, \
			.has_at = offsetof(struct S, member.known)         \
	}
#define NUM(S, key, member, unit, n, what)                                        \
	{                                                                         \
		key, COL_NUM, offsetof(struct S, member), unit, what, .digits = n \
	}

static const struct col by_cols[] = {
	TEXT(lost_row, "state", state, "of a GPU: idle_held, underused, ..."),
	TEXT(lost_row, "cause", cause, "why; null: not known"),
	NUM(lost_row, "gpu_seconds", gpu_s, "GPU-seconds", 3, "wasted"),
	MONEY(lost_row, "cost", cost, "of them; null: no price"),
	{ 0 },
};
static const struct col wasted_cols[] = {
	{ "since", COL_TIME, offsetof(struct doc, since_ms), NULL, "counted from then" },
	TEXT(doc, "source", source, "agent: its book of today; since_start: what top saw itself"),
	NUM(doc, "gpu_seconds", wasted_s, "GPU-seconds", 3, "wasted"),
	MONEY(doc, "cost", wasted, "of them; null: no price"),
	{ "by", COL_LIST(struct doc, by, nby, by_cols),
	  .help = "by state and cause, most expensive first" },
	{ 0 },
};
static const struct col rate_cols[] = {
	MONEY(doc, "usd_gpu_hour", gpu_hour, "an hour of one GPU"),
	MONEY(doc, "usd_hour", hour, "an hour of all GPUs"),
	TEXT(doc, "provider", provider, "who sells it"),
	TEXT(doc, "region", region, "where the machine is"),
	TEXT(doc, "zone", zone, "of the region"),
	TEXT(doc, "instance_type", instance_type, "kind of machine"),
	TEXT(doc, "purchase", purchase, "on_demand, spot, ..."),
	TEXT(doc, "source", price_from, "settings, catalogue or owned"),
	{ 0 },
};
static const struct col host_cols[] = {
	{ "cpus", COL_I32, offsetof(struct doc, cpus), "count", "processors" },
	NUM(doc, "cpu_util_pct", host.cpu_util_pct, "percent", 1, "of all processors"),
	NUM(doc, "mem_total_bytes", host.mem_total_bytes, "bytes", 0, "memory"),
	NUM(doc, "mem_available_bytes", host.mem_available_bytes, "bytes", 0, "memory to be had"),
	NUM(doc, "nic_rx_bytes_s", host.nic_rx_bytes_s, "bytes/s", 0, "from the network"),
	NUM(doc, "nic_tx_bytes_s", host.nic_tx_bytes_s, "bytes/s", 0, "to the network"),
	NUM(doc, "disk_read_bytes_s", host.disk_read_bytes_s, "bytes/s", 0, "from disks"),
	NUM(doc, "disk_write_bytes_s", host.disk_write_bytes_s, "bytes/s", 0, "to disks"),
	{ 0 },
};
static const struct col owner_cols[] = {
	{ "held", COL_BOOL, offsetof(struct owner_row, held), NULL, "false: nobody holds it" },
	TEXT(owner_row, "user", user, "who holds it"),
	TEXT(owner_row, "team", team, "of the owner"),
	TEXT(owner_row, "project", project, "of the owner"),
	TEXT(owner_row, "workload", workload, "kind of job"),
	TEXT(owner_row, "job_id", job, "of the owner"),
	TEXT(owner_row, "name", name, "of the job"),
	{ "since", COL_TIME, offsetof(struct owner_row, since_ms), NULL, "held from then" },
	NUM(owner_row, "share_frac", share, "share", 9, "of the GPU"),
	TEXT(owner_row, "state", state, "busy, underused, idle_held, ..."),
	TEXT(owner_row, "cause", cause, "why; null: not known"),
	NUM(owner_row, "gpu_util_pct", util_pct, "percent", 1, "utilisation"),
	NUM(owner_row, "mem_used_bytes", mem_bytes, "bytes", 0, "memory of the GPU held"),
	NUM(owner_row, "cpu_util_pct", cpu_pct, "percent", 1, "100: one processor"),
	MONEY(owner_row, "usd_hour", hour, "an hour of this share"),
	{ 0 },
};
static const struct col process_cols[] = {
	{ "pid", COL_I32, offsetof(struct process_row, pid), NULL, "its number", .always = true },
	TEXT(process_row, "user", user, "whose"),
	TEXT(process_row, "job_id", job, "it belongs to"),
	TEXT(process_row, "command", command, "that runs"),
	TEXT(process_row, "type", type, "compute, graphics or mps"),
	NUM(process_row, "mem_used_bytes", mem_bytes, "bytes", 0, "memory of the GPU held"),
	NUM(process_row, "sm_util_pct", sm_pct, "percent", 1, "of the GPU's processors"),
	NUM(process_row, "cpu_util_pct", cpu_pct, "percent", 1, "100: one processor"),
	{ 0 },
};
#define READING(key, which, unit, what) NUM(gpu_row, key, value[which], unit, 6, what)
static const struct col gpu_cols[] = {
	{ "index", COL_I32, offsetof(struct gpu_row, index), NULL, "the driver's number",
	  .always = true },
	{ "node", COL_TEXT, offsetof(struct gpu_row, node), NULL,
	  "of a recording with several machines; null: the document's" },
	TEXT(gpu_row, "uuid", uuid, "the driver's name of the GPU or of its part"),
	TEXT(gpu_row, "gpu_model", model, "as the catalogue calls it"),
	TEXT(gpu_row, "name", name, "as the driver calls it"),
	TEXT(gpu_row, "mig_profile", mig_profile, "null: a whole GPU"),
	TEXT(gpu_row, "mig_parent", mig_parent, "uuid of the GPU it is a part of"),
	{ "present", COL_BOOL, offsetof(struct gpu_row, present), NULL,
	  "null: its driver does not answer", .has_at = offsetof(struct gpu_row, has_present) },
	{ "driver_answers", COL_BOOL, offsetof(struct gpu_row, answers), NULL,
	  "false: its driver does not answer" },
	READING("gpu_util_pct", METRIC_GPU_UTIL_PCT, "percent", "utilisation"),
	READING("sm_active_frac", METRIC_SM_ACTIVE_FRAC, "share", "processors with work"),
	READING("occupancy_frac", METRIC_OCCUPANCY_FRAC, "share", "of the warps there may be"),
	READING("tensor_active_frac", METRIC_TENSOR_ACTIVE_FRAC, "share", "tensor cores at work"),
	READING("dram_active_frac", METRIC_DRAM_ACTIVE_FRAC, "share", "device memory at work"),
	READING("mem_used_bytes", METRIC_MEM_USED_BYTES, "bytes", "device memory in use"),
	READING("mem_total_bytes", METRIC_MEM_TOTAL_BYTES, "bytes", "device memory"),
	READING("power_w", METRIC_POWER_W, "W", "power drawn"),
	READING("temp_celsius", METRIC_TEMP_CELSIUS, "Celsius", "temperature"),
	READING("pcie_rx_bytes_s", METRIC_PCIE_RX_BYTES_S, "bytes/s", "PCIe to the GPU"),
	READING("pcie_tx_bytes_s", METRIC_PCIE_TX_BYTES_S, "bytes/s", "PCIe from the GPU"),
	READING("mem_util_pct", METRIC_MEM_UTIL_PCT, "percent", "time memory was read or written"),
	READING("sm_clock_mhz", METRIC_SM_CLOCK_MHZ, "MHz", "clock of the processors"),
	READING("mem_clock_mhz", METRIC_MEM_CLOCK_MHZ, "MHz", "clock of the memory"),
	READING("throttle_bits", METRIC_THROTTLE_BITS, NULL, "why clocks are held back: bits"),
	READING("energy_j", METRIC_ENERGY_J, "J", "since the driver was loaded"),
	READING("nvlink_rx_bytes_s", METRIC_NVLINK_RX_BYTES_S, "bytes/s", "NVLink to the GPU"),
	READING("nvlink_tx_bytes_s", METRIC_NVLINK_TX_BYTES_S, "bytes/s", "NVLink from the GPU"),
	READING("ecc_uncorrected", METRIC_ECC_UNCORRECTED, "count", "memory errors not mended"),
	READING("xid", METRIC_XID, NULL, "the driver's last error; 0: none"),
	READING("proc_count", METRIC_PROC_COUNT, "count", "processes on it"),
	NUM(gpu_row, "power_limit_w", limit_w, "W", 1, "power it may draw"),
	MONEY(gpu_row, "usd_hour", hour, "an hour of it"),
	NUM(gpu_row, "wasted_gpu_seconds", wasted_s, "GPU-seconds", 3, "wasted"),
	MONEY(gpu_row, "wasted_cost", wasted, "of them; null: no price"),
	{ "holders", COL_LIST(struct gpu_row, owner, nowner, owner_cols),
	  .help = "parts of it, held or free" },
	{ "processes", COL_LIST(struct gpu_row, process, nprocess, process_cols),
	  .has_at = offsetof(struct gpu_row, has_process), .help = "null: not known" },
	{ 0 },
};
static const struct col doc_cols[] = {
	{ "time", COL_TIME, offsetof(struct doc, t_ms), NULL, "of the poll" },
	NUM(doc, "step_s", step_s, "s", 3, "that the states stand for; null at the first poll"),
	TEXT(doc, "node", node, "the machine"),
	TEXT(doc, "driver", driver, "its version"),
	TEXT(doc, "problem", problem, "what keeps top from seeing GPUs"),
	TEXT(doc, "currency", currency, "of all amounts; null: no price"),
	{ "rate", COL_ROW, 0, NULL, "what the machine costs", .sub = rate_cols },
	{ "wasted", COL_ROW, 0, NULL, "paid for and not used", .sub = wasted_cols },
	{ "host", COL_ROW, 0, NULL, "the machine itself", .sub = host_cols },
	{ "gpus", COL_LIST(struct doc, gpu, ngpu, gpu_cols), .help = "GPUs, each then its parts" },
	{ 0 },
};
const struct col_doc top_doc = { "tare.top/1", "top", "one look at this machine's GPUs", doc_cols };

/* ---- rows -------------------------------------------------------------------------------- */

static struct money hour_cost(const struct top_model *m, int64_t share_ppb)
{
	struct money h = { 0 };

	h.known = top_usd_h(m, share_ppb, &h.v);
	return h;
}

static double gpu_seconds(dec ms_ppb)
{
	return dec_to_double(ms_ppb); /* 10^-12 of it: ms x ppb is 10^-12 s */
}

static const char *type_word(char type)
{
	switch (type) {
	case 'C': return "compute";
	case 'G': return "graphics";
	case 'M': return "mps";
	}
	return NULL;
}

static const struct lost_row *lost_rows(const struct top_model *m, struct arena *a)
{
	struct lost_row *v = arena_zalloc(a, (m->by.n + 1) * sizeof *v);

	for (size_t i = 0; i < m->by.n; i++)
		v[i] = (struct lost_row){ filled_or(state_name(m->by.v[i].state), NULL),
					  filled_or(cause_name(m->by.v[i].cause), NULL),
					  gpu_seconds(m->by.v[i].ms_ppb),
					  { m->priced, m->by.v[i].cost } };
	return v;
}

static struct owner_row owner_of(const struct top_model *m, const struct snap_part *p)
{
	return (struct owner_row){ .held = p->held,
				   .user = filled_or(p->user, NULL),
				   .team = filled_or(p->team, NULL),
				   .project = filled_or(p->project, NULL),
				   .workload = filled_or(p->workload, NULL),
				   .job = filled_or(p->job, NULL),
				   .name = filled_or(p->name, NULL),
				   .state = filled_or(state_name(p->state), NULL),
				   .cause = filled_or(cause_name(p->cause), NULL),
				   .since_ms = p->since_ms,
				   .share = (double)p->share_ppb / 1e9,
				   .util_pct = p->util_pct,
				   .mem_bytes = p->mem_bytes,
				   .cpu_pct = p->cpu_util_pct,
				   .hour = hour_cost(m, p->share_ppb) };
}

static void fill_gpu(const struct top_model *m, const struct snap_dev *d, struct arena *a,
		     struct gpu_row *g)
{
	struct owner_row *h = arena_zalloc(a, (d->npart + 1) * sizeof *h);
	struct process_row *p = arena_zalloc(a, (d->nproc + 1) * sizeof *p);
	dec ms = 0, cost = top_wasted(top_track_of(m, d), &ms);

	*g = (struct gpu_row){ .index = d->info.index,
			       .node = filled_or(d->info.node, NULL),
			       .uuid = filled_or(d->info.uuid, NULL),
			       .model = filled_or(d->model, NULL),
			       .name = filled_or(d->info.name, NULL),
			       .mig_profile = filled_or(d->info.mig_profile, NULL),
			       .present = d->present,
			       .has_present = !d->stuck,
			       .answers = !d->stuck,
			       .has_process = d->procs_known,
			       .limit_w = d->info.power_limit_w,
			       .wasted_s = gpu_seconds(ms),
			       .hour = hour_cost(m, top_share_ppb(d)),
			       .wasted = { m->priced, cost },
			       .owner = h,
			       .process = p,
			       .nowner = d->npart,
			       .nprocess = d->nproc };
	if (d->info.parent >= 0)
		g->mig_parent = m->snap->dev[d->info.parent].info.uuid;
	for (enum metric i = 0; i < METRIC_N; i++) {
		/* Large numbers are told whole. */
		double v = d->value[i];
		if (fabs(v) >= 1e6)
			g->value[i] = nearbyint(v);
		else
			g->value[i] = v;
	}
	for (size_t i = 0; i < d->npart; i++)
		h[i] = owner_of(m, &d->part[i]);
	for (size_t i = 0; i < d->nproc; i++) {
		const struct snap_proc *x = &d->proc[i];
		p[i] = (struct process_row){ .pid = x->pid,
					     .user = filled_or(x->user, NULL),
					     .job = filled_or(x->job, NULL),
					     .command = filled_or(x->command, NULL),
					     .type = type_word(x->type),
					     .mem_bytes = x->mem_bytes,
					     .sm_pct = x->sm_util_pct,
					     .cpu_pct = x->cpu_util_pct };
	}
}

void top_json(const struct top_model *m, struct str *out)
{
	const struct top_snap *s = m->snap;
	const struct watch_rate *r = &s->rate;
	struct arena mem = { 0 };
	struct gpu_row *gpu = arena_zalloc(&mem, (s->ndev + 1) * sizeof *gpu);

	for (size_t i = 0; i < s->ndev; i++)
		fill_gpu(m, &s->dev[i], &mem, &gpu[i]);
	struct doc d = { .t_ms = s->t_ms,
			 .since_ms = m->since_ms,
			 .step_s = num_if(s->step_ms > 0, (double)s->step_ms / 1000),
			 .wasted_s = gpu_seconds(m->wasted_ms_ppb),
			 .node = filled_or(s->node, NULL),
			 .driver = filled_or(s->driver, NULL),
			 .problem = filled_or(s->problem, NULL),
			 .provider = filled_or(r->provider, NULL),
			 .region = filled_or(r->region, NULL),
			 .zone = filled_or(r->zone, NULL),
			 .instance_type = filled_or(r->instance_type, NULL),
			 .purchase = filled_or(r->purchase, NULL),
			 .source = m->booked ? "agent" : "since_start",
			 .gpu_hour = { r->known, r->usd_gpu_hour },
			 .hour = hour_cost(m, (int64_t)s->ngpu * 1000000000),
			 .wasted = { m->priced, m->wasted },
			 .by = lost_rows(m, &mem),
			 .nby = m->by.n,
			 .cpus = INT_MIN,
			 .host = s->host,
			 .gpu = gpu,
			 .ngpu = s->ndev };
	if (r->known) {
		d.currency = filled_or(r->currency, "USD");
		d.price_from = filled_or(r->source, NULL);
	}
	if (s->host.cpus > 0)
		d.cpus = s->host.cpus;
	cols_doc(&top_doc, &d, out);
	arena_free(&mem);
}
