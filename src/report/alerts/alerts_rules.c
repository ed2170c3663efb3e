/* What `tare alerts rules` and `tare alerts silences` print. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/tm.h"
#include "report/alerts/alerts_in.h"
#include "report/grid.h"
#include "report/plan/plan_view.h"
#include "report/text.h"

static const char *format_scope(struct arena *a, const struct alert_rule *r)
{
	static const char *const says[ALERT_HELD_N] = {
		[ALERT_HELD_YES] = "held",
		[ALERT_HELD_FREE] = "free",
		[ALERT_HELD_NOT_FREE] = "not known to be free",
	};
	struct str s = { 0 };

	for (int i = 0; i < r->nmatch; i++)
		str_addf(&s, "%s%s%s=%s", text_if(s.n, ", "), r->match[i].field,
			 text_if(r->match[i].negate, "!"), r->match[i].glob);
	if (r->held)
		str_addf(&s, "%s%s", text_if(s.n, ", "), says[r->held]);
	const char *z = "";
	if (s.n)
		z = text_line(a, str_sv(&s), 0);
	str_free(&s);
	return z;
}

#define RULE struct alert_rule

static bool get_signal(const void *row, union col_value *ret)
{
	ret->text = alert_signal_name(((const RULE *)row)->signal);
	return true;
}

static bool get_enabled(const void *row, union col_value *ret)
{
	ret->yes = !((const RULE *)row)->disabled;
	return true;
}

static bool get_follows(const void *row, union col_value *ret)
{
	const RULE *r = row;

	ret->rows.p = r->follows;
	ret->rows.n = (size_t)r->nfollows;
	return true;
}

#define SECONDS(key, member, what)                                                            \
	{                                                                                     \
		key, COL_NUM, offsetof(RULE, member), "s", what, .of_i64 = true, .per = 1000, \
								 .digits = 3, .always = true  \
	}
static const struct col rule_cols[] = {
	{ "name", COL_TEXT, offsetof(RULE, name), NULL, "of the rule", .always = true },
	{ "summary", COL_TEXT, offsetof(RULE, summary), NULL, "what is so where it fires" },
	{ "signal", COL_TEXT, .get = get_signal, .always = true, .help = "reading it looks at" },
	{ "aggregate", COL_TEXT, offsetof(RULE, agg), .words = alert_agg_name, .always = true,
	  .help = "last, mean, max, min or p95 of the readings in the window" },
	SECONDS("window_s", window_ms, "of the readings that are put together; 0: the last one"),
	{ "comparison", COL_TEXT, offsetof(RULE, cmp), .words = alert_cmp_name, .always = true,
	  .help = "above or below the threshold" },
	{ "threshold", COL_NUM, offsetof(RULE, threshold), NULL,
	  "beyond it the rule fires; in the unit of its signal", .digits = 6 },
	{ "clear", COL_NUM, offsetof(RULE, clear), NULL,
	  "back at it the alert is over; in the unit of its signal", .digits = 6 },
	SECONDS("for_s", for_ms, "beyond the threshold before it fires"),
	SECONDS("clear_for_s", clear_for_ms, "back before it is over"),
	SECONDS("no_data_s", no_data_ms, "without readings until an alert counts as no_data"),
	{ "severity", COL_TEXT, offsetof(RULE, severity), .words = alert_severity_name,
	  .always = true, .help = "info, warning or critical" },
	{ "enabled", COL_BOOL, .get = get_enabled, .always = true,
	  .help = "false: switched off in the configuration" },
	{ "follows", COL_TEXTS, .get = get_follows, .always = true,
	  .help = "rules that are its cause: while one fires on the same GPU, nobody is notified of this" },
	{ 0 },
};

struct rules {
	const struct alert_rule *rule;
	size_t n;
};
static const struct col rules_cols[] = {
	{ "rules", COL_LIST(struct rules, rule, n, rule_cols),
	  .help = "those shipped and those of the configuration" },
	{ 0 },
};
const struct col_doc alerts_rules_doc = { "tare.alerts.rules/1", "alerts rules",
					  "when an alert fires and when it is over", rules_cols };

/* Whole minutes, hours and days without their zeros: "30 min", "1 h", "2 d". */
static const char *format_whole(struct arena *a, int64_t ms)
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
		   *only = format_scope(a, r);

	if (r->agg != ALERT_LAST)
		cond = arena_printf(a, "%s of %s over %s", alert_agg_name[r->agg], cond,
				    format_whole(a, r->window_ms));
	if (r->signal < ALERT_LOST) {
		cond = arena_printf(a, "%s %s %s", cond, alert_cmp_name[r->cmp],
				    alerts_number(a, r->signal, r->threshold));
		at = arena_printf(a, " at %s", alerts_number(a, r->signal, r->clear));
	}
	plan_fold(out,
		  arena_printf(a, "%s · %s · %s", r->name,
			       r->disabled ? "off" : alert_severity_name[r->severity],
			       text_or(r->summary, "")),
		  2, width);
	str_addz(out, "  ");
	const char *held = "", *over = "";
	if (r->for_ms)
		held = arena_printf(a, ", for %s", format_whole(a, r->for_ms));
	if (r->clear_for_ms)
		over = arena_printf(a, " for %s", format_whole(a, r->clear_for_ms));
	plan_fold(out,
		  arena_printf(a, "%s%s%s%s; over%s%s", cond, held, text_if(*only, "; only where "),
			       only, at, over),
		  4, width - 2);
}

