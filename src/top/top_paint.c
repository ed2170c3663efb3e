/* See top_paint.h. */
#include "top/top_paint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"

#define HEAD_LINES  2
#define FOOT_LINES  2
#define HOST_LINE_H 30 /* lines from which there is one about the machine */

static const char *dot_text(const struct cells *g)
{
	if (g->utf8)
		return " · ";
	return " - ";
}

/* ---- head -------------------------------------------------------------------------------- */

static void paint_title(struct cells *g, const struct top_model *m, const struct top_ui *ui)
{
	const struct top_snap *s = m->snap;
	struct str t = { 0 };
	char clock[16];
	str_addf(&t, "%s%s%s UTC", text_or(s->node, "-"), dot_text(g), top_clock(clock, s->t_ms));
	if (ui->paused)
		str_addf(&t, "%sPAUSED", dot_text(g));
	else if (ui->interval_ms)
		str_addf(&t, "%severy %.3g s", dot_text(g), (double)ui->interval_ms / 1000);
	str_addf(&t, "%s%zu GPU%s", dot_text(g), s->ngpu, plural(s->ngpu));
	if (s->driver && *s->driver)
		str_addf(&t, "%s%s", dot_text(g), s->driver);
	int used = cells_put(g, 0, 0, 8, STYLE_BOLD, SV("tare top"));
	cells_put(g, 0, used + 2, g->w - used - 2, STYLE_TEXT, str_sv(&t));
	str_free(&t);
}

static void add_gpu_hours(struct str *t, dec ms_ppb)
{
	/* dec_to_double() takes it as units of 10^-12 */
	double h = dec_to_double(ms_ppb) * 1e12 / 1e9 / MS_HOUR;
	str_addf(t, "%.*f GPU-h", h < 10 ? 3 : 1, h);
}

static void paint_money(struct cells *g, const struct top_model *m)
{
	const char *cur = top_currency(m);
	struct str t = { 0 };
	dec hour = 0;
	char clock[16];
	bool known = top_usd_h(m, (int64_t)m->snap->ngpu * 1000000000, &hour);
	int x = 0;
	if (known) {
		top_rate(&t, true, hour);
		str_addf(&t, " %s/h%s", cur, dot_text(g));
	} else
		str_addf(&t, "no price known (--usd-gpu-hour)%s", dot_text(g));
	x += cells_put(g, 1, x, g->w - x, STYLE_TEXT, str_sv(&t));
	str_clear(&t);
	str_addz(&t, "wasted ");
	if (m->priced) {
		top_money(&t, true, m->wasted);
		str_addf(&t, " %s", cur);
	} else
		add_gpu_hours(&t, m->wasted_ms_ppb);
	x += cells_put(g, 1, x, g->w - x, m->wasted_ms_ppb > 0 ? STYLE_WASTE : STYLE_TEXT,
		       str_sv(&t));
	str_clear(&t);
	top_clock(clock, m->since_ms);
	if (m->booked)
		str_addf(&t, " today, since %.5s", clock);
	else
		str_addf(&t, " since %.5s", clock);

	/* The most expensive of today, as many as fit: "idle_held/finished 2.10, unallocated
	 * 1.02". */
	for (size_t i = 0; i < m->by.n && i < 4; i++) {
		str_addz(&t, i ? ", " : ": ");
		top_why(m->by.v[i].state, m->by.v[i].cause, &t);
		str_addc(&t, ' ');
		if (m->priced)
			top_money(&t, true, m->by.v[i].cost);
		else
			add_gpu_hours(&t, m->by.v[i].ms_ppb);
	}

	cells_put(g, 1, x, g->w - x, STYLE_TEXT, str_sv(&t));
	str_free(&t);
}

static void add_rate(struct str *t, double bytes_s)
{
	if (!isfinite(bytes_s))
		str_addc(t, '-');
	else if (bytes_s >= 1e9)
		str_addf(t, "%.1f GB/s", bytes_s / 1e9);
	else
		str_addf(t, "%.1f MB/s", bytes_s / 1e6);
}

