#include "report/plot.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "report/text.h"
#include "report/cost/view.h"

#define PLOT_W   760.0
#define LEFT     64.0  /* room for the labels of the axis */
#define LABEL    110.0 /* a date with its hour, below */
#define NAMES    220.0
#define AMOUNTS  90.0
#define ROWS_MAX 15 /* bars of the largest rows; the page says of how many */

/* "busy", ..., "other" for STATE_NONE */
static const char *plot_state_label(int state)
{
	static const char *const label[STATE_N] = {
		[STATE_NONE] = "other",
		[STATE_BUSY] = "busy",
		[STATE_UNDERUSED] = "underused",
		[STATE_IDLE_HELD] = "idle, held",
		[STATE_IDLE_EMPTY] = "idle, empty",
		[STATE_UNALLOCATED] = "unallocated",
		[STATE_LOST] = "lost",
		[STATE_OVERHEAD] = "overhead",
		[STATE_UNKNOWN] = "unknown",
	};

	return label[state];
}

/* From useful to wasted, what is not GPU time last. */
static const int order[STATE_N] = { STATE_BUSY,      STATE_UNDERUSED,  STATE_OVERHEAD,
				    STATE_IDLE_HELD, STATE_IDLE_EMPTY, STATE_UNALLOCATED,
				    STATE_LOST,      STATE_UNKNOWN,    STATE_NONE };

/* What a stack reaches above and below its axis. */
struct reach {
	double up, down; /* both >= 0 */
};

static struct reach reach_of(const struct cube_row *r)
{
	struct reach h = { 0 };

	for (int i = 0; i < STATE_N; i++) {
		double v = dec_to_double(r->state[i].cost);
		h.up += fmax(v, 0);
		h.down += fmax(-v, 0);
	}
	return h;
}

static struct reach most_reach(struct reach a, struct reach b)
{
	return (struct reach){ fmax(a.up, b.up), fmax(a.down, b.down) };
}

/* 1, 2 or 5 times a power of ten: about four steps up to max. */
static double nice_step(double max)
{
	double step = pow(10, floor(log10(max / 4)));

	if (max / step > 20)
		return step * 5;
	if (max / step > 8)
		return step * 2;
	return step;
}

static void text_at(struct str *out, double x, double y, const char *anchor, const char *text)
{
	str_addf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	text_html(out, sv_of(text));
	str_addz(out, "</text>");
}

/* Labels and lines of a vertical axis of `height` that begins at y = 10. */
static void draw_axis(struct str *out, struct reach m, double height)
{
	double span = m.up + m.down, step = nice_step(span);
	char label[32];

	for (double v = -floor(m.down / step) * step; v <= m.up * 1.0001; v += step) {
		bool zero = fabs(v) < step / 2;
		double y = 10 + height * (m.up - v) / span;
		const char *form = "%.6g";
		if (step >= 1000)
			form = "%.0f K";
		else if (step < 0.1)
			form = "%.3g";
		str_addf(out,
			 "<line class=\"%s\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/>",
			 zero && m.down > 0 ? "zero" : "grid", LEFT, PLOT_W, y, y);
		if (zero)
			v = 0;
		snprintf(label, sizeof label, form, step >= 1000 ? v / 1000 : v);
		text_at(out, LEFT - 6, y + 4, "end", label);
	}
}

struct box {
	double x, y, w, h;
};

static void draw_segment(struct str *out, int state, struct box b, const char *who, dec cost)
{
	struct arena a = { 0 };

	str_addf(
		out,
		"<rect class=\"s-%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>",
		state ? state_name(state) : "other", b.x, b.y, b.w, b.h);
	text_html(out, sv_of(arena_printf(&a, "%s, %s: %s", who, plot_state_label(state),
					  text_money(&a, cost, 2))));
	str_addz(out, "</title></rect>");
	arena_free(&a);
}

static void open_svg(struct str *out, const char *id, const char *title, double height)
{
	str_addf(
		out,
		"<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-labelledby=\"%s\"><title id=\"%s\">",
		PLOT_W, height, id, id);
	text_html(out, sv_of(title));
	str_addz(out, "</title>\n");
}

/* An id that cannot break out of its attribute, whatever a bill calls its currency. */
static char *plot_id(struct arena *a, const char *what, const char *currency)
{
	char *id = arena_printf(a, "plot-%s-%s", what, currency);

	for (char *p = id; *p; p++)
		if (!(within_int(*p, 'a', 'z') || within_int(*p, 'A', 'Z') || *p == '-'))
			*p = '_';
	return id;
}

/* ---- over time --------------------------------------------------------------------------- */

