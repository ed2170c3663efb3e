#include "ledger/conf.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

#define LEN(a)     (sizeof(a) / sizeof *(a))
#define AT(member) offsetof(struct conf, member)

/* What rules may look at, and what they may fill in. */
static const char *const when_field[] = { "account",  "sub_account", "user",     "namespace",
					  "name",     "node",        "cluster",  "queue",
					  "service",  "team",        "project",  "env",
					  "workload", "job",         "gpu_model" };
static const char *const set_field[] = { "user", "team", "project", "env", "workload", NULL };
static const char *const required_field[] = { "user", "team", "project", "env", "workload", "job" };
static const char *const idle_field[] = { "cluster",  "node",  "provider", "region", "gpu_model",
					  "purchase", "state", "cause",    "team",   "project",
					  "env",      "user",  "workload", "kind" };
static const char *const share_words[] = { "compute", "memory", NULL };

/* ---- fields of rules --------------------------------------------------------------------- */

/* A field name of a rule, or tag:KEY. */
static int check_field(const struct setting_reader *r, const struct yaml *y, const char *name,
		       const char *const *list, size_t n, bool tags)
{
	char hint[160];

	if (tags && strncmp(name, "tag:", 4) == 0 && name[4])
		return 0;
	snprintf(hint, sizeof hint, "for a tag write 'tag:%.100s'", name);
	return setting_want_word(r, y, name,
				 &(struct setting_words){ list, n,
							  "not a field a rule can use here",
							  tags ? hint : NULL });
}

static struct vtag_cond keep_pair(const struct setting_reader *r, const char *field,
				  const char *text)
{
	return (struct vtag_cond){ .field = setting_keep(r, field), .glob = setting_keep(r, text) };
}

static int want_pairs(const struct setting_reader *r, const struct yaml *y)
{
	bool some = y->type == YAML_MAPPING && y->child;

	if (some)
		return 0;
	return setting_wrong(r, y, "a mapping (field: pattern) is wanted here");
}

static int read_when(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct vtag_rule *rule = base;
	int rc = want_pairs(r, y);

	for (const struct yaml *f = y->child; f && rc >= 0; f = f->next) {
		if (setting_want_text(r, f) < 0 ||
		    check_field(r, f, f->key, when_field, LEN(when_field), true) < 0)
			return -EINVAL;
		*vec_push(&rule->when) = keep_pair(r, f->key, f->text);
	}
	return rc;
}

/* "{FIELD}": what the row has there. */
static int read_from(const struct setting_reader *r, const struct yaml *y, const char **ret)
{
	struct sv s = sv_of(y->text);

	if (s.n < 3 || s.p[0] != '{' || s.p[s.n - 1] != '}')
		return 0;
	const char *field = arena_strn(r->mem, s.p + 1, s.n - 2);
	if (check_field(r, y, field, when_field, LEN(when_field), true) < 0)
		return -EINVAL;
	*ret = field;
	return 0;
}

static int read_set(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct vtag_rule *rule = base;
	int rc = want_pairs(r, y);

	for (const struct yaml *f = y->child; f && rc >= 0; f = f->next) {
		if (setting_want_text(r, f) < 0 ||
		    check_field(r, f, f->key, set_field, LEN(set_field) - 1, false) < 0)
			return -EINVAL;
		struct vtag_cond set = keep_pair(r, f->key, f->text);
		if (read_from(r, f, &set.from) < 0)
			return -EINVAL;
		*vec_push(&rule->set) = set;
	}
	return rc;
}

/* ---- tags -------------------------------------------------------------------------------- */

static int check_required(const struct setting_reader *r, const struct yaml *y, void *base)
{
	(void)base;
	return check_field(r, y, y->text, required_field, LEN(required_field), true);
}

