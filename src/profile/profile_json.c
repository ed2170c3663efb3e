/* A profile as JSON, from typed columns. See profile_view.h. */
#include "profile/profile_json.h"

#include <limits.h>
#include <math.h>

#include "base/str.h"
#include "profile/docs.h"
#include "opt/size/gpu_choice.h"
#include "report/col.h"

struct stat_cell {
	struct profile_stat s;
	bool known;
};
struct gpu_row {
	int index;
	const char *uuid, *model, *mig_profile, *found_by;
	double mem_total_bytes, power_limit_w;
	struct stat_cell stat[METRIC_N];
};
struct finding_row {
	const char *cause, *evidence, *change;
	double confidence, time_frac, lost_frac;
	dec cost_hour;
	bool has_cost;
};
struct fits_row {
	struct profile_gpu k;
	dec usd_gpu_hour;
	bool has_price;
	double saving_frac, saving_p05_frac;
	const char *speed_from;
};
struct verdict_row {
	const char *verdict, *by_util, *second, *sure, *why;
	bool contradicted;
};
struct doc {
	const char *id, *problem, *currency, *price_from;
	const char *provider, *region, *instance_type, *purchase, *energy_quality;
	struct profile p;
	struct profile_report r;
	double elapsed_s, gpu_s, before_s, interval_s, gap_s, shared_s;
	int exit_code;
	struct stat_cell stat[METRIC_N], cmd_cpu, host_cpu;
	const struct gpu_row *gpu;
	struct verdict_row verdict;
	const char *diag_verdict;
	const struct finding_row *finding;
	const char *const *missing;
	const struct fits_row *fits;
	size_t nfinding, nmissing;
	bool has_diag, has_fit;
	struct profile_fit fit;
	double vram_need_gib;
};

/* ---- columns ----------------------------------------------------------------------------- */

#define TEXT(S, key, member, what)                                    \
	{                                                             \
		key, COL_WORD, offsetof(struct S, member), NULL, what \
	}
#define NUM(S, key, member, places, what)                                                 \
	{                                                                                 \
		key, COL_NUM, offsetof(struct S, member), NULL, what, .digits = (places), \
	}
#define AMOUNT(S, key, member, known, what)                                                        \
	{                                                                                          \
		key, COL_DEC, offsetof(struct S, member), "money", what, offsetof(struct S, known) \
	}
#define STAT(S, key, member, what)                                                                 \
	{                                                                                          \
		key, COL_ROW, offsetof(struct S, member.s),                                        \
			.help = what, .has_at = offsetof(struct S, member.known), .sub = stat_cols \
	}
#define STATS(S)                                                                                 \
	STAT(S, "gpu_util_pct", stat[METRIC_GPU_UTIL_PCT], "a kernel ran"),                      \
		STAT(S, "sm_active_frac", stat[METRIC_SM_ACTIVE_FRAC], "SMs with work"),         \
		STAT(S, "occupancy_frac", stat[METRIC_OCCUPANCY_FRAC], "warps resident"),        \
		STAT(S, "tensor_active_frac", stat[METRIC_TENSOR_ACTIVE_FRAC], "tensor cores"),  \
		STAT(S, "dram_active_frac", stat[METRIC_DRAM_ACTIVE_FRAC], "memory transfers"),  \
		STAT(S, "mem_used_bytes", stat[METRIC_MEM_USED_BYTES], "memory of the GPU"),     \
		STAT(S, "power_w", stat[METRIC_POWER_W], "power of the GPU"),                    \
		STAT(S, "temp_celsius", stat[METRIC_TEMP_CELSIUS], "its temperature"),           \
		STAT(S, "pcie_rx_bytes_s", stat[METRIC_PCIE_RX_BYTES_S], "from the host"),       \
		STAT(S, "pcie_tx_bytes_s", stat[METRIC_PCIE_TX_BYTES_S], "to the host"),         \
		STAT(S, "sm_clock_mhz", stat[METRIC_SM_CLOCK_MHZ], "clock of the SMs"),          \
		STAT(S, "nvlink_rx_bytes_s", stat[METRIC_NVLINK_RX_BYTES_S], "from other GPUs"), \
		STAT(S, "nvlink_tx_bytes_s", stat[METRIC_NVLINK_TX_BYTES_S], "to other GPUs")

