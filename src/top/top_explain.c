/*
 * The page that explains a waste: what it is, who has the GPU, since when, what it costs a day if
 * it goes on, the readings that say so, the causes that opt/diagnose finds in them, and what to do.
 * See top_paint.h.
 */
#include <math.h>
#include <stdio.h>
#include "base/str.h"
#include "top/top_diag.h"
#include "top/top_paint.h"
#include "base/tm.h"
#include "opt/diagnose/diagnose.h"

/* ---- words ------------------------------------------------------------------------------- */

static const char *state_meaning(enum state s)
{
	switch (s) {
	case STATE_BUSY: return "it works";
	case STATE_UNDERUSED: return "it works, and far from all the time";
	case STATE_IDLE_HELD: return "it does nothing, and its memory is held";
	case STATE_IDLE_EMPTY:
		return "it does nothing and holds no memory, and yet it is somebody's";
	case STATE_UNALLOCATED: return "it is paid for, and nobody has it";
	case STATE_LOST: return "the work came to nothing";
	case STATE_OVERHEAD: return "needed by the run, but no step of it";
	default: return "there is no valid reading of it";
	}
}

static const struct advice {
	enum state state;
	enum cause cause; /* CAUSE_NONE: whatever the cause */
	const char *text;
} ADVICE[] = {
	{ STATE_UNALLOCATED, CAUSE_STRANDED,
	  "No MIG profile fits what is left of the GPU. Lay it out again when its instances are free: tare plan mig finds the layout." },
	{ STATE_UNALLOCATED, CAUSE_DRAINING,
	  "The scheduler gives it no more work. Once its last job has ended, repair the machine or give it back." },
	{ STATE_UNALLOCATED, CAUSE_DOWN,
	  "The scheduler calls the machine down, and it is paid for. Repair it or give it back." },
	{ STATE_UNALLOCATED, CAUSE_NONE,
	  "Give it work, or give the machine back: tare plan --lever stop_idle says what that saves." },
	{ STATE_IDLE_HELD, CAUSE_FINISHED,
	  "Nothing has run for long and nothing will: ask the owner to end the job. An end of the script that frees the allocation keeps it from happening again." },
	{ STATE_IDLE_HELD, CAUSE_WARM_SERVER,
	  "A server waits for requests. Let it scale down when there are none, or let several share a GPU: tare plan --lever share,autoscale." },
	{ STATE_IDLE_HELD, CAUSE_NOTEBOOK,
	  "A notebook keeps the memory of what it ran last. Restart its kernel; a time-out for idle kernels (cull_idle_timeout of Jupyter) does it by itself." },
	{ STATE_IDLE_HELD, CAUSE_STALLED,
	  "The counter claims work that power or SM activity deny: it hangs, often in a collective that waits for a lost peer. Look where: py-spy dump --pid PID, or cuda-gdb." },
	{ STATE_IDLE_HELD, CAUSE_NONE,
	  "Between two pieces of work, or done. If it stays so it is called finished after half an hour (setting finished_after)." },
	{ STATE_IDLE_EMPTY, CAUSE_NEVER_LAUNCHED,
	  "The owner has started nothing on it: the job asked for more GPUs than it uses, or CUDA_VISIBLE_DEVICES hides this one. Ask for fewer." },
	{ STATE_IDLE_EMPTY, CAUSE_EXITED,
	  "Its processes have ended and the allocation goes on: end it." },
	{ STATE_IDLE_EMPTY, CAUSE_NONE,
	  "No process is on it. If the job does not need it, ask for one GPU less; if it waits for data, book the GPU after the data is there." },
	{ STATE_UNDERUSED, CAUSE_NONE,
	  "See the causes above. tare profile -- COMMAND measures a run closely, tare explain --trace FILE reads its profiler trace." },
	{ STATE_LOST, CAUSE_NONE,
	  "Find out why it failed before it is started again; checkpoints keep the next one from being lost whole." },
	{ STATE_UNKNOWN, CAUSE_NONE, "tare doctor says what cannot be read here and why." },
};

static const char *advice_for(enum state s, enum cause c)
{
	for (size_t i = 0; i < sizeof ADVICE / sizeof *ADVICE; i++)
		if (ADVICE[i].state == s && (ADVICE[i].cause == c || ADVICE[i].cause == CAUSE_NONE))
			return ADVICE[i].text;
	return NULL;
}

/* ---- readings ---------------------------------------------------------------------------- */

