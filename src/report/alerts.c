#include "report/alerts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/jw.h"
#include "base/near.h"
#include "base/tm.h"
#include "report/alerts_in.h"
#include "report/text.h"
#include "report/view.h"

static bool shown(const struct fired *f, bool all)
{
	return all || f->told;
}

const char *alerts_word(struct arena *a, const char *z, int max)
{
	return *z ? text_line(a, sv_of(z), max) : "-";
}

/* A number of a signal as people read it. */
const char *alerts_number(struct arena *a, int signal, double v)
{
	struct sv s = sv_of(alert_signal_name(signal));

	if (isnan(v))
		return "-";
	if (sv_ends(s, SV("_pct")))
		return arena_printf(a, "%.1f %%", v);
	if (sv_has(s, SV("_frac")))
		return arena_printf(a, "%.1f %%", 100 * v);
	if (sv_ends(s, SV("_celsius")))
		return arena_printf(a, "%.0f C", v);
	return arena_printf(a, "%.4g", v);
}

const char *alerts_span(struct arena *a, int64_t ms)
{
	char buf[TM_BUF];

	return ms ? arena_sv(a, sv_of(tm_format_span(buf, ms))) : "0";
}

/* For programs: seconds. */
static const char *length(const struct out_as *as, struct arena *a, int64_t ms)
{
	return as->format == OUT_CSV ? arena_printf(a, "%.15g", (double)ms / 1000)
				     : alerts_span(a, ms);
}

/* For programs: exact. */
static const char *money(const struct out_as *as, struct arena *a, dec v, const char *currency)
{
	char buf[DEC_BUF];

	if (as->format == OUT_CSV)
		return arena_sv(a, sv_of(dec_format(buf, v)));
	return arena_printf(a, "%s%s%s", text_money(a, v, 2), currency ? " " : "",
			    currency ? currency : "");
}

const char *alerts_instant(struct arena *a, int64_t ms)
{
	char buf[TM_BUF];

	return arena_sv(a, sv_of(tm_format(buf, tm_floor(ms, MS_SECOND))));
}

static void print_grid(const struct out_as *as, const struct grid *g, struct str *out)
{
	if (as->format == OUT_MD)
		grid_md(g, out);
	else
		grid_table(g, as->width, as->colour, out);
}

void alerts_put_grid(const struct out_as *as, const struct grid *g, struct str *out)
{
	if (as->format == OUT_CSV)
		grid_csv(g, out);
	else
		print_grid(as, g, out);
}

/* ---- alerts ------------------------------------------------------------------------------ */

static const char *card(struct arena *a, const struct fired *f)
{
	const char *const *d = f->field;

	return text_line(
		a,
		sv_of(arena_printf(a, "%s%s%s%s%s", d[ALERT_NODE], *d[ALERT_NODE] ? "/" : "",
				   d[ALERT_GPU], *d[ALERT_MIG] ? "/" : "", d[ALERT_MIG])),
		48);
}

const char *alerts_state_word(struct arena *a, const struct fired *f)
{
	const char *more = f->silenced                ? ", silenced"
			   : !f->told && f->held_back ? ", held back"
						      : "";
	const char *s = f->state == FIRED_FIRING    ? "fires"
			: f->state == FIRED_NO_DATA ? "no data"
						    : "over";

	return arena_printf(a, "%s%s", s, more);
}

