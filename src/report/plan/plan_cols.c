/* The columns of recommendations, findings and refused proposals, in every document alike. */
#include "report/plan/plan_cols.h"

#include <math.h>

#include "model/known.h"

/* ---- parts ------------------------------------------------------------------------------- */

static const struct col subject_cols[] = {
	{ "key", COL_TEXT, offsetof(struct subject, key), .help = "team, cluster, service, ..." },
	{ "value", COL_WORD, offsetof(struct subject, value), .help = "whom or what it is about" },
	{ 0 },
};

static bool get_quality(const void *row, union col_value *ret)
{
	ret->text = quality_name(((const struct evidence *)row)->quality);
	return *ret->text;
}

#define WORD(S, member, about)                                               \
	{                                                                    \
#member, COL_WORD, offsetof(struct S, member), .help = about \
	}
static const struct col evidence_cols[] = {
	WORD(evidence, metric, "what was looked at"),
	WORD(evidence, value, "what it was"),
	WORD(evidence, unit, "of the value; null: none"),
	WORD(evidence, window, "over which time"),
	WORD(evidence, source, "where it comes from"),
	{ "quality", COL_TEXT, .get = get_quality, .help = "measured, estimated or assumed" },
	{ 0 },
};

#define COUNT(member, about)                                                             \
	{                                                                                \
#member, COL_INT, offsetof(struct rec_replay, member), "count", about, 0 \
	}
const struct col plan_replay_cols[] = {
	{ "since", COL_TIME, offsetof(struct rec_replay, since_ms), NULL, "of the history", 0 },
	{ "until", COL_TIME, offsetof(struct rec_replay, until_ms), NULL, "of the history", 0 },
	COUNT(deadline_misses, "jobs that would end too late"),
	COUNT(slo_violations, "requests that would take too long"),
	COUNT(oom, "jobs that would run out of memory"),
	{ "interruptions", COL_NUM, offsetof(struct rec_replay, interruptions), "count",
	  "expected over the window", .digits = 3 },
	COUNT(jobs, "that were replayed"),
	COUNT(requests, "that were replayed"),
	COUNT(cut, "jobs interrupted by a limit, or for the want of a machine or GPUs"),
	COUNT(requeues, "of a smaller default: paid for, and run on the old shape"),
	{ "p99_before_ms", COL_NUM, offsetof(struct rec_replay, p99_before_ms), "ms",
	  "latency as it was; null: no service is touched", .digits = 3 },
	{ "p99_after_ms", COL_NUM, offsetof(struct rec_replay, p99_after_ms), "ms",
	  "latency with the change; null: no service is touched", .digits = 3 },
	{ "p99_service", COL_TEXT, offsetof(struct rec_replay, p99_service),
	  .help = "whose latency: the service nearest to its limit", .optional = true },
	{ "lost_load_frac", COL_NUM, offsetof(struct rec_replay, lost_load_frac), "frac",
	  "of a service's highest minute, with one machine lost; left out: no service is touched",
	  .digits = 3, .optional = true },
	{ 0 },
};

int64_t time_shown(int64_t ms)
{
	return i64_if(ms != INT64_MAX, ms);
}

struct rec_replay replay_shown(const struct rec_replay *r)
{
	struct rec_replay ret = *r;

	ret.since_ms = time_shown(r->since_ms);
	ret.until_ms = time_shown(r->until_ms);
	return ret;
}

/* A key twice is no JSON: the first one names it. */
static const struct subject *each_once(const struct subject *s, size_t n, struct arena *mem,
				       size_t *ret_n)
{
	struct subject *ret = arena_zalloc(mem, (n + 1) * sizeof *ret);

	*ret_n = 0;
	for (size_t i = 0; i < n; i++) {
		bool again = false;
		for (size_t k = 0; k < i; k++)
			again |= !strcmp(s[k].key, s[i].key);
		if (!again)
			ret[(*ret_n)++] = s[i];
	}
	return ret;
}

/* ---- recommendations --------------------------------------------------------------------- */

static bool get_word(const void *row, union col_value *ret)
{
	ret->text = plan_word_name(((const struct plan_mark *)row)->word);
	return *ret->text;
}

static bool get_at(const void *row, union col_value *ret)
{
	ret->n = time_shown(((const struct plan_mark *)row)->at_ms);
	return ret->n != UNKNOWN_MS;
}

static const struct col mark_cols[] = {
	{ "word", COL_TEXT, .get = get_word, .help = "accepted, applied or dismissed" },
	{ "at", COL_TIME, .get = get_at, .help = "when" },
	{ "by", COL_WORD, offsetof(struct plan_mark, user), .help = "who" },
	{ "reason", COL_WORD, offsetof(struct plan_mark, reason), .help = "in their words" },
	{ 0 },
};

