/* Reads the section `alerts:` of the configuration file: rules, routes and silences; receivers are
 * in alerts_receiver.c. */
#include "alerts/alerts_conf.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alerts/alerts_conf_in.h"
#include "base/near.h"
#include "base/num.h"
#include "base/tm.h"

#define BIG       1e15
#define RULES_MAX 200 /* each costs about 1 KiB a GPU */
#define ITEMS_MAX 1000

/* ---- when: {field: pattern} -------------------------------------------------------------- */

#define FIELDS_HINT \
	"it can be rule, severity, node, gpu, mig, gpu_model, cluster, job, user, team, project, env or workload"

static int want_field(const struct setting_reader *r, const struct yaml *y)
{
	const char *words[ALERT_FIELD_N + 2] = { "rule", "severity" };

	for (int i = 0; i < ALERT_FIELD_N; i++)
		words[i + 2] = alert_field_name[i];
	return setting_want_word(r, y, y->key,
				 &(struct setting_words){ words, ALERT_FIELD_N + 2,
							  "nothing that an alert can be told by",
							  FIELDS_HINT });
}

/* A pattern that begins with ! must not match. */
static int read_match(const struct setting_reader *r, const struct yaml *when,
		      struct alert_match *ret, int *ret_n)
{
	int n = 0;

	if (when->type != YAML_MAPPING)
		return setting_wrong(r, when, "'when' is a mapping (field: pattern)");
	for (const struct yaml *f = when->child; f; f = f->next) {
		if (f->type != YAML_TEXT || !*f->text || !strcmp(f->text, "!"))
			return setting_wrong(r, f, "a pattern is wanted here");
		if (want_field(r, f) < 0)
			return -EINVAL;
		if (n == ALERT_MATCH_MAX)
			return setting_wrong(r, f, "at most 8 conditions");
		bool negate = f->text[0] == '!';
		ret[n++] = (struct alert_match){ setting_keep(r, f->key),
						 setting_keep(r, f->text + negate), negate };
	}
	*ret_n = n;
	return 0;
}

/* ---- rules ------------------------------------------------------------------------------- */

/* A rule as its item says it. */
struct rule_item {
	struct alert_rule rule;
	bool enabled;
	double above, below, clear;
};
#define RULE(member) offsetof(struct rule_item, rule.member)

static struct alert_rule *rule_find(const struct alerts_conf *c, const char *name)
{
	for (size_t i = 0; i < c->rule.n; i++)
		if (!strcmp(c->rule.v[i].name, name))
			return &c->rule.v[i];
	return NULL;
}

static int read_signal(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct rule_item *item = base;
	const char *names[ALERT_SIGNAL_N];

	if (y->type != YAML_TEXT)
		return yaml_bad_value(r->doc, y, r->err, "a string");
	for (int i = 0; i < ALERT_SIGNAL_N; i++)
		names[i] = alert_signal_name(i);
	item->rule.signal = alert_signal_of(sv_of(y->text));
	return setting_want_word(
		r, y, y->text,
		&(struct setting_words){
			names, ALERT_SIGNAL_N, "not a signal",
			"the signals are listed in docs/CONFIG.md, at alerts: rules: signal" });
}

static int read_rule_when(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct rule_item *item = base;

	return read_match(r, y, item->rule.match, &item->rule.nmatch);
}

static int read_follows(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct rule_item *item = base;
	struct alert_rule *rule = &item->rule;

	if (y->type != YAML_SEQ)
		return setting_wrong(r, y, "a list of rules is wanted here");
	rule->nfollows = 0;
	for (const struct yaml *i = y->child; i; i = i->next) {
		if (i->type != YAML_TEXT || !*i->text)
			return setting_wrong(r, i, "the name of a rule is wanted here");
		if (rule->nfollows == ALERT_FOLLOWS_MAX)
			return setting_wrong(r, i, "at most 6 rules");
		rule->follows[rule->nfollows++] = setting_keep(r, i->text);
	}
	return 0;
}

