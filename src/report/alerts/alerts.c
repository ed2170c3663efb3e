#include "report/alerts/alerts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "base/num.h"
#include "base/sh.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "model/known.h"
#include "report/alerts/alerts_in.h"
#include "report/grid.h"
#include "report/text.h"
#include "report/cost/view.h"

static bool is_shown(const struct fired *f, bool all)
{
	return all || f->told;
}

const char *alerts_word(struct arena *a, const char *z, int max)
{
	return text_or_dash(*z, text_line(a, sv_of(z), max));
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

	if (ms)
		return arena_sv(a, sv_of(tm_format_span(buf, ms)));
	return "0";
}

/* For programs: seconds. */
static const char *format_length(const struct out_as *as, struct arena *a, int64_t ms)
{
	if (as->format == OUT_CSV)
		return arena_printf(a, "%.15g", (double)ms / 1000);
	return alerts_span(a, ms);
}

/* For programs: exact. */
static const char *format_money(const struct out_as *as, struct arena *a, dec v,
				const char *currency)
{
	char buf[DEC_BUF];

	if (as->format == OUT_CSV)
		return arena_sv(a, sv_of(dec_format(buf, v)));
	return arena_printf(a, "%s%s%s", text_money(a, v, 2), text_if(currency, " "),
			    text_or(currency, ""));
}

const char *alerts_instant(struct arena *a, int64_t ms)
{
	char buf[TM_BUF];

	return arena_sv(a, sv_of(tm_format(buf, tm_floor(ms, MS_SECOND))));
}

void alerts_put_grid(const struct out_as *as, const struct grid *g, struct str *out)
{
	if (as->format == OUT_CSV)
		grid_csv(g, out);
	else if (as->format == OUT_MD)
		grid_md(g, out);
	else
		grid_table(g, as->width, as->colour, out);
}

/* ---- alerts ------------------------------------------------------------------------------ */

static const char *format_gpu(struct arena *a, const struct fired *f)
{
	const char *const *d = f->field;

	return text_line(
		a,
		sv_of(arena_printf(a, "%s%s%s%s%s", d[ALERT_NODE], text_if(*d[ALERT_NODE], "/"),
				   d[ALERT_GPU], text_if(*d[ALERT_MIG], "/"), d[ALERT_MIG])),
		48);
}

const char *alerts_state_word(struct arena *a, const struct fired *f)
{
	const char *s = "over", *more = "";

	if (f->state == FIRED_FIRING)
		s = "fires";
	else if (f->state == FIRED_NO_DATA)
		s = "no data";
	if (f->silenced)
		more = ", silenced";
	else if (!f->told && f->held_back)
		more = ", held back";
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
			     grid_side(i == 6 || i == 7 || i == 9), i == 2 || i == 3 || i == 4);
	for (size_t i = 0; i < r->nfired; i++) {
		const struct fired *f = &r->fired[i];
		if (!is_shown(f, all))
			continue;
		const char **cell = grid_add_row(g, grid_faint(!f->told));
		cell[0] = f->rule->name;
		cell[1] = alert_severity_name[f->rule->severity];
		cell[2] = format_gpu(&g->mem, f);
		cell[3] = alerts_word(&g->mem, f->field[ALERT_JOB], 32);
		cell[4] = alerts_word(&g->mem, f->field[ALERT_TEAM], 24);
		cell[5] = alerts_instant(&g->mem, f->from_ms);
		cell[6] = format_length(as, &g->mem, f->to_ms - f->from_ms);
		if (f->rule->signal >= ALERT_LOST)
			cell[7] = "";
		else if (as->format == OUT_CSV)
			cell[7] = arena_printf(&g->mem, "%.6g", f->worst);
		else
			cell[7] = alerts_number(&g->mem, f->rule->signal, f->worst);
		cell[8] = alerts_state_word(&g->mem, f);
		cell[9] = text_or_dash(f->has_cost,
				       format_money(as, &g->mem, f->cost, f->currency));
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
		       text_if(near, "; did you mean '"), text_or(near, ""), text_if(near, "'?"));
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
		return cmp_dec(y->cost, x->cost);
	if (x->ms != y->ms)
		return cmp_i64(y->ms, x->ms);
	return sv_cmp(x->key, y->key);
}

