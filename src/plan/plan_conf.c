/* Reads the section `plan:` of the configuration file. What stands outside of it is the business of
 * ledger/conf.c, which has checked it. */
#include "plan/plan_conf.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/near.h"
#include "base/tm.h"
#include "base/yaml.h"
#include "plan/lever.h"

#define LEN(a) (sizeof(a) / sizeof *(a))
#define BIG    1e15 /* above all amounts and numbers that mean something */

/* As in levers.c, field_of(). */
static const char *const match_field[] = { "team", "project", "env",     "workload", "user",
					   "job",  "name",    "cluster", "node",     "service" };

struct loader {
	struct plan_conf *c;
	const struct yaml_doc *d;
	struct err *err;
};

/* Defaults: where they come from stands in docs/CONFIG.md. */
static void set_defaults(struct plan_conf *c)
{
	*c = (struct plan_conf){
		.deadline_slack_frac = 0.25,
		.serving_target_util_frac = 0.80,
		.slo_p99_growth_frac = 0.5,
		.restart_minutes = 6,
		.checkpoint_stall_s = 20,
		.boot_minutes = 5,
		.idle_release_minutes = 15,
		.trim_headroom_frac = 0.125,
		.wacc_frac = 0.08,
		.upfront_cap_usd = INFINITY,
		.outdated_year_frac = 0.10,
		.max_term = "1y",
		.egress_usd_gb = 0.02,
		.egress_out_usd_gb = 0.09,
		.month_hours = 730,
	};
}

static int wrong(const struct loader *l, const struct yaml *y, const char *what)
{
	return err_set(l->err, -EINVAL, "'%s' line %d: %s", yaml_name(l->d), y->line, what);
}

static const char *keep(const struct loader *l, const char *z)
{
	return arena_sv(&l->c->mem, sv_of(z));
}

static int want_text(const struct loader *l, const struct yaml *y)
{
	return y->type == YAML_TEXT && *y->text ? 0 : wrong(l, y, "a text is wanted here");
}

struct texts {
	const char **v;
	size_t n, cap;
};

/* The list of texts under key, each through check (may be NULL). */
static int load_texts(const struct loader *l, const struct yaml *map, const char *key,
		      struct texts *ret, int (*check)(const struct loader *, const struct yaml *))
{
	const struct yaml *y = yaml_get(map, key);

	if (!y || y->type == YAML_NULL)
		return 0;
	if (y->type != YAML_SEQ)
		return wrong(l, y, "a list is wanted here");
	for (const struct yaml *i = y->child; i; i = i->next) {
		int r = want_text(l, i);
		if (r < 0 || (check && (r = check(l, i)) < 0))
			return r;
		*vec_push(ret) = keep(l, i->text);
	}
	return 0;
}

/* load_texts() into a VEC(const char *) of the settings. */
#define LOAD_TEXTS(l, map, key, vec, check, r)                         \
	do {                                                           \
		struct texts t_ = { (vec)->v, (vec)->n, (vec)->cap };  \
		r = load_texts(l, map, key, &t_, check);               \
		(vec)->v = t_.v, (vec)->n = t_.n, (vec)->cap = t_.cap; \
	} while (0)

static int check_lever(const struct loader *l, const struct yaml *y)
{
	const char *names[LEVER_N], *near;

	if (lever_index(y->text) >= 0)
		return 0;
	err_set(l->err, -EINVAL, "'%s' line %d: '%.100s' is no lever", yaml_name(l->d), y->line,
		y->text);
	for (int i = 0; i < LEVER_N; i++)
		names[i] = levers[i].name;
	near = near_word(y->text, names, LEVER_N);
	if (near)
		err_hint(l->err, "did you mean '%s'?", near);
	else
		err_hint(l->err, "see 'tare help plan' for the levers");
	return -EINVAL;
}

static int check_field(const struct loader *l, const struct yaml *y)
{
	const char *near;

	for (size_t i = 0; i < LEN(match_field); i++)
		if (!strcmp(match_field[i], y->key))
			return 0;
	err_set(l->err, -EINVAL, "'%s' line %d: '%.100s' is no field a rule of the plan can use",
		yaml_name(l->d), y->line, y->key);
	near = near_word(y->key, match_field, LEN(match_field));
	if (near)
		err_hint(l->err, "did you mean '%s'?", near);
	else
		err_hint(
			l->err,
			"it can use team, project, env, workload, user, job, name, cluster, node and service");
	return -EINVAL;
}

static int load_when(const struct loader *l, const struct yaml *y, struct plan_rule *rule)
{
	const struct yaml *when = yaml_get(y, "when");

	if (!when || when->type != YAML_MAPPING || !when->child)
		return wrong(l, when ? when : y,
			     "a rule of the plan needs 'when' with at least one field: pattern");
	for (const struct yaml *f = when->child; f; f = f->next) {
		int r = want_text(l, f);
		if (r < 0 || (r = check_field(l, f)) < 0)
			return r;
		*vec_push(&rule->when) = (struct plan_match){ keep(l, f->key), keep(l, f->text) };
	}
	return 0;
}