static void paint_host(struct cells *g, const struct top_model *m, int y)
{
	const struct host_view *h = &m->snap->host;
	struct str t = { 0 };
	str_addz(&t, "CPU ");
	if (isfinite(h->cpu_util_pct))
		str_addf(&t, "%.0f %%", h->cpu_util_pct);
	else
		str_addc(&t, '-');
	str_addf(&t, " of %d%smemory ", h->cpus, dot_text(g));
	top_gib(&t, h->mem_total_bytes - h->mem_available_bytes, 1);
	str_addz(&t, " of ");
	top_gib(&t, h->mem_total_bytes, 0);
	str_addf(&t, " GiB%snetwork in ", dot_text(g));
	add_rate(&t, h->nic_rx_bytes_s);
	str_addz(&t, " out ");
	add_rate(&t, h->nic_tx_bytes_s);
	str_addf(&t, "%sdisk read ", dot_text(g));
	add_rate(&t, h->disk_read_bytes_s);
	str_addz(&t, " write ");
	add_rate(&t, h->disk_write_bytes_s);
	const struct watch_rate *r = &m->snap->rate;
	if (*r->instance_type || *r->region)
		str_addf(&t, "%s%s %s %s (%s)", dot_text(g), r->instance_type,
			 filled_or(r->zone, r->region), r->purchase, r->source);
	cells_put(g, y, 0, g->w, STYLE_DIM, str_sv(&t));
	str_free(&t);
}

/* ---- wrapped text ------------------------------------------------------------------------ */

/* Bytes of text that fit into width columns, cut at a blank where there is one. */
static size_t wrap_at(bool utf8, struct sv t, int width)
{
	size_t i = 0, len, blank = 0;
	int used = 0;
	wchar_t ch;
	while (i < t.n) {
		int w = cells_decode(utf8, sv_from(t, i), &ch, &len);
		if (used + w > width) {
			if (blank)
				return blank;
			if (i)
				return i;
			return len;
		}
		if (t.p[i] == ' ' && i)
			blank = i;
		used += w;
		i += len;
	}
	return i;
}

/* Lines from `first` on into y .. y + h; returns how many lines there are in all. */
static int paint_text(struct cells *g, int y, int h, int first, const struct top_text *t)
{
	int n = 0;
	for (size_t i = 0; i < t->line.n; i++) {
		struct sv rest = sv_of(t->line.v[i].text);
		int x = 0;
		do {
			size_t take = wrap_at(g->utf8, rest, g->w - 1 - x);
			if (n >= first && n < first + h)
				cells_put(g, y + n - first, x, g->w - x, t->line.v[i].style,
					  (struct sv){ rest.p, take });
			n++;
			rest.p += take;
			rest.n -= take;
			while (rest.n && *rest.p == ' ') {
				rest.p++;
				rest.n--;
			}
			x = t->line.v[i].indent < g->w / 2 ? t->line.v[i].indent : 2;
		} while (rest.n && n < 100000);
	}
	return n;
}

static void paint_over(struct cells *g, const struct top_model *m, struct top_ui *ui, int y, int h)
{
	struct top_text t = { 0 };
	if (ui->over == OVER_HELP)
		top_help_text(&t);
	else if (ui->over == OVER_GPU)
		top_gpu_text(m, ui, g, &t);
	else
		top_explain_text(m, ui, &t);
	ui->over_page = h;
	ui->over_lines = paint_text(g, y, 0, 0, &t);
	if (ui->over_top > ui->over_lines - h)
		ui->over_top = ui->over_lines > h ? ui->over_lines - h : 0;
	paint_text(g, y, h, ui->over_top, &t);
	top_text_free(&t);
}

/* ---- foot -------------------------------------------------------------------------------- */

static void key_hint(struct cells *g, int y, int *x, const char *key, const char *what)
{
	int need = cells_width(g->utf8, sv_of(key)) + 1 + cells_width(g->utf8, sv_of(what));
	if (*x + need > g->w)
		return;
	*x += cells_put(g, y, *x, g->w - *x, STYLE_KEY, sv_of(key)) + 1;
	*x += cells_put(g, y, *x, g->w - *x, STYLE_TEXT, sv_of(what)) + 2;
}

static void ways_out(struct cells *g, int y, int *x)
{
	key_hint(g, y, x, "?", "help");
	key_hint(g, y, x, "q", "quit");
}

static void paint_keys(struct cells *g, const struct top_model *m, const struct top_ui *ui, int y)
{
	bool narrow = g->w < 80;
	int x = 0;
	char sort[48];
	if (ui->over != OVER_NONE) {
		key_hint(g, y, &x, "Esc", "back");
		if (ui->over_lines > ui->over_page) {
			key_hint(g, y, &x, g->utf8 ? "↑↓" : "up/down", "scroll");
			char lines[64];
			snprintf(lines, sizeof lines, "lines %d-%d of %d", ui->over_top + 1,
				 min_int(ui->over_top + ui->over_page, ui->over_lines),
				 ui->over_lines);
			cells_put(g, y, x, g->w - x, STYLE_DIM, sv_of(lines));
		}
		return;
	}
	const char *by = proc_sort_name(ui->proc_sort);
	bool reversed = ui->proc_reverse;
	if (ui->focus == FOCUS_GPUS) {
		by = gpu_sort_name(ui->gpu_sort);
		reversed = ui->gpu_reverse;
	}
	snprintf(sort, sizeof sort, "sort: %s%s", by, text_if(reversed, ", reversed"));
	if (m->snap->ngpu)
		key_hint(g, y, &x, "Enter", "explain");
	if (narrow) /* not all of them fit: the way out does */
		ways_out(g, y, &x);
	if (m->snap->ngpu) {
		key_hint(g, y, &x, "s", sort);
		key_hint(g, y, &x, "/", "filter");
		key_hint(g, y, &x, "Tab", ui->focus == FOCUS_GPUS ? "processes" : "GPUs");
	}
	if (!narrow)
		ways_out(g, y, &x);
	key_hint(g, y, &x, "p", ui->paused ? "go on" : "pause");
	key_hint(g, y, &x, "+-", "interval");
}

