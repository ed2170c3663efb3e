/* Reads the section `alerts:` of the configuration file: rules, routes and silences; receivers are
 * in alerts_receiver.c. */
#include "agent/alerts_conf.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/alerts_conf_in.h"
#include "base/near.h"
#include "base/tm.h"

#define BIG       1e15
#define RULES_MAX 200 /* each costs about 1 KiB a card */
#define ITEMS_MAX 1000

int conf_wrong(const struct alerts_loader *l, const struct yaml *y, const char *what)
{
	return err_set(l->err, -EINVAL, "'%s' line %d: %s", yaml_name(l->d), y->line, what);
}

const char *conf_keep(const struct alerts_loader *l, const char *z)
{
	return arena_sv(&l->c->mem, sv_of(z));
}

int conf_text(const struct alerts_loader *l, const struct yaml *map, const char *key,
	      const char **ret)
{
	const char *z = NULL;
	int r = yaml_text(l->d, map, key, &z, l->err);

	if (r >= 0 && z && !*z)
		return conf_wrong(l, yaml_get(map, key), "a text is wanted here");
	if (r >= 0 && z)
		*ret = conf_keep(l, z);
	return r;
}

int conf_word(const struct alerts_loader *l, const struct yaml *map, const char *key,
	      const char *const *list, int n, int *ret)
{
	const char *z = NULL, *near;
	int r = yaml_text(l->d, map, key, &z, l->err);

	if (r < 0 || !z)
		return r;
	for (int i = 0; i < n; i++)
		if (!strcmp(z, list[i])) {
			*ret = i;
			return 0;
		}
	struct str words = { 0 };
	for (int i = 0; i < n; i++)
		str_addf(&words, "%s%s", i ? i + 1 == n ? " or " : ", " : "", list[i]);
	err_set(l->err, -EINVAL, "'%s' line %d: '%s' must be %s, not '%.60s'", yaml_name(l->d),
		yaml_get(map, key)->line, key, str_z(&words), z);
	str_free(&words);
	near = near_word(z, list, (size_t)n);
	if (near)
		err_hint(l->err, "did you mean '%s'?", near);
	return -EINVAL;
}

int conf_span(const struct alerts_loader *l, const struct yaml *map, const char *key, int64_t *ret)
{
	const struct yaml *y = yaml_get(map, key);
	const char *z = NULL;
	int r = yaml_text(l->d, map, key, &z, l->err);

	if (r < 0 || !z)
		return r;
	if (!strcmp(z, "0")) {
		*ret = 0;
		return 0;
	}
	if (tm_parse_span(sv_of(z), ret) < 0 || *ret > 36500 * MS_DAY)
		return conf_wrong(l, y, "a span of time such as 90s, 30m or 2h is wanted here");
	return 0;
}

/* ---- when: {field: pattern} -------------------------------------------------------------- */

static int field_known(const struct alerts_loader *l, const struct yaml *y)
{
	const char *words[ALERT_FIELD_N + 2] = { "rule", "severity" };
	const char *near;

	for (int i = 0; i < ALERT_FIELD_N; i++)
		words[i + 2] = alert_field_name[i];
	for (size_t i = 0; i < ALERT_FIELD_N + 2; i++)
		if (!strcmp(y->key, words[i]))
			return 0;
	err_set(l->err, -EINVAL, "'%s' line %d: '%.100s' is nothing that an alert can be told by",
		yaml_name(l->d), y->line, y->key);
	near = near_word(y->key, words, ALERT_FIELD_N + 2);
	if (near)
		err_hint(l->err, "did you mean '%s'?", near);
	else
		err_hint(
			l->err,
			"it can be rule, severity, node, gpu, mig, gpu_model, cluster, job, user, team, project, env or workload");
	return -EINVAL;
}

/* A pattern that begins with ! must not match. */
static int load_when(const struct alerts_loader *l, const struct yaml *y, struct alert_match *ret,
		     int *ret_n)
{
	const struct yaml *when = yaml_get(y, "when");
	int n = 0;

	if (!when || when->type == YAML_NULL)
		return 0;
	if (when->type != YAML_MAPPING)
		return conf_wrong(l, when, "'when' is a mapping (field: pattern)");
	for (const struct yaml *f = when->child; f; f = f->next) {
		if (f->type != YAML_TEXT || !*f->text || !strcmp(f->text, "!"))
			return conf_wrong(l, f, "a pattern is wanted here");
		if (field_known(l, f) < 0)
			return -EINVAL;
		if (n == ALERT_MATCH_MAX)
			return conf_wrong(l, f, "at most 8 conditions");
		bool negate = f->text[0] == '!';
		ret[n++] = (struct alert_match){ conf_keep(l, f->key),
						 conf_keep(l, f->text + negate), negate };
	}
	*ret_n = n;
	return 0;
}

