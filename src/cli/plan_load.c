#include "cli/plan_load.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/sh.h"
#include "base/jw.h"
#include "base/near.h"
#include "base/tm.h"
#include "plan/levers.h"
#include "plan/target.h"
#include "store/control.h"

#define KEY_LAST     "plan.last"
#define KEY_DECISION "plan.decision."
/* of today's cost: a hundred of 200,000 dollars a month; a day of work for less is no plan */
#define MIN_SAVING_FRAC 0.0005
#define DRAWS           400 /* of the bootstrap: the 5th percentile stands on 20 draws */

/* ---- options ----------------------------------------------------------------------------- */

/* The texts of plan_asked by the names of their options: for the command line, the memory and for
 * words. */
struct field {
	const char *name;
	size_t at;
};
static const struct field fields[] = {
	{ "lever", offsetof(struct plan_asked, lever) },
	{ "risk", offsetof(struct plan_asked, risk) },
	{ "effort", offsetof(struct plan_asked, effort) },
	{ "min-saving", offsetof(struct plan_asked, min_saving) },
	{ "horizon", offsetof(struct plan_asked, horizon) },
	{ "target-frac", offsetof(struct plan_asked, target_frac) },
	{ "within", offsetof(struct plan_asked, within) },
	{ "seed", offsetof(struct plan_asked, seed) },
};
#define NFIELD (sizeof fields / sizeof *fields)

static const char **text_of(struct plan_asked *a, size_t i)
{
	return (const char **)(void *)((char *)a + fields[i].at);
}

void plan_asked_of(struct cli *c, struct plan_asked *ret)
{
	*ret = (struct plan_asked){ .since_ms = c->since_ms,
				    .until_ms = c->until_ms,
				    .quality = cli_flag(c, "quality") };
	for (size_t i = 0; i < NFIELD; i++)
		*text_of(ret, i) = cli_value(c, fields[i].name);
}

const char *plan_asked_words(struct plan_load *l)
{
	struct str s = { 0 };

	for (size_t i = 0; i < NFIELD; i++)
		if (*text_of(&l->asked, i))
			str_addf(&s, "%s--%s %s", s.n ? " " : "", fields[i].name,
				 sh_show(&l->c->mem, *text_of(&l->asked, i)));
	if (l->asked.quality)
		str_addf(&s, "%s--quality", s.n ? " " : "");
	const char *z = arena_strn(&l->c->mem, str_z(&s), s.n);
	str_free(&s);
	return z;
}

static int unknown_lever(struct sv w, struct err *err)
{
	const char *names[LEVER_N], *near;
	char word[64];

	err_set(err, -EINVAL, "--lever: '%.*s' is no lever", (int)(w.n < 60 ? w.n : 60), w.p);
	for (int i = 0; i < LEVER_N; i++)
		names[i] = levers[i].name;
	snprintf(word, sizeof word, "%.*s", (int)(w.n < 60 ? w.n : 60), w.p);
	near = near_word(word, names, LEVER_N);
	if (near)
		err_hint(err, "Did you mean '%s'?", near);
	else
		err_hint(err, "See: tare help plan");
	return -EINVAL;
}

static int read_levers(struct plan_load *l, struct err *err)
{
	struct sv rest = sv_of(l->asked.lever);

	while (rest.p) {
		struct sv w = sv_trim(sv_cut(rest, ',', &rest));
		int i = LEVER_N;
		for (i = 0; w.n && i < LEVER_N; i++)
			if (sv_is(w, levers[i].name))
				break;
		if (!w.n)
			continue;
		if (i == LEVER_N)
			return unknown_lever(w, err);
		if (!levers[i].propose)
			return err_set(err, -EINVAL, "--lever: '%s' is not in this version of tare",
				       levers[i].name);
		l->opt.levers |= LEVER_BIT(i);
	}
	if (l->asked.lever && !l->opt.levers)
		return err_set(err, -EINVAL, "--lever names none");
	return 0;
}

static int read_risk(struct plan_load *l, struct err *err)
{
	static const char *const words[] = { "low", "medium", "high" };

	l->opt.max_risk = RISK_MEDIUM;
	if (!l->asked.risk)
		return 0;
	for (int i = 0; i < 3; i++)
		if (!strcmp(words[i], l->asked.risk)) {
			l->opt.max_risk = (enum risk)i;
			return 0;
		}
	return err_set(err, -EINVAL, "--risk: '%s' is none of low, medium, high", l->asked.risk);
}