/* Most expensive first. In arena a. */
static struct sum *sum_fired(const struct alerts_answer *r, const char *const *by, size_t nby,
			     bool all, struct arena *a, size_t *ret_n)
{
	struct intern keys = { 0 };
	struct sum *v = arena_zalloc(a, (r->nfired + 1) * sizeof *v);
	struct str key = { 0 };

	*ret_n = 0;
	for (size_t i = 0; i < r->nfired; i++) {
		const struct fired *f = &r->fired[i];
		if (!is_shown(f, all))
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
		s->cost += dec_counted(f->has_cost, f->cost);
		s->has_cost |= f->has_cost;
	}
	str_free(&key);
	intern_free(&keys);
	if (*ret_n)
		sort_items(v, *ret_n, sizeof *v, by_cost);
	return v;
}

static void grid_sums(const struct alerts_answer *r, const char *const *by, size_t nby, bool all,
		      const struct out_as *as, struct grid *g)
{
	size_t n;
	struct sum *v = sum_fired(r, by, nby, all, &g->mem, &n);

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
		cell[nby + 2] = format_length(as, &g->mem, v[i].ms);
		if (!v[i].has_cost)
			cell[nby + 3] = "-";
		else if (v[i].mixed)
			cell[nby + 3] = "several currencies";
		else
			cell[nby + 3] = format_money(as, &g->mem, v[i].cost, NULL);
	}
}

static void write_summary(const struct alerts_answer *r, int width, struct str *out)
{
	size_t firing = 0, over = 0, back = 0, quiet = 0;
	struct arena a = { 0 };
	struct str line = { 0 };
	char day[TM_BUF];

	for (size_t i = 0; i < r->nfired; i++) {
		const struct fired *f = &r->fired[i];
		firing += f->told && f->state != FIRED_OVER;
		over += f->told && f->state == FIRED_OVER;
		quiet += !f->told && f->silenced;
		back += !f->told && !f->silenced;
	}
	if (!r->gpus) {
		const char *last = "";

		if (r->end_ms != UNKNOWN_MS && r->end_ms <= r->since_ms) {
			tm_format(day, tm_floor(r->end_ms - 1, MS_DAY));
			last = arena_printf(&a, " The last ones are of %s: --since %.10s",
					    alerts_instant(&a, r->end_ms), day);
		}
		str_addf(&line, "No readings of GPUs in %s.%s",
			 text_window(&a, r->since_ms, r->until_ms), last);
	} else
		str_addf(&line, "%zu firing at the end, %zu over; %zu GPU%s watched, %s", firing,
			 over, r->gpus, plural(r->gpus), text_window(&a, r->since_ms, r->until_ms));
	view_fold(out, str_z(&line), width);
	if (back || quiet)
		view_fold(
			out,
			arena_printf(
				&a,
				"Not told: %zu that follow from another alert on the same GPU, %zu silenced (--all shows them)",
				back, quiet),
			width);
	str_free(&line);
	arena_free(&a);
}

/* ---- the agent --------------------------------------------------------------------------- */

/* An agent writes once a minute what fires. */
#define AGENT_LATE_MS (3 * MS_MINUTE)

bool alerts_agent_stale(const struct alerts_agent *a)
{
	return a->running == 0 || a->now_ms - a->as_of_ms > AGENT_LATE_MS;
}