int conf_each(const struct alerts_loader *l, const struct yaml *map, const char *key,
	      int (*item)(const struct alerts_loader *, const struct yaml *))
{
	const struct yaml *y = yaml_get(map, key);
	int r = 0, n = 0;

	if (!y || y->type == YAML_NULL)
		return 0;
	if (y->type != YAML_SEQ)
		return conf_wrong(l, y, "a list is wanted here");
	for (const struct yaml *i = y->child; i && r >= 0; i = i->next)
		r = ++n > ITEMS_MAX ? conf_wrong(l, i, "more than 1,000 items")
		    : i->type == YAML_MAPPING
			    ? item(l, i)
			    : conf_wrong(l, i, "a mapping (key: value) is wanted here");
	return r;
}

/* ---- rules ------------------------------------------------------------------------------- */

static struct alert_rule *rule_find(const struct alerts_loader *l, const char *name)
{
	for (size_t i = 0; i < l->c->rule.n; i++)
		if (!strcmp(l->c->rule.v[i].name, name))
			return &l->c->rule.v[i];
	return NULL;
}

static bool name_ok(const char *z)
{
	size_t n = strspn(z, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");

	return n > 0 && n <= 64 && !z[n];
}

/* A name that no rule has is a rule of one's own, which needs a signal; or a slip of the pen. */
static int wrong_without_signal(const struct alerts_loader *l, const struct yaml *y,
				const char *name)
{
	const char *shipped[64], *near;
	size_t n = 0;

	for (; n < alert_defaults_n && n < 64; n++)
		shipped[n] = alert_defaults[n].name;
	conf_wrong(l, y, "a rule of one's own needs a 'signal'");
	if ((near = near_word(name, shipped, n)))
		err_hint(l->err, "did you mean the rule '%s'?", near);
	else
		err_hint(
			l->err,
			"the signals are listed in docs/CONFIG.md; the rules that there are: tare alerts rules");
	return -EINVAL;
}

static int load_signal(const struct alerts_loader *l, const struct yaml *y, struct alert_rule *r)
{
	const char *z = NULL, *names[ALERT_SIGNAL_N], *near;
	int rc = yaml_text(l->d, y, "signal", &z, l->err);

	if (rc < 0 || !z)
		return rc;
	r->signal = alert_signal_of(sv_of(z));
	if (r->signal >= 0)
		return 0;
	err_set(l->err, -EINVAL, "'%s' line %d: '%.100s' is no signal", yaml_name(l->d),
		yaml_get(y, "signal")->line, z);
	for (int i = 0; i < ALERT_SIGNAL_N; i++)
		names[i] = alert_signal_name(i);
	near = near_word(z, names, ALERT_SIGNAL_N);
	if (near)
		err_hint(l->err, "did you mean '%s'?", near);
	else
		err_hint(l->err,
			 "the signals are listed in docs/CONFIG.md, at alerts: rules: signal");
	return -EINVAL;
}

/* A new threshold without a clear threshold keeps the distance there was. */
static int load_threshold(const struct alerts_loader *l, const struct yaml *y, struct alert_rule *r)
{
	double above = NAN, below = NAN, back = r->clear - r->threshold, clear = NAN;
	int rc;

	if ((rc = yaml_f64(l->d, y, "above", -BIG, BIG, &above, l->err)) < 0 ||
	    (rc = yaml_f64(l->d, y, "below", -BIG, BIG, &below, l->err)) < 0 ||
	    (rc = yaml_f64(l->d, y, "clear", -BIG, BIG, &clear, l->err)) < 0)
		return rc;
	if (!isnan(above) && !isnan(below))
		return conf_wrong(l, yaml_get(y, "below"),
				  "a rule has 'above' or 'below', not both");
	if (!isnan(above) || !isnan(below)) {
		enum alert_cmp cmp = isnan(below) ? ALERT_ABOVE : ALERT_BELOW;
		if (cmp != r->cmp || isnan(back))
			back = 0;
		r->cmp = cmp;
		r->threshold = isnan(below) ? above : below;
		r->clear = r->threshold + back;
	}
	if (!isnan(clear))
		r->clear = clear;
	return isnan(r->threshold)
		       ? conf_wrong(l, y, "a rule needs 'above' or 'below' with a number")
		       : 0;
}

static int load_follows(const struct alerts_loader *l, const struct yaml *y, struct alert_rule *r)
{
	const struct yaml *f = yaml_get(y, "follows");

	if (!f || f->type == YAML_NULL)
		return 0;
	if (f->type != YAML_SEQ)
		return conf_wrong(l, f, "a list of rules is wanted here");
	r->nfollows = 0;
	for (const struct yaml *i = f->child; i; i = i->next) {
		if (i->type != YAML_TEXT || !*i->text)
			return conf_wrong(l, i, "the name of a rule is wanted here");
		if (r->nfollows == ALERT_FOLLOWS_MAX)
			return conf_wrong(l, i, "at most 6 rules");
		r->follows[r->nfollows++] = conf_keep(l, i->text);
	}
	return 0;
}

static int load_rule_times(const struct alerts_loader *l, const struct yaml *y,
			   struct alert_rule *r)
{
	int rc;

	if ((rc = conf_span(l, y, "window", &r->window_ms)) < 0 ||
	    (rc = conf_span(l, y, "for", &r->for_ms)) < 0 ||
	    (rc = conf_span(l, y, "clear_for", &r->clear_for_ms)) < 0)
		return rc;
	return conf_span(l, y, "no_data", &r->no_data_ms);
}

static int load_rule_words(const struct alerts_loader *l, const struct yaml *y,
			   struct alert_rule *r)
{
	int agg = (int)r->agg, severity = (int)r->severity, held = (int)r->held, rc;
	bool enabled = !r->disabled;

	if ((rc = conf_word(l, y, "aggregate", alert_agg_name, ALERT_AGG_N, &agg)) < 0 ||
	    (rc = conf_word(l, y, "severity", alert_severity_name, ALERT_SEVERITY_N, &severity)) <
		    0 ||
	    (rc = conf_word(l, y, "held", alert_held_name, ALERT_HELD_N, &held)) < 0 ||
	    (rc = yaml_bool(l->d, y, "enabled", &enabled, l->err)) < 0 ||
	    (rc = yaml_bool(l->d, y, "per_holder", &r->per_holder, l->err)) < 0 ||
	    (rc = conf_text(l, y, "summary", &r->summary)) < 0 ||
	    (rc = conf_text(l, y, "advice", &r->advice)) < 0)
		return rc;
	r->agg = (enum alert_agg)agg;
	r->severity = (enum alert_severity)severity;
	r->held = (enum alert_held)held;
	r->disabled = !enabled;
	return 0;
}

static int load_rule(const struct alerts_loader *l, const struct yaml *y)
{
	static const char *const keys[] = { "name",       "signal",  "aggregate", "window",
					    "above",      "below",   "clear",     "for",
					    "clear_for",  "no_data", "severity",  "held",
					    "per_holder", "when",    "follows",   "enabled",
					    "summary",    "advice",  NULL };
	const char *name = NULL;
	struct err why;
	int rc;

	if ((rc = yaml_check_keys(l->d, y, keys, l->err)) < 0 ||
	    (rc = conf_text(l, y, "name", &name)) < 0)
		return rc;
	if (!name || !name_ok(name))
		return conf_wrong(l, y, "a rule needs a 'name' of letters, digits, _ - and .");
	struct alert_rule *old = rule_find(l, name);
	struct alert_rule r = old ? *old
				  : (struct alert_rule){ .name = name,
							 .summary = name,
							 .advice = "",
							 .signal = -1,
							 .threshold = NAN,
							 .clear = NAN,
							 .clear_for_ms = 5 * MS_MINUTE,
							 .no_data_ms = 10 * MS_MINUTE,
							 .severity = ALERT_WARNING };
	if ((rc = load_signal(l, y, &r)) < 0 || (rc = load_rule_times(l, y, &r)) < 0 ||
	    (rc = load_rule_words(l, y, &r)) < 0 ||
	    (rc = load_when(l, y, r.match, &r.nmatch)) < 0 || (rc = load_follows(l, y, &r)) < 0 ||
	    (rc = load_threshold(l, y, &r)) < 0)
		return rc;
	if (r.signal < 0)
		return wrong_without_signal(l, y, name);
	if (alert_rule_check(&r, &why) < 0)
		return conf_wrong(l, y, why.msg);
	if (!old && l->c->rule.n >= RULES_MAX)
		return conf_wrong(l, y, "more than 200 rules");
	if (old)
		*old = r;
	else
		*vec_push(&l->c->rule) = r;
	return 0;
}

/* Can rule `from` be reached from rule `at` over what it follows? depth bounds a circle that does
 * not lead back. */
static bool follows_itself(const struct alerts_loader *l, const struct alert_rule *at,
			   const struct alert_rule *from, bool *seen)
{
	for (int i = 0; i < at->nfollows; i++) {
		const struct alert_rule *next = rule_find(l, at->follows[i]);
		if (next == from)
			return true;
		if (next && !seen[next - l->c->rule.v]) {
			seen[next - l->c->rule.v] = true;
			if (follows_itself(l, next, from, seen))
				return true;
		}
	}
	return false;
}

static int check_follows(const struct alerts_loader *l, const struct yaml *y)
{
	for (size_t i = 0; i < l->c->rule.n; i++) {
		const struct alert_rule *r = &l->c->rule.v[i];
		char what[256];
		for (int k = 0; k < r->nfollows; k++)
			if (!rule_find(l, r->follows[k])) {
				snprintf(what, sizeof what,
					 "rule '%.60s' follows '%.60s', which is no rule", r->name,
					 r->follows[k]);
				return conf_wrong(l, y, what);
			}
		bool *seen = xcalloc(l->c->rule.n, sizeof *seen),
		     circle = follows_itself(l, r, r, seen);
		free(seen);
		if (circle) {
			snprintf(
				what, sizeof what,
				"rule '%.60s' follows itself over 'follows' of others: nobody would ever be told",
				r->name);
			return conf_wrong(l, y, what);
		}
	}
	return 0;
}

/* ---- routes and silences ----------------------------------------------------------------- */

static int load_to(const struct alerts_loader *l, const struct yaml *y, struct alerts_route *route)
{
	const struct yaml *to = yaml_get(y, "to");

	if (!to || (to->type != YAML_SEQ && to->type != YAML_TEXT))
		return conf_wrong(l, to ? to : y,
				  "a route needs 'to' with a receiver or a list of them");
	for (const struct yaml *i = to->type == YAML_SEQ ? to->child : to; i;
	     i = to->type == YAML_SEQ ? i->next : NULL) {
		long at = i->type == YAML_TEXT ? alerts_conf_receiver(l->c, i->text) : -1;
		if (at < 0)
			return conf_wrong(l, i, "no receiver has this name");
		*vec_push(&route->to) = (size_t)at;
	}
	return 0;
}

static int load_route(const struct alerts_loader *l, const struct yaml *y)
{
	static const char *const keys[] = { "when", "to", "continue", NULL };
	struct alerts_route *route;
	int r = yaml_check_keys(l->d, y, keys, l->err);

	if (r < 0)
		return r;
	route = vec_push(&l->c->route); /* in the list first, so that it is freed whatever comes */
	*route = (struct alerts_route){ 0 };
	if ((r = load_when(l, y, route->match, &route->nmatch)) < 0 ||
	    (r = yaml_bool(l->d, y, "continue", &route->go_on, l->err)) < 0)
		return r;
	return load_to(l, y, route);
}

static int load_instant(const struct alerts_loader *l, const struct yaml *y, const char *key,
			int64_t *ret)
{
	const char *z = NULL;
	int r = yaml_text(l->d, y, key, &z, l->err);

	if (r >= 0 && z && tm_parse(sv_of(z), 0, ret) < 0)
		return conf_wrong(
			l, yaml_get(y, key),
			"a date or time such as 2026-12-01 or 2026-12-01T06:00:00Z is wanted here");
	return r;
}

static int load_silence(const struct alerts_loader *l, const struct yaml *y)
{
	static const char *const keys[] = { "when", "from", "until", "why", NULL };
	struct alert_silence s = { .from_ms = INT64_MIN, .until_ms = INT64_MIN };
	int r;

	if ((r = yaml_check_keys(l->d, y, keys, l->err)) < 0 ||
	    (r = load_when(l, y, s.match, &s.nmatch)) < 0 ||
	    (r = load_instant(l, y, "from", &s.from_ms)) < 0 ||
	    (r = load_instant(l, y, "until", &s.until_ms)) < 0 ||
	    (r = conf_text(l, y, "why", &s.why)) < 0)
		return r;
	if (!s.nmatch || s.until_ms == INT64_MIN)
		return conf_wrong(
			l, y,
			"a silence needs 'when' and 'until': one without an end would be forgotten");
	s.id = arena_printf(&l->c->mem, "settings-%zu", l->c->silence.n + 1);
	*vec_push(&l->c->silence) = s;
	return 0;
}

/* ---- the whole section ------------------------------------------------------------------- */

static int load_alerts(const struct alerts_loader *l, const struct yaml *y)
{
	static const char *const keys[] = { "rules", "receivers", "routes", "silences", NULL };
	int r;

	if (!y || y->type == YAML_NULL)
		return 0;
	if (y->type != YAML_MAPPING)
		return conf_wrong(l, y, "'alerts' must be a mapping (key: value)");
	if ((r = yaml_check_keys(l->d, y, keys, l->err)) < 0 ||
	    (r = conf_each(l, y, "rules", load_rule)) < 0 ||
	    (r = check_follows(l, yaml_get(y, "rules"))) < 0 ||
	    (r = conf_each(l, y, "receivers", conf_receiver)) < 0 ||
	    (r = conf_each(l, y, "routes", load_route)) < 0)
		return r;
	return conf_each(l, y, "silences", load_silence);
}

static int load_doc(struct yaml_doc *d, struct alerts_conf *ret, struct err *err)
{
	struct alerts_conf c = { 0 };
	struct alerts_loader l = { .c = &c, .d = d, .err = err };
	const struct yaml *root = d ? yaml_root(d) : NULL;
	int r = 0;

	for (size_t i = 0; i < alert_defaults_n; i++)
		*vec_push(&c.rule) = alert_defaults[i];
	if (d)
		r = root && root->type == YAML_MAPPING
			    ? load_alerts(&l, yaml_get(root, "alerts"))
			    : err_set(err, -EINVAL, "'%s' line 1: 'version: 1' is missing",
				      yaml_name(d));
	if (r < 0)
		alerts_conf_free(&c);
	else
		*ret = c;
	yaml_doc_free(d);
	return r;
}

int alerts_conf_load(const char *path, struct alerts_conf *ret, struct err *err)
{
	struct yaml_doc *d = NULL;
	int r = path ? yaml_load(path, &d, err) : 0;

	*ret = (struct alerts_conf){ 0 };
	return r < 0 ? r : load_doc(d, ret, err);
}

int alerts_conf_parse(const char *name, struct sv text, struct alerts_conf *ret, struct err *err)
{
	struct yaml_doc *d = NULL;
	int r = yaml_parse(name, text, &d, err);

	*ret = (struct alerts_conf){ 0 };
	return r < 0 ? r : load_doc(d, ret, err);
}

void alerts_conf_free(struct alerts_conf *c)
{
	for (size_t i = 0; i < c->receiver.n; i++) {
		vec_free(&c->receiver.v[i].to);
		vec_free(&c->receiver.v[i].argv);
	}
	for (size_t i = 0; i < c->route.n; i++)
		vec_free(&c->route.v[i].to);
	vec_free(&c->rule);
	vec_free(&c->receiver);
	vec_free(&c->route);
	vec_free(&c->silence);
	arena_free(&c->mem);
}

void alerts_conf_route(const struct alerts_conf *c, const struct alert_rule *r,
		       const char *const field[ALERT_FIELD_N], bool *ret)
{
	bool found = false;

	for (size_t i = 0; i < c->receiver.n; i++)
		ret[i] = false;
	for (size_t i = 0; i < c->route.n; i++) {
		const struct alerts_route *route = &c->route.v[i];
		if (!alert_matches(route->match, route->nmatch, r->name,
				   alert_severity_name[r->severity], field))
			continue;
		found = true;
		for (size_t k = 0; k < route->to.n; k++)
			ret[route->to.v[k]] = true;
		if (!route->go_on)
			break;
	}
	for (size_t i = 0; !found && i < c->receiver.n; i++)
		ret[i] = true;
}

long alerts_conf_receiver(const struct alerts_conf *c, const char *name)
{
	for (size_t i = 0; i < c->receiver.n; i++)
		if (!strcmp(c->receiver.v[i].name, name))
			return (long)i;
	return -1;
}