static const struct col stat_cols[] = {
	NUM(profile_stat, "p50", p50, 4, "half of the time at most this"),
	NUM(profile_stat, "p95", p95, 4, "95 % of the time at most this"),
	NUM(profile_stat, "p99", p99, 4, "99 % of the time at most this"),
	NUM(profile_stat, "mean", mean, 4, "over the time"),
	NUM(profile_stat, "peak", peak, 4, "the highest reading"),
	{ "readings", COL_INT, offsetof(struct profile_stat, n), "count", "it stands on" },
	{ 0 },
}, gpu_cols[] = {
	{ "index", COL_I32, offsetof(struct gpu_row, index), NULL, "of the driver" },
	TEXT(gpu_row, "uuid", uuid, "of the GPU or MIG instance"),
	TEXT(gpu_row, "gpu_model", model, "as the catalogue names it, else the driver"),
	TEXT(gpu_row, "mig_profile", mig_profile, "of an instance"),
	TEXT(gpu_row, "found_by", found_by, "how the command's use of it was seen"),
	NUM(gpu_row, "mem_total_bytes", mem_total_bytes, 0, "memory"),
	NUM(gpu_row, "power_limit_w", power_limit_w, 1, "as it is set"),
	STATS(gpu_row),
	{ 0 },
}, verdict_cols[] = {
	TEXT(verdict_row, "verdict", verdict, "overprovisioned, underutilized, well_utilized ..."),
	TEXT(verdict_row, "by_utilisation", by_util, "what utilisation alone would say"),
	TEXT(verdict_row, "second_signal", second, "sm_active or power"),
	{ "contradicted", COL_BOOL, offsetof(struct verdict_row, contradicted), NULL,
	  "the second signal lowered it" },
	TEXT(verdict_row, "confidence", sure, "low, medium or high"),
	TEXT(verdict_row, "why", why, "a sentence"),
	{ 0 },
}, finding_cols[] = {
	TEXT(finding_row, "cause", cause, "why the GPUs wait"),
	NUM(finding_row, "confidence", confidence, 3, "0.5 to 1"),
	NUM(finding_row, "time_frac", time_frac, 4, "how long it was so"),
	NUM(finding_row, "lost_frac", lost_frac, 4, "of the GPUs' time: what would come back"),
	AMOUNT(finding_row, "cost_hour", cost_hour, has_cost, "of that time, an hour"),
	TEXT(finding_row, "evidence", evidence, "the readings"),
	TEXT(finding_row, "change", change, "what to do"),
	{ 0 },
}, diagnosis_cols[] = {
	TEXT(doc, "verdict", diag_verdict, "compute_bound, input_bound ..."),
	{ "findings", COL_LIST(struct doc, finding, nfinding, finding_cols),
	  .help = "most telling first" },
	{ "missing", COL_WORDS(struct doc, missing, nmissing),
	  .help = "metrics that would decide what is open" },
	{ 0 },
}, fits_cols[] = {
	TEXT(fits_row, "gpu_model", k.model, "that would do"),
	NUM(fits_row, "memory_gib", k.memory_gib, 3, "its memory"),
	AMOUNT(fits_row, "usd_gpu_hour", usd_gpu_hour, has_price, "its price"),
	TEXT(fits_row, "provider", k.provider, "who sells it"),
	TEXT(fits_row, "region", k.region, "where"),
	TEXT(fits_row, "instance_type", k.instance_type, "in which machine"),
	NUM(fits_row, "speed", k.speed.speed, 4, "against the GPU it ran on"),
	NUM(fits_row, "speed_p05", k.speed.lo, 4, "low end of the estimate"),
	NUM(fits_row, "speed_p95", k.speed.hi, 4, "high end of it"),
	TEXT(fits_row, "speed_from", speed_from, "measured, or how it was estimated"),
	NUM(fits_row, "saving_frac", saving_frac, 4, "of the cost of the same work"),
	NUM(fits_row, "saving_p05_frac", saving_p05_frac, 4, "at the low end of the speed"),
	{ 0 },
}, fit_cols[] = {
	TEXT(doc, "why_not", fit.why_not, "no GPU can be proposed"),
	NUM(doc, "vram_need_gib", vram_need_gib, 3, "with room to spare"),
	{ "cheaper", COL_BOOL, offsetof(struct doc, fit.better), NULL,
	  "the first is clearly cheaper than what it ran on" },
	{ "sure", COL_BOOL, offsetof(struct doc, fit.sure), NULL,
	  "at the slow end of the estimate too" },
	{ "candidates", COL_LIST(struct doc, fits, fit.ngpu, fits_cols),
	  .help = "cheapest work first" },
	{ 0 },
}, cols[] = {
	TEXT(doc, "id", id, "for tare explain; null: not kept"),
	TEXT(doc, "command", p.command, "as one line"),
	TEXT(doc, "workload", p.work, "as --workload names it"),
	TEXT(doc, "node", p.node, "this machine"),
	{ "start", COL_TIME, offsetof(struct doc, p.start_ms), NULL, "of the command" },
	NUM(doc, "elapsed_s", elapsed_s, 3, "from start to end"),
	NUM(doc, "gpu_s", gpu_s, 3, "of GPUs, from the first use to the last"),
	NUM(doc, "before_gpu_s", before_s, 3, "of GPUs, before their first use"),
	NUM(doc, "interval_s", interval_s, 3, "between readings"),
	NUM(doc, "gap_s", gap_s, 3, "that no reading covers"),
	{ "exit_code", COL_I32, offsetof(struct doc, exit_code), NULL, "of the command" },
	{ "gpus_used", COL_SIZE, offsetof(struct doc, r.ndev), "count", "by the command" },
	{ "gpus_unused", COL_I32, offsetof(struct doc, r.unused), "count", "of this machine" },
	TEXT(doc, "problem", problem, "why no GPU was seen"),
	TEXT(doc, "currency", currency, "of all amounts"),
	AMOUNT(doc, "usd_gpu_hour", p.rate.usd_gpu_hour, p.rate.known, "of a GPU"),
	TEXT(doc, "price_from", price_from, "settings, catalogue or owned"),
	TEXT(doc, "provider", provider, "of the price"),
	TEXT(doc, "region", region, "of the price"),
	TEXT(doc, "instance_type", instance_type, "of the price"),
	TEXT(doc, "purchase", purchase, "of the price"),
	AMOUNT(doc, "cost", r.cost, r.has_cost, "of the GPUs' time"),
	AMOUNT(doc, "cost_hour", r.cost_hour, r.has_cost, "of an hour of them"),
	{ "steps", COL_INT, offsetof(struct doc, p.steps), "count", "that the command did" },
	NUM(doc, "steps_s", r.steps_s, 6, "a second"),
	AMOUNT(doc, "cost_1000_steps", r.cost_1000_steps, r.has_cost_1000, "of 1,000 steps"),
	STATS(doc),
	STAT(doc, "command_cpu_pct", cmd_cpu, "of the command; 100: one processor"),
	STAT(doc, "host_cpu_pct", host_cpu, "of all processors"),
	NUM(doc, "cpu_s", p.cpu_s, 3, "of the command"),
	NUM(doc, "rss_peak_bytes", p.rss_peak_bytes, 0, "memory of the host, at most"),
	{ "processes", COL_INT, offsetof(struct doc, p.procs_seen), "count", "seen" },
	{ "processes_left", COL_INT, offsetof(struct doc, p.procs_left), "count",
	  "that still ran at its end" },
	NUM(doc, "energy_j", r.energy_j, 1, "of the GPUs"),
	TEXT(doc, "energy_quality", energy_quality, "measured or estimated"),
	NUM(doc, "shared_s", shared_s, 3, "with another's process on the GPU"),
	{ "gpus", COL_LIST(struct doc, gpu, r.ndev, gpu_cols), .help = "that it used" },
	{ "verdict", COL_ROW, offsetof(struct doc, verdict), .sub = verdict_cols,
	  .help = "how well they were used" },
	{ "diagnosis", COL_ROW, 0, .has_at = offsetof(struct doc, has_diag),
	  .sub = diagnosis_cols, .help = "why they waited; null: no GPU was used" },
	{ "fit", COL_ROW, 0, .has_at = offsetof(struct doc, has_fit), .sub = fit_cols,
	  .help = "GPUs that would do; null: not asked" },
	{ 0 },
};
const struct col_doc profile_doc = { "tare.profile/1", "profile",
				     "what a command did with the GPUs; tare explain RUN too",
				     cols };