const char *alerts_agent_words(const struct alerts_agent *a, struct arena *mem)
{
	char at[TM_BUF], age[TM_BUF];

	if (!alerts_agent_stale(a))
		return "";
	tm_format_span(age, max_i64(a->now_ms - a->as_of_ms, 0) / MS_SECOND * MS_SECOND);
	tm_format(at, a->as_of_ms);
	if (a->running == 0)
		return arena_printf(
			mem,
			"No agent runs in '%s': below is what fired when one last wrote, %s, %s ago. What fires now is not known; start one: tare agent --state %s",
			a->dir, at, age, sh_word(mem, a->dir));
	return arena_printf(
		mem,
		"The agent in '%s' last wrote what fires %s ago, %s, and should do it each minute. What fires now is not known: tare doctor, and its log, say why",
		a->dir, age, at);
}

/* ---- JSON -------------------------------------------------------------------------------- */

#define ROW struct alert_row

struct alert_row {
	const char *rule, *severity, *state, *signal, *comparison;
	const char *field[ALERT_FIELD_N]; /* NULL: not known */
	int64_t from_ms, to_ms;
	double seconds, threshold, worst;
	bool told, silenced, has_cost;
	const char *follows, *why_over, *currency;
	dec cost;
};
/* Of `by`: what was added up over, and its value. */
struct key_row {
	const char *key, *value;
};
struct sum_row {
	const struct key_row *key;
	size_t nkey;
	size_t alerts, firing;
	double seconds;
	bool has_cost;
	dec cost;
	const char *currency;
};
struct agent_json {
	const struct alerts_agent *a;
};
struct doc {
	int64_t since_ms, until_ms;
	struct agent_json agent;
	bool has_agent;
	size_t gpus, firing;
	int64_t samples;
	const struct alert_row *alert;
	const struct sum_row *sum;
	size_t nalert, nsum;
	bool each, summed; /* one of them */
};

#define TEXT(key, member, what)                                                  \
	{                                                                        \
		key, COL_TEXT, offsetof(ROW, member), NULL, what, .always = true \
	}
#define FIELD(key, which, what)                                        \
	{                                                              \
		key, COL_TEXT, offsetof(ROW, field[which]), NULL, what \
	}
#define COST_COLS(S)                                                             \
	{ "cost",                                                                \
	  COL_DEC,                                                               \
	  offsetof(S, cost),                                                     \
	  "money",                                                               \
	  "of the time on the GPU while it fired",                               \
	  .has_at = offsetof(S, has_cost) },                                     \
	{                                                                        \
		"currency", COL_TEXT, offsetof(S, currency), NULL, "of the cost" \
	}