/* team: cost-center, or a list of such. */
static int read_alias(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct conf *c = base;
	int rc = yaml_check_keys(r->doc, y, set_field, r->err);

	for (const struct yaml *f = y->child; rc >= 0 && f; f = f->next) {
		bool list = f->type == YAML_SEQ;
		for (const struct yaml *k = list ? f->child : f; k && rc >= 0;
		     k = list ? k->next : NULL) {
			rc = setting_want_text(r, k);
			if (rc >= 0)
				*vec_push(&c->tag_alias) = keep_pair(r, f->key, k->text);
		}
	}
	return rc;
}

static const struct setting tag_rows[] = {
	{ "required", SETTING_TEXTS, AT(required_tags), .check = check_required,
	  .none = "none is asked for",
	  .help = "fields or tag:KEY that every owner should have; what lacks them is reported" },
	{ "alias", SETTING_OWN, .own = read_alias, .unit = "field: tag keys",
	  .none = "only the usual keys",
	  .help = "further tag keys that mean a field, in the order they are tried" },
	{ 0 },
};

static const struct setting vtag_rows[] = {
	{ "name", SETTING_TEXT, offsetof(struct vtag_rule, name), .help = "for people" },
	{ "when", SETTING_OWN, .own = read_when, .unit = "field: pattern",
	  .help = "patterns (* and ?) that must all match" },
	{ "set", SETTING_OWN, .own = read_set, .unit = "field: value",
	  .help = "what is filled in: team, project, env, workload or user; \"{account}\" is what the row has there" },
	{ "override", SETTING_BOOL, offsetof(struct vtag_rule, override), .def = "false",
	  .help = "true: also over what was declared" },
	{ 0 },
};

static int read_virtual_tag(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct conf *c = base;
	/* In the list first, so that conf_free() finds it whatever comes. */
	struct vtag_rule *rule = vec_push(&c->virtual_tags);

	memset(rule, 0, sizeof *rule);
	setting_defaults(vtag_rows, rule);
	int rc = setting_read(r, y, vtag_rows, rule);
	if (rc >= 0 && (!rule->when.n || !rule->set.n))
		return setting_wrong(r, y, "a virtual tag needs 'when' and 'set'");
	return rc;
}

/* ---- who pays for idle time -------------------------------------------------------------- */

#define IDLE_WHEN "an idle rule needs 'when' with exactly one field: pattern"

static int read_idle_when(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct idle_rule *rule = base;
	const struct yaml *f = y->child;

	if (y->type != YAML_MAPPING || !f || f->next)
		return setting_wrong(r, y, IDLE_WHEN);
	if (setting_want_text(r, f) < 0 ||
	    check_field(r, f, f->key, idle_field, LEN(idle_field), true) < 0)
		return -EINVAL;
	rule->field = setting_keep(r, f->key);
	rule->glob = setting_keep(r, f->text);
	return 0;
}

static const struct setting idle_rows[] = {
	{ "when", SETTING_OWN, .own = read_idle_when, .unit = "field: pattern",
	  .help = "one dimension of the idle cost" },
	{ "team", SETTING_TEXT, offsetof(struct idle_rule, to_team),
	  .help = "who pays; \"*\": all teams, by use" },
	{ "project", SETTING_TEXT, offsetof(struct idle_rule, to_project),
	  .help = "who pays; \"*\": all projects, by use" },
	{ "share", SETTING_NUMBER, offsetof(struct idle_rule, frac), .hi = 1, .def = "1",
	  .help = "this part of it; never more than is left" },
	{ 0 },
};

static int read_idle_rule(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct conf *c = base;
	struct idle_rule rule = { 0 };

	setting_defaults(idle_rows, &rule);
	int rc = setting_read(r, y, idle_rows, &rule);
	if (rc < 0)
		return rc;
	if (!rule.field)
		return setting_wrong(r, y, IDLE_WHEN);
	if (!rule.to_team && !rule.to_project)
		return setting_wrong(
			r, y,
			"an idle rule needs 'team' or 'project': who pays ('*' = all by use)");
	*vec_push(&c->idle_rules) = rule;
	return 0;
}

