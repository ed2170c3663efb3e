/* Reads the section `plan:` of the configuration file. What stands outside of it is the business of
 * ledger/conf.c, which has checked it. */
#include "plan/plan_conf.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ledger/conf.h"
#include "plan/lever/lever.h"

#define LEN(a)     (sizeof(a) / sizeof *(a))
#define BIG        1e15 /* above all amounts and numbers that mean something */
#define AT(member) offsetof(struct plan_conf, member)

/* As in levers.c, field_of(). */
static const char *const match_field[] = { "team", "project", "env",     "workload", "user",
					   "job",  "name",    "cluster", "node",     "service" };

/* ---- rules ------------------------------------------------------------------------------- */

#define RULE(member) offsetof(struct plan_rule, member)
#define RULE_WHEN    "a rule of the plan needs 'when' with at least one field: pattern"
#define FIELDS_HINT \
	"it can use team, project, env, workload, user, job, name, cluster, node and service"

static int check_lever(const struct setting_reader *r, const struct yaml *y, void *base)
{
	const char *names[LEVER_N];

	(void)base;
	for (int i = 0; i < LEVER_N; i++)
		names[i] = levers[i].name;
	return setting_want_word(r, y, y->text,
				 &(struct setting_words){ names, LEVER_N, "not a lever",
							  "see 'tare help plan' for the levers" });
}

static int read_when(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct plan_rule *rule = base;

	if (y->type != YAML_MAPPING || !y->child)
		return setting_wrong(r, y, RULE_WHEN);
	for (const struct yaml *f = y->child; f; f = f->next) {
		if (setting_want_text(r, f) < 0 ||
		    setting_want_word(
			    r, f, f->key,
			    &(struct setting_words){ match_field, LEN(match_field),
						     "not a field a rule of the plan can use",
						     FIELDS_HINT }) < 0)
			return -EINVAL;
		*vec_push(&rule->when) = (struct plan_match){ setting_keep(r, f->key),
							      setting_keep(r, f->text) };
	}
	return 0;
}

static const char *const share_words[] = { "team", "others", "nobody", NULL };

static const struct setting rule_rows[] = {
	{ "when", SETTING_OWN, .own = read_when, .unit = "field: pattern",
	  .help = "patterns (* and ?) that must all match the work" },
	{ "checkpointable", SETTING_MAYBE, RULE(checkpointable), .none = "what the history proves",
	  .help = "true: it saves its state and continues from there; false: it does not" },
	{ "interruptible", SETTING_MAYBE, RULE(interruptible), .none = "yes",
	  .help = "false: never on spot" },
	{ "deadline_slack_frac", SETTING_NUMBER, RULE(deadline_slack_frac), .hi = 1000,
	  .none = "plan.deadline_slack_frac",
	  .help = "a job may end this part of its run time later" },
	{ "slo_p99_ms", SETTING_NUMBER, RULE(slo_p99_ms), .lo = 0.001, .hi = 1e9, .unit = "ms",
	  .none = "plan.slo_p99_growth_frac", .help = "limit of a service's p99 latency" },
	{ "data_gb", SETTING_NUMBER, RULE(data_gb), .hi = 1e12, .unit = "GB", .none = "not known",
	  .help = "data that a run reads and that lies in its region: moving it costs egress" },
	{ "share_with", SETTING_CHOICE, RULE(share_with), .words = share_words, .def = "team",
	  .help = "who may be on the same GPU" },
	{ "spot_floor_frac", SETTING_NUMBER, RULE(spot_floor_frac), .hi = 1, .none = "no spot",
	  .help = "of a service: this part of the replicas stays on demand, the rest may go to spot" },
	{ "steady_until", SETTING_TIME, RULE(steady_until_ms), .none = "not said",
	  .wrong = "'steady_until' is not a date such as 2027-06-30",
	  .help = "its owner's word that it goes on as it is until then; commitments rest on it" },
	{ "capacity_reserved", SETTING_MAYBE, RULE(capacity_reserved), .none = "not said",
	  .help = "true: a capacity reservation holds its machines: given back, they are paid for "
		  "as before, which saves nothing" },
	{ "frozen", SETTING_BOOL, RULE(frozen), .def = "false",
	  .help = "true: no lever touches it" },
	{ "opt_out", SETTING_TEXTS, RULE(opt_out), .check = check_lever, .none = "none",
	  .help = "levers that leave it alone" },
	{ 0 },
};

