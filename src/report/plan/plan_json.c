/* {"schema":"tare.plan/1", ...}: the keys of the contract in its order, and more behind them; and
 * CSV. */
#include "base/str.h"
#include "model/known.h"
#include "report/plan/plan_formats.h"

#include <math.h>

#include "report/plan/plan_cols.h"
#include "report/text.h"

#define IN(S, member) offsetof(struct S, member)

/* ---- amounts ----------------------------------------------------------------------------- */

struct cost_row {
	dec cost, p05, p95, recent;
	bool known, has_recent;
};
static const struct col baseline_cols[] = {
	{ "cost_month", COL_DEC, IN(cost_row, cost), "money", "null: nothing has a price",
	  IN(cost_row, known) },
	{ "recent_month", COL_DEC, IN(cost_row, recent), "money",
	  "a month of how the last 28 days cost; null: fewer than 56 days",
	  IN(cost_row, has_recent) },
	{ 0 },
};
static const struct col after_cols[] = {
	{ "cost_month", COL_DEC, IN(cost_row, cost), "money", "null: nothing can be decided",
	  IN(cost_row, known) },
	{ "p05", COL_DEC, IN(cost_row, p05), "money", "its 5th percentile", IN(cost_row, known) },
	{ "p95", COL_DEC, IN(cost_row, p95), "money", "its 95th percentile", IN(cost_row, known) },
	{ 0 },
};

struct case_row {
	const char *name;
	dec baseline_month, after_month;
	double saving_frac;
};
static const struct col case_cols[] = {
	{ "case", COL_WORD, IN(case_row, name), .help = "what would be different" },
	{ "baseline_month", COL_DEC, IN(case_row, baseline_month), "money", "without the plan", 0 },
	{ "after_month", COL_DEC, IN(case_row, after_month), "money", "with the plan", 0 },
	{ "saving_frac", COL_NUM, IN(case_row, saving_frac), .digits = 6,
	  .help = "part of the baseline that is saved" },
	{ 0 },
};

/* ---- tiers ------------------------------------------------------------------------------- */

struct tier_row {
	struct plan_tier k;
	int64_t bound_nano; /* UNKNOWN_I64: nothing is bound */
	bool known;
};
#define TIER_DEC(key, member, about)                                                      \
	{                                                                                 \
		key, COL_DEC, IN(tier_row, k.member), "money", about, IN(tier_row, known) \
	}
static const struct col tier_cols[] = {
	TIER_DEC("saving_month", saving_month, "what its items save after the tiers before it"),
	TIER_DEC("p05", p05_month, "of the saving: its 5th percentile"),
	TIER_DEC("p95", p95_month, "of the saving: its 95th percentile"),
	TIER_DEC("after_month", after_month, "what is left to pay after it"),
	{ "items", COL_SIZE, IN(tier_row, k.items), "count", "recommendations", 0 },
	{ "bound", COL_NANO, IN(tier_row, bound_nano), "money",
	  "that cannot be taken back; null: none", 0 },
	{ 0 },
};
struct tiers_row {
	struct tier_row of[TIER_N];
};
#define ONE_TIER(t, key, about)                                                     \
	{                                                                           \
		key, COL_ROW, IN(tiers_row, of[t]), .sub = tier_cols, .help = about \
	}
static const struct col tiers_cols[] = {
	ONE_TIER(TIER_SURE, "sure", "can be undone, measured"),
	ONE_TIER(TIER_TRIAL, "trial", "a small experiment decides"),
	ONE_TIER(TIER_BINDS, "binds", "money that cannot be taken back"),
	{ 0 },
};

static struct tiers_row tiers_row(const struct plan *p)
{
	struct tiers_row ret;

	for (int t = 0; t < TIER_N; t++)
		ret.of[t] = (struct tier_row){
			.k = p->tier[t],
			.known = !p->undecidable,
			.bound_nano = p->tier[t].bound_nano > 0 ? p->tier[t].bound_nano
								: UNKNOWN_I64,
		};
	return ret;
}