/* ---- rows -------------------------------------------------------------------------------- */

static struct stat_cell cell_of(const struct profile_stat *s)
{
	return (struct stat_cell){ *s, s->n > 0 };
}

static void set_stats(const struct profile_stat *all, struct stat_cell *ret)
{
	for (int m = 0; m < METRIC_N; m++)
		ret[m] = cell_of(&all[m]);
}

static const struct gpu_row *gpu_rows(const struct profile_view *v)
{
	const struct profile_report *r = v->r;
	struct gpu_row *row = arena_alloc(v->mem, r->ndev * sizeof *row);

	for (size_t i = 0; i < r->ndev; i++) {
		const struct profile_dev *d = r->dev[i];
		row[i] = (struct gpu_row){ .index = d->index,
					   .uuid = d->uuid,
					   .model = filled_or(d->model, d->name),
					   .mig_profile = d->mig_profile,
					   .found_by = profile_how_name(d->how),
					   .mem_total_bytes = d->facts.mem_total_bytes,
					   .power_limit_w = d->facts.power_limit_w };
		set_stats(r->each[i], row[i].stat);
	}
	return row;
}

static struct verdict_row verdict_row(const struct profile_judgement *j)
{
	static const char *const second[] = { NULL, "sm_active", "power" };
	static const char *const sure[] = { "low", "medium", "high" };