/* ---- owned hardware ---------------------------------------------------------------------- */

#define OWNED(member) offsetof(struct owned_conf, member)

static const struct setting owned_rows[] = {
	{ "gpu_model", SETTING_TEXT, OWNED(gpu_model), .none = "all models",
	  .help = "the model as tare price names it" },
	{ "nodes", SETTING_TEXT, OWNED(node_glob), .none = "all nodes",
	  .help = "pattern of the nodes" },
	{ "purchase", SETTING_MONEY, OWNED(terms.purchase), .unit = "per GPU",
	  .help = "what was paid for it" },
	{ "residual", SETTING_MONEY, OWNED(terms.residual), .def = "0", .unit = "per GPU",
	  .help = "what it is worth in the end" },
	{ "years", SETTING_NUMBER, OWNED(terms.years), .lo = 0.01, .hi = 100, .unit = "years",
	  .help = "how long it is used" },
	{ "hours_year", SETTING_NUMBER, OWNED(terms.utilisation_hours_year), .hi = 8784,
	  .def = "8760", .unit = "h", .help = "hours a year in which it can be used" },
	{ "power_w", SETTING_NUMBER, OWNED(terms.power_w), .hi = 1e6, .def = "0", .unit = "W",
	  .help = "power of a GPU with its part of the machine" },
	{ "pue", SETTING_NUMBER, OWNED(terms.pue), .lo = 1, .hi = 10, .def = "1",
	  .help = "energy of the site by that of the machines" },
	{ "kwh", SETTING_MONEY, OWNED(terms.usd_kwh), .def = "0", .unit = "per kWh",
	  .help = "price of energy" },
	{ "other_month", SETTING_MONEY, OWNED(terms.other_usd_month), .def = "0",
	  .unit = "per GPU and month", .help = "space and staff" },
	{ "measured_power", SETTING_BOOL, OWNED(measured_power), .def = "false",
	  .help = "true: instead of power_w, what the GPUs' readings say, as lines of its own" },
	{ 0 },
};

static int read_owned(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct conf *c = base;
	struct owned_conf o = { 0 };
	const struct owned_terms *t = &o.terms;

	setting_defaults(owned_rows, &o);
	int rc = setting_read(r, y, owned_rows, &o);
	if (rc < 0)
		return rc;
	if (o.measured_power && t->power_w > 0)
		return setting_wrong(
			r, y,
			"owned hardware: either 'power_w' (assumed) or 'measured_power: true' (from telemetry), not both");
	if (!yaml_get(y, "purchase") || isnan(t->years))
		return setting_wrong(r, y, "owned hardware needs 'purchase' (per GPU) and 'years'");
	if (t->purchase < 0 || !within_dec(t->residual, 0, t->purchase) || t->usd_kwh < 0)
		return setting_wrong(
			r, y,
			"owned hardware: amounts must not be negative, nor 'residual' above 'purchase'");
	*vec_push(&c->owned) = o;
	return 0;
}

/* ---- invoices ----------------------------------------------------------------------------- */

static int read_cost_centers(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct invoice_conf *c = base;

	if (y->type != YAML_MAPPING)
		return setting_wrong(r, y, "a mapping (team: cost centre) is wanted here");
	for (const struct yaml *f = y->child; f; f = f->next) {
		if (setting_want_text(r, f) < 0)
			return -EINVAL;
		*vec_push(&c->cost_centers) = keep_pair(r, f->key, f->text);
	}
	return 0;
}

#define INVOICE(member) offsetof(struct invoice_conf, member)