#define POOL(member, about)                                             \
	{                                                               \
#member, COL_WORD, IN(plan_pool, member), .help = about \
	}
static const struct col pool_cols[] = {
	POOL(instance_type, "of the machines"),
	POOL(region, "where"),
	POOL(purchase, "how they are paid for"),
	{ "peak", COL_INT, IN(plan_pool, after), "count", "of them at once, at most", 0 },
	{ "peak_before", COL_INT, IN(plan_pool, before), "count", "as it was", 0 },
	{ 0 },
};

/* ---- target ------------------------------------------------------------------------------ */

struct limit_row {
	const char *limit;
	double adds_frac;
};
static const struct col limit_cols[] = {
	{ "limit", COL_TEXT, IN(limit_row, limit), .help = "risk, effort, lever or min_saving" },
	{ "adds_frac", COL_NUM, IN(limit_row, adds_frac), .digits = 6,
	  .help = "what more could be saved in time without it, of today's cost" },
	{ 0 },
};
struct target_row {
	double saving_frac, reached_frac, gap_frac, most_frac, probability;
	int64_t by_ms;
	double within_s;
	bool reached;
	double limits_add_frac;
	struct limit_row *limit; /* [nlimit] */
	size_t nlimit;
};
static const struct col target_cols[] = {
	{ "frac", COL_NUM, IN(target_row, saving_frac), .digits = 6, .help = "as asked" },
	{ "within_s", COL_NUM, IN(target_row, within_s), .digits = 0,
	  .help = "from now, as asked; null: any time" },
	{ "probability", COL_NUM, IN(target_row, probability), .digits = 4,
	  .help = "that these items meet it, all together" },
	{ "by", COL_TIME, IN(target_row, by_ms), .help = "when; null: any time" },
	{ "reached_frac", COL_NUM, IN(target_row, reached_frac), .digits = 6,
	  .help = "what is in force by then saves" },
	{ "gap_frac", COL_NUM, IN(target_row, gap_frac), .digits = 6,
	  .help = "what that is short of the target; 0: nothing" },
	{ "most_frac", COL_NUM, IN(target_row, most_frac), .digits = 6,
	  .help = "what could be saved with more time" },
	{ "reached", COL_BOOL, IN(target_row, reached),
	  .help = "it is met with a probability of 95 % or more" },
	{ "limits", COL_LIST(struct target_row, limit, nlimit, limit_cols),
	  .help = "not reached: those that hold something back alone" },
	{ "limits_add_frac", COL_NUM, IN(target_row, limits_add_frac), .digits = 6,
	  .help = "not reached: what limits hold back, together or at most one of them" },
	{ 0 },
};

struct step_row {
	const char *id, *owner;
	int64_t start_ms, done_ms;
};
static const struct col step_cols[] = {
	{ "id", COL_WORD, IN(step_row, id), .help = "of the recommendation" },
	{ "start", COL_TIME, IN(step_row, start_ms), .help = "of the work" },
	{ "in_force", COL_TIME, IN(step_row, done_ms), .help = "from when on it saves" },
	{ "owner", COL_WORD, IN(step_row, owner), .help = "who does it" },
	{ 0 },
};

#define WEEK(member, about)                                                \
	{                                                                  \
#member, COL_DEC, IN(plan_week, member), "money", about, 0 \
	}
