#include "ledger/conf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "base/tm.h"

#define LEN(a) (sizeof(a) / sizeof *(a))

/* What rules may look at, and what they may fill in. */
static const char *const when_field[] = { "account",  "sub_account", "user",     "namespace",
					  "name",     "node",        "cluster",  "queue",
					  "service",  "team",        "project",  "env",
					  "workload", "job",         "gpu_model" };
static const char *const set_field[] = { "user", "team", "project", "env", "workload" };
static const char *const required_field[] = { "user", "team", "project", "env", "workload", "job" };
static const char *const idle_field[] = { "cluster",  "node",  "provider", "region", "gpu_model",
					  "purchase", "state", "cause",    "team",   "project",
					  "env",      "user",  "workload", "kind" };

struct loader {
	struct conf *c;
	const struct yaml_doc *d;
	struct err *err;
};

static void conf_default(struct conf *c)
{
	memset(c, 0, sizeof *c);
	c->currency = "USD";
	c->month_hours = 730;
	c->infer_workload = true;
	attrib_conf_default(&c->attrib);
}

static int wrong(const struct loader *l, const struct yaml *y, const char *what)
{
	return err_set(l->err, -EINVAL, "'%s' line %d: %s", yaml_name(l->d), y->line, what);
}

/* A field name of a rule, or tag:KEY. */
static int check_field(const struct loader *l, const struct yaml *y, const char *name,
		       const char *const *list, size_t n, bool tags)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i], name) == 0)
			return 0;
	if (tags && strncmp(name, "tag:", 4) == 0 && name[4])
		return 0;
	err_set(l->err, -EINVAL, "'%s' line %d: '%.100s' is no field a rule can use here",
		yaml_name(l->d), y->line, name);
	const char *near = near_word(name, list, n);
	if (near)
		err_hint(l->err, "did you mean '%s'?", near);
	else if (tags)
		err_hint(l->err, "for a tag write 'tag:%.100s'", name);
	return -EINVAL;
}

static int want_list(const struct loader *l, const struct yaml *y)
{
	return y->type == YAML_SEQ ? 0 : wrong(l, y, "a list is wanted here");
}

static int want_text(const struct loader *l, const struct yaml *y)
{
	return y->type == YAML_TEXT && *y->text ? 0 : wrong(l, y, "a text is wanted here");
}

static const char *keep(const struct loader *l, const char *z)
{
	return arena_sv(&l->c->mem, sv_of(z));
}

static int load_thresholds(const struct loader *l, const struct yaml *y)
{
	static const char *const keys[] = { "idle_util_pct",   "underused_util_pct",
					    "empty_mib",       "empty_frac",
					    "stalled_sm_frac", "stalled_power_frac_tdp",
					    "finished_after",  NULL };
	struct attrib_conf *a = &l->c->attrib;
	double mib = a->empty_bytes / (1024 * 1024);
	const char *span = NULL;
	int64_t ms;
	int r;
	if ((r = yaml_check_keys(l->d, y, keys, l->err)) < 0 ||
	    (r = yaml_f64(l->d, y, "idle_util_pct", 0, 100, &a->idle_util_pct, l->err)) < 0 ||
	    (r = yaml_f64(l->d, y, "underused_util_pct", 0, 100, &a->underused_util_pct, l->err)) <
		    0 ||
	    (r = yaml_f64(l->d, y, "empty_mib", 0, 1e9, &mib, l->err)) < 0 ||
	    (r = yaml_f64(l->d, y, "empty_frac", 0, 1, &a->empty_frac, l->err)) < 0 ||
	    (r = yaml_f64(l->d, y, "stalled_sm_frac", 0, 1, &a->stalled_sm_frac, l->err)) < 0 ||
	    (r = yaml_f64(l->d, y, "stalled_power_frac_tdp", 0, 1, &a->stalled_power_frac_tdp,
			  l->err)) < 0 ||
	    (r = yaml_text(l->d, y, "finished_after", &span, l->err)) < 0)
		return r;
	if (a->underused_util_pct < a->idle_util_pct)
		return wrong(l, y, "'underused_util_pct' must not be below 'idle_util_pct'");
	if (span && tm_parse_span(sv_of(span), &ms) < 0)
		return wrong(l, yaml_get(y, "finished_after"),
			     "'finished_after' must be a span such as 30m or 2h");
	if (span)
		a->finished_after_s = (double)ms / 1000;
	a->empty_bytes = mib * 1024 * 1024;
	return 0;
}