static int read_rule(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct plan_conf *c = base;
	/* in the list first, so that plan_conf_free() finds it whatever comes */
	struct plan_rule *u = vec_push(&c->rule);

	*u = (struct plan_rule){ 0 };
	setting_defaults(rule_rows, u);
	int rc = setting_read(r, y, rule_rows, u);
	if (rc >= 0 && !u->when.n)
		return setting_wrong(r, y, RULE_WHEN);
	return rc;
}

/* ---- commitments that run ---------------------------------------------------------------- */

#define COMMITMENT(member) offsetof(struct plan_commitment, member)

static const struct setting commitment_rows[] = {
	{ "name", SETTING_TEXT, COMMITMENT(name), .help = "what people call it" },
	{ "ends", SETTING_TIME, COMMITMENT(ends_ms),
	  .wrong = "'ends' is not a date such as 2027-01-15", .help = "the day it ends" },
	{ "usd_hour", SETTING_NUMBER, COMMITMENT(usd_hour), .hi = 1e6, .unit = "$/h",
	  .help = "what it costs" },
	{ 0 },
};

static int read_commitment(const struct setting_reader *r, const struct yaml *y, void *base)
{
	struct plan_conf *conf = base;
	struct plan_commitment c = { .ends_ms = INT64_MIN };

	setting_defaults(commitment_rows, &c);
	int rc = setting_read(r, y, commitment_rows, &c);
	if (rc < 0)
		return rc;
	if (!c.name || c.ends_ms == INT64_MIN || isnan(c.usd_hour))
		return setting_wrong(r, y,
				     "a commitment needs 'name', 'ends' (a date) and 'usd_hour'");
	*vec_push(&conf->commitment) = c;
	return 0;
}

/* The table of levers: what the history must show. */
#define GATE(member, least, most, preset, in, about)                                      \
	{                                                                                 \
#member, SETTING_NUMBER, offsetof(struct plan_gates, member),             \
			.lo = least, .hi = most, .def = preset, .unit = in, .help = about \
	}