static const struct col week_cols[] = {
	{ "week", COL_I32, IN(plan_week, week), .always = true, .help = "from today: 1 to 52" },
	WEEK(saved, "until its end: the median"),
	WEEK(p05, "of that: its 5th percentile"),
	WEEK(p95, "of that: its 95th percentile"),
	{ "work", COL_DEC, IN(plan_week, work), "money",
	  "what the work until its end costs; null: no exchange rate of USD is known",
	  IN(plan_week, has_work) },
	{ 0 },
};
static const struct col result_cols[] = {
	{ "name", COL_WORD, IN(plan_result, name), .help = "of the jobs; null: they have none" },
	{ "team", COL_WORD, IN(plan_result, team), .help = "whose they are" },
	{ "runs", COL_SIZE, IN(plan_result, runs), "count", "of the history", 0 },
	{ "before_h", COL_NUM, IN(plan_result, before_h), "h", "from start to last work, median",
	  .digits = 4 },
	{ "after_h", COL_NUM, IN(plan_result, after_h), "h",
	  "with all of the plan, boot of a machine included", .digits = 4 },
	{ 0 },
};

/* ---- the whole --------------------------------------------------------------------------- */

struct window_row {
	int64_t since_ms, until_ms;
};
static const struct col window_cols[] = {
	{ "since", COL_TIME, IN(window_row, since_ms), .help = "of the history" },
	{ "until", COL_TIME, IN(window_row, until_ms), .help = "of the history, not included" },
	{ 0 },
};

static bool get_rate_basis(const void *row, union col_value *ret)
{
	ret->text = own_rate_basis_name(((const struct own_rate *)row)->basis);
	return true;
}

static const struct col rate_cols[] = {
	{ "provider", COL_TEXT, IN(own_rate, provider), .help = "whose machines" },
	{ "family", COL_TEXT, IN(own_rate, family), .help = "of machines, such as p4d" },
	{ "factor", COL_NUM, IN(own_rate, factor), .digits = 6,
	  .help = "paid for one unit of list, in the plan's currency" },
	{ "list_currency", COL_TEXT, IN(own_rate, list_currency), .help = "of the list price" },
	{ "basis", COL_TEXT, .get = get_rate_basis,
	  .help = "bill: its own list prices; catalogue: those of the same type, region and hour" },
	{ "gpu_hours", COL_NUM, IN(own_rate, gpu_hours), "GPU·h", "that show it", .digits = 1 },
	{ 0 },
};

struct plan_row {
	double month_hours, saving_frac, saving_frac_p05, saving_frac_p95, measured_frac;
	const char *currency;
	struct cost_row baseline, after;
	struct tiers_row tiers;
	dec replayed_month;
	const struct plan_pool *pool;
	const struct plan_week *week;
	size_t nweek;
	const struct plan_result *result;
	size_t nresult;
	size_t npool;
	struct plan_rec_row *rec, *advice;
	struct plan_finding_row *finding;
	struct plan_queued_row *queued;
	size_t nqueued;
	const struct plan_refused_row *refused;
	const struct case_row *what_if;
	size_t nrec, nadvice, nfinding, nrefused, nwhat_if;
	struct text_list note;
	const struct own_rate *rate;
	size_t nrate;
	struct target_row target;
	const struct step_row *step;
	size_t nstep;
	dec bound_month;
	struct rec_replay replay;
	struct window_row window;
	struct energy_saved energy;
	bool has_target, has_bound, has_replay, has_replayed, exact, undecidable;
};
#define FRAC(name, member, about)                                               \
	{                                                                       \
		name, COL_NUM, IN(plan_row, member), .digits = 6, .help = about \
	}
