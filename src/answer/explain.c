#include "answer/explain.h"

#include <errno.h>

#include "base/near.h"
#include "base/str.h"
#include "base/tm.h"
#include "ledger/tagset.h"
#include "store/store.h"

static bool is_job(const struct fleet *f, const char *id)
{
	for (size_t i = 0; i < f->workload.n; i++)
		if (!strcmp(f->workload.v[i].job, id))
			return true;
	return false;
}

/* All jobs that were told of: much to read, so once, and only where it is asked for. */
struct listed {
	const struct plan_ask *q;
	struct allocation *v; /* [n] */
	size_t n;
	bool read;
};

static void read_listed(struct listed *l)
{
	const struct ask *ask = &l->q->ask;
	struct err ignored;

	if (!l->read && ask->store &&
	    store_allocations(ask->store, &SCOPES_ALL, ask->mem, &l->v, &l->n, &ignored) < 0)
		l->n = 0;
	l->read = true;
}

/* The job whose own number in Slurm it is, or NULL. */
static const char *numbered_job(struct listed *l, const struct fleet *f, const char *id)
{
	struct arena *mem = l->q->ask.mem;

	read_listed(l);
	for (size_t i = 0; i < l->n; i++)
		if (sv_is(tagset_slurm_number(mem, l->v[i].tags), id)) {
			const char *job = arena_strn(mem, l->v[i].job_id.p, l->v[i].job_id.n);
			if (is_job(f, job))
				return job;
		}
	return NULL;
}

#define ELEMENTS_NAMED 4

/* These ids of the job, in the memory of the question. */
static struct job_parts parts_of(struct arena *mem, const char *name, const struct intern *ids)
{
	const char **id = arena_alloc(mem, ids->n * sizeof *id);

	for (size_t i = 0; i < ids->n; i++)
		id[i] = arena_strn(mem, ids->text[i].p, ids->text[i].n);
	return (struct job_parts){ name, id, ids->n };
}

static struct job_parts one_part(struct arena *mem, const char *job)
{
	const char **id = arena_alloc(mem, sizeof *id);

	*id = job;
	return (struct job_parts){ job, id, 1 };
}

/* All ids in the history that are id with this sign and something behind it. */
static void find_behind(const struct fleet *f, const char *id, char sign, struct intern *out)
{
	size_t len = strlen(id);

	for (size_t i = 0; i < f->workload.n; i++) {
		const char *job = f->workload.v[i].job;
		if (!strncmp(job, id, len) && job[len] == sign)
			intern_add(out, sv_of(job));
	}
}

/*
 * What Slurm calls id: an element of an array has a number of its own, and the array has the first
 * one's; so have the components of a heterogeneous job ("12+0", "12+1"), which are started together
 * and are one job. 1: *ret_job is the one job that it is; 0: none; -ENOENT: several, and err names
 * them.
 */
static int slurm_job(struct listed *l, const struct fleet *f, const char *id, const char *store,
		     struct job_parts *ret_job, struct err *err)
{
	struct arena *mem = l->q->ask.mem;
	struct intern element = { 0 };
	struct str some = { 0 };
	const char *numbered = NULL;

	find_behind(f, id, '+', &element);
	if (element.n) {
		*ret_job = parts_of(mem, id, &element);
		intern_free(&element);
		return 1;
	}
	find_behind(f, id, '_', &element);
	size_t n = element.n;
	for (size_t i = 0; i < n && i < ELEMENTS_NAMED; i++)
		str_addf(&some, "%s%.*s", text_if(i, ", "), SVF(element.text[i]));
	if (n == 1)
		numbered = arena_strn(mem, element.text[0].p, element.text[0].n);
	else if (!n)
		numbered = numbered_job(l, f, id);
	if (numbered)
		*ret_job = one_part(mem, numbered);
	if (n > 1) {
		err_set(err, -ENOENT, "'%s' is %zu jobs: %s%s", id, n, str_z(&some),
			text_if(n > ELEMENTS_NAMED, ", ..."));
		err_hint(
			err,
			"Ask for one: tare explain %.*s%s. Arrays as a whole: tare report --by run%s",
			SVF(element.text[0]), store, store);
	}
	intern_free(&element);
	str_free(&some);
	if (n > 1)
		return -ENOENT;
	return numbered != NULL;
}

#define ADVICE_NAMED 6

static int refuse_unknown(const struct plan *p, const char *word, const char *store,
			  struct err *err)
{
	VEC(const char *) ids = { 0 };
	const char *near;