/* The list under `key`, each a field a required tag may be. */
static int load_required(const struct loader *l, const struct yaml *y)
{
	if (want_list(l, y) < 0)
		return -EINVAL;
	for (const struct yaml *i = y->child; i; i = i->next) {
		if (want_text(l, i) < 0 ||
		    check_field(l, i, i->text, required_field, LEN(required_field), true) < 0)
			return -EINVAL;
		*vec_push(&l->c->required_tags) = keep(l, i->text);
	}
	return 0;
}

static int load_alias(const struct loader *l, const struct yaml *y)
{
	int r = yaml_check_keys(
		l->d, y,
		(const char *const[]){ "user", "team", "project", "env", "workload", NULL },
		l->err);
	for (const struct yaml *f = y->child; r >= 0 && f; f = f->next) {
		const struct yaml *first = f->type == YAML_SEQ ? f->child : f;
		for (const struct yaml *k = first; k && r >= 0;
		     k = f->type == YAML_SEQ ? k->next : NULL) {
			r = want_text(l, k);
			if (r >= 0)
				*vec_push(&l->c->tag_alias) =
					(struct vtag_cond){ keep(l, f->key), keep(l, k->text) };
		}
	}
	return r;
}

static int load_tags(const struct loader *l, const struct yaml *y)
{
	int r = yaml_check_keys(l->d, y, (const char *const[]){ "required", "alias", NULL },
				l->err);
	const struct yaml *required = yaml_get(y, "required"), *alias = yaml_get(y, "alias");
	if (r >= 0 && required)
		r = load_required(l, required);
	if (r >= 0 && alias)
		r = load_alias(l, alias);
	return r;
}

/* A mapping field: glob (or value) into conditions. */
static int load_conds(const struct loader *l, const struct yaml *y, const char *const *list,
		      size_t n, bool tags, struct vtag_rule *rule, bool is_set)
{
	if (!y || y->type != YAML_MAPPING || !y->child)
		return y ? wrong(l, y, "a mapping (field: pattern) is wanted here") : 0;
	for (const struct yaml *f = y->child; f; f = f->next) {
		if (want_text(l, f) < 0 || check_field(l, f, f->key, list, n, tags) < 0)
			return -EINVAL;
		struct vtag_cond cond = { keep(l, f->key), keep(l, f->text) };
		if (is_set)
			*vec_push(&rule->set) = cond;
		else
			*vec_push(&rule->when) = cond;
	}
	return 0;
}

static int load_virtual_tag(const struct loader *l, const struct yaml *y)
{
	int r = yaml_check_keys(
		l->d, y, (const char *const[]){ "name", "when", "set", "override", NULL }, l->err);
	if (r < 0)
		return r;
	const struct yaml *when = yaml_get(y, "when"), *set = yaml_get(y, "set");
	if (!when || !set)
		return wrong(l, y, "a virtual tag needs 'when' and 'set'");
	/* In the list first, so that conf_free() finds it whatever comes. */
	struct vtag_rule *rule = vec_push(&l->c->virtual_tags);
	memset(rule, 0, sizeof *rule);
	if ((r = load_conds(l, when, when_field, LEN(when_field), true, rule, false)) < 0 ||
	    (r = load_conds(l, set, set_field, LEN(set_field), false, rule, true)) < 0)
		return r;
	return yaml_bool(l->d, y, "override", &rule->override, l->err);
}

static int load_idle_rule(const struct loader *l, const struct yaml *y)
{
	int r = yaml_check_keys(
		l->d, y, (const char *const[]){ "when", "team", "project", "share", NULL }, l->err);
	struct idle_rule rule = { .frac = 1 };
	const struct yaml *when = yaml_get(y, "when");
	if (r < 0)
		return r;
	if (!when || when->type != YAML_MAPPING || !when->child || when->child->next)
		return wrong(l, when ? when : y,
			     "an idle rule needs 'when' with exactly one field: pattern");
	if (want_text(l, when->child) < 0 ||
	    check_field(l, when->child, when->child->key, idle_field, LEN(idle_field), true) < 0)
		return -EINVAL;
	if ((r = yaml_text(l->d, y, "team", &rule.to_team, l->err)) < 0 ||
	    (r = yaml_text(l->d, y, "project", &rule.to_project, l->err)) < 0 ||
	    (r = yaml_f64(l->d, y, "share", 0, 1, &rule.frac, l->err)) < 0)
		return r;
	if (!rule.to_team && !rule.to_project)
		return wrong(l, y,
			     "an idle rule needs 'team' or 'project': who pays ('*' = all by use)");
	rule.field = keep(l, when->child->key);
	rule.glob = keep(l, when->child->text);
	rule.to_team = rule.to_team ? keep(l, rule.to_team) : NULL;
	rule.to_project = rule.to_project ? keep(l, rule.to_project) : NULL;
	*vec_push(&l->c->idle_rules) = rule;
	return 0;
}