struct shown {
	enum metric metric;
	const char *name;
	double scale;
	int digits;
	const char *unit;
	double of; /* the most it could be, NAN */
};

static void write_reading(struct top_text *t, const struct top_track *k, const struct shown *w)
{
	const enum metric m = w->metric;
	const int digits = w->digits;
	const double scale = w->scale;
	size_t n;
	double mean = top_past_mean(k, m, &n), most = NAN;
	const struct diag_step *last = top_past(k, 0);
	struct str s = { 0 };
	if (!n) {
		top_text_add(t, STYLE_DIM, 18, "  %-16s-", w->name);
		return;
	}
	for (size_t i = 0; i < k->npast; i++)
		if (isfinite(k->past[i].value[m]) && !(k->past[i].value[m] <= most))
			most = k->past[i].value[m];
	str_addf(&s, "mean %.*f, highest %.*f %s", digits, mean * scale, digits, most * scale,
		 w->unit);
	if (last && isfinite(last->value[m]))
		str_addf(&s, ", now %.*f", digits, last->value[m] * scale);
	else
		str_addz(&s, ", now -");
	if (isfinite(w->of))
		str_addf(&s, ", of %.*f", digits, w->of * scale);
	top_text_add(t, STYLE_TEXT, 18, "  %-16s%s", w->name, str_z(&s));
	str_free(&s);
}

/* Most GPUs have no such link: no line then. Its peak is in no table of ours. */
static void link_reading(struct top_text *t, const struct top_track *k, enum metric m,
			 const char *name)
{
	size_t n;
	top_past_mean(k, m, &n);
	if (n)
		write_reading(t, k, &(struct shown){ m, name, 1e-9, 2, "GB/s", NAN });
}

static void write_evidence(struct top_text *t, const struct top_track *k, const struct snap_dev *d)
{
	const struct diag_step *first = k && k->npast ? top_past(k, k->npast - 1) : NULL,
			       *last = top_past(k, 0);
	char span[TM_BUF];
	if (!first)
		return;
	top_text_add(t, STYLE_TEXT, 0, "%s", "");
	top_text_add(t, STYLE_BOLD, 0, "What says so: %zu poll%s in %s", k->npast, plural(k->npast),
		     tm_format_span(span, last->t_ms - first->t_ms));
	write_reading(t, k, &(struct shown){ METRIC_GPU_UTIL_PCT, "utilisation", 1, 0, "%", NAN });
	write_reading(t, k,
		      &(struct shown){ METRIC_SM_ACTIVE_FRAC, "SM activity", 100, 0, "%", NAN });
	write_reading(t, k,
		      &(struct shown){ METRIC_MEM_USED_BYTES, "memory", 1 / 1073741824.0, 1, "GiB",
				       d->info.mem_total_bytes });
	if (d->info.parent < 0) {
		write_reading(t, k,
			      &(struct shown){ METRIC_POWER_W, "power", 1, 0, "W",
					       d->info.power_limit_w });
		write_reading(t, k,
			      &(struct shown){ METRIC_PCIE_RX_BYTES_S, "PCIe from host", 1e-9, 2,
					       "GB/s", d->pcie_bytes_s });
		link_reading(t, k, METRIC_NVLINK_RX_BYTES_S, "NVLink in");
		link_reading(t, k, METRIC_NVLINK_TX_BYTES_S, "NVLink out");
	}
	write_reading(t, k, &(struct shown){ METRIC_CPU_UTIL_PCT, "host CPU", 1, 0, "%", NAN });
	top_text_add(t, STYLE_TEXT, 18, "  %-16s%zu on it%s", "processes", d->nproc,
		     text_if(!d->procs_known, " (the driver does not say)"));
}

/* ---- causes ------------------------------------------------------------------------------ */