static const struct setting invoice_rows[] = {
	{ "issuer", SETTING_TEXT, INVOICE(issuer), .none = "nobody is named",
	  .help = "who charges: the head of each page" },
	{ "address", SETTING_TEXTS, INVOICE(address), .none = "none",
	  .help = "lines below the issuer" },
	{ "note", SETTING_TEXT, INVOICE(note), .none = "none",
	  .help = "the last line of each page: terms, whom to ask" },
	{ "cost_center_tag", SETTING_TEXT, INVOICE(cost_center_tag), .none = "none",
	  .help = "the tag whose value is the cost centre, where it is among the rows: --by tag:KEY" },
	{ "cost_centers", SETTING_OWN, .own = read_cost_centers, .unit = "team: cost centre",
	  .none = "none",
	  .help = "the cost centre of teams; * and ? in a team's name match, the first one holds" },
	{ "cost_centers_file", SETTING_TEXT, INVOICE(cost_centers_file), .none = "none", .lo = 1,
	  .hi = 4096,
	  .help = "CSV with the columns team and cost_center: further ones, behind these; from the folder of the settings" },
	{ 0 },
};

/* A file that the settings name without a folder of the root lies beside them. */
static const char *beside_settings(const struct setting_reader *r, const char *file)
{
	const char *settings = yaml_name(r->doc), *slash = strrchr(settings, '/');

	if (!file || *file == '/' || !slash)
		return file;
	return arena_printf(r->mem, "%.*s%s", (int)(slash + 1 - settings), settings, file);
}

/* ---- tokens ------------------------------------------------------------------------------- */

#define TOKEN_PRICE(member) offsetof(struct token_price_conf, member)

static const struct setting token_price_rows[] = {
	{ "service", SETTING_TEXT, TOKEN_PRICE(service_glob),
	  .help = "pattern of the services, as the request log names them" },
	{ "input", SETTING_MONEY, TOKEN_PRICE(input), .lo = 0, .hi = 1e6, .unit = "a million",
	  .help = "price of input tokens" },
	{ "output", SETTING_MONEY, TOKEN_PRICE(output), .lo = 0, .hi = 1e6, .unit = "a million",
	  .help = "price of output tokens" },
	{ 0 },
};

static int read_token_price(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct conf *c = base;
	struct token_price_conf t = { 0 };

	setting_defaults(token_price_rows, &t);
	int rc = setting_read(r, y, token_price_rows, &t);
	if (rc < 0)
		return rc;
	if (!t.service_glob || !yaml_get(y, "input") || !yaml_get(y, "output"))
		return setting_wrong(
			r, y,
			"a price of tokens needs 'service' (a pattern), 'input' and 'output' (per million)");
	*vec_push(&c->token_prices) = t;
	return 0;
}

/* ---- energy and carbon ------------------------------------------------------------------- */

static const struct setting carbon_rows[] = {
	{ "region", SETTING_TEXT, offsetof(struct carbon_conf, region_glob),
	  .help = "pattern of the regions, as the node list names them" },
	{ "g_kwh", SETTING_NUMBER, offsetof(struct carbon_conf, g_kwh), .hi = 5000,
	  .unit = "gCO2e/kWh", .help = "what a kWh weighs there" },
	{ 0 },
};

static int read_carbon(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct energy_conf *e = base;
	struct carbon_conf c = { 0 };

	setting_defaults(carbon_rows, &c);
	int rc = setting_read(r, y, carbon_rows, &c);
	if (rc < 0)
		return rc;
	if (!c.region_glob || isnan(c.g_kwh))
		return setting_wrong(r, y, "carbon needs 'region' (a pattern) and 'g_kwh'");
	*vec_push(&e->carbon) = c;
	return 0;
}

static const struct setting energy_rows[] = {
	{ "pue", SETTING_NUMBER, offsetof(struct energy_conf, pue), .lo = 1, .hi = 10, .def = "1",
	  .help = "energy of the site by that of the GPUs; 1: the GPUs alone" },
	{ "carbon", SETTING_LIST, .own = read_carbon, .rows = carbon_rows,
	  .none = "the table of the clouds' regions",
	  .help = "what a kWh weighs at places of one's own; the first that fits" },
	{ 0 },
};

/* ---- views ------------------------------------------------------------------------------- */