/* What is selected, in words and whole, for what its columns had no room for. */
static void add_selected(struct str *t, const struct cells *g, const struct top_model *m,
			 const struct top_ui *ui)
{
	if (ui->focus == FOCUS_PROCS && ui->proc_at >= 0) {
		const struct top_prow *r = &ui->proc.v[ui->proc_at];
		const struct snap_proc *p = &m->snap->dev[r->dev].proc[r->proc];
		str_addf(t, "%d%s%s%s%s", p->pid, dot_text(g), text_or(p->job, "-"), dot_text(g),
			 text_or(p->command, "-"));
		return;
	}
	if (ui->row_at < 0)
		return;
	const struct top_row *r = &ui->row.v[ui->row_at];
	const struct snap_dev *d = &m->snap->dev[r->dev];
	const struct snap_part *p = r->part != WHOLE_DEV ? &d->part[r->part] : top_main_part(d);
	const struct top_track *k = top_track_of(m, d);
	char clock[16];
	str_addz(t, "GPU ");
	top_dev_name(d, t);
	if (d->info.parent < 0)
		str_addf(t, " %s", text_or(d->model, ""));
	str_addz(t, dot_text(g));
	if (p) {
		top_owner(p, t);
		str_addz(t, dot_text(g));
		top_why(p->state, p->cause, t);
	} else
		str_addz(t, "no owner");
	if (k && r->part == WHOLE_DEV && k->state_since_ms != UNKNOWN_MS)
		str_addf(t, " since %s%.5s", text_if(k->state_since_ms == m->start_ms, "before "),
			 top_clock(clock, k->state_since_ms));
}

static void paint_status(struct cells *g, const struct top_model *m, const struct top_ui *ui, int y)
{
	struct str t = { 0 };
	unsigned style = STYLE_DIM;
	if (ui->editing) {
		str_addf(&t, "filter: %s_", ui->filter);
		style = STYLE_BOLD;
	} else {
		if (*ui->filter)
			str_addf(&t, "filter '%s' (Esc drops it)%s", ui->filter, dot_text(g));
		if (m->snap->problem && *m->snap->problem) {
			str_addz(&t, m->snap->problem);
			style = STYLE_BAD;
		} else
			add_selected(&t, g, m, ui);
	}
	cells_put(g, y, 0, g->w, style, str_sv(&t));
	str_free(&t);
}

/* ---- lists ------------------------------------------------------------------------------- */

static void scroll_to(int *top, int at, int page, int n)
{
	if (at >= 0 && at < *top)
		*top = at;
	if (at >= *top + page)
		*top = at - page + 1;
	if (*top > n - page)
		*top = n - page;
	if (*top < 0)
		*top = 0;
}

/* "1-12/16": which of the lines are seen; "" where all are. */
static const char *format_range(char buf[32], int top, int page, int n)
{
	*buf = 0;
	if (n > page)
		snprintf(buf, 32, "%d-%d/%d", top + 1, min_int(top + page, n), n);
	return buf;
}

static void paint_gpus(struct cells *g, const struct top_model *m, struct top_ui *ui, int y, int h)
{
	char more[32];
	ui->row_page = h;
	scroll_to(&ui->row_top, ui->row_at, h, (int)ui->row.n);
	top_gpu_line(g, y, m, ui, NULL, format_range(more, ui->row_top, h, (int)ui->row.n));
	for (int i = 0; i < h && ui->row_top + i < (int)ui->row.n; i++)
		top_gpu_line(g, y + 1 + i, m, ui, &ui->row.v[ui->row_top + i], NULL);
	if (!ui->row.n)
		cells_put(g, y + 1, 1, g->w - 1, STYLE_DIM, SV("no GPU matches the filter"));
}

static const char *no_procs(const struct top_model *m, const struct top_ui *ui)
{
	bool known = false;
	for (size_t i = 0; i < m->snap->ndev; i++)
		known = known || m->snap->dev[i].procs_known;
	if (*ui->filter && ui->nproc_all)
		return "no process matches the filter";
	if (ui->nproc_all)
		return "no process on the selected GPU (a shows all)";
	if (known)
		return "no process uses a GPU";
	return "the driver does not say which processes use its GPUs";
}