/* The defaults are those of a rule of one's own. */
static const struct setting rule_rows[] = {
	{ "name", SETTING_TEXT, RULE(name), .lo = 1,
	  .help = "of a shipped rule, which is changed, or of one's own: letters, digits, _ - ." },
	{ "signal", SETTING_OWN, .own = read_signal, .unit = "word", .none = "of the shipped rule",
	  .help = "the reading that is looked at; docs/CONFIG.md lists them" },
	{ "aggregate", SETTING_CHOICE, RULE(agg), .words = alert_agg_name, .def = "last",
	  .help = "over the window; p95 for percentages and shares" },
	{ "window", ALERTS_SPAN(RULE(window_ms)), .none = "none", .help = "at most 7d" },
	{ "above", SETTING_NUMBER, offsetof(struct rule_item, above), .lo = -BIG, .hi = BIG,
	  .help = "the threshold: this or below" },
	{ "below", SETTING_NUMBER, offsetof(struct rule_item, below), .lo = -BIG, .hi = BIG,
	  .help = "the threshold: this or above" },
	{ "clear", SETTING_NUMBER, offsetof(struct rule_item, clear), .lo = -BIG, .hi = BIG,
	  .none = "the threshold, of a shipped rule as far from it as before",
	  .help = "where it is over: not inside the threshold" },
	{ "for", ALERTS_SPAN(RULE(for_ms)), .def = "0",
	  .help = "the condition has to hold this long" },
	{ "clear_for", ALERTS_SPAN(RULE(clear_for_ms)), .def = "5m",
	  .help = "and its contrary this long" },
	{ "no_data", ALERTS_SPAN(RULE(no_data_ms)), .def = "10m",
	  .help = "without readings for this long there is no state" },
	{ "severity", SETTING_CHOICE, RULE(severity), .words = alert_severity_name,
	  .def = "warning", .help = "how bad it is" },
	{ "held", SETTING_CHOICE, RULE(held), .words = alert_held_name, .def = "any",
	  .help = "only GPUs that somebody holds, that nobody holds, or that are not known to be free" },
	{ "per_holder", SETTING_BOOL, RULE(per_owner), .def = "false",
	  .help = "true: begins again with another job" },
	{ "when", SETTING_OWN, .own = read_rule_when, .unit = "field: pattern", .none = "any",
	  .help = "all must hold; a pattern that begins with ! must not match" },
	{ "follows", SETTING_OWN, .own = read_follows, .unit = "list of texts", .none = "none",
	  .help = "rules that, pending or firing on the GPU, are the cause: it is then not told" },
	{ "enabled", SETTING_BOOL, offsetof(struct rule_item, enabled), .def = "true",
	  .help = "false: the rule is not there" },
	{ "summary", SETTING_TEXT, RULE(summary), .lo = 1, .none = "the name",
	  .help = "what is so, for people" },
	{ "advice", SETTING_TEXT, RULE(advice), .lo = 1, .none = "none",
	  .help = "what to do, for people" },
	{ 0 },
};

/* A new threshold without a clear threshold keeps the distance there was. */
static int set_threshold(const struct setting_reader *reader, const struct yaml *y,
			 struct rule_item *item)
{
	struct alert_rule *r = &item->rule;
	double back = r->clear - r->threshold;

	if (!isnan(item->above) && !isnan(item->below))
		return setting_wrong(reader, yaml_get(y, "below"),
				     "a rule has 'above' or 'below', not both");
	if (!isnan(item->above) || !isnan(item->below)) {
		enum alert_cmp cmp = ALERT_BELOW;
		if (isnan(item->below))
			cmp = ALERT_ABOVE;
		if (cmp != r->cmp || isnan(back))
			back = 0;
		r->cmp = cmp;
		r->threshold = known_or(item->below, item->above);
		r->clear = r->threshold + back;
	}
	if (!isnan(item->clear))
		r->clear = item->clear;
	if (isnan(r->threshold))
		return setting_wrong(reader, y, "a rule needs 'above' or 'below' with a number");
	return 0;
}