static void grid_alerts(const struct alerts_answer *r, bool all, const struct out_as *as,
			struct grid *g)
{
	static const char *const heads[] = { "rule",  "severity", "GPU",   "job",   "team",
					     "since", "for",      "worst", "state", "cost" };
	bool csv = as->format == OUT_CSV;

	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		grid_add_col(g, csv && i == 6 ? "seconds" : heads[i],
			     i == 6 || i == 7 || i == 9 ? GRID_RIGHT : GRID_LEFT,
			     i == 2 || i == 3 || i == 4);
	for (size_t i = 0; i < r->nfired; i++) {
		const struct fired *f = &r->fired[i];
		if (!shown(f, all))
			continue;
		const char **cell = grid_add_row(g, f->told ? GRID_PLAIN : GRID_FAINT);
		cell[0] = f->rule->name;
		cell[1] = alert_severity_name[f->rule->severity];
		cell[2] = card(&g->mem, f);
		cell[3] = alerts_word(&g->mem, f->field[ALERT_JOB], 32);
		cell[4] = alerts_word(&g->mem, f->field[ALERT_TEAM], 24);
		cell[5] = alerts_instant(&g->mem, f->from_ms);
		cell[6] = length(as, &g->mem, f->to_ms - f->from_ms);
		cell[7] = f->rule->signal >= ALERT_LOST ? ""
			  : as->format == OUT_CSV
				  ? arena_printf(&g->mem, "%.6g", f->worst)
				  : alerts_number(&g->mem, f->rule->signal, f->worst);
		cell[8] = alerts_state_word(&g->mem, f);
		cell[9] = f->has_cost ? money(as, &g->mem, f->cost, f->currency) : "-";
	}
}

struct sum {
	struct sv key;
	const struct fired *first;
	size_t n, firing;
	int64_t ms;
	dec cost;
	bool has_cost, mixed;
};

#define BY_WORDS (ALERT_FIELD_N + 2)

