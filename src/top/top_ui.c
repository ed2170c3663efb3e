/* See top_ui.h. */
#include "top/top_ui.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"

const char *gpu_sort_name(enum gpu_sort s)
{
	static const char *const name[] = { "index", "util",   "memory", "power",
					    "temp",  "wasted", "owner" };
	return name[s];
}

const char *proc_sort_name(enum proc_sort s)
{
	static const char *const name[] = { "memory", "SM", "CPU", "pid", "user", "GPU" };
	return name[s];
}

void top_ui_init(struct top_ui *ui, int64_t interval_ms)
{
	*ui = (struct top_ui){
		.interval_ms = interval_ms, .sel_part = WHOLE_DEV, .row_at = -1, .proc_at = -1
	};
}

void top_ui_free(struct top_ui *ui)
{
	vec_free(&ui->row);
	vec_free(&ui->proc);
}

/* ---- words ------------------------------------------------------------------------------- */

void top_owner(const struct snap_part *p, struct str *out)
{
	const char *const field[] = { p->team, p->user, p->job };
	size_t before = out->n;
	if (!p->held) {
		str_addz(out, p->state == STATE_UNALLOCATED || p->state == STATE_UNKNOWN
				      ? "(nobody)"
				      : "(no owner)");
		return;
	}
	for (size_t i = 0; i < 3; i++) {
		if (!field[i])
			continue;
		/* A user session's job id is "user/comm": its user need not be said twice. */
		size_t n = 0;
		if (p->user)
			n = strlen(p->user);
		bool job_has_user = p->job && !strncmp(p->job, text_or(p->user, ""), n) &&
				    p->job[n] == '/';
		if (i == 1 && job_has_user)
			continue;
		if (out->n > before)
			str_addc(out, '/');
		str_addz(out, field[i]);
	}
	if (out->n == before)
		str_addz(out, text_or(p->name, "-"));
}

void top_why(enum state s, enum cause c, struct str *out)
{
	if (s == STATE_NONE) {
		str_addc(out, '-');
		return;
	}
	str_addz(out, state_name(s));
	if (c == CAUSE_NONE || (c == CAUSE_UNKNOWN && s != STATE_UNDERUSED))
		return;
	str_addc(out, '/');
	if (c == CAUSE_UNKNOWN) {
		str_addz(out, "?");
		return;
	}
	for (const char *p = cause_name(c); *p; p++)
		str_addc(out, *p == '_' ? ' ' : *p);
}

/* ---- filter ------------------------------------------------------------------------------ */

static bool one_has(const char *const *text, size_t n, struct sv needle)
{
	for (size_t i = 0; i < n; i++)
		if (text[i] && sv_ihas(sv_of(text[i]), needle))
			return true;
	return false;
}

static bool proc_matches(const struct snap_proc *p, struct sv needle)
{
	char pid[16];
	snprintf(pid, sizeof pid, "%d", p->pid);
	const char *const text[] = { pid, p->user, p->job, p->team, p->command };

	return one_has(text, sizeof text / sizeof *text, needle);
}

/* A GPU stays where it, something on it or one of its processes matches. */
static bool group_matches(const struct top_snap *s, size_t first, size_t end, struct sv needle)
{
	for (size_t i = first; i < end; i++) {
		const struct snap_dev *d = &s->dev[i];
		char gpu[32];
		struct str str = { 0 };
		snprintf(gpu, sizeof gpu, "gpu %d", d->info.index);
		const char *const text[] = { gpu, d->info.uuid, d->model, d->info.mig_profile,
					     d->info.node };
		bool dev_matches = one_has(text, sizeof text / sizeof *text, needle);
		for (size_t k = 0; k < d->npart && !dev_matches; k++) {
			const struct snap_part *p = &d->part[k];
			str_clear(&str);
			top_owner(p, &str);
			str_addc(&str, ' ');
			top_why(p->state, p->cause, &str);
			const char *const owner[] = { str_z(&str), p->user, p->project, p->name };
			dev_matches = one_has(owner, sizeof owner / sizeof *owner, needle);
		}
		str_free(&str);
		if (dev_matches)
			return true;
		for (size_t k = 0; k < s->dev[i].nproc; k++)
			if (proc_matches(&s->dev[i].proc[k], needle))
				return true;
	}
	return false;
}

/* ---- sort -------------------------------------------------------------------------------- */

