/* A profile in words. See profile_view.h. */
#include "profile/profile_view.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/str.h"
#include "profile/profile_json.h"
#include "watch/rate.h"
#include "base/tm.h"
#include "opt/size/gpu_choice.h"
#include "report/text.h"

#define GIB            ((double)(1 << 30))
#define LABEL          12
#define LEAST_SHOWN_MS 2000 /* of time before the first use: less is a process starting */

static const char *format_money(struct arena *a, const struct watch_rate *r, dec v)
{
	char buf[DEC_BUF];
	bool usd = !strcmp(r->currency, "USD") || !*r->currency;
	dec abs = v;
	int digits = 6;
	if (v < 0)
		abs = -v;
	if (abs >= DEC_ONE / 100 || !abs)
		digits = 2;
	else if (abs >= DEC_ONE / 10000)
		digits = 4;
	return arena_printf(a, "%s %s", dec_format_people(buf, v, digits), usd ? "$" : r->currency);
}

/* ---- the head ---------------------------------------------------------------------------- */

static const char *model_of(const struct profile_dev *d)
{
	if (*d->model)
		return d->model;
	return filled_or(d->name, "GPU");
}

static const char *devices_text(const struct profile_view *v)
{
	const struct profile_report *r = v->r;
	struct arena *a = v->mem;
	bool alike = true;
	for (size_t i = 1; i < r->ndev; i++)
		alike &= !strcmp(model_of(r->dev[i]), model_of(r->dev[0])) &&
			 !strcmp(r->dev[i]->mig_profile, r->dev[0]->mig_profile);
	if (!r->ndev)
		return "no GPU used";
	if (!alike)
		return arena_printf(a, "%zu GPUs", r->ndev);
	return arena_printf(a, "%zu x %s%s%s", r->ndev, model_of(r->dev[0]),
			    text_if(*r->dev[0]->mig_profile, " "), r->dev[0]->mig_profile);
}

static void write_head(const struct profile_view *v, struct str *out)
{
	struct arena *a = v->mem;
	const struct profile *p = v->p;
	char span[TM_BUF];
	const char *sig = NULL;

	if (p->exit_code > 128)
		sig = sigabbrev_np(p->exit_code - 128);
	str_addf(out, "%s · %s · %s", text_line(a, sv_of(p->command), 60),
		 tm_format_span(span, v->r->elapsed_ms), devices_text(v));
	if (v->r->has_cost)
		str_addf(out, " · %s (%s%s)", format_money(a, &p->rate, v->r->cost),
			 rate_text(&p->rate, a), text_if(v->r->ndev > 1, " a GPU"));
	str_addc(out, '\n');
	if (p->exit_code < 0)
		str_addz(
			out,
			"tare was ended before the command was: this is what was kept until then.\n");
	else if (p->exit_code > 128 && sig)
		str_addf(out, "It was ended by signal %d (SIG%s).\n", p->exit_code - 128, sig);
	else if (p->exit_code)
		str_addf(out, "It ended with exit code %d.\n", p->exit_code);
}

/* ---- the table --------------------------------------------------------------------------- */

struct line {
	const char *label;
	const struct profile_stat *stat;
	double scale;
	int digits;
	const char *unit, *note;
};

static void write_row(struct str *out, const struct line *l)
{
	const struct profile_stat *s = l->stat;
	const double q[] = { s->p50, s->p95, s->mean, s->peak };
	char cell[64];

	if (!s->n)
		return;
	str_addf(out, "%-*s", LABEL, l->label);
	for (size_t i = 0; i < 4; i++) {
		snprintf(cell, sizeof cell, "%.*f%s", l->digits, q[i] / l->scale, l->unit);
		str_addf(out, "%8s", cell);
	}
	str_addf(out, "%s%s\n", text_if(*l->note, "  "), l->note);
}