static int by_word(const char *word, const char **ret, struct err *err)
{
	const char *words[BY_WORDS] = { "rule", "severity" }, *near;

	for (int i = 0; i < ALERT_FIELD_N; i++)
		words[i + 2] = alert_field_name[i];
	for (size_t i = 0; i < BY_WORDS; i++)
		if (!strcmp(words[i], word)) {
			*ret = words[i];
			return 0;
		}
	near = near_word(word, words, BY_WORDS);
	return err_set(err, -EINVAL, "'%s' is nothing to add up over%s%s%s", word,
		       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

int alerts_by_parse(const char *text, struct arena *mem, const char *const **ret, size_t *ret_n,
		    struct err *err)
{
	struct sv rest = sv_of(text);
	const char **v = arena_alloc(mem, (rest.n + 2) * sizeof *v);
	size_t n = 0;
	int r = 0;

	while (rest.p && r == 0) {
		struct sv word = sv_trim(sv_cut(rest, ',', &rest));
		r = by_word(arena_sv(mem, word), &v[n++], err);
	}
	*ret = v;
	*ret_n = n;
	return r;
}

static const char *by_value(const struct fired *f, const char *by)
{
	if (!strcmp(by, "rule"))
		return f->rule->name;
	if (!strcmp(by, "severity"))
		return alert_severity_name[f->rule->severity];
	for (int i = 0; i < ALERT_FIELD_N; i++)
		if (!strcmp(by, alert_field_name[i]))
			return f->field[i];
	return "";
}

static int by_cost(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	return x->ms != y->ms ? (x->ms > y->ms ? -1 : 1) : sv_cmp(x->key, y->key);
}

/* Most expensive first. In arena a. */
static struct sum *sums(const struct alerts_answer *r, const char *const *by, size_t nby, bool all,
			struct arena *a, size_t *ret_n)
{
	struct intern keys = { 0 };
	struct sum *v = arena_zalloc(a, (r->nfired + 1) * sizeof *v);
	struct str key = { 0 };

	*ret_n = 0;
	for (size_t i = 0; i < r->nfired; i++) {
		const struct fired *f = &r->fired[i];
		if (!shown(f, all))
			continue;
		str_clear(&key);
		for (size_t k = 0; k < nby; k++)
			str_addf(&key, "%s\x1f", by_value(f, by[k]));
		struct sum *s = &v[intern_add(&keys, str_sv(&key))];
		if (!s->n++) {
			*s = (struct sum){ .first = f,
					   .n = 1,
					   .key = sv_of(arena_sv(a, str_sv(&key))) };
			++*ret_n;
		}
		s->firing += f->state != FIRED_OVER;
		s->ms += f->to_ms - f->from_ms;
		s->mixed |= f->has_cost && s->has_cost &&
			    strcmp(f->currency,
				   s->first->currency ? s->first->currency : f->currency);
		s->cost += f->has_cost ? f->cost : 0;
		s->has_cost |= f->has_cost;
	}
	str_free(&key);
	intern_free(&keys);
	if (*ret_n)
		qsort(v, *ret_n, sizeof *v, by_cost);
	return v;
}

static void grid_sums(const struct alerts_answer *r, const char *const *by, size_t nby, bool all,
		      const struct out_as *as, struct grid *g)
{
	size_t n;
	struct sum *v = sums(r, by, nby, all, &g->mem, &n);

	for (size_t k = 0; k < nby; k++)
		grid_add_col(g, by[k], GRID_LEFT, true);
	grid_add_col(g, "alerts", GRID_RIGHT, false);
	grid_add_col(g, "firing", GRID_RIGHT, false);
	grid_add_col(g, as->format == OUT_CSV ? "seconds" : "for", GRID_RIGHT, false);
	grid_add_col(g, "cost", GRID_RIGHT, false);
	for (size_t i = 0; i < n; i++) {
		const char **cell = grid_add_row(g, GRID_PLAIN);
		for (size_t k = 0; k < nby; k++)
			cell[k] = alerts_word(&g->mem, by_value(v[i].first, by[k]), 48);
		cell[nby] = arena_printf(&g->mem, "%zu", v[i].n);
		cell[nby + 1] = arena_printf(&g->mem, "%zu", v[i].firing);
		cell[nby + 2] = length(as, &g->mem, v[i].ms);
		cell[nby + 3] = !v[i].has_cost ? "-"
				: v[i].mixed   ? "several currencies"
					       : money(as, &g->mem, v[i].cost, NULL);
	}
}

static const char *day(struct arena *a, int64_t ms)
{
	char buf[TM_BUF];

	return arena_printf(a, "%.10s", tm_format(buf, tm_floor(ms - 1, MS_DAY)));
}

static void summary(const struct alerts_answer *r, int width, struct str *out)
{
	size_t firing = 0, over = 0, back = 0, quiet = 0;
	struct arena a = { 0 };
	struct str line = { 0 };

	for (size_t i = 0; i < r->nfired; i++) {
		const struct fired *f = &r->fired[i];
		firing += f->told && f->state != FIRED_OVER;
		over += f->told && f->state == FIRED_OVER;
		quiet += !f->told && f->silenced;
		back += !f->told && !f->silenced;
	}
	if (!r->cards)
		str_addf(&line, "No readings of GPUs in %s.%s",
			 text_window(&a, r->since_ms, r->until_ms),
			 r->end_ms != UNKNOWN_MS && r->end_ms <= r->since_ms
				 ? arena_printf(&a, " The last ones are of %s: --since %s",
						alerts_instant(&a, r->end_ms), day(&a, r->end_ms))
				 : "");
	else
		str_addf(&line, "%zu firing at the end, %zu over; %zu GPUs watched, %s", firing,
			 over, r->cards, text_window(&a, r->since_ms, r->until_ms));
	view_fold(out, str_z(&line), width);
	if (back || quiet)
		view_fold(
			out,
			arena_printf(
				&a,
				"Not told: %zu that follow from another alert on the same card, %zu silenced (--all shows them)",
				back, quiet),
			width);
	str_free(&line);
	arena_free(&a);
}

static void json_fields(struct jw *w, const char *const *field)
{
	for (int i = 0; i < ALERT_FIELD_N; i++) {
		jw_key(w, alert_field_name[i]);
		jw_str(w, *field[i] ? field[i] : NULL);
	}
}

static void json_cost(struct jw *w, bool has, dec cost, const char *currency)
{
	jw_key(w, "cost");
	if (has)
		jw_dec(w, cost);
	else
		jw_null(w);
	jw_key(w, "currency");
	jw_str(w, has ? currency : NULL);
}

static void json_alert(struct jw *w, const struct fired *f)
{
	jw_obj(w);
	jw_key(w, "rule"), jw_str(w, f->rule->name);
	jw_key(w, "severity"), jw_str(w, alert_severity_name[f->rule->severity]);
	jw_key(w, "state"), jw_str(w, fired_state_name[f->state]);
	json_fields(w, f->field);
	jw_key(w, "since"), jw_time(w, f->from_ms);
	jw_key(w, "until"), jw_time(w, f->to_ms);
	jw_key(w, "seconds"), jw_num(w, (double)(f->to_ms - f->from_ms) / 1000, 3);
	jw_key(w, "signal"), jw_str(w, alert_signal_name(f->rule->signal));
	jw_key(w, "comparison"), jw_str(w, alert_cmp_name[f->rule->cmp]);
	jw_key(w, "threshold"), jw_num(w, f->rule->threshold, 4);
	jw_key(w, "worst"), jw_num(w, f->worst, 4);
	jw_key(w, "told"), jw_bool(w, f->told);
	jw_key(w, "follows"), jw_str(w, f->held_back);
	jw_key(w, "silenced"), jw_bool(w, f->silenced);
	jw_key(w, "why_over"), jw_str(w, f->over);
	json_cost(w, f->has_cost, f->cost, f->currency);
	jw_end_obj(w);
}

static void json_sums(const struct alerts_answer *r, const char *const *by, size_t nby, bool all,
		      struct jw *w)
{
	struct arena a = { 0 };
	size_t n;
	struct sum *v = sums(r, by, nby, all, &a, &n);

	jw_key(w, "rows");
	jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		jw_obj(w);
		for (size_t k = 0; k < nby; k++) {
			const char *z = by_value(v[i].first, by[k]);
			jw_key(w, by[k]), jw_str(w, *z ? z : NULL);
		}
		jw_key(w, "alerts"), jw_int(w, (int64_t)v[i].n);
		jw_key(w, "firing"), jw_int(w, (int64_t)v[i].firing);
		jw_key(w, "seconds"), jw_num(w, (double)v[i].ms / 1000, 3);
		json_cost(w, v[i].has_cost && !v[i].mixed, v[i].cost, v[i].first->currency);
		jw_end_obj(w);
	}
	jw_end_arr(w);
	arena_free(&a);
}

static void json(const struct alerts_answer *r, const char *const *by, size_t nby, bool all,
		 struct str *out)
{
	struct jw w;
	size_t firing = 0;

	for (size_t i = 0; i < r->nfired; i++)
		firing += r->fired[i].told && r->fired[i].state != FIRED_OVER;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema"), jw_str(&w, "tare.alerts/1");
	jw_key(&w, "window");
	jw_obj(&w);
	jw_key(&w, "since"), jw_time(&w, r->since_ms);
	jw_key(&w, "until"), jw_time(&w, r->until_ms);
	jw_end_obj(&w);
	jw_key(&w, "gpus"), jw_int(&w, (int64_t)r->cards);
	jw_key(&w, "samples"), jw_int(&w, r->samples);
	jw_key(&w, "firing"), jw_int(&w, (int64_t)firing);
	if (nby) {
		json_sums(r, by, nby, all, &w);
	} else {
		jw_key(&w, "alerts");
		jw_arr(&w);
		for (size_t i = 0; i < r->nfired; i++)
			if (shown(&r->fired[i], all))
				json_alert(&w, &r->fired[i]);
		jw_end_arr(&w);
	}
	jw_end_obj(&w);
	str_addc(out, '\n');
}

void alerts_print(const struct alerts_answer *r, const char *const *by, size_t nby, bool all,
		  const struct out_as *as, struct str *out)
{
	struct grid g = { 0 };
	bool some = false;

	if (as->format == OUT_JSON) {
		json(r, by, nby, all, out);
		return;
	}
	if (nby)
		grid_sums(r, by, nby, all, as, &g);
	else if (as->format != OUT_TABLE)
		grid_alerts(r, all, as, &g);
	else
		some = alerts_list(r, all, as, out);
	if (g.row.n || as->format == OUT_CSV)
		alerts_put_grid(as, &g, out);
	if (as->format != OUT_CSV) {
		if (some || g.row.n)
			str_addc(out, '\n');
		summary(r, as->width, out);
	}
	grid_free(&g);
}