static const struct col plan_cols[] = {
	PLAN_HEAD_COLS(struct plan_row),
	{ "baseline", COL_ROW, IN(plan_row, baseline), .sub = baseline_cols, .help = "today" },
	{ "after", COL_ROW, IN(plan_row, after), .sub = after_cols,
	  .help = "what is left to pay: the median" },
	FRAC("saving_frac", saving_frac, "(baseline - after) / baseline"),
	{ "recommendations", COL_LIST(struct plan_row, rec, nrec, plan_rec_cols),
	  .help = "in order; the savings add up to baseline - after" },
	{ "tiers", COL_ROW, IN(plan_row, tiers), .sub = tiers_cols,
	  .help = "what can be signed alone, in this order; the savings add up to baseline - after" },
	{ "replayed_month", COL_DEC, IN(plan_row, replayed_month), "money",
	  "what is left to pay on the history itself; null: nothing can be decided",
	  IN(plan_row, has_replayed) },
	{ "fleet_after", COL_LIST(struct plan_row, pool, npool, pool_cols),
	  .help = "machines of a kind at the peak, when all of it is done" },
	{ "findings", COL_LIST(struct plan_row, finding, nfinding, plan_finding_cols),
	  .help = "what was observed, in money" },
	{ "idle_while_queued", COL_LIST(struct plan_row, queued, nqueued, plan_queued_cols),
	  .help = "GPUs that idled while jobs that would have fitted waited" },
	{ "advice", COL_LIST(struct plan_row, advice, nadvice, plan_rec_cols),
	  .help = "estimates that are in no sum" },
	{ "refused", COL_LIST(struct plan_row, refused, nrefused, plan_refused_cols),
	  .help = "what was proposed and not taken" },
	{ "sensitivity", COL_LIST(struct plan_row, what_if, nwhat_if, case_cols),
	  .help = "the same plan with other prices or another load" },
	{ "notes", COL_WORDS(struct plan_row, note.v, note.n),
	  .help = "sentences: what the history does not tell" },
	{ "own_rates", COL_LIST(struct plan_row, rate, nrate, rate_cols),
	  .help = "what is paid of list: machines that are not there yet are priced by it, others at list" },
	{ "target", COL_ROW, IN(plan_row, target), NULL, "null: none was asked",
	  IN(plan_row, has_target), .sub = target_cols },
	{ "calendar", COL_LIST(struct plan_row, step, nstep, step_cols),
	  .help = "what is done when" },
	{ "weeks", COL_LIST(struct plan_row, week, nweek, week_cols),
	  .help = "of a year from today, if all of it is done" },
	{ "time_to_result", COL_LIST(struct plan_row, result, nresult, result_cols),
	  .help = "of habits whose runs take longer or run elsewhere" },
	{ "exact", COL_BOOL, IN(plan_row, exact), .help = "the set is proven best" },
	{ "bound_month", COL_DEC, IN(plan_row, bound_month), "money",
	  "no set costs less than this; null: it is exact", IN(plan_row, has_bound) },
	{ "replay", COL_ROW, IN(plan_row, replay), NULL, "of all together; null: nothing to do",
	  IN(plan_row, has_replay), .sub = plan_replay_cols },
	{ "window", COL_ROW, IN(plan_row, window), .sub = window_cols,
	  .help = "the history that was looked at" },
	FRAC("measured_frac", measured_frac, "part of its GPU time that was measured"),
	{ "energy_kwh_month", COL_NUM, IN(plan_row, energy.kwh), "kWh",
	  "of the GPUs, that is saved; null: not known", .digits = 3 },
	{ "co2_kg_month", COL_NUM, IN(plan_row, energy.co2_kg), "kg",
	  "CO2e that is saved; null: not known", .digits = 3 },
	{ "energy_known_frac", COL_NUM, IN(plan_row, energy.known_frac),
	  .help = "of the GPU time that is changed, whose energy is known", .digits = 4 },
	FRAC("saving_frac_p05", saving_frac_p05, "5th percentile of the part saved"),
	FRAC("saving_frac_p95", saving_frac_p95, "95th percentile of the part saved"),
	{ "undecidable", COL_BOOL, IN(plan_row, undecidable),
	  .help = "nothing can be decided; the notes say why" },
	{ 0 },
};
const struct col_doc plan_doc = { "tare.plan/1", "plan",
				  "what to change, in order, and what it saves", plan_cols };

static struct plan_rec_row *rec_rows(const struct plan_view *v, const struct rec_list *l,
				     bool chosen, struct arena *mem)
{
	struct plan_rec_row *ret = arena_zalloc(mem, (l->v.n + 1) * sizeof *ret);

	for (size_t i = 0; i < l->v.n; i++)
		plan_rec_row(v, l->v.v[i], chosen ? i : SIZE_MAX, mem, &ret[i]);
	return ret;
}