static int read_rule(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct alerts_conf *c = base;
	struct rule_item item = { 0 };
	struct err why;
	int rc = setting_check_keys(r, y, rule_rows);

	if (rc >= 0)
		rc = setting_read_member(r, y, setting_find(rule_rows, "name"), &item);
	if (rc < 0)
		return rc;
	const char *name = text_or(item.rule.name, "");
	size_t n = strspn(name,
			  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");
	if (!n || n > 64 || name[n])
		return setting_wrong(r, y, "a rule needs a 'name' of letters, digits, _ - and .");
	struct alert_rule *old = rule_find(c, name);
	/* what holds for what the item does not say: the shipped rule, or a new one's defaults */
	setting_defaults(rule_rows, &item);
	if (old) {
		item.rule = *old;
		item.enabled = !old->disabled;
	} else {
		item.rule.name = item.rule.summary = name;
		item.rule.advice = "";
		item.rule.signal = -1;
		item.rule.threshold = item.rule.clear = NAN;
	}
	if ((rc = setting_read(r, y, rule_rows, &item)) < 0 ||
	    (rc = set_threshold(r, y, &item)) < 0)
		return rc;
	item.rule.disabled = !item.enabled;
	if (item.rule.signal < 0) {
		/* A name that no rule has is a rule of one's own, which needs a signal; or a slip
		 * of the pen. */
		const char *shipped[64], *near;
		size_t known = 0;

		for (; known < alert_defaults_n && known < 64; known++)
			shipped[known] = alert_defaults[known].name;
		setting_wrong(r, y, "a rule of one's own needs a 'signal'");
		if ((near = near_word(name, shipped, known)))
			err_hint(r->err, "did you mean the rule '%s'?", near);
		else
			err_hint(
				r->err,
				"the signals are listed in docs/CONFIG.md; the rules that there are: tare alerts rules");
		return -EINVAL;
	}
	if (alert_rule_check(&item.rule, &why) < 0)
		return setting_wrong(r, y, why.msg);
	if (!old && c->rule.n >= RULES_MAX)
		return setting_wrong(r, y, "more than 200 rules");
	if (!old)
		old = vec_push(&c->rule);
	*old = item.rule;
	return 0;
}

/* Can rule `from` be reached from rule `at` over what it follows? depth bounds a circle that does
 * not lead back. */
static bool follows_itself(const struct alerts_conf *c, const struct alert_rule *at,
			   const struct alert_rule *from, bool *seen)
{
	for (int i = 0; i < at->nfollows; i++) {
		const struct alert_rule *next = rule_find(c, at->follows[i]);
		if (next == from)
			return true;
		if (next && !seen[next - c->rule.v]) {
			seen[next - c->rule.v] = true;
			if (follows_itself(c, next, from, seen))
				return true;
		}
	}
	return false;
}

static int check_follows(const struct setting_reader *reader, const struct yaml *section,
			 void *base)
{
	const struct alerts_conf *c = base;
	const struct yaml *y = yaml_get(section, "rules");

	for (size_t i = 0; i < c->rule.n; i++) {
		const struct alert_rule *r = &c->rule.v[i];
		char what[256];
		for (int k = 0; k < r->nfollows; k++)
			if (!rule_find(c, r->follows[k])) {
				snprintf(what, sizeof what,
					 "rule '%.60s' follows '%.60s', which is no rule", r->name,
					 r->follows[k]);
				return setting_wrong(reader, y, what);
			}
		bool *seen = xcalloc(c->rule.n, sizeof *seen),
		     circle = follows_itself(c, r, r, seen);
		free(seen);
		if (circle) {
			snprintf(
				what, sizeof what,
				"rule '%.60s' follows itself over 'follows' of others: nobody would ever be told",
				r->name);
			return setting_wrong(reader, y, what);
		}
	}
	return 0;
}

/* ---- routes and silences ----------------------------------------------------------------- */

static int read_route_when(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct alerts_route *route = base;

	return read_match(r, y, route->match, &route->nmatch);
}

#define ROUTE_TO "a route needs 'to' with a receiver or a list of them"

static int read_to(const struct setting_reader *r, const struct yaml *to, void *base)
{
	struct alerts_route *route = base;
	bool list = to->type == YAML_SEQ;

	if (!list && to->type != YAML_TEXT)
		return setting_wrong(r, to, ROUTE_TO);
	for (const struct yaml *i = list ? to->child : to; i; i = list ? i->next : NULL) {
		long at = -1;
		if (i->type == YAML_TEXT)
			at = alerts_conf_receiver(r->ctx, i->text);
		if (at < 0)
			return setting_wrong(r, i, "no receiver has this name");
		*vec_push(&route->to) = (size_t)at;
	}
	return 0;
}

static const struct setting route_rows[] = {
	{ "when", SETTING_OWN, .own = read_route_when, .unit = "field: pattern", .none = "any",
	  .help = "all must hold; knows rule and severity too" },
	{ "to", SETTING_OWN, .own = read_to, .unit = "receiver or list",
	  .help = "who is notified; []: nobody" },
	{ "continue", SETTING_BOOL, offsetof(struct alerts_route, go_on), .def = "false",
	  .help = "true: later routes add to it" },
	{ 0 },
};

static int read_route(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct alerts_conf *c = base;
	/* in the list first, so that it is freed whatever comes */
	struct alerts_route *route = vec_push(&c->route);
	const struct yaml *to = yaml_get(y, "to");

	*route = (struct alerts_route){ 0 };
	int rc = setting_read(r, y, route_rows, route);
	if (rc >= 0 && (!to || to->type == YAML_NULL))
		return setting_wrong(r, to ? to : y, ROUTE_TO);
	return rc;
}

#define SILENCE(member) offsetof(struct alert_silence, member)

static int read_silence_when(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct alert_silence *s = base;

	return read_match(r, y, s->match, &s->nmatch);
}

static const struct setting silence_rows[] = {
	{ "when", SETTING_OWN, .own = read_silence_when, .unit = "field: pattern",
	  .help = "all must hold; knows rule and severity too" },
	{ "from", SETTING_TIME, SILENCE(from_ms), .none = "at once", .help = "when it begins" },
	{ "until", SETTING_TIME, SILENCE(until_ms), .help = "when it ends" },
	{ "why", SETTING_TEXT, SILENCE(why), .lo = 1, .none = "not said", .help = "for people" },
	{ 0 },
};

static int read_silence(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct alerts_conf *c = base;
	struct alert_silence s = { .from_ms = INT64_MIN, .until_ms = INT64_MIN };
	int rc = setting_read(r, y, silence_rows, &s);

	if (rc < 0)
		return rc;
	if (!s.nmatch || s.until_ms == INT64_MIN)
		return setting_wrong(
			r, y,
			"a silence needs 'when' and 'until': one without an end would be forgotten");
	s.id = arena_printf(&c->mem, "settings-%zu", c->silence.n + 1);
	*vec_push(&c->silence) = s;
	return 0;
}

/* ---- the whole section ------------------------------------------------------------------- */

static const struct setting alerts_rows[] = {
	{ "rules", SETTING_LIST, .own = read_rule, .rows = rule_rows, .hi = ITEMS_MAX,
	  .none = "the shipped ones: tare alerts rules",
	  .help = "changes of shipped rules, and rules of one's own" },
	{ "receivers", SETTING_LIST, .own = alerts_read_receiver, .rows = alerts_receiver_rows,
	  .hi = ITEMS_MAX, .none = "nobody is notified", .help = "who can be told" },
	{ "routes", SETTING_LIST, .own = read_route, .rows = route_rows, .hi = ITEMS_MAX,
	  .none = "all receivers", .help = "who is notified of what: the first that matches" },
	{ "silences", SETTING_LIST, .own = read_silence, .rows = silence_rows, .hi = ITEMS_MAX,
	  .none = "those of tare alerts silence", .help = "what nobody is notified of for a time" },
	{ 0 },
};

const struct setting alerts_section = { "alerts",
					SETTING_SECTION,
					0,
					.rows = alerts_rows,
					.wrong = "'alerts' must be a mapping (key: value)",
					.check = check_follows,
					.help = "what is watched for, and who is notified" };

static int load_doc(struct yaml_doc *d, struct alerts_conf *ret, struct err *err)
{
	struct alerts_conf c = { 0 };
	struct setting_reader reader = {
		.doc = d, .mem = &c.mem, .section = "alerts", .ctx = &c, .err = err
	};
	const struct yaml *root = d ? yaml_root(d) : NULL;
	int r = 0;

	for (size_t i = 0; i < alert_defaults_n; i++)
		*vec_push(&c.rule) = alert_defaults[i];
	if (d && (!root || root->type != YAML_MAPPING))
		r = err_set(err, -EINVAL, "'%s' line 1: 'version: 1' is missing", yaml_name(d));
	else if (d)
		r = setting_read_member(&reader, root, &alerts_section, &c);
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
	int r = 0;

	if (path)
		r = yaml_load(path, &d, err);
	*ret = (struct alerts_conf){ 0 };
	if (r < 0)
		return r;
	return load_doc(d, ret, err);
}

int alerts_conf_parse(const char *name, struct sv text, struct alerts_conf *ret, struct err *err)
{
	struct yaml_doc *d = NULL;
	int r = yaml_parse(name, text, &d, err);

	*ret = (struct alerts_conf){ 0 };
	if (r < 0)
		return r;
	return load_doc(d, ret, err);
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
