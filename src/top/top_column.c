/*
 * The columns of the two lists. A column has a least and a wanted width; where the least widths do
 * not fit, columns with the highest drop number go first, and what is left over is given out in the
 * order of the table. See top_paint.h.
 */
#include <math.h>
#include <stdio.h>
#include "base/num.h"
#include "base/str.h"
#include "top/top_paint.h"
#include "base/tm.h"

struct line { /* what a cell is made from */
	const struct cells *g;
	const struct top_model *m;
	const struct top_ui *ui;
	const struct snap_dev *d;
	const struct snap_part *part; /* an owner's line; NULL: the device's */
	const struct snap_proc *proc;
	bool last; /* of those under the same GPU */
};
struct column {
	const char *head;
	int min, good, want; /* all get what is good before any gets what it would like */
	int drop;            /* 0: never */
	bool right;
	enum metric need; /* shown where a device has this reading; 0 (utilisation) = always */
	void (*text)(const struct line *l, int width, struct str *out, unsigned *style);
};

static void put_num(struct str *out, double v, int digits, const char *unit)
{
	if (isfinite(v))
		str_addf(out, "%.*f%s", digits, v, unit);
	else
		str_addc(out, '-');
}

/* ---- GPUs -------------------------------------------------------------------------------- */

/* "12"; where there are several machines "node-a/2": of a long name its two ends. */
#define NODE_W 14
static void put_index(struct str *out, const struct gpu_info *c)
{
	size_t n = strlen(c->node);

	if (n > NODE_W)
		str_addf(out, "%.5s..%s/%d", c->node, c->node + n - (NODE_W - 7), c->index);
	else if (n)
		str_addf(out, "%s/%d", c->node, c->index);
	else
		str_addf(out, "%2d", c->index);
}

void top_dev_name(const struct snap_dev *d, struct str *out)
{
	const struct gpu_info *c = &d->info;

	str_addf(out, *c->node ? "%s/%d" : "%s%d", c->node, c->index);
	if (c->parent >= 0)
		str_addf(out, " %s", filled_or(c->mig_profile, "MIG"));
}

static void dev_name(const struct line *l, int width, struct str *out, unsigned *style)
{
	const struct gpu_info *c = &l->d->info;
	char pct[PERCENT_BUF];
	const char *branch = "├";
	if (!l->g->utf8) {
		if (l->last)
			branch = "`";
		else
			branch = "|";
	} else if (l->last)
		branch = "└";
	if (l->part)
		str_addf(out, "%s%s%s", text_if(c->parent >= 0, " "), branch,
			 top_share_text(pct, l->d, l->part, true));
	else if (c->parent >= 0)
		str_addf(out, "%s%s", branch, filled_or(c->mig_profile, "MIG"));
	else
		put_index(out, c);
}

static void dev_model(const struct line *l, int width, struct str *out, unsigned *style)
{
	if (!l->part && l->d->info.parent < 0)
		str_addz(out, text_or(l->d->model, "-"));
}

static void dev_util(const struct line *l, int width, struct str *out, unsigned *style)
{
	put_num(out, l->part ? l->part->util_pct : top_util_pct(l->d), 0, "%");
}

static void dev_sm(const struct line *l, int width, struct str *out, unsigned *style)
{
	put_num(out, l->part ? NAN : 100 * l->d->value[METRIC_SM_ACTIVE_FRAC], 0, "%");
}

static void dev_past(const struct line *l, int width, struct str *out, unsigned *style)
{
	const struct top_track *t = NULL;
	if (!l->part)
		t = top_track_of(l->m, l->d);
	*style = STYLE_GOOD;
	for (int i = width; t && i-- > 0;) {
		const struct diag_step *s = top_past(t, (size_t)i);
		str_addz(out,
			 s ? cells_spark(l->g->utf8, s->value[METRIC_GPU_UTIL_PCT] / 100) : " ");
	}
}