static int read_amounts(struct plan_load *l, struct err *err)
{
	const struct plan_asked *a = &l->asked;
	dec usd = 0;
	int64_t ms;

	l->opt.max_effort_days = INFINITY;
	l->opt.horizon_days = 0;
	if (a->effort && (sv_f64(sv_of(a->effort), &l->opt.max_effort_days) < 0 ||
			  !(l->opt.max_effort_days >= 0) || l->opt.max_effort_days > 1e6))
		return err_set(err, -EINVAL, "--effort: '%s' is no number of days", a->effort);
	if (a->min_saving && (dec_parse(sv_of(a->min_saving), DEC_GROUPED, &usd) < 0 || usd < 0 ||
			      !dec_fits_nano(usd)))
		return err_set(err, -EINVAL, "--min-saving: '%s' is no amount a month",
			       a->min_saving);
	l->opt.min_saving_nano_month = dec_to_nano(usd);
	if (a->horizon && (tm_parse_span(sv_of(a->horizon), &ms) < 0 || ms < MS_DAY))
		return err_set(err, -EINVAL,
			       "--horizon: '%s' is no span of a day or more, such as 90d or 1y",
			       a->horizon);
	if (a->horizon)
		l->opt.horizon_days = (double)ms / MS_DAY;
	return 0;
}

static int read_target(struct plan_load *l, struct err *err)
{
	const struct plan_asked *a = &l->asked;

	l->target_frac = NAN;
	if (!a->target_frac && !a->within)
		return 0;
	if (!a->target_frac || !a->within)
		return err_set(
			err, -EINVAL,
			"--target-frac and --within go together, such as --target-frac 0.4 --within 21d");
	if (sv_f64(sv_of(a->target_frac), &l->target_frac) < 0 ||
	    !(l->target_frac > 0 && l->target_frac < 1))
		return err_set(err, -EINVAL,
			       "--target-frac: '%s' is no share between 0 and 1, such as 0.4",
			       a->target_frac);
	if (tm_parse_span(sv_of(a->within), &l->within_ms) < 0)
		return err_set(err, -EINVAL, "--within: '%s' is no span such as 21d", a->within);
	return 0;
}

int plan_load_opt(struct plan_load *l, struct err *err)
{
	int64_t seed = 1;
	int r;

	l->opt = (struct plan_opt){ .draws = DRAWS,
				    .price_factor = 1,
				    .growth_factor = 1,
				    .quality_advice = l->asked.quality };
	if ((r = read_levers(l, err)) < 0 || (r = read_risk(l, err)) < 0 ||
	    (r = read_amounts(l, err)) < 0 || (r = read_target(l, err)) < 0)
		return r;
	if (l->asked.seed && sv_i64(sv_of(l->asked.seed), &seed) < 0)
		return err_set(err, -EINVAL, "--seed: '%s' is no whole number", l->asked.seed);
	l->opt.seed = (uint64_t)seed;
	return 0;
}

/* ---- memory ------------------------------------------------------------------------------ */

void plan_load_remember(struct plan_load *l)
{
	struct str s = { 0 };
	struct err err;
	struct jw w;

	jw_init(&w, &s, 0);
	jw_obj(&w);
	for (size_t i = 0; i < NFIELD; i++)
		jw_put_str(&w, fields[i].name, *text_of(&l->asked, i));
	jw_key(&w, "quality");
	jw_bool(&w, l->asked.quality);
	jw_key(&w, "since_ms");
	jw_int(&w, l->asked.since_ms);
	jw_key(&w, "until_ms");
	jw_int(&w, l->asked.until_ms);
	jw_key(&w, "ids");
	jw_arr(&w);
	for (size_t i = 0; i < l->plan.rec.v.n; i++)
		jw_str(&w, l->plan.rec.v.v[i]->id);
	jw_end_arr(&w);
	jw_end_obj(&w);
	/* a folder that cannot be written to: "explain" asks for the plan again */
	control_set(cli_db(l->c), KEY_LAST, str_z(&s), &err);
	str_free(&s);
}

static const char *json_text(struct arena *a, const json_t *o, const char *key)
{
	const char *z = json_string_value(json_object_get(o, key));

	return z ? arena_sv(a, sv_of(z)) : NULL;
}

bool plan_load_last(struct plan_load *l)
{
	struct control_setting *set;
	struct err err;
	size_t n, i;
	json_t *o, *id;

	if (control_settings(cli_db(l->c), KEY_LAST, &l->c->mem, &set, &n, &err) < 0 || !n)
		return false;
	o = json_loads(set[0].value, 0, NULL);
	if (!json_is_object(o)) {
		json_decref(o);
		return false;
	}
	for (i = 0; i < NFIELD; i++)
		*text_of(&l->asked, i) = json_text(&l->c->mem, o, fields[i].name);
	l->asked.quality = json_is_true(json_object_get(o, "quality"));
	l->asked.since_ms = json_integer_value(json_object_get(o, "since_ms"));
	l->asked.until_ms = json_integer_value(json_object_get(o, "until_ms"));
	json_array_foreach(json_object_get(o, "ids"), i, id) if (json_string_value(id)) *
		vec_push(&l->last) = arena_sv(&l->c->mem, sv_of(json_string_value(id)));
	json_decref(o);
	return l->remembered = true;
}