static const char *const step_names[] = { "hour", "day", "week", "month", "quarter" };
enum step { STEP_HOUR, STEP_DAY, STEP_WEEK, STEP_MONTH, STEP_QUARTER };
#define STEP_LAST STEP_QUARTER

#define SLOTS_MAX 800 /* narrower than a dot, nothing could be seen */

static int64_t slot_start(enum step s, int64_t ms)
{
	struct civil c = tm_civil(ms);
	int year, week;

	switch (s) {
	case STEP_HOUR: return tm_floor(ms, MS_HOUR);
	case STEP_DAY: return tm_floor(ms, MS_DAY);
	case STEP_WEEK: tm_iso_week(ms, &year, &week); return tm_from_iso_week(year, week);
	case STEP_QUARTER: c.month -= (c.month - 1) % 3; break;
	case STEP_MONTH: break;
	}
	return tm_from_civil((struct civil){ .year = c.year, .month = c.month, .day = 1 });
}

/* ms begins a step */
static int64_t slot_next(enum step s, int64_t ms)
{
	static const int64_t within_next[] = { MS_HOUR, MS_DAY, 7 * MS_DAY, 32 * MS_DAY,
					       93 * MS_DAY };

	return slot_start(s, ms + within_next[s]);
}

static size_t slots_of(enum step s, int64_t from, int64_t to)
{
	size_t n = 0;

	for (int64_t t = slot_start(s, from); t < to && n <= SLOTS_MAX; t = slot_next(s, t))
		n++;
	return n;
}

/* "2026-10-31T07:00:00Z", "2026-10-31", "2026-W44", "2026-10", "2026-Q4" */
static bool slot_time(const char *text, int64_t *ret)
{
	char day[16];
	int year, n;

	if (sscanf(text, "%4d-W%2d", &year, &n) == 2) {
		*ret = tm_from_iso_week(year, n);
		return true;
	}
	if (sscanf(text, "%4d-Q%1d", &year, &n) == 2) {
		*ret = tm_from_civil((struct civil){ .year = year, .month = 3 * n - 2, .day = 1 });
		return true;
	}

	if (strlen(text) == 7) {
		snprintf(day, sizeof day, "%s-01", text);
		text = day;
	}
	return tm_parse(sv_of(text), 0, ret) == 0;
}

static const char *slot_name(struct arena *a, enum step s, int64_t ms)
{
	char buf[TM_BUF];
	int year, week;

	tm_format(buf, ms);
	switch (s) {
	case STEP_HOUR: return arena_printf(a, "%.10s %.5s", buf, buf + 11);
	case STEP_DAY: return arena_printf(a, "%.10s", buf);
	case STEP_WEEK:
		tm_iso_week(ms, &year, &week);
		return arena_printf(a, "%d-W%02d", year, week);
	case STEP_QUARTER: return arena_printf(a, "%.4s-Q%d", buf, (tm_civil(ms).month + 2) / 3);
	case STEP_MONTH: break;
	}
	return arena_printf(a, "%.7s", buf);
}

struct slot {
	int64_t t_ms;
	struct cube_row sum; /* its states' costs alone */
};
struct slots {
	enum step step;
	struct slot *v; /* [n], without a gap */
	size_t n;
	int64_t from_ms, to_ms;
	bool cut; /* empty ends of the window are left out */
};

/* Slots of the whole window in the finest step that can still be seen; of one of lifetimes only
 * where there are data. n 0: no row has a time. */
static struct slots slots_make(struct arena *a, const struct report_in *in,
			       const struct cube_block *k, enum step step)
{
	struct slots s = { .step = step };
	int64_t from = 0, last = 0, t;

	/* First and last instant of the rows; false: none has a time. */
	bool data_span = false;
	int64_t h;

	for (size_t i = 0; i < k->nrow; i++) {
		if (!slot_time(k->row[i].dim[0], &h))
			continue;
		if (!data_span || h < from)
			from = h;
		if (!data_span || h > last)
			last = h;
		data_span = true;
	}
	if (!data_span)
		return s;

	s.from_ms = in->since_ms == UNKNOWN_MS || from < in->since_ms ? from : in->since_ms;
	s.to_ms = in->until_ms == UNKNOWN_MS || last >= in->until_ms ? last + 1 : in->until_ms;
	while (s.step < STEP_LAST && slots_of(s.step, s.from_ms, s.to_ms) > SLOTS_MAX)
		s.step++;
	s.cut = slots_of(s.step, s.from_ms, s.to_ms) > SLOTS_MAX;
	if (s.cut) {
		s.from_ms = from;
		s.to_ms = last + 1;
	}
	VEC(struct slot) v = { 0 };
	for (t = slot_start(s.step, s.from_ms); t < s.to_ms; t = slot_next(s.step, t))
		*vec_push(&v) = (struct slot){ .t_ms = t };
	s.n = v.n;
	s.v = arena_copy(a, v.v, v.n, sizeof *v.v);
	vec_free(&v);
	for (size_t i = 0; i < k->nrow; i++)
		if (slot_time(k->row[i].dim[0], &t)) {
			int64_t at = slot_start(s.step, t);
			size_t slot = first_where(j, s.n, s.v[j].t_ms >= at);

			assert(slot < s.n && s.v[slot].t_ms == at);
			for (int j = 0; j < STATE_N; j++)
				s.v[slot].sum.state[j].cost += k->row[i].state[j].cost;
		}
	return s;
}