#define VIEW_WANTS "a view is a mapping of options of tare report, such as by: team"

static int read_view_option(const struct setting_reader *r, const struct yaml *y,
			    struct conf_view *v)
{
	const struct yaml *item = y;

	if (y->type == YAML_SEQ)
		item = y->child;
	if (y->type == YAML_SEQ && !item)
		return setting_wrong(r, y, "a list without a value");
	for (; item; item = y->type == YAML_SEQ ? item->next : NULL) {
		if (item->type != YAML_TEXT)
			return setting_wrong(
				r, y, "an option of a view is a string, or a list of strings");
		*vec_push(&v->opt) = keep_pair(r, y->key, item->text);
	}
	return 0;
}

static int read_views(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct conf *c = base;

	if (y->type != YAML_MAPPING)
		return setting_wrong(r, y, "views are a mapping: name: {option: value}");
	for (const struct yaml *f = y->child; f; f = f->next) {
		struct conf_view *v = vec_push(&c->views);
		*v = (struct conf_view){ .name = setting_keep(r, f->key), .line = f->line };
		if (f->type != YAML_MAPPING)
			return setting_wrong(r, f, VIEW_WANTS);
		for (const struct yaml *o = f->child; o; o = o->next)
			if (read_view_option(r, o, v) < 0)
				return -EINVAL;
	}
	return 0;
}

/* ---- the file ---------------------------------------------------------------------------- */

