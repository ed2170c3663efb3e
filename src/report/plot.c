#include "report/plot.h"

#include <math.h>

#include "report/text.h"
#include "report/view.h"

#define PLOT_W   760.0
#define LEFT     64.0 /* room for the labels of the axis */
#define ROWS_MAX 15   /* bars of the largest rows; the table has them all */

const char *plot_state_label(int state)
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

static double above_zero(dec v)
{
	return v > 0 ? dec_to_double(v) : 0;
}

static double stack_of(const struct cube_row *r)
{
	double sum = 0;

	for (int i = 0; i < STATE_N; i++)
		sum += above_zero(r->state[i].cost);
	return sum;
}

/* 1, 2 or 5 times a power of ten: about four steps up to max. */
static double nice_step(double max)
{
	double step = pow(10, floor(log10(max / 4)));

	if (max / step > 20)
		return step * 5;
	return max / step > 8 ? step * 2 : step;
}

static void text_at(struct str *out, double x, double y, const char *anchor, const char *text)
{
	str_addf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	text_html(out, sv_of(text));
	str_addz(out, "</text>");
}

static void axis(struct str *out, double max, double height)
{
	double step = nice_step(max);
	char label[32];

	for (double v = 0; v <= max * 1.0001; v += step) {
		double y = 10 + height * (1 - v / max);
		str_addf(out,
			 "<line class=\"grid\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/>",
			 LEFT, PLOT_W, y, y);
		snprintf(label, sizeof label,
			 step >= 1000 ? "%.0f K"
			 : step < 0.1 ? "%.3g"
				      : "%.6g",
			 step >= 1000 ? v / 1000 : v);
		text_at(out, LEFT - 6, y + 4, "end", label);
	}
}

static void segment(struct str *out, int state, double x, double y, double w, double h,
		    const char *who, dec cost)
{
	struct arena a = { 0 };

	str_addf(
		out,
		"<rect class=\"s-%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>",
		state ? state_name(state) : "other", x, y, w, h);
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
		if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '-'))
			*p = '_';
	return id;
}

void plot_days(const struct cube_block *days, struct str *out)
{
	double max = 0, height = 200,
	       slot = (PLOT_W - LEFT) / (double)(days->nrow ? days->nrow : 1);
	size_t every = days->nrow / 8 + 1;
	struct arena a = { 0 };

	for (size_t i = 0; i < days->nrow; i++)
		max = fmax(max, stack_of(&days->row[i]));
	if (max <= 0)
		return;
	open_svg(out, plot_id(&a, "days", days->currency),
		 arena_printf(&a, "Cost by day and state, %s", days->currency), height + 40);
	axis(out, max, height);
	for (size_t i = 0; i < days->nrow; i++) {
		const struct cube_row *r = &days->row[i];
		double x = LEFT + slot * (double)i, y = 10 + height;
		for (int s = 0; s < STATE_N; s++) {
			double h = height * above_zero(r->state[order[s]].cost) / max;
			if (h <= 0)
				continue;
			y -= h;
			segment(out, order[s], x + slot * 0.1, y, slot * 0.8, h, r->dim[0],
				r->state[order[s]].cost);
		}
		if (i % every == 0)
			text_at(out, x + slot / 2, height + 28, "middle", r->dim[0]);
		str_addc(out, '\n');
	}
	str_addz(out, "</svg>\n");
	arena_free(&a);
}

static char *row_name(struct arena *a, const struct report_in *in, const struct cube_row *r)
{
	struct str s = { 0 };

	for (size_t i = 0; i < in->ndim; i++)
		str_addf(&s, "%s%s", i ? " / " : "",
			 r->is_rest ? "(unallocated)" : cube_label(in->dim[i], r->dim[i]));
	char *t = text_line(a, str_sv(&s), 34);
	str_free(&s);
	return t;
}

void plot_rows(const struct report_in *in, const struct cube_block *k, struct str *out)
{
	size_t n = k->nrow < ROWS_MAX ? k->nrow : ROWS_MAX;
	double max = 0, left = 220, room = PLOT_W - left - 90;
	struct arena a = { 0 };

	for (size_t i = 0; i < n; i++)
		max = fmax(max, stack_of(&k->row[i]));
	if (max <= 0)
		return;
	open_svg(out, plot_id(&a, "rows", k->currency),
		 arena_printf(&a, "Cost of the largest rows by state, %s", k->currency),
		 (double)n * 26 + 8);
	for (size_t i = 0; i < n; i++) {
		const struct cube_row *r = &k->row[i];
		double x = left, y = (double)i * 26 + 4;
		const char *name = row_name(&a, in, r);
		text_at(out, left - 8, y + 15, "end", name);
		for (int s = 0; s < STATE_N; s++) {
			double w = room * above_zero(r->state[order[s]].cost) / max;
			if (w <= 0)
				continue;
			segment(out, order[s], x, y, w, 20, name, r->state[order[s]].cost);
			x += w;
		}
		text_at(out, x + 6, y + 15, "start",
			r->has_cost ? text_money(&a, r->cost, 2) : "-");
		str_addc(out, '\n');
	}
	str_addz(out, "</svg>\n");
	arena_free(&a);
}

void plot_legend(const struct cube_block *k, struct str *out)
{
	str_addz(out, "<ul class=\"legend\">");
	for (int i = 0; i < STATE_N; i++) {
		int s = order[i];
		if (k->total.state[s].cost <= 0)
			continue;
		str_addf(
			out,
			"<li><svg viewBox=\"0 0 12 12\" aria-hidden=\"true\"><rect class=\"s-%s\" width=\"12\" height=\"12\"/></svg>%s</li>",
			s ? state_name(s) : "other", plot_state_label(s));
	}
	str_addz(out, "</ul>\n");
}