static void dev_mem(const struct line *l, int width, struct str *out, unsigned *style)
{
	double used = l->part ? l->part->mem_bytes : l->d->value[METRIC_MEM_USED_BYTES],
	       total = l->d->info.mem_total_bytes;
	if (!isfinite(total))
		total = l->d->value[METRIC_MEM_TOTAL_BYTES];
	top_gib(out, used, width >= 9 || !(used >= 99.95 * 1073741824) ? 1 : 0);
	if (l->part)
		return;
	str_addc(out, '/');
	top_gib(out, total, width >= 11 || (isfinite(total) && total < 10 * 1073741824.0) ? 1 : 0);
}

static void dev_power(const struct line *l, int width, struct str *out, unsigned *style)
{
	if (l->part || l->d->info.parent >= 0)
		return; /* of the GPU alone */
	put_num(out, l->d->value[METRIC_POWER_W], 0, "");
	str_addc(out, '/');
	put_num(out, l->d->info.power_limit_w, 0, "");
}

static void dev_temp(const struct line *l, int width, struct str *out, unsigned *style)
{
	double t = l->d->value[METRIC_TEMP_CELSIUS], slow = l->d->info.temp_slowdown_celsius;
	if (l->part || l->d->info.parent >= 0)
		return;
	put_num(out, t, 0, "");
	/* 83 C: the seeds' alert; else 5 K under where the hardware slows down */
	if (t > (isfinite(slow) ? slow - 5 : 83))
		*style = STYLE_BAD;
}

static void dev_pcie(const struct line *l, int width, struct str *out, unsigned *style)
{
	if (l->part || l->d->info.parent >= 0)
		return;
	put_num(out, l->d->value[METRIC_PCIE_RX_BYTES_S] / 1e9, 1, "");
	str_addc(out, '/');
	put_num(out, l->d->value[METRIC_PCIE_TX_BYTES_S] / 1e9, 1, "");
}

/* All of team/user/job where there is room for it, else without the team. */
static void owner_in(const struct line *l, const struct snap_part *p, int width, struct str *out)
{
	struct snap_part short_ = *p;
	top_owner(p, out);
	if (!p->held || !p->team || cells_width(l->g->utf8, str_sv(out)) <= width)
		return;
	short_.team = NULL;
	if (short_.user || short_.job) {
		str_clear(out);
		top_owner(&short_, out);
	}
}

static void dev_owner(const struct line *l, int width, struct str *out, unsigned *style)
{
	const struct snap_part *p = NULL;
	bool mig_gpu = l->d->info.mig_enabled && l->d->info.parent < 0;
	if (l->part)
		p = l->part;
	else if (l->d->npart)
		p = &l->d->part[0];
	if (!l->part && l->d->npart > 1)
		str_addf(out, "%zu owners", l->d->npart);
	else if (!p)
		str_addz(out, mig_gpu ? "(in instances)" : "-");
	else if (mig_gpu && !p->held)
		str_addz(out, "(the rest)");
	else
		owner_in(l, p, width, out);
	if (p && !p->held)
		*style = STYLE_DIM;
}

static void dev_since(const struct line *l, int width, struct str *out, unsigned *style)
{
	const struct snap_part *p = NULL;
	if (l->part)
		p = l->part;
	else if (l->d->npart == 1)
		p = &l->d->part[0];
	if (!p || p->since_ms == UNKNOWN_MS || l->m->snap->t_ms < p->since_ms)
		str_addc(out, '-');
	else
		top_span(out, l->m->snap->t_ms - p->since_ms);
}

static void dev_usd_h(const struct line *l, int width, struct str *out, unsigned *style)
{
	dec v = 0;
	bool known = top_usd_h(l->m, l->part ? l->part->share_ppb : top_share_ppb(l->d), &v);
	top_rate(out, known, v);
}