static void write_table(const struct profile_view *v, struct str *out)
{
	const struct profile_report *r = v->r;
	const struct profile_stat *all = r->all;
	struct arena *a = v->mem;

	/* "SM active 29 %   occupancy 40 %   tensor 6 %   DRAM 18 %": means of what the GPU gives
	 *  */
	static const struct {
		int metric;
		const char *name;
	} m[] = { { METRIC_SM_ACTIVE_FRAC, "SM active" },
		  { METRIC_OCCUPANCY_FRAC, "occupancy" },
		  { METRIC_TENSOR_ACTIVE_FRAC, "tensor" },
		  { METRIC_DRAM_ACTIVE_FRAC, "DRAM" } };
	struct str s = { 0 };
	for (size_t i = 0; i < sizeof m / sizeof *m; i++)
		if (v->r->all[m[i].metric].n)
			str_addf(&s, "%s%s %.0f %%", text_if(s.n, "   "), m[i].name,
				 v->r->all[m[i].metric].mean * 100);
	const char *active = arena_strn(v->mem, str_z(&s), s.n);
	str_free(&s);

	if (!r->ndev && !r->cmd_cpu.n)
		return; /* it ended before anything could be read */
	str_addf(out, "\n%-*s%8s%8s%8s%8s\n", LABEL, "", "p50", "p95", "mean", "peak");
	write_row(out, &(struct line){ "GPU busy", &all[METRIC_GPU_UTIL_PCT], 1, 0, " %",
				       text_if(r->ndev > 1, "over all of them") });
	write_row(out, &(struct line){
			       "VRAM", &all[METRIC_MEM_USED_BYTES], GIB, 1, "",
			       isnan(r->mem_total_bytes)
				       ? "GiB"
				       : arena_printf(a, "GiB of %.0f%s", r->mem_total_bytes / GIB,
						      text_if(r->ndev > 1, ", the fullest")) });
	write_row(out, &(struct line){ "power", &all[METRIC_POWER_W], 1, 0, "",
				       isnan(r->power_limit_w)
					       ? "W"
					       : arena_printf(a, "W of %.0f", r->power_limit_w) });
	write_row(out, &(struct line){ "temperature", &all[METRIC_TEMP_CELSIUS], 1, 0, "", "C" });
	write_row(out,
		  &(struct line){ "PCIe in", &all[METRIC_PCIE_RX_BYTES_S], 1e9, 2, "", "GB/s" });
	write_row(out,
		  &(struct line){ "PCIe out", &all[METRIC_PCIE_TX_BYTES_S], 1e9, 2, "", "GB/s" });
	write_row(out, &(struct line){ "CPU", &r->cmd_cpu, 100, 1, "",
				       v->p->cpus_allowed && v->p->cpus_allowed < v->p->cpus
					       ? arena_printf(a, "cores of %d (%d allowed)",
							      v->p->cpus, v->p->cpus_allowed)
					       : arena_printf(a, "cores of %d", v->p->cpus) });
	if (*active)
		str_addf(out, "%-*s%s   (means)\n", LABEL, "counters", active);
	if (r->energy_j > 0)
		str_addf(out, "%-*s%.*f Wh%s\n", LABEL, "energy", r->energy_j < 36000 ? 2 : 0,
			 r->energy_j / 3600,
			 text_if(r->energy_quality != QUALITY_MEASURED, " (power over time)"));
}

/* ---- what it means ----------------------------------------------------------------------- */