	return (struct verdict_row){ .verdict = profile_verdict_name(j->verdict),
				     .by_util = profile_verdict_name(j->by_util),
				     .second = second[j->second],
				     .sure = sure[j->confidence],
				     .why = j->why,
				     .contradicted = j->contradicted };
}

static const struct finding_row *finding_rows(const struct profile_view *v)
{
	const struct diag_result *d = &v->r->diag;
	const struct watch_rate *rate = &v->p->rate;
	struct finding_row *row = arena_alloc(v->mem, (size_t)(d->n + 1) * sizeof *row);

	for (int i = 0; i < d->n; i++) {
		const struct diag_finding *f = &d->finding[i];
		struct str e = { 0 };
		double day = NAN;
		if (rate->known)
			day = diag_cost_day(f, f->dev < 0 ? v->r->ndev : 1,
					    dec_to_double(rate->usd_gpu_hour));
		diag_evidence_text(f, &e);
		row[i] = (struct finding_row){ .cause = diag_cause_name(f->cause),
					       .evidence = arena_strn(v->mem, str_z(&e), e.n),
					       .change = diag_change(f->cause),
					       .confidence = f->confidence,
					       .time_frac = f->time_frac,
					       .lost_frac = f->lost_frac,
					       .has_cost = isfinite(day) };
		if (isfinite(day))
			row[i].cost_hour = nano_to_dec((int64_t)llround(day / 24 * 1e9));
		str_free(&e);
	}
	return row;
}

static const struct fits_row *fits_rows(const struct profile_view *v)
{
	const struct profile_fit *f = v->fit;
	struct fits_row *row = arena_alloc(v->mem, PROFILE_GPUS * sizeof *row);

	for (size_t i = 0; f && i < f->ngpu; i++) {
		const struct profile_gpu *k = &f->gpu[i];
		bool sold = k->nano_gpu_hour != INT64_MIN;
		row[i] =
			(struct fits_row){ .k = *k,
					   .usd_gpu_hour = nano_to_dec(sold ? k->nano_gpu_hour : 0),
					   .has_price = sold,
					   .saving_frac = 1 - k->nano_per_work / f->slow_now,
					   .saving_p05_frac = 1 - k->nano_hi / f->slow_now,
					   .speed_from = speed_how_name(k->speed.how) };
	}
	return row;
}

void profile_json(const struct profile_view *v, struct str *out)
{
	const struct profile_report *r = v->r;
	const struct profile *p = v->p;
	struct doc d = {
		.id = v->kept,
		.p = *p,
		.r = *r,
		.elapsed_s = (double)r->elapsed_ms / 1000,
		.gpu_s = (double)r->gpu_ms / 1000,
		.before_s = (double)r->before_ms / 1000,
		.interval_s = (double)p->interval_ms / 1000,
		.gap_s = (double)p->gap_ms / 1000,
		.shared_s = (double)r->shared_ms / 1000,
		.exit_code = p->exit_code < 0 ? INT_MIN : p->exit_code,
		.cmd_cpu = cell_of(&r->cmd_cpu),
		.host_cpu = cell_of(&r->host_cpu),
		.gpu = gpu_rows(v),
		.verdict = verdict_row(&r->judged),
		.has_diag = r->ndev > 0,
		.diag_verdict = diag_verdict_name(r->diag.verdict),
		.finding = finding_rows(v),
		.nfinding = (size_t)r->diag.n,
		.missing = r->diag.missing,
		.nmissing = (size_t)r->diag.nmissing,
		.fits = fits_rows(v),
	};

	if (!r->ndev)
		d.problem = p->problem;
	if (!isnan(r->energy_j))
		d.energy_quality = quality_name(r->energy_quality);
	set_stats(r->all, d.stat);
	d.currency = p->rate.known ? p->rate.currency : NULL;
	d.price_from = p->rate.known ? p->rate.source : NULL;
	d.provider = p->rate.provider;
	d.region = p->rate.region;
	d.instance_type = p->rate.instance_type;
	d.purchase = p->rate.purchase;
	d.has_fit = v->fit != NULL;
	d.vram_need_gib = NAN;
	if (v->fit)
		d.fit = *v->fit;
	if (v->fit && v->fit->asked)
		d.vram_need_gib = v->fit->vram_p99_gib * GPU_CHOICE_VRAM_ROOM;
	cols_doc(&profile_doc, &d, out);
}