static void write_causes(struct top_text *t, const struct top_model *m, const struct snap_dev *d)
{
	struct diag_result r = { 0 };
	char span[TM_BUF];
	size_t n;
	top_diagnose(m, m->snap, d, &r, &n);
	top_text_add(t, STYLE_TEXT, 0, "%s", "");
	top_text_add(t, STYLE_BOLD, 0, "Causes, looked for in %s of readings%s",
		     tm_format_span(span, r.window_ms), text_if(n > 1, " of all GPUs of the job"));
	for (int i = 0; i < r.n; i++) {
		const struct diag_finding *f = &r.finding[i];
		struct str why = { 0 }, cost = { 0 };
		const struct watch_rate *rate = &m->snap->rate;
		double day = NAN;
		if (rate->known)
			day = diag_cost_day(f, n, dec_to_double(rate->usd_gpu_hour));
		diag_evidence_text(f, &why);
		if (isfinite(day)) {
			str_addz(&cost, ", ");
			top_rate(&cost, true, dec_from_double(day));
			str_addf(&cost, " %s/day", top_currency(m));
		}
		top_text_add(t, STYLE_WASTE, 2, "  %s (confidence %.2f, %.0f %% of the time%s)",
			     diag_cause_title(f->cause), f->confidence, 100 * f->time_frac,
			     str_z(&cost));
		if (why.n)
			top_text_add(t, STYLE_TEXT, 4, "    %s", why.p);
		top_text_add(t, STYLE_TEXT, 4, "    %s", diag_change(f->cause));
		str_free(&why);
		str_free(&cost);
	}
	if (r.verdict == DIAG_HEALTHY)
		top_text_add(t, STYLE_TEXT, 2, "  none of the known causes");
	else if (r.verdict == DIAG_IDLE)
		top_text_add(t, STYLE_TEXT, 2, "  nothing ran in that time");
	else if (r.verdict == DIAG_UNKNOWN && r.window_ms < MS_MINUTE)
		top_text_add(t, STYLE_TEXT, 2, "  a minute of readings is needed");
	else if (r.verdict == DIAG_UNKNOWN)
		top_text_add(t, STYLE_TEXT, 2, "  not enough signals to tell");
	struct str s = { 0 };
	for (int i = 0; i < r.nmissing; i++)
		str_addf(&s, "%s%s", text_if(i, ", "), r.missing[i]);
	if (s.n && r.verdict != DIAG_IDLE && r.window_ms >= MS_MINUTE)
		top_text_add(t, STYLE_DIM, 4, "  not known, and it would help: %s", s.p);
	str_free(&s);
}

/* ---- money ------------------------------------------------------------------------------- */

static void write_costs(struct top_text *t, const struct top_model *m, const struct snap_dev *d,
			const struct snap_part *p)
{
	dec hour;

	/* Of a day that goes on like the kept past; NAN where that cannot be told. */
	double util = d->npart > 1 ? p->util_pct
				   : top_past_mean(top_track_of(m, d), METRIC_GPU_UTIL_PCT, NULL);
	double frac = waste_frac(p->state, util);

	struct str s = { 0 };
	const char *cur = top_currency(m);
	if (!top_usd_h(m, p->share_ppb, &hour))
		str_addz(&s,
			 "no price known for this machine; tare top --usd-gpu-hour 3.10 sets one");
	else {
		top_rate(&s, true, hour);
		str_addf(&s, " %s/h", cur);
		if (frac > 0) {
			str_addz(&s, ", wasted if it goes on like this: ");
			top_rate(&s, true, dec_muldiv(hour, llround(24 * frac * 1e6), 1000000));
			str_addf(&s, " %s/day", cur);
		}
	}
	top_text_add(t, STYLE_TEXT, 10, "%-10s%s", "costs", str_z(&s));
	str_free(&s);
}

static void write_wasted(struct top_text *t, const struct top_model *m, const struct snap_dev *d)
{
	const struct top_track *k = top_track_of(m, d);
	struct str s = { 0 };
	char clock[16];
	for (size_t i = 0; k && i < k->waste.line.n; i++) {
		const struct waste_line *l = &k->waste.line.v[i];
		bool again = false; /* the same in another minute */
		dec cost = 0, ms = 0;
		for (size_t j = 0; j < k->waste.line.n; j++)
			if (k->waste.line.v[j].state == l->state &&
			    k->waste.line.v[j].cause == l->cause) {
				again = again || j < i;
				cost += k->waste.line.v[j].cost;
				ms += k->waste.line.v[j].ms_ppb;
			}
		if (again)
			continue;
		str_addz(&s, text_if(s.n, ", "));
		top_why(l->state, l->cause, &s);
		if (m->priced) {
			str_addc(&s, ' ');
			top_money(&s, true, cost);
			str_addf(&s, " %s", top_currency(m));
		}
		str_addf(&s, " (%.3f GPU-h)", dec_to_double(ms) * 1e12 / 1e9 / MS_HOUR);
	}
	if (!s.n)
		str_addz(&s, "nothing");
	top_text_add(t, STYLE_TEXT, 10, "%-10s%s since %.5s%s", "wasted", str_z(&s),
		     top_clock(clock, m->since_ms),
		     m->booked ? ", as the agent has booked it" : ", when tare top was started");
	str_free(&s);
}