static void fill_lists(const struct plan_view *v, struct arena *mem, struct plan_row *ret)
{
	const struct plan *p = v->plan;

	ret->rec = rec_rows(v, &p->rec, true, mem);
	ret->nrec = p->rec.v.n;
	ret->advice = rec_rows(v, &p->advice, false, mem);
	ret->nadvice = p->advice.v.n;
	ret->finding = plan_finding_rows(p, mem);
	ret->nfinding = p->finding.n;
	ret->queued = plan_queued_rows(p, mem);
	ret->nqueued = p->nqueued;
	ret->refused = plan_refused_rows(p, mem);
	ret->nrefused = p->refused.v.n;

	struct case_row *case_rows = arena_zalloc(mem, (p->sensitivity.n + 1) * sizeof *case_rows);

	for (size_t i = 0; i < p->sensitivity.n; i++) {
		const struct plan_case *k = &p->sensitivity.v[i];
		case_rows[i].name = k->name;
		case_rows[i].baseline_month = plan_month(p, k->baseline_nano);
		case_rows[i].after_month = plan_month(p, k->after_nano);
		case_rows[i].saving_frac = num_if(k->baseline_nano > 0,
						  (double)(k->baseline_nano - k->after_nano) /
							  (double)k->baseline_nano);
	}
	ret->what_if = case_rows;
	ret->nwhat_if = p->sensitivity.n;

	struct step_row *step_rows = arena_zalloc(mem, (v->nstep + 1) * sizeof *step_rows);

	for (size_t i = 0; i < v->nstep; i++)
		step_rows[i] = (struct step_row){ v->plan->rec.v.v[v->step[i].rec]->id,
						  v->step[i].owner, time_shown(v->step[i].start_ms),
						  time_shown(v->step[i].done_ms) };
	ret->step = step_rows;
	ret->nstep = v->nstep;
	ret->week = v->week;
	ret->nweek = v->week && p->rec.v.n ? PLAN_WEEKS : 0;
}

static void add_limits(const struct plan_view *v, struct arena *mem, struct target_row *t)
{
	static const char *const name[LIMIT_N] = { "risk", "effort", "lever", "min_saving" };

	t->limit = arena_zalloc(mem, LIMIT_N * sizeof *t->limit);
	for (int l = 0; l < LIMIT_N && v->target_limit_frac; l++)
		if (v->target_limit_frac[l] >= TARGET_ADDS_FRAC)
			t->limit[t->nlimit++] = (struct limit_row){ name[l],
								    v->target_limit_frac[l] };
}

