/* What `tare alerts rules` and `tare alerts silences` print. */
#include <math.h>
#include <string.h>

#include "base/jw.h"
#include "base/tm.h"
#include "report/alerts_in.h"
#include "report/plan_view.h"
#include "report/text.h"

static const char *condition(struct arena *a, const struct alert_rule *r)
{
	const char *value = arena_printf(a, "%s %s", alert_cmp_name[r->cmp],
					 alerts_number(a, r->signal, r->threshold));

	if (r->signal >= ALERT_LOST)
		value = "";
	return r->agg == ALERT_LAST ? arena_printf(a, "%s %s", alert_signal_name(r->signal), value)
				    : arena_printf(a, "%s of %s over %s %s", alert_agg_name[r->agg],
						   alert_signal_name(r->signal),
						   alerts_span(a, r->window_ms), value);
}

static const char *scope(struct arena *a, const struct alert_rule *r)
{
	struct str s = { 0 };

	for (int i = 0; i < r->nmatch; i++)
		str_addf(&s, "%s%s%s=%s", s.n ? ", " : "", r->match[i].field,
			 r->match[i].negate ? "!" : "", r->match[i].glob);
	if (r->held)
		str_addf(&s, "%s%s", s.n ? ", " : "", alert_held_name[r->held]);
	const char *z = s.n ? text_line(a, str_sv(&s), 0) : "";
	str_free(&s);
	return z;
}

static void json_rule(struct jw *w, const struct alert_rule *r)
{
	jw_obj(w);
	jw_key(w, "name"), jw_str(w, r->name);
	jw_key(w, "summary"), jw_str(w, r->summary);
	jw_key(w, "signal"), jw_str(w, alert_signal_name(r->signal));
	jw_key(w, "aggregate"), jw_str(w, alert_agg_name[r->agg]);
	jw_key(w, "window_s"), jw_num(w, (double)r->window_ms / 1000, 3);
	jw_key(w, "comparison"), jw_str(w, alert_cmp_name[r->cmp]);
	jw_key(w, "threshold"), jw_num(w, r->threshold, 6);
	jw_key(w, "clear"), jw_num(w, r->clear, 6);
	jw_key(w, "for_s"), jw_num(w, (double)r->for_ms / 1000, 3);
	jw_key(w, "clear_for_s"), jw_num(w, (double)r->clear_for_ms / 1000, 3);
	jw_key(w, "no_data_s"), jw_num(w, (double)r->no_data_ms / 1000, 3);
	jw_key(w, "severity"), jw_str(w, alert_severity_name[r->severity]);
	jw_key(w, "enabled"), jw_bool(w, !r->disabled);
	jw_key(w, "follows");
	jw_arr(w);
	for (int i = 0; i < r->nfollows; i++)
		jw_str(w, r->follows[i]);
	jw_end_arr(w);
	jw_end_obj(w);
}