static int check_currency(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct conf *c = base;

	c->currency_told = true;
	if (strlen(y->text) == 3 && strspn(y->text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 3)
		return 0;
	return setting_wrong(r, y, "'currency' must be a code of three letters such as USD");
}

static int check_thresholds(const struct setting_reader *r, const struct yaml *y, void *base)
{
	const struct attrib_conf *a = base;

	if (a->underused_util_pct >= a->idle_util_pct)
		return 0;
	return setting_wrong(r, y, "'underused_util_pct' must not be below 'idle_util_pct'");
}

static int read_nodes(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct conf *c = base;

	if (y->type != YAML_MAPPING)
		return setting_wrong(r, y, "a mapping (key: value) is wanted here");
	for (const struct yaml *f = y->child; f; f = f->next) {
		if (setting_want_text(r, f) < 0)
			return -EINVAL;
		*vec_push(&c->node_map) = keep_pair(r, f->key, f->text);
	}
	return 0;
}

const struct setting conf_settings[] = {
	{ "version", SETTING_INT, AT(version), .lo = 1, .hi = 1,
	  .help = "form of the file; must be there" },
	{ "currency", SETTING_TEXT, AT(currency), .def = "USD", .check = check_currency,
	  .help = "of prices that name none, and of reports over nothing" },
	{ "month_hours", SETTING_NUMBER, AT(month_hours), .lo = 1, .hi = 744, .def = "730",
	  .unit = "h", .help = "hours in $/month" },
	{ "thresholds", SETTING_SECTION, AT(attrib), .rows = attrib_settings,
	  .check = check_thresholds, .help = "when a GPU is busy, underused, idle, empty" },
	{ "mig_share", SETTING_BOOL, AT(attrib.mig_share_by_memory), .def = "compute",
	  .words = share_words,
	  .help = "a MIG instance's share of its GPU: by compute or memory slices" },
	{ "infer_workload", SETTING_BOOL, AT(infer_workload), .def = "true",
	  .help = "guess the workload class where nothing says it" },
	{ "tags", SETTING_SECTION, 0, .rows = tag_rows, .help = "which tags say what" },
	{ "virtual_tags", SETTING_LIST, .own = read_virtual_tag, .rows = vtag_rows,
	  .none = "no rules", .help = "rules that fill in owners, first to last" },
	{ "nodes", SETTING_OWN, .own = read_nodes, .unit = "node: resource",
	  .none = "matched by name and address",
	  .help = "what the bill calls a machine that cannot be matched otherwise" },
	{ "idle_rules", SETTING_LIST, .own = read_idle_rule, .rows = idle_rows, .none = "no rules",
	  .help = "who pays for what nobody used, for --split-idle rule" },
	{ "owned", SETTING_LIST, .own = read_owned, .rows = owned_rows, .none = "none",
	  .help = "hardware of one's own; the first entry that fits is taken" },
	{ "energy", SETTING_SECTION, AT(energy), .rows = energy_rows,
	  .help = "energy and carbon beside dollars: tare report --energy, tare plan" },
	{ "shared_teams", SETTING_TEXTS, AT(shared_teams), .none = "none",
	  .help = "teams whose cost a chargeback spreads over the others, by their use" },
	{ "invoice", SETTING_SECTION, AT(invoice), .rows = invoice_rows,
	  .help = "what a chargeback says of who charges, and to which cost centre" },
	{ "token_prices", SETTING_LIST, .own = read_token_price, .rows = token_price_rows,
	  .none = "none",
	  .help = "what tokens are worth: splits a service's cost where no server says its times" },
	{ "views", SETTING_OWN, .own = read_views, .unit = "name: options", .none = "none",
	  .help = "reports that tare report @NAME asks for" },
	{ "plan", SETTING_ELSEWHERE }, /* plan/plan_conf.c; the others in agent */
	{ "agent", SETTING_ELSEWHERE },
	{ "alerts", SETTING_ELSEWHERE },
	{ "profile", SETTING_ELSEWHERE },
	{ 0 },
};

static void conf_default(struct conf *c)
{
	memset(c, 0, sizeof *c);
	setting_defaults(conf_settings, c);
}

static int load_doc(struct yaml_doc *d, struct conf *ret, struct err *err)
{
	struct conf c;
	const struct yaml *root = yaml_root(d);
	struct setting_reader r = { .doc = d, .mem = &c.mem, .err = err };
	bool mapping = root && root->type == YAML_MAPPING;

	conf_default(&c);
	c.digest = yaml_digest(d);
	int rc = 0;
	if (mapping)
		rc = setting_read(&r, root, conf_settings, &c);
	c.invoice.cost_centers_file = beside_settings(&r, c.invoice.cost_centers_file);
	if (rc >= 0 && !c.version)
		rc = err_set(err, -EINVAL, "'%s' line 1: 'version: 1' is missing", yaml_name(d));
	if (rc < 0)
		conf_free(&c);
	else
		*ret = c;
	yaml_doc_free(d);
	if (rc < 0)
		return rc;
	return 0;
}

int conf_load(const char *path, struct conf *ret, struct err *err)
{
	struct yaml_doc *d;
	if (!path) {
		conf_default(ret);
		return 0;
	}
	int r = yaml_load(path, &d, err);
	if (r < 0)
		return r;
	return load_doc(d, ret, err);
}

int conf_parse(const char *name, struct sv text, struct conf *ret, struct err *err)
{
	struct yaml_doc *d;
	int r = yaml_parse(name, text, &d, err);
	if (r < 0)
		return r;
	return load_doc(d, ret, err);
}

void conf_free(struct conf *c)
{
	for (size_t i = 0; i < c->virtual_tags.n; i++) {
		vec_free(&c->virtual_tags.v[i].when);
		vec_free(&c->virtual_tags.v[i].set);
	}
	for (size_t i = 0; i < c->views.n; i++)
		vec_free(&c->views.v[i].opt);
	vec_free(&c->views);
	vec_free(&c->required_tags);
	vec_free(&c->tag_alias);
	vec_free(&c->virtual_tags);
	vec_free(&c->node_map);
	vec_free(&c->idle_rules);
	vec_free(&c->owned);
	vec_free(&c->energy.carbon);
	vec_free(&c->shared_teams);
	vec_free(&c->token_prices);
	vec_free(&c->invoice.address);
	vec_free(&c->invoice.cost_centers);
	arena_free(&c->mem);
}