static void write_why(const struct profile_view *v, struct str *out)
{
	const struct diag_result *d = &v->r->diag;
	struct str e = { 0 };

	if (!v->r->ndev || v->r->judged.verdict == PROFILE_TOO_SHORT)
		return;
	for (int i = 0; i < d->n; i++) {
		const struct diag_finding *f = &d->finding[i];
		const struct watch_rate *rate = &v->p->rate;
		double day = NAN;
		if (rate->known)
			day = diag_cost_day(f, f->dev < 0 ? v->r->ndev : 1,
					    dec_to_double(rate->usd_gpu_hour));
		str_addf(out, "%s: %s (confidence %.2f)", i ? "Also" : "Why it waits",
			 diag_cause_title(f->cause), f->confidence);
		if (isfinite(day) && day > 0)
			str_addf(out, "; costs %s/h while it runs",
				 format_money(v->mem, rate, dec_from_double(day / 24)));
		str_addz(out, ".\n");
		str_clear(&e);
		diag_evidence_text(f, &e);
		if (e.n)
			str_addf(out, "  Seen: %s\n", str_z(&e));
		str_addf(out, "  Change: %s\n", diag_change(f->cause));
	}
	if (d->verdict == DIAG_UNKNOWN) {
		str_addz(out, "Why it waits: not enough signals to say");
		for (int i = 0; i < d->nmissing; i++)
			str_addf(out, "%s%s", i ? ", " : "; missing: ", d->missing[i]);
		str_addz(out, ".\n");
	}
	str_free(&e);
}

static void write_fit(const struct profile_view *v, struct str *out)
{
	const struct profile_fit *f = v->fit;
	struct arena *a = v->mem;

	if (!f || (!f->asked && !v->r->ndev))
		return;
	if (!f->asked) {
		str_addf(out, "Which GPU would do: not said, as %s.\n", f->why_not);
		return;
	}
	double need = f->vram_p99_gib * GPU_CHOICE_VRAM_ROOM;
	if (!f->ngpu) {
		str_addf(out, "Fits: no GPU on sale there has %.1f GiB (p99 and 10 %%)%s.\n", need,
			 text_if(isfinite(f->max_slowdown), " and is fast enough"));
		return;
	}
	if (!f->better) {
		str_addf(
			out,
			"Fits: nothing clearly cheaper than %s for this work; it needs %.1f GiB (p99 and 10 %%).\n",
			f->on, need);
		return;
	}
	const struct profile_gpu *k = &f->gpu[0];
	bool measured = k->speed.how == SPEED_MEASURED;
	double times = 1 / k->speed.speed;
	const char *speed = "as fast";
	if (times >= 1.05)
		speed = arena_printf(a, "%.1fx slower", times);
	else if (times <= 0.95)
		speed = arena_printf(a, "%.1fx faster", 1 / times);
	str_addf(out, "Fits: %s, %.0f GiB, at %s/h (%s%s%s%s%s), %s %s", k->model, k->memory_gib,
		 format_money(a, &(struct watch_rate){ .currency = "USD" },
			      nano_to_dec(k->nano_gpu_hour)),
		 k->provider, text_if(k->region, " "), text_or(k->region, ""),
		 text_if(k->instance_type, " "), text_or(k->instance_type, ""),
		 measured ? "measured" : "estimated", speed);
	if (!measured)
		str_addf(out, " (%.1f-%.1fx the time)", 1 / k->speed.hi, 1 / k->speed.lo);
	str_addf(out, " -> %+.0f %% per step.%s\n", (k->nano_per_work / f->slow_now - 1) * 100,
		 text_if(!f->sure, " Not sure: at the slow end it costs more; try it."));
	str_addf(out, "  More of them: tare plan gpu --on %s --vram-gib %.1f%s%s\n", f->on,
		 f->vram_p99_gib, text_if(v->p->work, " --workload "),
		 text_if(v->p->work, text_line(a, sv_of(v->p->work), 60)));
}