static void dev_wasted(const struct line *l, int width, struct str *out, unsigned *style)
{
	if (l->part)
		return; /* counted by device */
	const struct top_track *t = top_track_of(l->m, l->d);
	dec v = top_wasted(t, NULL);
	/* what no reading told is not known to be nothing */
	bool known = t && (t->told || v);
	top_money(out, l->m->priced && known, v);
	if (v > 0)
		*style = STYLE_WASTE;
}

static void dev_why(const struct line *l, int width, struct str *out, unsigned *style)
{
	const struct snap_part *p = l->part;
	if (!l->part)
		p = top_main_part(l->d);
	if (l->d->stuck || !l->d->present) {
		str_addz(out, l->d->stuck ? "driver hangs" : "GPU lost");
		*style = STYLE_BAD;
		return;
	}
	if (!p) {
		str_addz(out,
			 l->d->info.mig_enabled && l->d->info.parent < 0 ? "see instances" : "-");
		return;
	}
	char pct[PERCENT_BUF];
	top_why(p->state, p->cause, out);
	if (l->d->info.mig_enabled && l->d->info.parent < 0 && p->share_ppb < 1000000000)
		str_addf(out, " %s", top_share_text(pct, l->d, p, true));
	double frac = waste_frac(p->state, p->util_pct);
	if (frac > 0)
		*style = STYLE_WASTE;
	else if (p->state == STATE_BUSY)
		*style = STYLE_GOOD;
	else
		*style = STYLE_DIM;
}

/* At 80 columns those of drop 0 to 3 are there; a branch for instances takes the past. */
static const struct column GPU[] = {
	{ "GPU", 2, 2, 2, 0, false, 0, dev_name },
	{ "model", 14, 14, 18, 5, false, 0, dev_model },
	{ "util", 4, 4, 4, 0, true, 0, dev_util },
	{ "SM", 4, 4, 4, 4, true, METRIC_SM_ACTIVE_FRAC, dev_sm },
	{ "past", 5, 8, 60, 3, true, 0, dev_past },
	{ "mem GiB", 7, 7, 11, 0, true, 0, dev_mem },
	{ "power W", 7, 7, 8, 1, true, 0, dev_power },
	{ "\xc2\xb0"
	  "C",
	  3, 3, 3, 2, true, 0, dev_temp },
	{ "PCIe GB/s", 9, 9, 9, 6, true, METRIC_PCIE_RX_BYTES_S, dev_pcie },
	{ "owner", 11, 16, 40, 0, false, 0, dev_owner },
	{ "held for", 8, 8, 8, 7, true, 0, dev_since },
	{ "$/h", 5, 5, 6, 0, true, 0, dev_usd_h },
	{ "wasted", 6, 6, 7, 0, true, 0, dev_wasted },
	{ "why", 18, 21, 26, 0, false, 0, dev_why },
};
#define NGPU (sizeof GPU / sizeof *GPU)

/* ---- processes --------------------------------------------------------------------------- */

static void proc_gpu(const struct line *l, int width, struct str *out, unsigned *style)
{
	put_index(out, &l->d->info);
	if (l->d->info.parent >= 0)
		str_addf(out, ".%d", l->d->info.gi);
}

static void proc_pid(const struct line *l, int width, struct str *out, unsigned *style)
{
	str_addf(out, "%d", l->proc->pid);
}

static void add_known(struct str *out, const char *text)
{
	str_addz(out, text_or(text, "-"));
}

static void proc_user(const struct line *l, int width, struct str *out, unsigned *style)
{
	add_known(out, l->proc->user);
}

static void proc_job(const struct line *l, int width, struct str *out, unsigned *style)
{
	add_known(out, l->proc->job);
}

static void proc_type(const struct line *l, int width, struct str *out, unsigned *style)
{
	static const char *const name[] = { ['C'] = "compute", ['G'] = "graphics", ['M'] = "MPS" };
	unsigned char type = (unsigned char)l->proc->type;

	add_known(out, type < sizeof name / sizeof *name ? name[type] : NULL);
}