static int load_owned(const struct loader *l, const struct yaml *y)
{
	static const char *const keys[] = {
		"gpu_model", "nodes", "purchase", "residual",    "years",          "hours_year",
		"power_w",   "pue",   "kwh",      "other_month", "measured_power", NULL
	};
	struct owned_conf o = { .terms = { .years = 0, .pue = 1 } };
	struct owned_terms *t = &o.terms;
	int r;
	if ((r = yaml_check_keys(l->d, y, keys, l->err)) < 0 ||
	    (r = yaml_text(l->d, y, "gpu_model", &o.gpu_model, l->err)) < 0 ||
	    (r = yaml_text(l->d, y, "nodes", &o.node_glob, l->err)) < 0 ||
	    (r = yaml_dec(l->d, y, "purchase", &t->purchase, l->err)) < 0 ||
	    (r = yaml_dec(l->d, y, "residual", &t->residual, l->err)) < 0 ||
	    (r = yaml_f64(l->d, y, "years", 0.01, 100, &t->years, l->err)) < 0 ||
	    (r = yaml_f64(l->d, y, "hours_year", 0, 8784, &t->utilisation_hours_year, l->err)) <
		    0 ||
	    (r = yaml_f64(l->d, y, "power_w", 0, 1e6, &t->power_w, l->err)) < 0 ||
	    (r = yaml_f64(l->d, y, "pue", 1, 10, &t->pue, l->err)) < 0 ||
	    (r = yaml_dec(l->d, y, "kwh", &t->usd_kwh, l->err)) < 0 ||
	    (r = yaml_dec(l->d, y, "other_month", &t->other_usd_month, l->err)) < 0 ||
	    (r = yaml_bool(l->d, y, "measured_power", &o.measured_power, l->err)) < 0)
		return r;
	if (o.measured_power && t->power_w > 0)
		return wrong(
			l, y,
			"owned hardware: either 'power_w' (assumed) or 'measured_power: true' (from telemetry), not both");
	if (!yaml_get(y, "purchase") || t->years == 0)
		return wrong(l, y, "owned hardware needs 'purchase' (per GPU) and 'years'");
	if (t->purchase < 0 || t->residual < 0 || t->residual > t->purchase || t->usd_kwh < 0)
		return wrong(
			l, y,
			"owned hardware: amounts must not be negative, nor 'residual' above 'purchase'");
	o.gpu_model = o.gpu_model ? keep(l, o.gpu_model) : NULL;
	o.node_glob = o.node_glob ? keep(l, o.node_glob) : NULL;
	*vec_push(&l->c->owned) = o;
	return 0;
}

static int load_node(const struct loader *l, const struct yaml *y)
{
	if (want_text(l, y) < 0)
		return -EINVAL;
	*vec_push(&l->c->node_map) = (struct vtag_cond){ keep(l, y->key), keep(l, y->text) };
	return 0;
}

static int load_shared_team(const struct loader *l, const struct yaml *y)
{
	if (want_text(l, y) < 0)
		return -EINVAL;
	*vec_push(&l->c->shared_teams) = keep(l, y->text);
	return 0;
}

/* Every item of a list (or member of a mapping) through fn; absent is fine. */
static int load_each(const struct loader *l, const char *key, enum yaml_type type,
		     int (*fn)(const struct loader *, const struct yaml *))
{
	const struct yaml *y = yaml_get(yaml_root(l->d), key);
	if (!y || y->type == YAML_NULL)
		return 0;
	if (y->type != type)
		return wrong(l, y,
			     type == YAML_SEQ ? "a list is wanted here"
					      : "a mapping (key: value) is wanted here");
	for (const struct yaml *i = y->child; i; i = i->next) {
		int r = fn(l, i);
		if (r < 0)
			return r;
	}
	return 0;
}