static void draw_slot(struct arena *a, const struct slots *s, size_t i, struct reach m,
		      double height, struct str *out)
{
	const struct slot *p = &s->v[i];
	const char *name = slot_name(a, s->step, p->t_ms);
	double slot = (PLOT_W - LEFT) / (double)s->n, x = LEFT + slot * (double)i,
	       scale = height / (m.up + m.down), up = 10 + m.up * scale, down = up, net = 0;
	double gap = slot < 4 ? 0 : slot * 0.1; /* between bars of a dot or two it only flickers */
	bool below = false;

	for (int k = 0; k < STATE_N; k++) {
		dec cost = p->sum.state[order[k]].cost;
		double h = fabs(dec_to_double(cost)) * scale;
		net += dec_to_double(cost);
		below |= cost < 0;
		if (h <= 0)
			continue;
		if (cost > 0)
			up -= h;
		const struct box box = { x + gap, cost > 0 ? up : down, slot - 2 * gap, h };
		draw_segment(out, order[k], box, name, cost);
		if (cost < 0)
			down += h;
	}
	if (below) /* what is left of both parts */
		str_addf(out,
			 "<line class=\"net\" x1=\"%.2f\" x2=\"%.2f\" y1=\"%.2f\" y2=\"%.2f\"/>", x,
			 x + slot, 10 + (m.up - net) * scale, 10 + (m.up - net) * scale);
	size_t every = s->n / (s->step == STEP_HOUR ? 5 : 8) + 1;
	if (s->step == STEP_HOUR && every > 12)
		every = (every + 23) / 24 * 24;
	double mid = x + slot / 2;
	if (i % every == 0 && mid + LABEL / 2 > PLOT_W)
		text_at(out, PLOT_W, height + 28, "end", name);
	else if (i % every == 0)
		text_at(out, mid, height + 28, "middle", name);
	str_addc(out, '\n');
}

void plot_time(const struct report_in *in, const struct cube_block *k, const char *step,
	       struct str *out)
{
	struct arena a = { 0 };
	struct reach m = { 0 };
	double height = 200;
	enum step want = STEP_DAY;

	for (size_t i = 0; i < sizeof step_names / sizeof *step_names; i++)
		if (!strcmp(step, step_names[i]))
			want = (enum step)i;
	struct slots s = slots_make(&a, in, k, want);
	for (size_t i = 0; i < s.n; i++)
		m = most_reach(m, reach_of(&s.v[i].sum));
	if (m.up + m.down > 0) {
		open_svg(out, plot_id(&a, arena_printf(&a, "%ss", step), k->currency),
			 arena_printf(&a, "Cost by %s and state, %s", step_names[s.step],
				      k->currency),
			 height + 40);
		draw_axis(out, m, height);
		for (size_t i = 0; i < s.n; i++)
			draw_slot(&a, &s, i, m, height, out);
		str_addz(out, "</svg>\n");
	} else {
		str_addz(out, "<p class=\"faint\">No cost is known here: nothing to draw.</p>\n");
	}
	if (s.step != want)
		str_addf(
			out,
			"<p class=\"faint\">The window has more %ss than can be told apart here: drawn by %s.</p>\n",
			step, step_names[s.step]);
	if (s.cut)
		str_addz(
			out,
			"<p class=\"faint\">The window is longer than can be drawn: its empty ends are left out.</p>\n");
	arena_free(&a);
}

/* ---- the largest rows -------------------------------------------------------------------- */

struct ranked {
	double reach;
	size_t at;
};

static int by_reach(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;

	if (a->reach != b->reach) {
		if (a->reach < b->reach)
			return 1;
		return -1;
	}
	return cmp_size(a->at, b->at);
}

static int by_place(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;

	return cmp_size(a->at, b->at);
}