static void proc_mem(const struct line *l, int width, struct str *out, unsigned *style)
{
	top_gib(out, l->proc->mem_bytes, 1);
}

static void proc_sm(const struct line *l, int width, struct str *out, unsigned *style)
{
	put_num(out, l->proc->sm_util_pct, 0, "%");
}

static void proc_cpu(const struct line *l, int width, struct str *out, unsigned *style)
{
	put_num(out, l->proc->cpu_util_pct, 0, "%");
}

static void proc_command(const struct line *l, int width, struct str *out, unsigned *style)
{
	add_known(out, l->proc->command);
}

static const struct column PROC[] = {
	{ "GPU", 2, 2, 2, 0, false, 0, proc_gpu },
	{ "pid", 7, 7, 7, 0, true, 0, proc_pid },
	{ "user", 8, 10, 14, 0, false, 0, proc_user },
	{ "job", 8, 12, 30, 0, false, 0, proc_job },
	{ "type", 8, 8, 8, 1, false, 0, proc_type },
	{ "mem GiB", 7, 7, 7, 0, true, 0, proc_mem },
	{ "SM", 4, 4, 4, 0, true, 0, proc_sm },
	{ "CPU", 5, 5, 5, 0, true, 0, proc_cpu },
	{ "command", 12, 24, 400, 0, false, 0, proc_command },
};
#define NPROC (sizeof PROC / sizeof *PROC)

/* ---- a line ------------------------------------------------------------------------------ */

#define MAX_COLUMNS 16
#define MARGIN      1 /* column of the sign of the selected line */

static bool has_reading(const struct top_model *m, enum metric need)
{
	for (size_t i = 0; need && i < m->snap->ndev; i++)
		if (isfinite(m->snap->dev[i].value[need]))
			return true;
	return !need;
}

/* Grow columns up to what is good for texts (stage 0), for all (1), up to what they would like (2):
 * a column a time, so that none takes all. */
static int grow_columns(const struct column *c, size_t n, int stage, int room, int used, int *width)
{
	for (bool grew = true; grew && used < room;) {
		grew = false;
		for (size_t i = 1; i < n && used < room; i++) {
			int most = c[i].good;
			if (stage == 2)
				most = c[i].want;
			else if (stage == 0 && (c[i].right || c[i].drop))
				most = 0; /* not yet */
			if (!width[i] || width[i] >= most)
				continue;
			width[i]++;
			used++;
			grew = true;
		}
	}
	return used;
}

/* Widths of the columns, 0 = dropped; first: width of the first column. */
static void fit_columns(const struct top_model *m, const struct column *c, size_t n, int room,
			int first, int ret[MAX_COLUMNS])
{
	int used = MARGIN - 1;
	for (size_t i = 0; i < n; i++) {
		if (!i)
			ret[i] = first;
		else if (has_reading(m, c[i].need))
			ret[i] = c[i].min;
		else
			ret[i] = 0;
		if (ret[i])
			used += ret[i] + 1;
	}
	for (int drop = 9; drop > 0 && used > room; drop--)
		for (size_t i = 0; i < n && used > room; i++)
			if (c[i].drop == drop && ret[i]) {
				used -= ret[i] + 1;
				ret[i] = 0;
			}
	for (int stage = 0; stage < 3; stage++)
		used = grow_columns(c, n, stage, room, used, ret);
}

struct columns {
	const struct column *c; /* [n] */
	size_t n;
	const int *width; /* [n], 0: left out */
};