static int load_simple(const struct loader *l, const struct yaml *root)
{
	const char *currency = NULL, *mig = NULL;
	int64_t version = 0;
	int r;
	if ((r = yaml_i64(l->d, root, "version", 1, 1, &version, l->err)) < 0)
		return r;
	if (version != 1)
		return err_set(l->err, -EINVAL, "'%s' line 1: 'version: 1' is missing",
			       yaml_name(l->d));
	if ((r = yaml_text(l->d, root, "currency", &currency, l->err)) < 0 ||
	    (r = yaml_f64(l->d, root, "month_hours", 1, 744, &l->c->month_hours, l->err)) < 0 ||
	    (r = yaml_bool(l->d, root, "infer_workload", &l->c->infer_workload, l->err)) < 0 ||
	    (r = yaml_text(l->d, root, "mig_share", &mig, l->err)) < 0)
		return r;
	if (mig && strcmp(mig, "compute") != 0 && strcmp(mig, "memory") != 0)
		return wrong(l, yaml_get(root, "mig_share"),
			     "'mig_share' must be compute or memory");
	l->c->attrib.mig_share_by_memory = mig && strcmp(mig, "memory") == 0;
	if (currency &&
	    (strlen(currency) != 3 || strspn(currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != 3))
		return wrong(l, yaml_get(root, "currency"),
			     "'currency' must be a code of three letters such as USD");
	l->c->currency = currency ? keep(l, currency) : "USD";
	return 0;
}

static int load_all(const struct loader *l)
{
	static const char *const keys[] = { "version", "currency", "month_hours", "thresholds",
					    "mig_share", "infer_workload", "tags", "virtual_tags",
					    /* plan: read by plan/plan_conf.c; the three behind it
					     * by *_conf.c and profile_keep.c of agent */
					    "nodes", "idle_rules", "owned", "shared_teams", "plan",
					    "agent", "alerts", "profile", NULL };
	const struct yaml *root = yaml_root(l->d), *thresholds = yaml_get(root, "thresholds"),
			  *tags = yaml_get(root, "tags");
	int r;
	if (!root || root->type != YAML_MAPPING)
		return err_set(l->err, -EINVAL, "'%s' line 1: 'version: 1' is missing",
			       yaml_name(l->d));
	if ((r = yaml_check_keys(l->d, root, keys, l->err)) < 0 || (r = load_simple(l, root)) < 0)
		return r;
	if ((thresholds && (r = load_thresholds(l, thresholds)) < 0) ||
	    (tags && (r = load_tags(l, tags)) < 0))
		return r;
	if ((r = load_each(l, "virtual_tags", YAML_SEQ, load_virtual_tag)) < 0 ||
	    (r = load_each(l, "nodes", YAML_MAPPING, load_node)) < 0 ||
	    (r = load_each(l, "idle_rules", YAML_SEQ, load_idle_rule)) < 0 ||
	    (r = load_each(l, "owned", YAML_SEQ, load_owned)) < 0)
		return r;
	return load_each(l, "shared_teams", YAML_SEQ, load_shared_team);
}

static int load_doc(struct yaml_doc *d, struct conf *ret, struct err *err)
{
	struct conf c;
	conf_default(&c);
	struct loader l = { .c = &c, .d = d, .err = err };
	int r = load_all(&l);
	if (r < 0)
		conf_free(&c);
	else
		*ret = c;
	yaml_doc_free(d);
	return r < 0 ? r : 0;
}

int conf_load(const char *path, struct conf *ret, struct err *err)
{
	struct yaml_doc *d;
	if (!path) {
		conf_default(ret);
		return 0;
	}
	int r = yaml_load(path, &d, err);
	return r < 0 ? r : load_doc(d, ret, err);
}

int conf_parse(const char *name, struct sv text, struct conf *ret, struct err *err)
{
	struct yaml_doc *d;
	int r = yaml_parse(name, text, &d, err);
	return r < 0 ? r : load_doc(d, ret, err);
}

void conf_free(struct conf *c)
{
	for (size_t i = 0; i < c->virtual_tags.n; i++) {
		vec_free(&c->virtual_tags.v[i].when);
		vec_free(&c->virtual_tags.v[i].set);
	}
	vec_free(&c->required_tags);
	vec_free(&c->tag_alias);
	vec_free(&c->virtual_tags);
	vec_free(&c->node_map);
	vec_free(&c->idle_rules);
	vec_free(&c->owned);
	vec_free(&c->shared_teams);
	arena_free(&c->mem);
}