	for (size_t i = 0; i < p->rec.v.n; i++)
		*vec_push(&ids) = p->rec.v.v[i]->id;
	for (size_t i = 0; i < p->advice.v.n; i++)
		*vec_push(&ids) = p->advice.v.v[i]->id;
	near = ids.n ? near_word(word, ids.v, ids.n) : NULL;
	err_set(err, -ENOENT,
		"'%s' is neither a recommendation of the plan nor a job of the history", word);
	if (near)
		err_hint(err, "Did you mean '%s'?", near);
	else {
		/* The ids of advice, which has no numbers. */
		struct str text = { 0 };
		size_t n = p->advice.v.n;

		for (size_t i = 0; i < n && i < ADVICE_NAMED; i++)
			str_addf(&text, "%s%s", text_if(i, ", "), p->advice.v.v[i]->id);
		if (n > ADVICE_NAMED)
			str_addf(&text, " and %zu more (tare plan -o json%s)", n - ADVICE_NAMED,
				 store);
		if (n)
			err_hint(err, "Numbers are those of: tare plan%s. Ids of advice: %s", store,
				 str_z(&text));
		else
			err_hint(err, "Numbers and ids are those of: tare plan%s", store);
		str_free(&text);
	}
	vec_free(&ids);
	return -ENOENT;
}

/* A job that a list has and the ledger has not. */
static bool is_listed(struct listed *l, const char *id)
{
	read_listed(l);
	for (size_t i = 0; i < l->n; i++)
		if (sv_is(l->v[i].job_id, id))
			return true;
	return false;
}

/* The id that number n was printed with. */
static const char *id_of(const struct plan *p, const struct plan_last *last, const char *word,
			 int64_t n)
{
	struct err quiet;

	if (last->n)
		return plan_last_id(last, word, &quiet);
	return p->rec.v.v[n - 1]->id;
}

/* Dismissed, and the plan of now would not say it anyway. */
static int refuse_dismissed(const struct plan_mark *no, const char *store, struct err *err)
{
	char day[TM_BUF];

	err_set(err, -ENOENT,
		"'%s' was dismissed%s%s on %s (%s), and this plan would not say it: %s", no->id,
		text_if(*no->user, " by "), no->user, tm_format_date(day, no->at_ms),
		filled_or(no->reason, "no reason was given"),
		no->said ? no->said->words : "the store or the settings have changed");
	err_hint(err, "Forget the decision: tare plan reset %s%s", no->id, store);
	return -ENOENT;
}

int answer_explain(const struct plan_ask *q, const struct plan_last *last,
		   const struct plan_answer *a, const char *word, struct explain *ret,
		   struct err *err)
{
	const struct plan *p = &a->plan;
	const char *store = last->store;
	struct listed listed = { .q = q };
	size_t most = last->n ? last->n : p->rec.v.n;
	int64_t n = 0;
	bool whole = sv_i64(sv_of(word), &n) == 0;
	bool number = whole && n >= 1 && (uint64_t)n <= most;
	const char *id = number ? id_of(p, last, word, n) : word;
	size_t at = plan_place(p, id);

	*ret = (struct explain){ .kind = EXPLAIN_REC, .rec = at };
	if (at != SIZE_MAX)
		return 0;
	ret->rec = plan_advice_place(p, word);
	if (ret->rec != SIZE_MAX) {
		ret->kind = EXPLAIN_ADVICE;
		return 0;
	}
	const struct plan_mark *no = NULL;
	for (size_t i = 0; i < a->mark.n && !no; i++)
		if (a->mark.v[i].word == PLAN_DISMISSED && !strcmp(a->mark.v[i].id, id))
			no = &a->mark.v[i];
	ret->rec = plan_refused_place(p, id);
	if (no && ret->rec != SIZE_MAX) {
		ret->kind = EXPLAIN_DISMISSED;
		return 0;
	}
	if (no)
		return refuse_dismissed(no, store, err);
	if (is_job(&a->fleet, word)) {
		ret->kind = EXPLAIN_JOB;
		ret->job = one_part(q->ask.mem, word);
		return 0;
	}
	if (number) {
		err_set(err, -ENOENT,
			"'%s', number %s of the last plan, is not in the plan any more: the store or the settings have changed",
			id, word);
		err_hint(err, "Make a new one: tare plan%s", store);
		return -ENOENT;
	}
	size_t refused = plan_refused_place(p, word);
	if (refused != SIZE_MAX) {
		err_set(err, -ENOENT, "'%s' (%s) is not in the plan: %s",
			p->refused.v.v[refused]->id, p->refused.v.v[refused]->title,
			p->refused_why.v[refused]);
		err_hint(err, "All that was not taken: tare plan --refused%s", store);
		return -ENOENT;
	}
	int found = slurm_job(&listed, &a->fleet, word, store, &ret->job, err);
	if (found < 0)
		return found;
	if (found) {
		ret->kind = EXPLAIN_JOB;
		return 0;
	}
	if (is_listed(&listed, word)) {
		err_set(err, -ENOENT,
			"the job '%s' has no time in the ledger: it held no GPU, or its machine was not paid for then",
			word);
		err_hint(err, "Machines and when they are paid for: tare report --by node,day%s",
			 store);
		return -ENOENT;
	}
	if (whole && last->n) {
		const char *asked = plan_asked_words(&q->asked, q->ask.mem);

		err_set(err, -ENOENT,
			"the last plan has %zu recommendation%s, and there is no job '%s'", last->n,
			plural(last->n), word);
		err_hint(err, "See it again: tare plan%s%s%s", text_if(*asked, " "), asked, store);
		return -ENOENT;
	}
	return refuse_unknown(p, word, store, err);
}