static void paint_procs(struct cells *g, const struct top_model *m, struct top_ui *ui, int y, int h)
{
	char more[32];
	ui->proc_page = h;
	scroll_to(&ui->proc_top, ui->proc_at, h, (int)ui->proc.n);
	top_proc_line(g, y, m, ui, NULL, format_range(more, ui->proc_top, h, (int)ui->proc.n));
	for (int i = 0; i < h && ui->proc_top + i < (int)ui->proc.n; i++)
		top_proc_line(g, y + 1 + i, m, ui, &ui->proc.v[ui->proc_top + i], NULL);
	if (!ui->proc.n && h > 0)
		cells_put(g, y + 1, 1, g->w - 1, STYLE_DIM, sv_of(no_procs(m, ui)));
}

/* ---- the page ---------------------------------------------------------------------------- */

static void paint_no_gpu(struct cells *g, const struct top_model *m, int y, int h)
{
	struct top_text t = { 0 };
	top_text_add(&t, STYLE_BOLD, 0, "No GPU to watch here.");
	top_text_add(&t, STYLE_TEXT, 0, "%s",
		     text_or(m->snap->problem, "No driver was found on this machine."));
	top_text_add(&t, STYLE_TEXT, 0, "%s", "");
	top_text_add(
		&t, STYLE_TEXT, 0,
		"tare doctor   says what tare can and cannot see on this machine, and what to do about it");
	top_text_add(&t, STYLE_TEXT, 0,
		     "TARE_GPU_REPLAY=samples.csv tare top   shows a recording instead");
	paint_text(g, y, h, 0, &t);
	top_text_free(&t);
}

void top_paint(struct cells *g, const struct top_model *m, struct top_ui *ui)
{
	int y = HEAD_LINES;
	cells_blank(g);
	if (g->w < TOP_MIN_W || g->h < TOP_MIN_H) {
		struct top_text t = { 0 };
		top_text_add(&t, STYLE_TEXT, 0, "tare top needs %dx%d, this is %dx%d. q quits.",
			     TOP_MIN_W, TOP_MIN_H, g->w, g->h);
		paint_text(g, 0, g->h, 0, &t);
		top_text_free(&t);
		return;
	}
	if (!m->snap) {
		cells_put(g, 0, 0, g->w, STYLE_TEXT, SV("tare top: asking the driver ..."));
		return;
	}
	paint_title(g, m, ui);
	if (m->snap->ngpu)
		paint_money(g, m);
	if (g->h >= HOST_LINE_H)
		paint_host(g, m, y++);
	bool status = m->snap->ngpu && ui->over == OVER_NONE;

	int end = g->h - (status ? FOOT_LINES : 1);
	int gpus, procs;
	if (ui->over != OVER_NONE)
		paint_over(g, m, ui, y + 1, end - y - 1);
	else if (!m->snap->ngpu)
		paint_no_gpu(g, m, y + 1, end - y - 1);
	else {
		/* Lines for the two lists: each what it needs where both fit; else GPUs first with
		 * two lines left for processes, or halves where processes have the focus. */
		int room = end - y - 2, least = 2;
		if (ui->focus == FOCUS_PROCS)
			least = room / 2;
		least = min_int((int)ui->proc.n, least);
		least = max_int(least, 1); /* or the sentence that there is none */
		gpus = max_int(1, min_int((int)ui->row.n, room - least));
		procs = room - gpus;
		paint_gpus(g, m, ui, y, gpus);
		paint_procs(g, m, ui, y + 1 + gpus, procs);
	}
	if (status)
		paint_status(g, m, ui, g->h - 2);
	paint_keys(g, m, ui, g->h - 1);
}

void top_print(const struct top_model *m, struct top_ui *ui, int w, bool utf8, struct str *out)
{
	struct cells g;
	int gpus = (int)ui->row.n, procs = (int)ui->proc.n;
	ui->row_at = ui->proc_at = -1;
	cells_init(&g, max_int(w, TOP_MIN_W), m->snap->ngpu ? gpus + procs + 6 : 10, utf8);
	paint_title(&g, m, ui);
	if (!m->snap->ngpu)
		paint_no_gpu(&g, m, 2, 8);
	else {
		paint_money(&g, m);
		paint_host(&g, m, 2);
		paint_gpus(&g, m, ui, 3, gpus);
		paint_procs(&g, m, ui, 4 + gpus, procs ? procs : 1);
	}
	cells_text(&g, out);
	while (out->n > 1 && out->p[out->n - 2] == '\n')
		out->p[--out->n] = 0;
	cells_free(&g);
}