#define IN_REC(member) offsetof(struct plan_rec_row, member)
const struct col plan_rec_cols[] = {
	{ "id", COL_WORD, IN_REC(rec.id), .always = true, .help = "stable from plan to plan" },
	{ "lever", COL_WORD, IN_REC(rec.lever), .always = true, .help = "what kind of change" },
	{ "title", COL_WORD, IN_REC(rec.title), .help = "what to do" },
	{ "subject", COL_PAIRS(struct plan_rec_row, subject, nsubject, subject_cols),
	  .help = "about whom or what" },
	{ "saving_month", COL_DEC, IN_REC(saving_month), "money",
	  "at this place in the list; null: it is not in the plan", IN_REC(chosen) },
	{ "p05", COL_DEC, IN_REC(p05_month), "money", "of the saving: its 5th percentile",
	  IN_REC(chosen) },
	{ "p95", COL_DEC, IN_REC(p95_month), "money", "of the saving: its 95th percentile",
	  IN_REC(chosen) },
	{ "confidence", COL_NUM, IN_REC(rec.confidence_frac), .digits = 4,
	  .help = "that the saving lies in its range" },
	{ "risk", COL_WORD, IN_REC(risk), .help = "low, medium or high" },
	{ "effort_days", COL_NUM, IN_REC(rec.effort_days), "d", "of work", .digits = 3 },
	{ "depends_on", COL_WORDS(struct plan_rec_row, rec.depends_on.v, rec.depends_on.n),
	  .help = "ids of what has to be done before" },
	{ "evidence", COL_LIST(struct plan_rec_row, rec.evidence.v, rec.evidence.n, evidence_cols),
	  .help = "what speaks for it" },
	{ "replay", COL_ROW, IN_REC(rec.replay), NULL, "what the history says; null: an estimate",
	  IN_REC(replayed), .sub = plan_replay_cols },
	{ "apply", COL_WORDS(struct plan_rec_row, how.apply.v, how.apply.n),
	  .help = "lines that can be pasted, to do it" },
	{ "undo", COL_WORDS(struct plan_rec_row, how.undo.v, how.undo.n),
	  .help = "lines that can be pasted, to undo it" },
	{ "tier", COL_WORD, IN_REC(tier),
	  .help = "sure, trial or binds: its own or that of what it depends on; null: advice" },
	{ "bound", COL_NANO, IN_REC(bound_nano), "money",
	  "that cannot be taken back, over its whole term; null: none", 0 },
	{ "actions", COL_RAW, IN_REC(actions), .always = true,
	  .help = "what these lines are made of: objects with do, what it is about, and values",
	  .shape = action_shape },
	{ "alone_month", COL_DEC, IN_REC(alone_month), "money",
	  "saving if it were the only one; null: not worked out", IN_REC(has_alone) },
	{ "may_save_p05_month", COL_DEC, IN_REC(may_p05_month), "money",
	  "of advice: low end of the estimate, in no sum; null: not known", IN_REC(has_may) },
	{ "may_save_p95_month", COL_DEC, IN_REC(may_p95_month), "money", "its high end",
	  IN_REC(has_may) },
	{ "kind", COL_WORD, IN_REC(kind),
	  .help = "of advice that says what an input tells by itself; null: of the rest" },
	{ "cost_month", COL_DEC, IN_REC(rec.cost_month), "money",
	  "of what such advice is about, in no sum; null: not an amount", IN_REC(rec.has_cost) },
	{ "gpu_seconds", COL_SECONDS, IN_REC(gpu_ms), "s",
	  "of such advice: GPU time that it is about, over the window; null: not told" },
	{ "risks", COL_WORDS(struct plan_rec_row, rec.risk_text.v, rec.risk_text.n),
	  .help = "what could go wrong" },
	{ "within_days", COL_NUM, IN_REC(rec.within_days), "d", "until it is in force",
	  .digits = 3 },
	{ "team", COL_WORD, IN_REC(rec.team), .help = "who has to do it; null: the platform" },
	{ "owner", COL_WORD, IN_REC(owner), .help = "who has to do it" },
	{ "due", COL_TIME, IN_REC(due_ms), .help = "in force by then, if it is begun as planned" },
	{ "status", COL_WORD, IN_REC(status),
	  .help = "open, what was decided, or what its trial came to" },
	{ "trial", COL_ROW, COL_BEHIND(struct plan_rec_row, trial), .sub = trial_record_cols,
	  .help = "the last one that decided; null: none did" },
	{ "works", COL_SIZE, IN_REC(rec.change.n), "count", "that it changes", 0 },
	{ "quality_risk", COL_BOOL, IN_REC(rec.quality_risk),
	  .help = "it could change the quality of a model" },
	{ "decision", COL_ROW, COL_BEHIND(struct plan_rec_row, mark), .sub = mark_cols,
	  .help = "of people; null: none yet" },
	{ "energy_kwh_month", COL_NUM, IN_REC(energy.kwh), "kWh",
	  "of the GPUs, that is saved; null: not known", .digits = 3 },
	{ "co2_kg_month", COL_NUM, IN_REC(energy.co2_kg), "kg",
	  "CO2e that is saved; null: not known", .digits = 3 },
	{ "energy_known_frac", COL_NUM, IN_REC(energy.known_frac),
	  .help = "of the GPU time that is changed, whose energy is known", .digits = 4 },
	{ 0 },
};