/* ---- decisions --------------------------------------------------------------------------- */

static void read_mark(struct plan_load *l, const struct control_setting *set)
{
	static const char *const words[] = { "accepted", "dismissed", "applied" };
	json_t *o = json_loads(set->value, 0, NULL);
	const char *word = json_string_value(json_object_get(o, "word")),
		   *at = json_string_value(json_object_get(o, "at"));
	struct plan_mark m = { .id = set->key + strlen(KEY_DECISION),
			       .reason = json_text(&l->c->mem, o, "reason"),
			       .user = json_text(&l->c->mem, o, "by") };

	for (int i = 0; word && at && i < 3; i++)
		if (!strcmp(words[i], word) && tm_parse(sv_of(at), 0, &m.at_ms) == 0) {
			m.word = (enum plan_word)i;
			m.reason = m.reason ? m.reason : "";
			m.user = m.user ? m.user : "";
			*vec_push(&l->mark) = m;
			if (m.word == PLAN_DISMISSED)
				*vec_push(&l->dismissed) = m.id;
		}
	json_decref(o);
}

int plan_load_marks(struct plan_load *l, struct err *err)
{
	struct control_setting *set;
	size_t n;
	int r = l->s ? 0 : cli_open_store(l->c, STORE_READ, &l->s, err);

	r = r < 0 ? r : control_settings(cli_db(l->c), KEY_DECISION, &l->c->mem, &set, &n, err);
	if (r < 0)
		return r;
	vec_clear(&l->mark);
	vec_clear(&l->dismissed);
	for (size_t i = 0; i < n; i++)
		read_mark(l, &set[i]);
	return 0;
}

static const char *user_name(void)
{
	const struct passwd *p = getpwuid(getuid());
	const char *env = getenv("USER");

	return env && *env ? env : p && p->pw_name ? p->pw_name : "";
}

int plan_load_decide(struct plan_load *l, const char *id, int word, const char *reason,
		     struct err *err)
{
	const char *key = arena_printf(&l->c->mem, KEY_DECISION "%s", id);
	struct str s = { 0 };
	struct jw w;

	if (word < 0)
		return control_set(cli_db(l->c), key, NULL, err);
	jw_init(&w, &s, 0);
	jw_obj(&w);
	jw_put_str(&w, "word", plan_word_name((enum plan_word)word));
	jw_put_str(&w, "reason", reason ? reason : "");
	jw_put_str(&w, "by", user_name());
	jw_key(&w, "at");
	jw_time(&w, l->c->now_ms);
	jw_end_obj(&w);
	int r = control_set(cli_db(l->c), key, str_z(&s), err);
	str_free(&s);
	return r;
}

/* ---- loading ----------------------------------------------------------------------------- */

static int load_catalog(struct plan_load *l, struct err *err)
{
	struct price *p;
	size_t n = 0;
	int r = catalog_open(NULL, &l->cat, err);

	r = r < 0 ? r : store_prices(l->s, &l->c->mem, &p, &n, err);
	for (size_t i = 0; i < n && r >= 0; i++)
		r = catalog_add_price(l->cat, &p[i], err);
	return r;
}

static void progress(void *ctx, const char *label, int64_t rows)
{
	cli_progress(ctx, label, rows, 0, 0);
}

int plan_load_fleet(struct plan_load *l, struct err *err)
{
	struct fleet_opt o = { .conf = &l->c->conf,
			       .since_ms = l->asked.since_ms,
			       .until_ms = l->asked.until_ms,
			       .progress = progress,
			       .progress_ctx = l->c };
	int r = plan_conf_load(l->c->config, &l->conf, err);

	if (r < 0)
		return r;
	l->has_conf = true;
	o.deadline_slack_frac = l->conf.deadline_slack_frac;
	r = plan_load_marks(l, err);
	r = r < 0 ? r : load_catalog(l, err);
	if (r < 0)
		return r;
	if ((r = own_speeds_load(cli_db(l->c), l->cat, &l->own, err)) < 0)
		return r;
	l->conf.own = &l->own;
	o.catalog = l->cat;
	r = fleet_load(l->s, &o, &l->fleet, err);
	cli_progress(l->c, NULL, 0, 0, 0);
	l->has_fleet = r >= 0;
	if (r >= 0)
		plan_apply_rules(&l->conf, &l->fleet);
	return r;
}