static const struct setting gate_rows[] = {
	GATE(history_days, 1, 3650, "90", "d", "how far back runs count as a habit"),
	GATE(watched_frac, 0, 1, "0.9", NULL, "of a habit's time that readings cover"),
	GATE(stop_ready_days, 0, 3650, "14", "d",
	     "a machine that nobody has held so long is stopped: Ready"),
	GATE(stop_trial_days, 0, 3650, "7", "d", "the same: Try first"),
	GATE(stop_watched_frac, 0, 1, "0.99", NULL, "of that time that was watched"),
	GATE(stop_told_days, 0, 365, "3", "d", "before a stop its owner is told"),
	GATE(trim_ready_runs, 1, 1e6, "20", NULL,
	     "runs of a habit before its limit is shortened: Ready"),
	GATE(trim_ready_weeks, 0, 520, "3", "weeks", "over which they were made"),
	GATE(trim_ready_factor, 1, 100, "1.25", NULL,
	     "of the longest run: the limit that is Ready"),
	GATE(trim_trial_runs, 1, 1e6, "4", NULL, "runs before a limit is shortened: Try first"),
	GATE(trim_trial_factor, 1, 100, "1.5", NULL, "of the longest run: the limit to try first"),
	GATE(count_ready_runs, 1, 1e6, "10", NULL, "runs of which none used more GPUs: Ready"),
	GATE(count_ready_weeks, 0, 520, "2", "weeks", "over which they were made"),
	GATE(count_trial_runs, 1, 1e6, "5", NULL, "runs before a smaller default: Try first"),
	GATE(count_more_frac, 0, 1, "0.2", NULL,
	     "of the runs that may need more than a smaller default"),
	GATE(cpu_peak_frac, 0.01, 1, "0.8", NULL,
	     "of a smaller machine's CPUs that the peak may take"),
	GATE(ram_factor, 1, 100, "1.2", NULL,
	     "of the largest need of RAM that a smaller machine must have"),
	GATE(gpu_runs, 1, 1e6, "5", NULL, "runs before another GPU is proposed"),
	GATE(gpu_weeks, 0, 520, "2", "weeks", "over which they were made"),
	GATE(replicas_ready_weeks, 0, 520, "4", "weeks",
	     "of requests before fewer replicas are Ready"),
	GATE(replicas_trial_weeks, 0, 520, "2", "weeks",
	     "of requests before fewer replicas are to try first"),
	GATE(replicas_log_s, 1, 86400, "60", "s", "coarsest request log that tells peaks"),
	GATE(replicas_peak_factor, 1, 100, "1.25", NULL,
	     "of the highest load that fewer replicas must carry"),
	GATE(share_weeks, 0, 520, "2", "weeks", "of readings before a GPU is shared"),
	GATE(schedule_ready_weeks, 0, 520, "4", "weeks", "in which an hour was never used: Ready"),
	GATE(schedule_trial_weeks, 0, 520, "2", "weeks", "the same: Try first"),
	GATE(schedule_wake_min, 0, 1440, "15", "min", "until a machine is there again, at most"),
	GATE(spot_runs, 1, 1e6, "20", NULL, "runs before spot is proposed, or"),
	GATE(spot_gpu_hours, 0, 1e9, "200", "GPU-h", "of such work"),
	GATE(spot_market_weeks, 0, 520, "2", "weeks", "of prices of the market"),
	GATE(spot_slack_frac, 0, 100, "0.25", NULL, "of its run time that a run may end later"),
	GATE(drill_days, 1, 3650, "180", "d",
	     "a restore drill (`tare run drill`) counts so long: programs change"),
	GATE(region_runs, 1, 1e6, "5", NULL, "runs before another region is proposed"),
	GATE(storage_days, 0, 3650, "30", "d", "storage that nobody used so long is archived"),
	GATE(storage_kept_days, 0, 3650, "30", "d", "the snapshot of deleted storage is kept"),
	GATE(commit_full_weeks, 0, 520, "8", "weeks",
	     "of use before all of its low level is committed"),
	GATE(commit_half_weeks, 0, 520, "4", "weeks", "of use before half of it is"),
	GATE(commit_use_pct, 0, 100, "10", "percentile",
	     "of the use in an hour up to which is committed"),
	GATE(commit_3y_weeks, 0, 520, "26", "weeks",
	     "of use, with the owner's word, for three years"),
	GATE(memory_many_factor, 1, 10, "1.1", NULL,
	     "of the highest reading of GPU memory that must fit, from"),
	GATE(memory_many_runs, 1, 1e6, "20", NULL, "runs, read every"),
	GATE(memory_many_step_s, 0.001, 86400, "10", "s", "or finer"),
	GATE(memory_some_factor, 1, 10, "1.15", NULL, "the same from"),
	GATE(memory_some_runs, 1, 1e6, "10", NULL, "runs, read every"),
	GATE(memory_some_step_s, 0.001, 86400, "60", "s", "or finer"),
	GATE(memory_few_factor, 1, 10, "1.25", NULL, "the same, else, from"),
	GATE(memory_few_runs, 1, 1e6, "5", NULL, "runs"),
	GATE(prealloc_frac, 0.1, 1, "0.85", NULL,
	     "of a GPU's memory: a flat reading above says nothing of the need"),
	GATE(capacity_starts, 1, 1e6, "20", NULL,
	     "starts that show that a kind of machine is had again, of which"),
	GATE(capacity_frac, 0, 1, "0.95", NULL, "within"),
	GATE(capacity_min, 0, 1440, "15", "min", "of the wish"),
	GATE(capacity_trial_starts, 1, 1e6, "5", NULL,
	     "starts of which the longest wait tells what jobs wait for such a machine at most"),
	GATE(capacity_wait_min, 0, 10080, "480", "min",
	     "waited for a machine given back at most, where fewer starts are known: assumed"),
	GATE(outcome_days, 7, 3650, "7", "d",
	     "of history before an applied item, and since it is in force, before its outcome is told"),
	GATE(fold_frac, 0, 1, "0.002", NULL, "of the bill: smaller items are shown in one line"),
	{ 0 },
};