static const struct col alert_cols[] = {
	TEXT("rule", rule, "its name"),
	TEXT("severity", severity, "info, warning or critical"),
	TEXT("state", state, "firing, no_data (fires, and readings stopped) or over"),
	FIELD("node", ALERT_NODE, "machine"),
	FIELD("gpu", ALERT_GPU, "card"),
	FIELD("mig", ALERT_MIG, "part of the GPU"),
	FIELD("gpu_model", ALERT_MODEL, "of the GPU"),
	FIELD("cluster", ALERT_CLUSTER, "of the machine"),
	FIELD("job", ALERT_JOB, "that held the GPU as it began"),
	FIELD("user", ALERT_USER, "whose job"),
	FIELD("team", ALERT_TEAM, "of the job"),
	FIELD("project", ALERT_PROJECT, "of the job"),
	FIELD("env", ALERT_ENV, "of the job: production or other"),
	FIELD("workload", ALERT_WORKLOAD, "kind of job"),
	{ "since", COL_TIME, offsetof(ROW, from_ms), NULL, "when it began to fire" },
	{ "until", COL_TIME, offsetof(ROW, to_ms), NULL, "when it was over, or the data end" },
	{ "seconds", COL_NUM, offsetof(ROW, seconds), "s", "since until", .digits = 3,
	  .always = true },
	TEXT("signal", signal, "reading it looks at"),
	TEXT("comparison", comparison, "above or below the threshold"),
	{ "threshold", COL_NUM, offsetof(ROW, threshold), NULL, "in the unit of its signal",
	  .digits = 4 },
	{ "worst", COL_NUM, offsetof(ROW, worst), NULL, "while it fired, in the unit of its signal",
	  .digits = 4 },
	{ "told", COL_BOOL, offsetof(ROW, told), NULL,
	  "receivers are told: neither held back nor silenced" },
	{ "follows", COL_TEXT, offsetof(ROW, follows), NULL, "rule whose alert is its cause" },
	{ "silenced", COL_BOOL, offsetof(ROW, silenced), NULL, "a silence is in force" },
	{ "why_over", COL_TEXT, offsetof(ROW, why_over), NULL, "null: it is not over" },
	COST_COLS(ROW),
	{ 0 },
};
static const struct col key_cols[] = {
	{ "by", COL_TEXT, offsetof(struct key_row, key), NULL, "rule, severity, team, ...",
	  .always = true },
	{ "value", COL_TEXT, offsetof(struct key_row, value), NULL,
	  "of what --by names; null: not known" },
	{ 0 },
};
static const struct col sum_cols[] = {
	{ "by", COL_PAIRS(struct sum_row, key, nkey, key_cols), .here = true },
	{ "alerts", COL_SIZE, offsetof(struct sum_row, alerts), "count", "that fired" },
	{ "firing", COL_SIZE, offsetof(struct sum_row, firing), "count", "of them, not over" },
	{ "seconds", COL_NUM, offsetof(struct sum_row, seconds), "s", "they fired, added up",
	  .digits = 3, .always = true },
	COST_COLS(struct sum_row),
	{ 0 },
};
static const struct col window_cols[] = {
	{ "since", COL_TIME, offsetof(struct doc, since_ms), NULL, "begin" },
	{ "until", COL_TIME, offsetof(struct doc, until_ms), NULL, "end" },
	{ 0 },
};
static bool get_running(const void *row, union col_value *ret)
{
	const struct alerts_agent *a = ((const struct agent_json *)row)->a;

	ret->yes = a->running == 1;
	return a->running >= 0;
}

static bool get_stale(const void *row, union col_value *ret)
{
	ret->yes = alerts_agent_stale(((const struct agent_json *)row)->a);
	return true;
}

static const struct col agent_cols[] = {
	{ "running", COL_BOOL, .get = get_running, .help = "null: cannot be told" },
	{ "as_of", COL_TIME, COL_VIA(struct agent_json, a, as_of_ms),
	  .help = "when it wrote last what fires" },
	{ "stale", COL_BOOL, .get = get_stale,
	  .help = "true: it does not run, or wrote nothing for three minutes; what fires now is not known" },
	{ 0 },
};
static const struct col doc_cols[] = {
	{ "window", COL_ROW, 0, NULL, "what was looked at", .sub = window_cols },
	{ "agent", COL_ROW, offsetof(struct doc, agent), .sub = agent_cols,
	  .has_at = offsetof(struct doc, has_agent), .optional = true,
	  .help = "with --state: whether what is told is of now" },
	{ "gpus", COL_SIZE, offsetof(struct doc, gpus), "count", "with readings" },
	{ "samples", COL_INT, offsetof(struct doc, samples), "count", "readings" },
	{ "firing", COL_SIZE, offsetof(struct doc, firing), "count",
	  "alerts told and not over at the end" },
	{ "rows", COL_LIST(struct doc, sum, nsum, sum_cols), .has_at = offsetof(struct doc, summed),
	  .optional = true, .help = "with --by: most expensive first" },
	{ "alerts", COL_LIST(struct doc, alert, nalert, alert_cols),
	  .has_at = offsetof(struct doc, each), .optional = true,
	  .help = "without --by; those not told only with --all" },
	{ 0 },
};
const struct col_doc alerts_doc = { "tare.alerts/1", "alerts",
				    "what the rules of alerts say of the past", doc_cols };