static int load_target(struct plan_load *l, struct err *err)
{
	struct target t = { 0 };
	int r = plan_target(&l->fleet, l->cat, &l->conf, &l->opt, l->c->now_ms, l->target_frac,
			    (double)l->within_ms / MS_DAY, &l->plan, &t, err);

	if (r >= 0) {
		l->step = arena_alloc(&l->c->mem, (t.step.n + 1) * sizeof *l->step);
		for (; l->nstep < t.step.n; l->nstep++) {
			const struct target_step *s = &t.step.v[l->nstep];
			l->step[l->nstep] =
				(struct plan_step){ s->rec,
						    l->c->now_ms + (int64_t)(s->start_day * MS_DAY),
						    l->c->now_ms + (int64_t)(s->done_day * MS_DAY),
						    plan_owner(l->plan.rec.v.v[s->rec]) };
		}
		l->reached_frac = t.saved_frac;
		l->most_frac = t.most_frac;
		target_free(&t);
	}
	return r;
}

int plan_load_plan(struct plan_load *l, struct err *err)
{
	int r = l->has_fleet ? 0 : plan_load_fleet(l, err);

	if (r < 0)
		return r;
	if (!l->asked.min_saving && l->fleet.until_ms > l->fleet.since_ms && l->fleet.cost_nano > 0)
		l->opt.min_saving_nano_month =
			(int64_t)((double)l->fleet.cost_nano * MIN_SAVING_FRAC *
				  l->conf.month_hours * MS_HOUR /
				  (double)(l->fleet.until_ms - l->fleet.since_ms));
	l->opt.dismissed = l->dismissed.v;
	l->opt.ndismissed = l->dismissed.n;
	cli_progress(l->c, "plan", (int64_t)l->fleet.work.n, 0, 0);
	if (isnan(l->target_frac))
		r = plan_make(&l->fleet, l->cat, &l->conf, &l->opt, l->c->now_ms, &l->plan, err);
	else
		r = load_target(l, err);
	cli_progress(l->c, NULL, 0, 0, 0);
	l->has_plan = r >= 0;
	return r;
}

void plan_load_free(struct plan_load *l)
{
	if (l->has_plan)
		plan_free(&l->plan);
	if (l->has_fleet)
		fleet_free(&l->fleet);
	if (l->has_conf)
		plan_conf_free(&l->conf);
	own_speeds_free(&l->own);
	catalog_free(l->cat);
	if (l->s)
		store_close(l->s);
	vec_free(&l->mark);
	vec_free(&l->dismissed);
	vec_free(&l->last);
}

struct plan_view plan_load_view(const struct plan_load *l)
{
	return (struct plan_view){ .plan = &l->plan,
				   .conf = &l->conf,
				   .mark = l->mark.v,
				   .nmark = l->mark.n,
				   .step = l->step,
				   .nstep = l->nstep,
				   .target_frac = l->target_frac,
				   .target_reached_frac = l->reached_frac,
				   .target_most_frac = l->most_frac,
				   .target_ms = l->c->now_ms + l->within_ms,
				   .asked = plan_asked_words((struct plan_load *)l),
				   .with_sensitivity = true,
				   .width = l->c->width,
				   .colour = l->c->colour,
				   .now_ms = l->c->now_ms };
}

size_t plan_load_place(const struct plan_load *l, const char *id)
{
	for (size_t i = 0; i < l->plan.rec.v.n; i++)
		if (!strcmp(l->plan.rec.v.v[i]->id, id))
			return i;
	return SIZE_MAX;
}

const char *plan_load_id(struct plan_load *l, const char *word, struct err *err)
{
	int64_t n;

	if (sv_i64(sv_of(word), &n) < 0)
		return word;
	if (!l->last.n) {
		err_set(err, -ENOENT,
			l->remembered ? "the last plan recommends nothing: there is no number %s"
				      : "no plan was made yet: there is no number %s",
			word);
		err_hint(err, "See: tare plan");
		return NULL;
	}
	if (n < 1 || (uint64_t)n > l->last.n) {
		err_set(err, -ENOENT, "the last plan has no number %s: it ends at %zu", word,
			l->last.n);
		err_hint(err, "See it again: tare plan");
		return NULL;
	}
	return l->last.v[n - 1];
}

int plan_load_fail(int r, const struct err *err)
{
	cli_fail(err);
	return r == -ENODATA ? EXIT_INCOMPLETE : EXIT_ERROR;
}