/* What Try first asks of the history is at most what Ready asks. */
static int check_gates(const struct setting_reader *r, const struct yaml *y, void *base)
{
#define PAIR(trial, ready)                                          \
	{                                                           \
#trial, #ready, offsetof(struct plan_gates, trial), \
			offsetof(struct plan_gates, ready)          \
	}
	static const struct {
		const char *trial, *ready;
		size_t trial_at, ready_at;
	} pairs[] = {
		PAIR(stop_trial_days, stop_ready_days),
		PAIR(trim_trial_runs, trim_ready_runs),
		PAIR(trim_ready_factor, trim_trial_factor), /* the wider limit is the safer one */
		PAIR(count_trial_runs, count_ready_runs),
		PAIR(replicas_trial_weeks, replicas_ready_weeks),
		PAIR(schedule_trial_weeks, schedule_ready_weeks),
		PAIR(commit_half_weeks, commit_full_weeks),
		PAIR(capacity_trial_starts, capacity_starts),
	};
#undef PAIR

	for (size_t i = 0; i < LEN(pairs); i++) {
		double trial = *(const double *)((const char *)base + pairs[i].trial_at);
		double ready = *(const double *)((const char *)base + pairs[i].ready_at);
		const struct yaml *at = yaml_get(y, pairs[i].trial);
		char what[160];

		if (trial <= ready)
			continue;
		if (!at)
			at = yaml_get(y, pairs[i].ready);
		snprintf(what, sizeof what, "'%s' is %g: it must be at most '%s', which is %g",
			 pairs[i].trial, trial, pairs[i].ready, ready);
		return setting_wrong(r, at ? at : y, what);
	}
	return 0;
}

/* ---- the section ------------------------------------------------------------------------- */

static const char *const term_words[] = { "none", "1y", "3y", NULL };

/* Where the defaults come from stands in docs/CONFIG.md. */
static const struct setting plan_rows[] = {
	{ "demand_sd_frac", SETTING_NUMBER, AT(demand_sd_frac), .hi = 2, .def = "0.1",
	  .help = "how far a cluster's demand of a month may be from that of the history, one standard deviation" },
	{ "deadline_slack_frac", SETTING_NUMBER, AT(deadline_slack_frac), .hi = 1000, .def = "0.25",
	  .help = "a job without a booked time may end this part of its run time later" },
	{ "serving_target_util_frac", SETTING_NUMBER, AT(serving_target_util_frac), .lo = 0.05,
	  .hi = 1, .def = "0.80",
	  .help = "of a GPU in the busiest minutes after services were put together" },
	{ "slo_p99_growth_frac", SETTING_NUMBER, AT(slo_p99_growth_frac), .hi = 1000, .def = "0.5",
	  .help = "where no limit is told, a service's p99 latency may grow by this part" },
	{ "restart_minutes", SETTING_NUMBER, AT(restart_minutes), .hi = 10080, .def = "6",
	  .unit = "min", .help = "restart of a job on a new machine" },
	{ "checkpoint_stall_s", SETTING_NUMBER, AT(checkpoint_stall_s), .hi = 86400, .def = "20",
	  .unit = "s", .help = "a job stands still while it saves its state" },
	{ "boot_minutes", SETTING_NUMBER, AT(boot_minutes), .hi = 1440, .def = "5", .unit = "min",
	  .help = "boot of a machine" },
	{ "idle_release_minutes", SETTING_NUMBER, AT(idle_release_minutes), .hi = 10080,
	  .def = "15", .unit = "min", .help = "a free machine is given back after this" },
	{ "trim_headroom_frac", SETTING_NUMBER, AT(trim_headroom_frac), .hi = 100, .def = "0.125",
	  .help = "booked time becomes used time x (1 + this)" },
	{ "wacc_frac", SETTING_NUMBER, AT(wacc_frac), .hi = 10, .def = "0.08",
	  .help = "cost of capital a year: what is paid in advance is charged with it" },
	{ "work_day_usd", SETTING_NUMBER, AT(work_day_usd), .hi = 1e6, .def = "800", .unit = "$",
	  .help = "a day of somebody's work on what the plan says" },
	{ "upfront_cap_usd", SETTING_NUMBER, AT(upfront_cap_usd), .hi = BIG, .unit = "$",
	  .none = "no limit", .help = "at most this much paid in advance" },
	{ "outdated_year_frac", SETTING_NUMBER, AT(outdated_year_frac), .hi = 1, .def = "0.10",
	  .help = "chance a year that a type of GPU is outdated before its term ends" },
	{ "early_stop_lost_frac", SETTING_NUMBER, AT(early_stop_lost_frac), .hi = 1, .def = "0.01",
	  .help = "of what a training run gained that early stopping may lose, in any run of the past" },
	{ "early_stop_delta_frac", SETTING_NUMBER, AT(early_stop_delta_frac), .hi = 1,
	  .def = "0.001", .help = "a metric is better if it is by this part of the best so far" },
	{ "failed_soon_minutes", SETTING_NUMBER, AT(failed_soon_minutes), .hi = 1440, .def = "10",
	  .unit = "min", .help = "a run that fails within it could have been checked before" },
	{ "sweep_near_frac", SETTING_NUMBER, AT(sweep_near_frac), .hi = 1, .def = "0.01",
	  .help = "a result this near to the best of its sweep is as good" },
	{ "max_term", SETTING_WORD, AT(max_term), .words = term_words, .def = "1y",
	  .help = "longest commitment that may be proposed" },
	{ "egress_usd_gb", SETTING_NUMBER, AT(egress_usd_gb), .hi = 1e6, .def = "0.02",
	  .unit = "$/GB", .help = "data moved between regions" },
	{ "egress_out_usd_gb", SETTING_NUMBER, AT(egress_out_usd_gb), .hi = 1e6, .def = "0.09",
	  .unit = "$/GB", .help = "data moved out of the provider" },
	{ "regions", SETTING_TEXTS, AT(regions), .none = "nowhere else",
	  .help = "where work may run besides where it runs today" },
	{ "frozen_teams", SETTING_TEXTS, AT(frozen_team), .none = "none",
	  .help = "patterns of teams that the plan leaves alone" },
	{ "gates", SETTING_SECTION, AT(gates), .rows = gate_rows, .check = check_gates,
	  .wrong = "'gates' is a mapping: what the history must show before a lever proposes",
	  .help = "what the history must show before a lever proposes" },
	{ "commitments", SETTING_LIST, .own = read_commitment, .rows = commitment_rows,
	  .wrong = "a commitment is a mapping with 'name', 'ends' and 'usd_hour'", .none = "none",
	  .help = "commitments that run; findings tell of those that end within 90 days" },
	{ "rules", SETTING_LIST, .own = read_rule, .rows = rule_rows,
	  .wrong = "a rule of the plan is a mapping with 'when' and what holds then",
	  .none = "none", .help = "facts about workloads that the history does not say" },
	{ 0 },
};