struct group { /* a GPU and what is on it */
	size_t first, end;
	double key; /* NAN sorts last, whichever way */
	const char *text;
};

static double group_key(const struct top_model *m, const struct top_ui *ui, struct group *g)
{
	const struct snap_dev *d = &m->snap->dev[g->first];
	double best = NAN;
	switch (ui->gpu_sort) {
	case GPU_UTIL: /* of a GPU in instances: that of the busiest */
		for (size_t i = g->first; i < g->end; i++)
			best = fmax(best, top_util_pct(&m->snap->dev[i])); /* NAN: of others */
		return best;
	case GPU_MEM: return d->value[METRIC_MEM_USED_BYTES];
	case GPU_POWER: return d->value[METRIC_POWER_W];
	case GPU_TEMP: return d->value[METRIC_TEMP_CELSIUS];
	case GPU_WASTED:
		best = 0;
		for (size_t i = g->first; i < g->end; i++) {
			dec ms, cost = top_wasted(top_track_of(m, &m->snap->dev[i]), &ms);
			best += m->priced ? dec_to_double(cost) : dec_to_double(ms);
		}
		return best;
	default: return NAN;
	}
}

static int by_number(double a, double b, bool reverse) /* largest first unless reversed */
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	if (a == b)
		return 0;
	if ((a < b) != reverse)
		return 1;
	return -1;
}

static int by_text(const char *a, const char *b, bool reverse)
{
	if (!a || !b)
		return !a - !b;
	int r = strcmp(a, b);
	if (reverse)
		return -r;
	return r;
}

static int group_cmp(const void *pa, const void *pb, void *ctx)
{
	const struct group *a = pa, *b = pb;
	const struct top_ui *ui = ctx;
	int r = 0;
	if (ui->gpu_sort == GPU_OWNER)
		r = by_text(a->text, b->text, ui->gpu_reverse);
	else if (ui->gpu_sort != GPU_INDEX)
		r = by_number(a->key, b->key, ui->gpu_reverse);
	else if (ui->gpu_reverse) {
		if (a->first < b->first)
			return 1;
		return -1;
	}
	if (r)
		return r;
	if (a->first < b->first)
		return -1;
	return 1;
}

struct proc_ctx {
	const struct top_ui *ui;
	const struct top_snap *snap;
};

static double proc_key(const struct snap_proc *p, enum proc_sort s)
{
	if (s == PROC_MEM)
		return p->mem_bytes;
	if (s == PROC_SM)
		return p->sm_util_pct;
	return p->cpu_util_pct;
}

static int proc_cmp(const void *pa, const void *pb, void *ctx)
{
	const struct top_prow *a = pa, *b = pb;
	const struct proc_ctx *c = ctx;
	const struct snap_proc *x = &c->snap->dev[a->dev].proc[a->proc],
			       *y = &c->snap->dev[b->dev].proc[b->proc];
	bool reverse = c->ui->proc_reverse;
	int r = 0;
	if (c->ui->proc_sort == PROC_USER)
		r = by_text(x->user, y->user, reverse);
	else if (c->ui->proc_sort == PROC_GPU && a->dev != b->dev)
		r = (a->dev < b->dev) != reverse ? -1 : 1;
	else if (c->ui->proc_sort < PROC_PID)
		r = by_number(proc_key(x, c->ui->proc_sort), proc_key(y, c->ui->proc_sort),
			      reverse);
	else if (c->ui->proc_sort == PROC_PID && x->pid != y->pid)
		r = (x->pid < y->pid) != reverse ? -1 : 1;
	if (!r)
		r = cmp_int(x->pid, y->pid);
	if (r)
		return r;
	return cmp_size(a->dev, b->dev);
}

/* ---- rows -------------------------------------------------------------------------------- */