static void write_costs(const struct profile_view *v, struct str *out)
{
	const struct profile_report *r = v->r;
	struct arena *a = v->mem;
	const struct watch_rate *rate = &v->p->rate;
	char span[TM_BUF];

	if (!isnan(r->steps_s))
		str_addf(out, "Speed: %lld steps, %.3g a second%s%s%s.\n", (long long)v->p->steps,
			 r->steps_s, text_if(r->has_cost_1000, "; "),
			 text_if(r->has_cost_1000, format_money(a, rate, r->cost_1000_steps)),
			 text_if(r->has_cost_1000, " per 1,000 steps"));
	const char *before_cost = "";
	if (r->has_cost)
		before_cost = arena_printf(
			a, " (%s)",
			format_money(a, rate, dec_muldiv(r->cost_hour, r->before_ms, MS_HOUR)));
	if (r->before_ms >= LEAST_SHOWN_MS)
		str_addf(out, "%s before the GPU was first used%s.\n",
			 tm_format_span(span, r->before_ms), before_cost);
	if (r->shared_ms > 0 && r->ndev)
		str_addf(
			out,
			"Another's process was on the GPU for %s: readings of the GPU are of both.\n",
			tm_format_span(span, r->shared_ms));
	if (r->ndev && !rate->known)
		str_addz(
			out,
			"No price is known here: give --usd-gpu-hour or --instance-type, or set agent: node: in the settings.\n");
}

static void no_gpu(const struct profile_view *v, struct str *out)
{
	const struct profile_report *r = v->r;
	const char *idle_cost = "";
	if (r->ndev)
		return;
	if (v->p->rate.known && r->idle_hour)
		idle_cost = arena_printf(v->mem, " (%s/h)",
					 format_money(v->mem, &v->p->rate, r->idle_hour));
	if (!r->unused && !v->p->ndev)
		str_addf(out, "No GPU here%s%s.\n", text_if(v->p->problem, ": "),
			 text_if(v->p->problem, text_line(v->mem, sv_of(v->p->problem), 0)));
	else
		str_addf(out, "The command never touched a GPU; %zu here stood unused by it%s.\n",
			 v->p->ndev, idle_cost);
	if (v->p->ndev)
		str_addz(
			out,
			"What docker, srun or ssh start for it is not among its processes: profile inside of them.\n");
}

static void write_remarks(const struct profile_view *v, struct str *out)
{
	char span[TM_BUF];
	bool by_change = false;
	for (size_t i = 0; i < v->r->ndev; i++)
		by_change |= v->r->dev[i]->how != PROFILE_BY_PROCESS;
	if (by_change)
		str_addz(
			out,
			"The driver names no process of the command: taken are the GPUs that it may see and that moved while it ran.\n");
	if (v->p->procs_left)
		str_addf(out, "%lld process%s it started still run%s.\n",
			 (long long)v->p->procs_left, text_if(v->p->procs_left != 1, "es"),
			 text_if(v->p->procs_left == 1, "s"));
	if (v->p->gap_ms)
		str_addf(out, "No readings for %s of it: the machine slept or was too busy.\n",
			 tm_format_span(span, v->p->gap_ms));
	if (v->kept)
		str_addf(out, "Kept: tare explain %s\n", v->kept);
}

/* Sentences are cut at blanks to the width of the page, what follows stands in by two; the table
 * above them keeps its lines. */
static void wrap_text(const struct str *s, int width, struct str *out)
{
	struct sv rest = str_sv(s);
	while (rest.p && rest.n) {
		struct sv line = sv_cut(rest, '\n', &rest), word, words = line;
		int at = 0;
		while (words.p) {
			word = sv_cut(words, ' ', &words);
			int w = text_width(word);
			if (at > 2 && at + 1 + w > width) {
				str_addz(out, "\n  ");
				at = 2;
			} else if (at || word.p != line.p) {
				str_addc(out, ' ');
				at++;
			}
			str_addsv(out, word);
			at += w;
		}
		str_addc(out, '\n');
	}
}

static void csv_row(struct str *out, const char *gpu, const char *name,
		    const struct profile_stat *s)
{
	const double q[] = { s->p50, s->p95, s->p99, s->mean, s->peak };
	if (!s->n)
		return;
	str_addf(out, "%s,%s", gpu, name);
	for (size_t i = 0; i < sizeof q / sizeof *q; i++)
		str_addf(out, ",%.10g", q[i]);
	str_addf(out, ",%lld\n", (long long)s->n);
}