void plan_json(const struct plan_view *v, struct str *out)
{
	struct arena mem = { 0 };
	const struct plan *p = v->plan;
	bool known = !p->undecidable;

	/* What is not known, then the levers that looked and have nothing to propose. */
	size_t nnote = p->note.n + p->left.n;
	const char **note = arena_alloc(&mem, (nnote + 1) * sizeof *note);
	for (size_t i = 0; i < nnote; i++)
		note[i] = i < p->note.n ? p->note.v[i] : p->left.v[i - p->note.n];

	struct plan_row row = {
		.month_hours = p->month_hours,
		.currency = p->fleet->currency,
		.baseline = { .cost = p->baseline_month,
			      .known = plan_knows_cost(p),
			      .recent = p->recent_month,
			      .has_recent = p->has_recent && plan_knows_cost(p) },
		.after = { .cost = p->after_month,
			   .p05 = p->after_month_p05,
			   .p95 = p->after_month_p95,
			   .known = known },
		.tiers = tiers_row(p),
		.replayed_month = p->replayed_month,
		.has_replayed = known,
		.pool = p->pool.v,
		.npool = p->pool.n,
		.result = p->result.v,
		.nresult = p->result.n,
		.saving_frac = num_if(known, plan_frac(p, plan_saving(p))),
		.saving_frac_p05 = num_if(known, p->saving_frac_p05),
		.saving_frac_p95 = num_if(known, p->saving_frac_p95),
		.note = { note, nnote, nnote },
		.rate = p->fleet->own_rates.v.v,
		.nrate = p->fleet->own_rates.v.n,
		.exact = p->exact,
		.bound_month = plan_month(p, p->bound_nano),
		.has_bound = !p->exact && known,
		.replay = replay_shown(&p->replay),
		.has_replay = p->rec.v.n > 0,
		.window = { time_shown(p->fleet->since_ms), time_shown(p->fleet->until_ms) },
		.measured_frac = text_frac(p->fleet->measured_ms, p->fleet->gpu_ms),
		.undecidable = p->undecidable,
		.energy = v->energy ? v->energy->all : (struct energy_saved){ NAN, NAN, NAN },
	};

	fill_lists(v, &mem, &row);
	row.has_target = !isnan(v->target_frac);
	row.target = (struct target_row){
		.saving_frac = v->target_frac,
		.by_ms = time_shown(v->target_ms),
		.reached_frac = v->target_reached_frac,
		.gap_frac = fmax(0, v->target_frac - v->target_reached_frac),
		.most_frac = v->target_most_frac,
		.probability = v->target_chance_frac,
		.within_s = num_if(v->target_ms > v->now_ms,
				   (double)(v->target_ms - v->now_ms) / 1000),
		.reached = v->target_reached,
		.limits_add_frac = v->target_limits_frac,
	};

	add_limits(v, &mem, &row.target);
	cols_doc(&plan_doc, &row, out);
	plan_rec_rows_free(row.rec, row.nrec);
	plan_rec_rows_free(row.advice, row.nadvice);
	plan_finding_rows_free(row.finding, row.nfinding);
	arena_free(&mem);
}

/* ---- CSV --------------------------------------------------------------------------------- */

/* with the comma before it; NULL is empty */
static void plan_csv_cell(struct str *out, const char *z)
{
	str_addc(out, ',');
	text_csv(out, sv_of(text_or(z, "")));
}

static void csv_money(struct str *out, dec v)
{
	char buf[DEC_BUF];

	str_addf(out, ",%s", dec_format(buf, v));
}

void plan_csv(const struct plan_view *v, struct str *out)
{
	const struct plan *p = v->plan;

	str_addz(
		out,
		"number,id,lever,title,currency,saving_month,p05,p95,alone_month,risk,effort_days,within_days,team,depends_on,tier,bound\n");
	for (size_t i = 0; i < p->rec.v.n; i++) {
		const struct rec *r = p->rec.v.v[i];
		struct str deps = { 0 };
		str_addf(out, "%zu", i + 1);
		plan_csv_cell(out, r->id);
		plan_csv_cell(out, r->lever);
		plan_csv_cell(out, r->title);
		plan_csv_cell(out, p->fleet->currency);
		csv_money(out, p->saving_month.v[i]);
		csv_money(out, p->p05_month.v[i]);
		csv_money(out, p->p95_month.v[i]);
		if (plan_alone_known(r))
			csv_money(out, plan_alone_month(p, r));
		else
			plan_csv_cell(out, "");
		plan_csv_cell(out, risk_name(r->risk));
		str_addf(out, ",%.10g,%.10g", r->effort_days, r->within_days);
		plan_csv_cell(out, r->team);
		for (size_t k = 0; k < r->depends_on.n; k++)
			str_addf(&deps, "%s%s", text_if(k, ";"), r->depends_on.v[k]);
		plan_csv_cell(out, str_z(&deps));
		plan_csv_cell(out, tier_name(r->tier));
		if (r->bound_nano > 0)
			csv_money(out, nano_to_dec(r->bound_nano));
		else
			plan_csv_cell(out, "");
		str_addc(out, '\n');
		str_free(&deps);
	}
}