void plan_rec_row(const struct plan_view *v, const struct rec *r, size_t chosen, struct arena *mem,
		  struct plan_rec_row *ret)
{
	const struct plan *p = v->plan;
	struct str actions = { 0 };
	struct jw w;

	jw_init(&w, &actions, 0);
	action_json(r->action.v, r->action.n, &w);
	*ret = (struct plan_rec_row){
		.rec = *r,
		.chosen = chosen != SIZE_MAX,
		.replayed = !r->advice,
		.has_alone = plan_alone_known(r),
		.alone_month = plan_alone_month(p, r),
		.has_may = r->advice && r->p95_nano > 0,
		.may_p05_month = plan_month(p, r->p05_nano),
		.may_p95_month = plan_month(p, r->p95_nano),
		.bound_nano = i64_if(r->bound_nano > 0, r->bound_nano),
		.kind = advice_kinds[r->kind].name,
		.gpu_ms = i64_if(r->kind != ADVICE_NONE && r->gpu_ms > 0, r->gpu_ms),
		.risk = risk_name(r->risk),
		.actions = arena_strn(mem, actions.p, actions.n),
		.mark = plan_mark_of(v, r->id),
		.trial = plan_trial_of(v, r->id),
		.owner = plan_owner(r),
		.status = plan_status(v, r->id),
		.due_ms = UNKNOWN_MS,
	};
	str_free(&actions);
	if (!r->advice)
		ret->tier = tier_name(r->tier);
	ret->rec.replay = replay_shown(&r->replay);
	ret->subject = each_once(r->subject.v, r->subject.n, mem, &ret->nsubject);
	ret->energy = (struct energy_saved){ NAN, NAN, NAN };
	if (ret->chosen && v->energy && v->energy->item)
		ret->energy = v->energy->item[chosen];
	if (ret->chosen) {
		ret->due_ms = time_shown(plan_due_ms(v, chosen));
		ret->saving_month = p->saving_month.v[chosen];
		ret->p05_month = p->p05_month.v[chosen];
		ret->p95_month = p->p95_month.v[chosen];
	}
	action_text_make(r->action.v, r->action.n, &ret->how);
}

void plan_rec_rows_free(struct plan_rec_row *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		action_text_free(&v[i].how);
}

/* ---- findings ---------------------------------------------------------------------------- */

#define IN_FINDING(member) offsetof(struct plan_finding_row, member)
const struct col plan_finding_cols[] = {
	{ "cause", COL_WORD, IN_FINDING(f.cause), .help = "what kind of waste" },
	{ "title", COL_WORD, IN_FINDING(f.title), .help = "one sentence" },
	{ "currency", COL_WORD, IN_FINDING(currency), .csv_only = true },
	{ "subject", COL_PAIRS(struct plan_finding_row, subject, nsubject, subject_cols),
	  .help = "about whom or what" },
	{ "cost_month", COL_DEC, IN_FINDING(cost_month), "money",
	  "what it costs; findings overlap: they are no sum; null: in dollars without a rate",
	  IN_FINDING(has_cost) },
	{ "gpu_seconds", COL_SECONDS, IN_FINDING(f.gpu_ms), "s", "GPU time over the window",
	  .always = true },
	{ "quality", COL_WORD, IN_FINDING(quality), .help = "measured, estimated or assumed" },
	{ "lever", COL_WORD, IN_FINDING(f.lever),
	  .help = "that acts on it, in the plan, its advice or what was refused; null: none" },
	{ "by_hand", COL_WORD, IN_FINDING(f.by_hand),
	  .help = "what people can do where no lever acts on it" },
	{ "evidence", COL_LIST(struct plan_finding_row, f.evidence.v, f.evidence.n, evidence_cols),
	  .help = "what says so" },
	{ "apply", COL_WORDS(struct plan_finding_row, how.apply.v, how.apply.n),
	  .help = "what to do where no lever does it" },
	{ 0 },
};