/* yes or no; absent or null stays "not said". */
static int load_tri(const struct loader *l, const struct yaml *y, const char *key, int *ret)
{
	const struct yaml *v = yaml_get(y, key);
	bool b = false;
	int r = yaml_bool(l->d, y, key, &b, l->err);

	if (r >= 0 && v && v->type != YAML_NULL)
		*ret = b;
	return r;
}

static int load_sharing(const struct loader *l, const struct yaml *y, struct plan_rule *rule)
{
	const char *with = NULL;
	int r = yaml_text(l->d, y, "share_with", &with, l->err);

	if (r < 0 || !with)
		return r;
	if (!strcmp(with, "others"))
		rule->share_with_others = 1;
	else if (!strcmp(with, "nobody"))
		rule->share_with_others = 0;
	else if (strcmp(with, "team"))
		return wrong(l, yaml_get(y, "share_with"),
			     "'share_with' must be team, others or nobody");
	return 0;
}

static int load_rule(const struct loader *l, const struct yaml *y)
{
	static const char *const keys[] = { "when",
					    "checkpointable",
					    "interruptible",
					    "deadline_slack_frac",
					    "slo_p99_ms",
					    "data_gb",
					    "share_with",
					    "spot_floor_frac",
					    "frozen",
					    "opt_out",
					    NULL };
	int r;

	if (y->type != YAML_MAPPING)
		return wrong(l, y,
			     "a rule of the plan is a mapping with 'when' and what holds then");
	if ((r = yaml_check_keys(l->d, y, keys, l->err)) < 0)
		return r;
	/* in the list first, so that plan_conf_free() finds it whatever comes */
	struct plan_rule *u = vec_push(&l->c->rule);
	*u = (struct plan_rule){ .checkpointable = -1,
				 .interruptible = -1,
				 .share_with_others = -1,
				 .deadline_slack_frac = NAN,
				 .slo_p99_ms = NAN,
				 .data_gb = NAN,
				 .spot_floor_frac = NAN };
	if ((r = load_when(l, y, u)) < 0 ||
	    (r = load_tri(l, y, "checkpointable", &u->checkpointable)) < 0 ||
	    (r = load_tri(l, y, "interruptible", &u->interruptible)) < 0 ||
	    (r = load_sharing(l, y, u)) < 0 ||
	    (r = yaml_f64(l->d, y, "deadline_slack_frac", 0, 1000, &u->deadline_slack_frac,
			  l->err)) < 0 ||
	    (r = yaml_f64(l->d, y, "slo_p99_ms", 0.001, 1e9, &u->slo_p99_ms, l->err)) < 0 ||
	    (r = yaml_f64(l->d, y, "data_gb", 0, 1e12, &u->data_gb, l->err)) < 0 ||
	    (r = yaml_f64(l->d, y, "spot_floor_frac", 0, 1, &u->spot_floor_frac, l->err)) < 0 ||
	    (r = yaml_bool(l->d, y, "frozen", &u->frozen, l->err)) < 0)
		return r;
	LOAD_TEXTS(l, y, "opt_out", &u->opt_out, check_lever, r);
	return r;
}

/* Each item of a list; none where the key is absent. */
static int load_list(const struct loader *l, const struct yaml *plan, const char *key,
		     int (*item)(const struct loader *, const struct yaml *))
{
	const struct yaml *y = yaml_get(plan, key);
	int r = 0;

	if (!y || y->type == YAML_NULL)
		return 0;
	if (y->type != YAML_SEQ)
		return wrong(l, y, "a list is wanted here");
	for (const struct yaml *i = y->child; i && r >= 0; i = i->next)
		r = item(l, i);
	return r;
}

static int load_commitment(const struct loader *l, const struct yaml *y)
{
	static const char *const keys[] = { "name", "ends", "usd_hour", NULL };
	struct plan_commitment c = { .usd_hour = -1 };
	const char *ends = NULL;
	int r;

	if (y->type != YAML_MAPPING)
		return wrong(l, y, "a commitment is a mapping with 'name', 'ends' and 'usd_hour'");
	if ((r = yaml_check_keys(l->d, y, keys, l->err)) < 0 ||
	    (r = yaml_text(l->d, y, "name", &c.name, l->err)) < 0 ||
	    (r = yaml_text(l->d, y, "ends", &ends, l->err)) < 0 ||
	    (r = yaml_f64(l->d, y, "usd_hour", 0, 1e6, &c.usd_hour, l->err)) < 0)
		return r;
	if (!c.name || !ends || c.usd_hour < 0)
		return wrong(l, y, "a commitment needs 'name', 'ends' (a date) and 'usd_hour'");
	if (tm_parse(sv_of(ends), 0, &c.ends_ms) < 0)
		return wrong(l, yaml_get(y, "ends"), "'ends' is no date such as 2027-01-15");
	c.name = keep(l, c.name);
	*vec_push(&l->c->commitment) = c;
	return 0;
}