/* ---- the page ---------------------------------------------------------------------------- */

static void part_page(struct top_text *t, const struct top_model *m, const struct snap_dev *d,
		      const struct snap_part *p, bool one)
{
	const struct top_track *k = top_track_of(m, d);
	struct str s = { 0 };
	char clock[16], pct[PERCENT_BUF];
	top_why(p->state, p->cause, &s);
	top_text_add(t, waste_frac(p->state, p->util_pct) > 0 ? STYLE_WASTE : STYLE_BOLD, 0,
		     "%s: %s", str_z(&s), state_meaning(p->state));
	str_clear(&s);
	top_owner(p, &s);
	if (p->share_ppb < 1000000000)
		str_addf(&s, ", %s of the GPU", top_share_text(pct, d, p, false));
	if (p->since_ms != UNKNOWN_MS && m->snap->t_ms >= p->since_ms) {
		str_addz(&s, ", for ");
		top_span(&s, m->snap->t_ms - p->since_ms);
	}
	top_text_add(t, STYLE_TEXT, 10, "%-10s%s", "holder", str_z(&s));
	if (one && k && k->state_since_ms != UNKNOWN_MS)
		top_text_add(t, STYLE_TEXT, 10, "%-10s%s UTC%s", "since",
			     top_clock(clock, k->state_since_ms),
			     text_if(k->state_since_ms == m->start_ms,
				     " or before: it was so when tare top was started"));
	write_costs(t, m, d, p);
	str_free(&s);
}

void top_explain_text(const struct top_model *m, const struct top_ui *ui, struct top_text *t)
{
	size_t only = WHOLE_DEV;
	const struct snap_dev *d = NULL;
	if (ui->focus == FOCUS_PROCS && ui->proc_at >= 0) {
		d = &m->snap->dev[ui->proc.v[ui->proc_at].dev];
	} else if (ui->row_at >= 0) {
		only = ui->row.v[ui->row_at].part;
		d = &m->snap->dev[ui->row.v[ui->row_at].dev];
	}
	if (!d) {
		top_text_add(t, STYLE_TEXT, 0, "No GPU is selected.");
		return;
	}
	struct str name = { 0 };
	top_dev_name(d, &name);
	top_text_add(t, STYLE_BOLD, 0, "GPU %s  %s  %s", str_z(&name), text_or(d->model, ""),
		     d->info.uuid);
	str_free(&name);
	if (d->stuck)
		top_text_add(
			t, STYLE_BAD, 0,
			"The driver does not answer: whether the GPU is there and what it does is not known until it does. dmesg may say why.");
	else if (!d->present)
		top_text_add(
			t, STYLE_BAD, 0,
			"The driver does not answer for this GPU any more. dmesg says why (NVRM: Xid); drain the machine before it is reset.");
	for (size_t i = 0; i < d->npart; i++)
		if (only == WHOLE_DEV || only == i)
			part_page(t, m, d, &d->part[i], d->npart == 1);
	if (!d->npart)
		top_text_add(t, STYLE_TEXT, 0, "%s",
			     d->info.mig_enabled && d->info.parent < 0
				     ? "All of it is in MIG instances: select one of them."
				     : "Nothing is known of who holds it.");
	write_wasted(t, m, d);
	write_evidence(t, top_track_of(m, d), d);
	const struct snap_part *p = only != WHOLE_DEV ? &d->part[only] : top_main_part(d);
	if (!p)
		return;
	if (p->state == STATE_UNDERUSED || p->state == STATE_BUSY || p->cause == CAUSE_STALLED)
		write_causes(t, m, d);

	const char *text = advice_for(p->state, p->cause);
	if (!text)
		return;
	top_text_add(t, STYLE_TEXT, 0, "%s", "");
	top_text_add(t, STYLE_BOLD, 0, "What to do");
	top_text_add(t, STYLE_TEXT, 2, "  %s", text);
	if (p->held && waste_frac(p->state, p->util_pct) > 0) {
		struct str s = { 0 };
		top_owner(p, &s);
		top_text_add(t, STYLE_TEXT, 2, "  Owner to ask: %s", str_z(&s));
		str_free(&s);
	}
}