static void put_line(struct cells *g, int y, const struct columns *of, const struct line *l,
		     bool selected, const char *more)
{
	const struct column *c = of->c;
	const int *width = of->width;
	int x = MARGIN;
	struct str s = { 0 };
	unsigned plain = l ? STYLE_TEXT : STYLE_HEAD;
	cells_put(g, y, 0, g->w, plain, selected ? SV(">") : SV(" "));
	for (size_t i = 0; i < of->n; i++) {
		unsigned style = plain;
		if (!width[i])
			continue;
		str_clear(&s);
		if (l)
			c[i].text(l, width[i], &s, &style);
		else
			str_addz(&s, !g->utf8 && (unsigned char)*c[i].head >= 0x80 ? c[i].head + 2
										   : c[i].head);
		if (!l && i + 1 == of->n && *more) {
			if ((int)(s.n + 1 + strlen(more)) > width[i])
				str_clear(&s);
			str_addf(&s, s.n ? " %s" : "%s", more);
		}
		if (c[i].right)
			style |= STYLE_RIGHT;
		cells_put(g, y, x, width[i], style, str_sv(&s));
		x += width[i] + 1;
	}
	str_free(&s);
	if (selected)
		cells_style(g, y, 0, g->w, STYLE_SELECTED);
}

static int node_width(const struct snap_dev *d)
{
	int w = (int)strnlen(d->info.node, NODE_W);

	if (w)
		return w + 1 + (d->info.index > 9) + 1;
	return 2;
}

void top_gpu_line(struct cells *g, int y, const struct top_model *m, const struct top_ui *ui,
		  const struct top_row *row, const char *more)
{
	int width[MAX_COLUMNS];

	/* Instances and owners need room for their branch. */
	int first_width = 3;
	for (size_t i = 0; i < ui->row.n; i++) {
		const struct snap_dev *dev = &m->snap->dev[ui->row.v[i].dev];
		int need;
		if (ui->row.v[i].part != WHOLE_DEV)
			need = 5 + (dev->info.parent >= 0);
		else if (dev->info.parent >= 0)
			need = 1 + (int)strnlen(dev->info.mig_profile, 11);
		else
			need = node_width(dev);
		first_width = max_int(need, first_width);
	}
	fit_columns(m, GPU, NGPU, g->w, first_width, width);

	if (!row) {
		put_line(g, y, &(struct columns){ GPU, NGPU, width }, NULL, false, more);
		return;
	}
	const struct snap_dev *d = &m->snap->dev[row->dev];
	size_t next = row->dev + 1;
	struct line l = { .g = g,
			  .m = m,
			  .ui = ui,
			  .d = d,
			  .part = row->part == WHOLE_DEV ? NULL : &d->part[row->part] };
	if (l.part)
		l.last = row->part + 1 == d->npart;
	else
		l.last = next >= m->snap->ndev || m->snap->dev[next].info.parent < 0;
	bool selected = ui->focus == FOCUS_GPUS && row == &ui->row.v[ui->row_at];
	put_line(g, y, &(struct columns){ GPU, NGPU, width }, &l, selected, NULL);
}

void top_proc_line(struct cells *g, int y, const struct top_model *m, const struct top_ui *ui,
		   const struct top_prow *row, const char *more)
{
	int width[MAX_COLUMNS], first = 3;
	for (size_t i = 0; i < ui->proc.n; i++) {
		const struct snap_dev *on = &m->snap->dev[ui->proc.v[i].dev];
		int need = node_width(on) + (on->info.parent >= 0 ? 3 : 1);
		first = max_int(need, first);
	}
	fit_columns(m, PROC, NPROC, g->w, first, width);
	if (!row) {
		put_line(g, y, &(struct columns){ PROC, NPROC, width }, NULL, false, more);
		return;
	}
	const struct snap_dev *d = &m->snap->dev[row->dev];
	struct line l = { .g = g, .m = m, .ui = ui, .d = d, .proc = &d->proc[row->proc] };
	bool selected = ui->focus == FOCUS_PROCS && row == &ui->proc.v[ui->proc_at];
	put_line(g, y, &(struct columns){ PROC, NPROC, width }, &l, selected, NULL);
}