static int load_numbers(const struct loader *l, const struct yaml *y)
{
	struct plan_conf *c = l->c;
	const struct {
		const char *key;
		double lo, hi;
		double *to;
	} number[] = {
		{ "deadline_slack_frac", 0, 1000, &c->deadline_slack_frac },
		{ "serving_target_util_frac", 0.05, 1, &c->serving_target_util_frac },
		{ "slo_p99_growth_frac", 0, 1000, &c->slo_p99_growth_frac },
		{ "restart_minutes", 0, 10080, &c->restart_minutes },
		{ "checkpoint_stall_s", 0, 86400, &c->checkpoint_stall_s },
		{ "boot_minutes", 0, 1440, &c->boot_minutes },
		{ "idle_release_minutes", 0, 10080, &c->idle_release_minutes },
		{ "trim_headroom_frac", 0, 100, &c->trim_headroom_frac },
		{ "wacc_frac", 0, 10, &c->wacc_frac },
		{ "upfront_cap_usd", 0, BIG, &c->upfront_cap_usd },
		{ "outdated_year_frac", 0, 1, &c->outdated_year_frac },
		{ "egress_usd_gb", 0, 1e6, &c->egress_usd_gb },
		{ "egress_out_usd_gb", 0, 1e6, &c->egress_out_usd_gb },
	};
	int r = 0;

	for (size_t i = 0; i < LEN(number) && r >= 0; i++)
		r = yaml_f64(l->d, y, number[i].key, number[i].lo, number[i].hi, number[i].to,
			     l->err);
	return r;
}

static int load_term(const struct loader *l, const struct yaml *y)
{
	static const char *const terms[] = { "none", "1y", "3y" };
	const char *term = NULL;
	int r = yaml_text(l->d, y, "max_term", &term, l->err);

	if (r < 0 || !term)
		return r;
	for (size_t i = 0; i < LEN(terms); i++)
		if (!strcmp(term, terms[i])) {
			l->c->max_term = terms[i];
			return 0;
		}
	return wrong(l, yaml_get(y, "max_term"), "'max_term' must be none, 1y or 3y");
}

static int load_plan(const struct loader *l, const struct yaml *y)
{
	static const char *const keys[] = { "deadline_slack_frac",
					    "serving_target_util_frac",
					    "slo_p99_growth_frac",
					    "restart_minutes",
					    "checkpoint_stall_s",
					    "boot_minutes",
					    "idle_release_minutes",
					    "trim_headroom_frac",
					    "wacc_frac",
					    "upfront_cap_usd",
					    "outdated_year_frac",
					    "max_term",
					    "egress_usd_gb",
					    "egress_out_usd_gb",
					    "regions",
					    "frozen_teams",
					    "commitments",
					    "rules",
					    NULL };
	int r;

	if (!y || y->type == YAML_NULL)
		return 0;
	if (y->type != YAML_MAPPING)
		return wrong(l, y, "'plan' must be a mapping (key: value)");
	if ((r = yaml_check_keys(l->d, y, keys, l->err)) < 0 || (r = load_numbers(l, y)) < 0 ||
	    (r = load_term(l, y)) < 0)
		return r;
	LOAD_TEXTS(l, y, "regions", &l->c->regions, NULL, r);
	if (r < 0)
		return r;
	LOAD_TEXTS(l, y, "frozen_teams", &l->c->frozen_team, NULL, r);
	r = r < 0 ? r : load_list(l, y, "commitments", load_commitment);
	return r < 0 ? r : load_list(l, y, "rules", load_rule);
}

static int load_doc(struct yaml_doc *d, struct plan_conf *ret, struct err *err)
{
	struct plan_conf c;
	set_defaults(&c);
	struct loader l = { .c = &c, .d = d, .err = err };
	const struct yaml *root = yaml_root(d);
	int r = root && root->type == YAML_MAPPING
			? yaml_f64(d, root, "month_hours", 1, 744, &c.month_hours, err)
			: err_set(err, -EINVAL, "'%s' line 1: 'version: 1' is missing",
				  yaml_name(d));

	r = r < 0 ? r : load_plan(&l, yaml_get(root, "plan"));
	if (r < 0)
		plan_conf_free(&c);
	else
		*ret = c;
	yaml_doc_free(d);
	return r < 0 ? r : 0;
}

int plan_conf_load(const char *path, struct plan_conf *ret, struct err *err)
{
	struct yaml_doc *d;

	if (!path) {
		set_defaults(ret);
		return 0;
	}
	int r = yaml_load(path, &d, err);
	return r < 0 ? r : load_doc(d, ret, err);
}

int plan_conf_parse(const char *name, struct sv text, struct plan_conf *ret, struct err *err)
{
	struct yaml_doc *d;
	int r = yaml_parse(name, text, &d, err);

	return r < 0 ? r : load_doc(d, ret, err);
}

void plan_conf_free(struct plan_conf *c)
{
	for (size_t i = 0; i < c->rule.n; i++) {
		vec_free(&c->rule.v[i].when);
		vec_free(&c->rule.v[i].opt_out);
	}
	vec_free(&c->rule);
	vec_free(&c->regions);
	vec_free(&c->frozen_team);
	vec_free(&c->commitment);
	arena_free(&c->mem);
}
