#ifndef TARE_LEDGER_CONF_H
#define TARE_LEDGER_CONF_H
/* The configuration file (docs/CONFIG.md): what the ledger and reports are told by their users. Its
 * section `plan:` is read by plan/plan_conf.h. */
#include "base/mem.h"
#include "catalog/catalog.h"
#include "ledger/attrib.h"

/* account sub_account user namespace name node cluster queue service project team tag:KEY ... */
struct vtag_cond {
	const char *field, *glob;
	const char *from; /* of a rule's set: "{FIELD}" takes its value from there, NULL */
};
struct vtag_rule {
	const char *name;           /* for people, NULL */
	VEC(struct vtag_cond) when; /* all must hold */
	VEC(struct vtag_cond) set;  /* field = value: only where the field is still empty */
	bool override;              /* also where it is not */
};
/* who pays for what nobody used, --split-idle rule */
struct idle_rule {
	const char *field, *glob, *to_team, *to_project;
	double frac;
};
struct owned_conf {
	const char *gpu_model, *node_glob;
	struct owned_terms terms;
	/* energy is measured joules x kwh x pue, entries of their own; the rate has no energy in
	 * it */
	bool measured_power;
};

/* of tare report --chargeback */
struct invoice_conf {
	const char *issuer, *note; /* NULL: none */
	VEC(const char *) address; /* lines below the issuer */
	const char *cost_center_tag;
	VEC(struct vtag_cond) cost_centers; /* pattern of a team -> its code */
	const char *cost_centers_file;      /* further ones, as answer/centers.h reads them; NULL */
};
/* What a kWh weighs at a place of one's own, or where one knows better. */
struct carbon_conf {
	const char *region_glob;
	double g_kwh;
};
struct energy_conf {
	double pue; /* energy of the site by that of the GPUs: 1 counts the GPUs alone */
	VEC(struct carbon_conf) carbon; /* the first that fits goes before the table */
};

/* What a million tokens are worth: splits the cost of a service into input and output. */
struct token_price_conf {
	const char *service_glob;
	dec input, output;
};

/* A report that is asked for by its name: tare report @NAME. What its options are, the command
 * knows. */
struct conf_view {
	const char *name;
	int line;
	VEC(struct vtag_cond) opt; /* option = value; one that is a list comes as often */
};

struct conf {
	struct arena mem;
	int64_t version;      /* of the file's form, 1; 0 where there is no file */
	const char *currency; /* "USD" */
	bool currency_told;   /* the settings say it */
	double month_hours;   /* 730 */
	struct attrib_conf attrib;
	VEC(const char *) required_tags; /* team, project, ... */
	/* field <- tag key: team: [team, Team, cost-center] gives several rows */
	VEC(struct vtag_cond) tag_alias;
	VEC(struct vtag_rule) virtual_tags;
	VEC(struct vtag_cond) node_map; /* node name -> resource id */
	VEC(struct idle_rule) idle_rules;
	VEC(struct owned_conf) owned;
	struct energy_conf energy;
	/* teams whose cost is spread over the others in a chargeback */
	VEC(const char *) shared_teams;
	struct invoice_conf invoice;
	VEC(struct token_price_conf) token_prices; /* the first that fits holds */
	VEC(struct conf_view) views;
	bool infer_workload; /* default true */
	uint64_t digest;     /* of the file's text: equal texts are equal settings; 0 = none */
};
/* The whole file; the sections plan, agent, profile and alerts have tables of their own where they
 * are read. */
extern const struct setting conf_settings[];
/* NULL path: defaults. Errors name file, line and key. */
int conf_load(const char *path, struct conf *ret, struct err *err);
/* The same from text in memory; name is what errors call it. */
int conf_parse(const char *name, struct sv text, struct conf *ret, struct err *err);
void conf_free(struct conf *c);
#endif