static void gpu_rows(struct top_ui *ui, const struct top_model *m, struct sv needle)
{
	VEC(struct group) group = { 0 };
	struct arena mem = { 0 };
	for (size_t i = 0; i < m->snap->ndev;) {
		struct group g = { .first = i, .end = i + 1 };
		while (g.end < m->snap->ndev && m->snap->dev[g.end].info.parent >= 0)
			g.end++;
		i = g.end;
		if (needle.n && !group_matches(m->snap, g.first, g.end, needle))
			continue;
		g.key = group_key(m, ui, &g);
		if (ui->gpu_sort == GPU_OWNER) {
			const struct snap_part *p = top_main_part(&m->snap->dev[g.first]);
			struct str s = { 0 };
			if (p && p->held)
				top_owner(p, &s);
			g.text = s.n ? arena_strn(&mem, s.p, s.n) : NULL;
			str_free(&s);
		}
		*vec_push(&group) = g;
	}
	if (group.n)
		qsort_r(group.v, group.n, sizeof *group.v, group_cmp, ui);
	for (size_t i = 0; i < group.n; i++) {
		for (size_t j = group.v[i].first; j < group.v[i].end; j++) {
			*vec_push(&ui->row) = (struct top_row){ j, WHOLE_DEV };
			for (size_t k = 0; m->snap->dev[j].npart > 1 && k < m->snap->dev[j].npart;
			     k++)
				*vec_push(&ui->row) = (struct top_row){ j, k };
		}
	}
	vec_free(&group);
	arena_free(&mem);
}

/* Where the selected thing stands now; where it is gone, the line it stood on. */
static void find_row(struct top_ui *ui, const struct top_snap *s)
{
	int was = ui->row_at;
	ui->row_at = -1;
	for (size_t i = 0; i < ui->row.n && ui->row_at < 0; i++)
		if (ui->row.v[i].part == ui->sel_part &&
		    !strncmp(s->dev[ui->row.v[i].dev].key, ui->sel_key, sizeof ui->sel_key - 1))
			ui->row_at = (int)i;
	if (ui->row_at >= 0 || !ui->row.n)
		return;
	if (was < 0)
		ui->row_at = 0;
	else if (was >= (int)ui->row.n)
		ui->row_at = (int)ui->row.n - 1;
	else
		ui->row_at = was;
	const struct top_row *r = &ui->row.v[ui->row_at];
	snprintf(ui->sel_key, sizeof ui->sel_key, "%s", s->dev[r->dev].key);
	ui->sel_part = r->part;
}

void top_ui_rows(struct top_ui *ui, const struct top_model *m)
{
	struct sv needle = sv_of(ui->filter);
	vec_clear(&ui->row);
	vec_clear(&ui->proc);
	ui->nproc_all = 0;
	if (!m->snap)
		return;
	gpu_rows(ui, m, needle);
	find_row(ui, m->snap);

	struct proc_ctx ctx = { ui, m->snap };
	size_t selected = SIZE_MAX;
	if (ui->row_at >= 0)
		selected = ui->row.v[ui->row_at].dev;
	for (size_t i = 0; i < m->snap->ndev; i++) {
		const struct snap_dev *d = &m->snap->dev[i];
		bool on_it = i == selected ||
			     (d->info.parent >= 0 && (size_t)d->info.parent == selected);
		ui->nproc_all += d->nproc;
		if (ui->only_selected && selected != SIZE_MAX && !on_it)
			continue;
		for (size_t k = 0; k < d->nproc; k++)
			if (!needle.n || proc_matches(&d->proc[k], needle))
				*vec_push(&ui->proc) = (struct top_prow){ i, k };
	}
	if (ui->proc.n)
		qsort_r(ui->proc.v, ui->proc.n, sizeof *ui->proc.v, proc_cmp, &ctx);

	const struct top_snap *s = m->snap;
	int was = ui->proc_at;
	ui->proc_at = -1;
	for (size_t i = 0; i < ui->proc.n && ui->proc_at < 0; i++) {
		const struct snap_dev *d = &s->dev[ui->proc.v[i].dev];
		if (d->proc[ui->proc.v[i].proc].pid == ui->sel_pid &&
		    !strncmp(d->key, ui->sel_pid_key, sizeof ui->sel_pid_key - 1))
			ui->proc_at = (int)i;
	}
	if (ui->proc_at >= 0 || !ui->proc.n)
		return;
	if (was < 0)
		ui->proc_at = 0;
	else if (was >= (int)ui->proc.n)
		ui->proc_at = (int)ui->proc.n - 1;
	else
		ui->proc_at = was;
	const struct top_prow *r = &ui->proc.v[ui->proc_at];
	snprintf(ui->sel_pid_key, sizeof ui->sel_pid_key, "%s", s->dev[r->dev].key);
	ui->sel_pid = s->dev[r->dev].proc[r->proc].pid;
}