struct axis {
	double zero, scale;
};

static void draw_row(struct arena *a, const struct report_in *in, const struct cube_row *r,
		     double y, struct axis axis, struct str *out)
{
	double right = axis.zero, left = axis.zero;
	struct str s = { 0 };

	for (size_t i = 0; i < in->ndim; i++)
		str_addf(&s, "%s%s", text_if(i, " / "),
			 r->is_rest ? "(unallocated)" : cube_label(in->dim[i], r->dim[i]));
	const char *name = text_line(a, str_sv(&s), 34);
	str_free(&s);
	text_at(out, NAMES - 8, y + 15, "end", name);
	for (int k = 0; k < STATE_N; k++) {
		dec cost = r->state[order[k]].cost;
		double w = fabs(dec_to_double(cost)) * axis.scale;
		if (w <= 0)
			continue;
		if (cost < 0)
			left -= w;
		draw_segment(out, order[k], (struct box){ cost > 0 ? right : left, y, w, 20 }, name,
			     cost);
		if (cost > 0)
			right += w;
	}
	text_at(out, right + 6, y + 15, "start",
		text_or_dash(r->has_cost, text_money(a, r->cost, 2)));
	str_addc(out, '\n');
}

void plot_rows(const struct report_in *in, const struct cube_block *k, struct str *out)
{
	double room = PLOT_W - NAMES - AMOUNTS;
	struct reach m = { 0 };
	struct arena a = { 0 };
	struct ranked *row;

	/* The rows that cost most, in the order of the table; how many. */
	struct ranked *v = arena_zalloc(&a, (k->nrow + 1) * sizeof *v);
	size_t n = min_size(k->nrow, ROWS_MAX);

	for (size_t i = 0; i < k->nrow; i++) {
		struct reach r = reach_of(&k->row[i]);
		v[i] = (struct ranked){ r.up + r.down, i };
	}
	if (k->nrow)
		sort_items(v, k->nrow, sizeof *v, by_reach);
	while (n && v[n - 1].reach <= 0)
		n--; /* without a cost there is no bar */
	if (n)
		sort_items(v, n, sizeof *v, by_place);
	row = v;

	for (size_t i = 0; i < n; i++)
		m = most_reach(m, reach_of(&k->row[row[i].at]));
	if (n) {
		double scale = room / (m.up + m.down), zero = NAMES + m.down * scale;
		open_svg(out, plot_id(&a, "rows", k->currency),
			 arena_printf(&a, "Cost of the largest rows by state, %s", k->currency),
			 (double)n * 26 + 8);
		for (size_t i = 0; i < n; i++)
			draw_row(&a, in, &k->row[row[i].at], (double)i * 26 + 4,
				 (struct axis){ zero, scale }, out);
		if (m.down > 0)
			str_addf(
				out,
				"<line class=\"zero\" x1=\"%.2f\" x2=\"%.2f\" y1=\"0\" y2=\"%.0f\"/>\n",
				zero, zero, (double)n * 26 + 8);
		str_addz(out, "</svg>\n");
	}

	size_t all = k->nrow + k->nleft;
	const char *where = "the table has them all";

	if (k->nleft)
		where = arena_printf(&a, "the table has %zu and the sum of the rest", k->nrow);
	if (n < all)
		str_addf(
			out,
			"<p class=\"faint\">Drawn: %zu of %zu rows, those that cost most; %s.</p>\n",
			n, all, where);
	arena_free(&a);
}

void plot_legend(const struct cube_block *k, bool net, struct str *out)
{
	bool below = false;

	str_addz(out, "<ul class=\"legend\">");
	for (int i = 0; i < STATE_N; i++) {
		int s = order[i];
		bool any = k->left.state[s].cost != 0; /* credits may bring the total to 0 */
		for (size_t r = 0; r < k->nrow; r++) {
			any |= k->row[r].state[s].cost != 0;
			below |= k->row[r].state[s].cost < 0;
		}
		if (!any)
			continue;
		str_addf(
			out,
			"<li><svg viewBox=\"0 0 12 12\" aria-hidden=\"true\"><rect class=\"s-%s\" width=\"12\" height=\"12\"/></svg>%s</li>",
			s ? state_name(s) : "other", plot_state_label(s));
	}
	if (below && net)
		str_addz(
			out,
			"<li><svg viewBox=\"0 0 12 12\" aria-hidden=\"true\"><line class=\"net\" x1=\"0\" x2=\"12\" y1=\"6\" y2=\"6\"/></svg>what is left after credits</li>");
	str_addz(out, "</ul>\n");
}