static const struct col waiter_cols[] = {
	{ "team", COL_TEXT, offsetof(struct plan_waiter, team), NULL, "whose jobs; else their user",
	  .always = true },
	{ "jobs", COL_SIZE, offsetof(struct plan_waiter, jobs), "count", "of them that waited",
	  .always = true },
	{ "wait_seconds", COL_SECONDS, offsetof(struct plan_waiter, wait_ms), "s",
	  "that they need not have waited", .always = true },
	{ 0 },
};
const struct col plan_queued_cols[] = {
	{ "held_by", COL_WORD, COL_VIA(struct plan_queued_row, q, owner),
	  .help = "whose idle GPUs they were; null: free ones" },
	{ "cluster", COL_WORD, COL_VIA(struct plan_queued_row, q, cluster), .help = "where" },
	{ "cost_month", COL_DEC, offsetof(struct plan_queued_row, cost_month), "money",
	  "of the time that idled; it is in other findings too", 0 },
	{ "gpu_seconds", COL_SECONDS, COL_VIA(struct plan_queued_row, q, gpu_ms), .unit = "s",
	  .help = "GPU time that idled while a job that would have fitted waited", .always = true },
	{ "wait_seconds", COL_SECONDS, COL_VIA(struct plan_queued_row, q, wait_ms), .unit = "s",
	  .help = "of waits meanwhile, each by the part of its GPUs", .always = true },
	{ "jobs", COL_SIZE, COL_VIA(struct plan_queued_row, q, jobs), .unit = "count",
	  .help = "that waited meanwhile", .always = true },
	{ "waited", COL_ROWS, COL_VIA(struct plan_queued_row, q, waiter),
	  .n_at = offsetof(struct plan_queued, nwaiter), .size = sizeof(struct plan_waiter),
	  .sub = waiter_cols, .help = "whose jobs, longest wait first" },
	{ 0 },
};

struct plan_queued_row *plan_queued_rows(const struct plan *p, struct arena *mem)
{
	struct plan_queued_row *v = arena_zalloc(mem, (p->nqueued + 1) * sizeof *v);

	for (size_t i = 0; i < p->nqueued; i++)
		v[i] = (struct plan_queued_row){ &p->queued[i], plan_month(p, p->queued[i].nano) };
	return v;
}

struct plan_finding_row *plan_finding_rows(const struct plan *p, struct arena *mem)
{
	struct plan_finding_row *v = arena_zalloc(mem, (p->finding.n + 1) * sizeof *v);

	for (size_t i = 0; i < p->finding.n; i++) {
		const struct finding *f = &p->finding.v[i];
		v[i].f = *f;
		v[i].has_cost = f->nano != UNKNOWN_NANO;
		v[i].cost_month = v[i].has_cost ? plan_month(p, f->nano) : 0;
		v[i].quality = quality_name(f->quality);
		v[i].currency = p->fleet->currency;
		v[i].subject = each_once(f->subject.v, f->subject.n, mem, &v[i].nsubject);
		action_text_make(f->action.v, f->action.n, &v[i].how);
	}
	return v;
}

void plan_finding_rows_free(struct plan_finding_row *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		action_text_free(&v[i].how);
}

/* ---- refused ----------------------------------------------------------------------------- */

#define IN_REFUSED(member) offsetof(struct plan_refused_row, member)
const struct col plan_refused_cols[] = {
	{ "id", COL_WORD, IN_REFUSED(rec.id), .always = true, .help = "stable from plan to plan" },
	{ "lever", COL_WORD, IN_REFUSED(rec.lever), .always = true, .help = "what kind of change" },
	{ "title", COL_WORD, IN_REFUSED(rec.title), .help = "what it would be" },
	{ "currency", COL_WORD, IN_REFUSED(currency), .csv_only = true },
	{ "why", COL_WORD, IN_REFUSED(why), .help = "it was not taken" },
	{ "alone_month", COL_DEC, IN_REFUSED(alone_month), "money",
	  "saving if it were the only one; null: not worked out", IN_REFUSED(has_alone) },
	{ "risk", COL_WORD, IN_REFUSED(risk), .help = "low, medium or high" },
	{ "effort_days", COL_NUM, IN_REFUSED(rec.effort_days), "d", "of work", .digits = 3 },
	{ "tier", COL_WORD, IN_REFUSED(tier), .help = "sure, trial or binds" },
	{ 0 },
};

struct plan_refused_row *plan_refused_rows(const struct plan *p, struct arena *mem)
{
	struct plan_refused_row *v = arena_zalloc(mem, (p->refused.v.n + 1) * sizeof *v);

	for (size_t i = 0; i < p->refused.v.n; i++) {
		const struct rec *r = p->refused.v.v[i];
		v[i].rec = *r;
		v[i].why = i < p->refused_why.n ? p->refused_why.v[i] : NULL;
		v[i].risk = risk_name(r->risk);
		v[i].tier = tier_name(r->tier);
		v[i].currency = p->fleet->currency;
		v[i].alone_month = plan_month(p, plan_worth(r));
		v[i].has_alone = plan_worth(r) != 0;
	}
	return v;
}