static void json_rules(const struct alert_rule *rule, size_t n, struct str *out)
{
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema"), jw_str(&w, "tare.alerts.rules/1");
	jw_key(&w, "rules");
	jw_arr(&w);
	for (size_t i = 0; i < n; i++)
		json_rule(&w, &rule[i]);
	jw_end_arr(&w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

/* Whole minutes, hours and days without their zeros: "30 min", "1 h", "2 d". */
static const char *whole(struct arena *a, int64_t ms)
{
	static const char *const zero[] = { " 00 s", " 00 min", " 0 h" };
	struct sv s = sv_of(alerts_span(a, ms));

	for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
		if (sv_ends(s, sv_of(zero[i])))
			s.n -= strlen(zero[i]);
	return arena_sv(a, s);
}

/* For people: what it says, and below it when. */
static void rule_text(struct arena *a, const struct alert_rule *r, int width, struct str *out)
{
	const char *cond = alert_signal_name(r->signal), *at = " once it is not",
		   *only = scope(a, r);

	if (r->agg != ALERT_LAST)
		cond = arena_printf(a, "%s of %s over %s", alert_agg_name[r->agg], cond,
				    whole(a, r->window_ms));
	if (r->signal < ALERT_LOST) {
		cond = arena_printf(a, "%s %s %s", cond, alert_cmp_name[r->cmp],
				    alerts_number(a, r->signal, r->threshold));
		at = arena_printf(a, " at %s", alerts_number(a, r->signal, r->clear));
	}
	plan_fold(out,
		  arena_printf(a, "%s · %s · %s", r->name,
			       r->disabled ? "off" : alert_severity_name[r->severity],
			       r->summary ? r->summary : ""),
		  2, width);
	str_addz(out, "  ");
	plan_fold(out,
		  arena_printf(a, "%s%s%s%s%s; over%s%s%s", cond, r->for_ms ? ", for " : "",
			       r->for_ms ? whole(a, r->for_ms) : "", *only ? "; only where " : "",
			       only, at, r->clear_for_ms ? " for " : "",
			       r->clear_for_ms ? whole(a, r->clear_for_ms) : ""),
		  4, width - 2);
}

static void nobody_told(int width, struct str *out)
{
	str_addc(out, '\n');
	plan_fold(
		out,
		"Nobody is told: there are no receivers. Name them under alerts: in the configuration (docs/CONFIG.md).",
		0, width);
}

void alerts_print_rules(const struct alert_rule *rule, size_t n, bool told, const struct out_as *as,
			struct str *out)
{
	static const char *const heads[] = { "rule",  "severity",  "when",      "for",
					     "clear", "clear for", "only where" };
	struct grid g = { 0 };

	if (as->format == OUT_JSON) {
		json_rules(rule, n, out);
		return;
	}
	for (size_t i = 0; as->format == OUT_TABLE && i < n; i++)
		rule_text(&g.mem, &rule[i], as->width, out);
	for (size_t i = 0; i < 7; i++)
		grid_add_col(&g, heads[i], i >= 3 && i <= 5 ? GRID_RIGHT : GRID_LEFT, false);
	for (size_t i = 0; i < n; i++) {
		const struct alert_rule *r = &rule[i];
		const char **cell = grid_add_row(&g, r->disabled ? GRID_FAINT : GRID_PLAIN);
		cell[0] = r->name;
		cell[1] = r->disabled ? "off" : alert_severity_name[r->severity];
		cell[2] = condition(&g.mem, r);
		cell[3] = alerts_span(&g.mem, r->for_ms);
		cell[4] = r->signal >= ALERT_LOST ? "" : alerts_number(&g.mem, r->signal, r->clear);
		cell[5] = alerts_span(&g.mem, r->clear_for_ms);
		cell[6] = scope(&g.mem, r);
	}
	if (as->format != OUT_TABLE)
		alerts_put_grid(as, &g, out);
	grid_free(&g);
	if (as->format != OUT_CSV && !told)
		nobody_told(as->width, out);
}

static void json_silences(const struct alert_silence *s, size_t n, struct str *out)
{
	struct str match = { 0 };
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema"), jw_str(&w, "tare.alerts.silences/1");
	jw_key(&w, "silences");
	jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		str_clear(&match);
		alert_match_text(s[i].match, s[i].nmatch, &match);
		jw_obj(&w);
		jw_key(&w, "id"), jw_str(&w, s[i].id);
		jw_key(&w, "match"), jw_sv(&w, str_sv(&match));
		jw_key(&w, "until"), jw_time(&w, s[i].until_ms);
		jw_key(&w, "by"), jw_str(&w, s[i].by);
		jw_key(&w, "why"), jw_str(&w, s[i].why);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	str_addc(out, '\n');
	str_free(&match);
}

void alerts_print_silences(const struct alert_silence *s, size_t n, const struct out_as *as,
			   struct str *out)
{
	static const char *const heads[] = { "id", "match", "until", "by", "why" };
	struct grid g = { 0 };

	if (as->format == OUT_JSON) {
		json_silences(s, n, out);
		return;
	}
	for (size_t i = 0; i < 5; i++)
		grid_add_col(&g, heads[i], GRID_LEFT, i == 4);
	for (size_t i = 0; i < n; i++) {
		struct str match = { 0 };
		alert_match_text(s[i].match, s[i].nmatch, &match);
		const char **cell = grid_add_row(&g, GRID_PLAIN);
		cell[0] = s[i].id;
		cell[1] = text_line(&g.mem, str_sv(&match), 60);
		cell[2] = alerts_instant(&g.mem, s[i].until_ms);
		cell[3] = s[i].by && *s[i].by ? s[i].by : "-";
		cell[4] = s[i].why && *s[i].why ? s[i].why : "-";
		str_free(&match);
	}
	if (n)
		alerts_put_grid(as, &g, out);
	else
		str_addz(out, "No silence is in force.\n");
	grid_free(&g);
}