void alerts_print_rules(const struct alert_rule *rule, size_t n, bool told, const struct out_as *as,
			struct str *out)
{
	static const char *const heads[] = { "rule",  "severity",  "when",      "for",
					     "clear", "clear for", "only where" };
	struct grid g = { 0 };

	if (as->format == OUT_JSON) {
		cols_doc(&alerts_rules_doc, &(struct rules){ rule, n }, out);
		return;
	}
	for (size_t i = 0; as->format == OUT_TABLE && i < n; i++)
		rule_text(&g.mem, &rule[i], as->width, out);
	for (size_t i = 0; i < 7; i++)
		grid_add_col(&g, heads[i], grid_side(i >= 3 && i <= 5), false);
	for (size_t i = 0; i < n; i++) {
		const struct alert_rule *r = &rule[i];
		const char **cell = grid_add_row(&g, grid_faint(r->disabled));
		cell[0] = r->name;
		cell[1] = r->disabled ? "off" : alert_severity_name[r->severity];
		const char *value = "";
		if (r->signal < ALERT_LOST)
			value = arena_printf(&g.mem, "%s %s", alert_cmp_name[r->cmp],
					     alerts_number(&g.mem, r->signal, r->threshold));
		if (r->agg == ALERT_LAST)
			cell[2] = arena_printf(&g.mem, "%s %s", alert_signal_name(r->signal),
					       value);
		else
			cell[2] = arena_printf(&g.mem, "%s of %s over %s %s",
					       alert_agg_name[r->agg], alert_signal_name(r->signal),
					       alerts_span(&g.mem, r->window_ms), value);
		cell[3] = alerts_span(&g.mem, r->for_ms);
		cell[4] = r->signal >= ALERT_LOST ? "" : alerts_number(&g.mem, r->signal, r->clear);
		cell[5] = alerts_span(&g.mem, r->clear_for_ms);
		cell[6] = format_scope(&g.mem, r);
	}
	if (as->format != OUT_TABLE)
		alerts_put_grid(as, &g, out);
	grid_free(&g);
	if (as->format != OUT_CSV && !told) {
		int width = as->width;
		str_addc(out, '\n');
		plan_fold(
			out,
			"Nobody is notified: there are no receivers. Name them under alerts: in the configuration (docs/CONFIG.md).",
			0, width);
	}
}

struct silence_row {
	const struct alert_silence *s;
	const char *match;
};
struct silences {
	const struct silence_row *silence;
	size_t n;
};

static const struct col silence_cols[] = {
	{ "id", COL_TEXT, COL_VIA(struct silence_row, s, id),
	  .help = "names it to tare alerts unsilence" },
	{ "match", COL_TEXT, offsetof(struct silence_row, match), NULL,
	  "alerts of which nobody is notified: all must hold", .always = true },
	{ "until", COL_TIME, COL_VIA(struct silence_row, s, until_ms), .help = "it ends then" },
	{ "by", COL_TEXT, COL_VIA(struct silence_row, s, by), .help = "who made it" },
	{ "why", COL_TEXT, COL_VIA(struct silence_row, s, why), .help = "reason given" },
	{ 0 },
};
static const struct col silences_cols[] = {
	{ "silences", COL_LIST(struct silences, silence, n, silence_cols),
	  .help = "those in force" },
	{ 0 },
};
const struct col_doc alerts_silences_doc = { "tare.alerts.silences/1", "alerts silences",
					     "alerts of which nobody is notified for now",
					     silences_cols };

void alerts_print_silences(const struct alert_silence *s, size_t n, const struct out_as *as,
			   struct str *out)
{
	static const char *const heads[] = { "id", "match", "until", "by", "why" };
	struct grid g = { 0 };

	if (as->format == OUT_JSON) {
		struct arena mem = { 0 };
		struct silence_row *v = arena_zalloc(&mem, (n + 1) * sizeof *v);

		for (size_t i = 0; i < n; i++) {
			struct str match = { 0 };
			alert_match_text(s[i].match, s[i].nmatch, &match);
			v[i] = (struct silence_row){ &s[i], arena_sv(&mem, str_sv(&match)) };
			str_free(&match);
		}
		cols_doc(&alerts_silences_doc, &(struct silences){ v, n }, out);
		arena_free(&mem);
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
		cell[3] = filled_or(s[i].by, "-");
		cell[4] = filled_or(s[i].why, "-");
		str_free(&match);
	}
	if (n)
		alerts_put_grid(as, &g, out);
	else
		str_addz(out, "No silence is in force.\n");
	grid_free(&g);
}