void profile_print(const struct profile_view *v, enum out_format o, struct str *out)
{
	if (o == OUT_JSON) {
		profile_json(v, out);
		return;
	}
	if (o == OUT_CSV) {
		/* A row a metric: of all GPUs together ("all"), then of each. */
		char gpu[16];
		str_addz(out, "gpu,metric,p50,p95,p99,mean,peak,readings\n");
		for (int m = 0; m < METRIC_N; m++)
			csv_row(out, "all", metric_name((enum metric)m), &v->r->all[m]);
		csv_row(out, "", "command_cpu_pct", &v->r->cmd_cpu);
		csv_row(out, "", "host_cpu_pct", &v->r->host_cpu);
		for (size_t i = 0; i < v->r->ndev; i++) {
			snprintf(gpu, sizeof gpu, "%d", v->r->dev[i]->index);
			for (int m = 0; m < METRIC_N; m++)
				csv_row(out, gpu, metric_name((enum metric)m), &v->r->each[i][m]);
		}

		return;
	}
	struct str s = { 0 };
	write_head(v, &s);
	wrap_text(&s, v->width, out);
	write_table(v, out);

	const struct profile_report *r = v->r;
	if (r->ndev >= 2)
		for (size_t i = 0; i < r->ndev; i++) {
			const struct profile_stat *stat = r->each[i];
			char util[16] = "-", mem[24] = "-", power[16] = "-";
			if (stat[METRIC_GPU_UTIL_PCT].n)
				snprintf(util, sizeof util, "%.0f %%",
					 stat[METRIC_GPU_UTIL_PCT].mean);
			if (stat[METRIC_MEM_USED_BYTES].n)
				snprintf(mem, sizeof mem, "%.1f GiB",
					 stat[METRIC_MEM_USED_BYTES].peak / GIB);
			if (stat[METRIC_POWER_W].n)
				snprintf(power, sizeof power, "%.0f W", stat[METRIC_POWER_W].mean);
			str_addf(out, "  GPU %-3d %-22s busy %6s   VRAM %9s   power %6s\n",
				 r->dev[i]->index,
				 *r->dev[i]->mig_profile ? r->dev[i]->mig_profile
							 : model_of(r->dev[i]),
				 util, mem, power);
		}
	str_addc(out, '\n');
	str_clear(&s);
	no_gpu(v, &s);

	static const char *const word[] = {
		"", "", "", "over-provisioned", "under-utilised", "well utilised"
	};
	static const char *const sure[] = { "low", "medium", "high" };
	const struct profile_judgement *j = &v->r->judged;

	if (j->verdict == PROFILE_TOO_SHORT)
		str_addf(&s, "Too short to judge: %s.\n", j->why);
	else if (j->verdict == PROFILE_UNREAD)
		str_addf(&s, "Not judged: %s.\n", j->why);
	else if (j->verdict != PROFILE_NO_GPU)
		str_addf(&s, "Verdict: %s (confidence %s): %s.\n", word[j->verdict],
			 sure[j->confidence], j->why);
	write_why(v, &s);
	write_fit(v, &s);
	write_costs(v, &s);
	write_remarks(v, &s);
	wrap_text(&s, v->width, out);
	str_free(&s);
}

void profile_print_live(const struct profile *p, struct str *out)
{
	char span[TM_BUF];
	double util = NAN, mem = NAN;
	int n = 0;

	for (size_t i = 0; i < p->ndev; i++)
		if (p->dev[i].how != PROFILE_NOT) {
			util = fmax(util, p->dev[i].last.value[METRIC_GPU_UTIL_PCT]);
			mem = fmax(mem, p->dev[i].last.value[METRIC_MEM_USED_BYTES]);
			n++;
		}
	tm_format_span(span, p->end_ms - p->start_ms);
	if (!n)
		str_addf(out, "%s · no GPU used so far", span);
	else
		str_addf(out, "%s · %d GPU%s · busy %.0f %% · %.1f GiB", span, n,
			 text_if(n > 1, "s"), util, mem / GIB);
}