static struct alert_row alert_row(const struct fired *f)
{
	struct alert_row r = { .rule = f->rule->name,
			       .severity = alert_severity_name[f->rule->severity],
			       .state = fired_state_name[f->state],
			       .signal = alert_signal_name(f->rule->signal),
			       .comparison = alert_cmp_name[f->rule->cmp],
			       .from_ms = f->from_ms,
			       .to_ms = f->to_ms,
			       .seconds = (double)(f->to_ms - f->from_ms) / 1000,
			       .threshold = f->rule->threshold,
			       .worst = f->worst,
			       .told = f->told,
			       .silenced = f->silenced,
			       .follows = f->held_back,
			       .why_over = f->over,
			       .has_cost = f->has_cost,
			       .cost = f->cost,
			       .currency = f->has_cost ? f->currency : NULL };

	for (int i = 0; i < ALERT_FIELD_N; i++)
		r.field[i] = filled_or(f->field[i], NULL);
	return r;
}

static struct sum_row sum_row(const struct sum *s, const char *const *by, size_t nby,
			      struct arena *a)
{
	struct key_row *key = arena_zalloc(a, nby * sizeof *key);
	bool has_cost = s->has_cost && !s->mixed;

	for (size_t k = 0; k < nby; k++) {
		const char *z = by_value(s->first, by[k]);
		key[k] = (struct key_row){ by[k], filled_or(z, NULL) };
	}
	return (struct sum_row){ .key = key,
				 .nkey = nby,
				 .alerts = s->n,
				 .firing = s->firing,
				 .seconds = (double)s->ms / 1000,
				 .has_cost = has_cost,
				 .cost = s->cost,
				 .currency = has_cost ? s->first->currency : NULL };
}

void alerts_print(const struct alerts_answer *r, const struct alerts_view *v,
		  const struct out_as *as, struct str *out)
{
	struct grid g = { 0 };
	bool some = false;

	if (as->format == OUT_JSON) {
		const char *const *by = v->by;
		size_t nby = v->nby;
		bool all = v->all;
		struct arena a = { 0 };
		struct doc d = { .since_ms = r->since_ms,
				 .until_ms = r->until_ms,
				 .agent = { v->agent },
				 .has_agent = v->agent != NULL,
				 .gpus = r->gpus,
				 .samples = r->samples,
				 .each = nby == 0,
				 .summed = nby > 0 };

		for (size_t i = 0; i < r->nfired; i++)
			d.firing += r->fired[i].told && r->fired[i].state != FIRED_OVER;
		if (nby) {
			const struct sum *sum = sum_fired(r, by, nby, all, &a, &d.nsum);
			struct sum_row *row = arena_zalloc(&a, (d.nsum + 1) * sizeof *row);

			for (size_t i = 0; i < d.nsum; i++)
				row[i] = sum_row(&sum[i], by, nby, &a);
			d.sum = row;
		} else {
			struct alert_row *row = arena_zalloc(&a, (r->nfired + 1) * sizeof *row);

			for (size_t i = 0; i < r->nfired; i++)
				if (is_shown(&r->fired[i], all))
					row[d.nalert++] = alert_row(&r->fired[i]);
			d.alert = row;
		}
		cols_doc(&alerts_doc, &d, out);
		arena_free(&a);
		return;
	}
	if (v->agent && as->format != OUT_CSV && alerts_agent_stale(v->agent)) {
		view_fold(out, alerts_agent_words(v->agent, &g.mem), as->width);
		str_addc(out, '\n');
	}
	if (v->nby)
		grid_sums(r, v->by, v->nby, v->all, as, &g);
	else if (as->format != OUT_TABLE)
		grid_alerts(r, v->all, as, &g);
	else
		some = alerts_list(r, v, as, out);
	if (g.row.n || as->format == OUT_CSV)
		alerts_put_grid(as, &g, out);
	if (as->format != OUT_CSV) {
		if (some || g.row.n)
			str_addc(out, '\n');
		write_summary(r, as->width, out);
	}
	grid_free(&g);
}