const struct setting plan_section = { "plan",
				      SETTING_SECTION,
				      0,
				      .rows = plan_rows,
				      .wrong = "'plan' must be a mapping (key: value)",
				      .help = "what tare plan is told" };

/* The file's month_hours, which the plan needs too. */
static struct setting month_hours(void)
{
	struct setting s = *setting_find(conf_settings, "month_hours");

	s.at = AT(month_hours);
	return s;
}

static void set_defaults(struct plan_conf *c)
{
	const struct setting month[] = { month_hours(), { 0 } };

	*c = (struct plan_conf){ 0 };
	setting_defaults(plan_rows, c);
	setting_defaults(month, c);
	c->upfront_cap_usd = INFINITY;
}

static int load_doc(struct yaml_doc *d, struct plan_conf *ret, struct err *err)
{
	const struct yaml *root = yaml_root(d);
	const struct setting month = month_hours();
	struct plan_conf c;
	struct setting_reader r = { .doc = d, .mem = &c.mem, .section = "plan", .err = err };
	int rc = 0;

	set_defaults(&c);
	if (!root || root->type != YAML_MAPPING)
		rc = err_set(err, -EINVAL, "'%s' line 1: 'version: 1' is missing", yaml_name(d));
	if (rc >= 0)
		rc = setting_read_member(&r, root, &month, &c);
	if (rc >= 0)
		rc = setting_read_member(&r, root, &plan_section, &c);
	if (rc < 0)
		plan_conf_free(&c);
	else
		*ret = c;
	yaml_doc_free(d);
	if (rc < 0)
		return rc;
	return 0;
}

int plan_conf_load(const char *path, struct plan_conf *ret, struct err *err)
{
	struct yaml_doc *d;

	if (!path) {
		set_defaults(ret);
		return 0;
	}
	int r = yaml_load(path, &d, err);
	if (r < 0)
		return r;
	return load_doc(d, ret, err);
}

int plan_conf_parse(const char *name, struct sv text, struct plan_conf *ret, struct err *err)
{
	struct yaml_doc *d;
	int r = yaml_parse(name, text, &d, err);

	if (r < 0)
		return r;
	return load_doc(d, ret, err);
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
