/*
 * Storage that belongs to nothing any more. Evidence is needed for each: a disk named after
 * machines on which nobody worked, or storage of an owner whose GPU work has ended, for
 * storage_days in which it was paid and the history would have shown it. It is snapshotted into the
 * archive and deleted, so that it can come back. Never Ready: no file tells who read it without a
 * GPU. An owner who never had a GPU here is no evidence, a web team's bucket serves the web; nor is
 * a missing name or owner. What the bill does not name by its id stays: nobody could tell which one
 * is meant. Checkpoints that only grow get the advice to let them expire.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "base/among.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "plan/levers.h"
#include "plan/workload.h"

#define LATE_MS \
	(2 * MS_DAY) /* a bill ends so long before the rest; without a later line it is gone */
/* us-east-1, $/GB-month: gp3 0.08, snapshot 0.05, archived snapshot 0.0125. */
#define ARCHIVE_FRAC  (0.0125 / 0.08)
#define SNAPSHOT_FRAC (0.05 / 0.08)
#define NAME_MIN      4 /* letters that a name must share with a machine or cluster */

struct last_use { /* names, and when somebody worked there last; INT64_MIN: never */
	struct intern name;
	VEC(int64_t) at_ms;
};
struct known {
	struct last_use place; /* machines and clusters */
	struct last_use owner; /* with GPU work, by the letters and digits of the name */
	struct arena *mem;
};

/* "NLP-Team" and "nlp team" are one. */
static const char *plain_name(const struct known *k, const char *name)
{
	char *z = arena_strn(k->mem, name, strlen(name)), *to = z;

	for (const char *p = z; *p; p++) {
		unsigned char c = (unsigned char)*p;
		if (isalnum(c) || c >= 0x80)
			*to++ = (char)tolower(c);
	}
	*to = 0;
	return z;
}

static void see_use(struct last_use *l, const char *name, int64_t at_ms)
{
	uint32_t i = intern_add(&l->name, sv_of(name));

	if (i == l->at_ms.n)
		*vec_push(&l->at_ms) = INT64_MIN;
	l->at_ms.v[i] = max_i64(at_ms, l->at_ms.v[i]);
}

static void see_place(struct known *k, const char *name, int64_t at_ms)
{
	if (strlen(name) >= NAME_MIN)
		see_use(&k->place, name, at_ms);
}

static void last_use_free(struct last_use *l)
{
	intern_free(&l->name);
	vec_free(&l->at_ms);
}

static void propose_orphan(const struct lever_in *in, struct rec_list *out, size_t i,
			   const char *why, const char *of, double days)
{
	const struct workload *w = &in->fleet->workload.v[i];
	struct rec *r = rec_new(in, out, "storage", filled_or(w->name, of));
	struct rec_change *c = rec_change(in, r, (uint32_t)i);
	double cost = (double)in->use[i].cost_nano;

	c->after.cost_nano = (int64_t)(cost * ARCHIVE_FRAC);
	c->lo_nano = 0;
	c->hi_nano = (int64_t)(cost * SNAPSHOT_FRAC);
	rec_tier(r, TIER_TRIAL);
	r->risk = RISK_MEDIUM;
	r->effort_days = 1;
	r->within_days = 7;
	r->confidence_frac = 0.8;
	r->team = w->team;
	r->title = arena_printf(in->mem, "archive and delete storage '%s': %s %s",
				filled_or(w->name, w->resource), why, of);
	rec_subject(in, r, "team", w->team);
	rec_subject(in, r, "name", w->name);
	rec_subject(in, r, "resource", w->resource);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "paid, and no GPU work there",
					.unit = "d", .source = "bill, ledger" },
		     "%.0f", floor(days));
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ASSUMED, "archive, of the price of the disk",
					.unit = "frac", .source = "list prices, us-east-1" },
		     "%.3f (0 to %.3f)", ARCHIVE_FRAC, SNAPSHOT_FRAC);
	rec_action(r, ACTION_ARCHIVE)->archive =
		(struct action_archive){ .provider = raw_name(w->provider),
					 .region = raw_name(w->region),
					 .name = raw_name(w->name),
					 .resource = raw_name(w->resource),
					 .kept_days = in->conf->gates.storage_kept_days };
	rec_risk(in, r, "Something without a GPU may read it: ask its owner before the deletion.");
}

/* What stands for its not being used: a machine's name, or an owner; NULL: nothing does. */
static const char *evidence_of(const struct known *k, const struct workload *w,
			       const char **ret_why, int64_t *ret_used_ms)
{
	const char *of = NULL;

	if (*w->name) {
		/* The machine or cluster that this storage is named after, by the longest name;
		 * NULL. */
		const char *named_after = NULL;
		size_t longest = 0;

		for (size_t j = 0; j < k->place.name.n; j++) {
			struct sv n = k->place.name.text[j];
			if (!sv_starts(sv_of(w->name), n) || n.n <= longest)
				continue;
			char next = w->name[n.n];
			if (next && !char_among(next, "-_./ ")) /* not a whole word */
				continue;
			longest = n.n;
			named_after = intern_z(&k->place.name, (uint32_t)j);
			*ret_used_ms = k->place.at_ms.v[j];
		}
		of = named_after;
	}
	*ret_why = "named after machines nobody uses,";
	if (of || (!*w->team && !*w->user))
		return of;
	int64_t i = intern_find(&k->owner.name, sv_of(plain_name(k, workload_owner(w))));
	*ret_why = "no GPU work by";
	if (i < 0)
		return NULL;
	*ret_used_ms = k->owner.at_ms.v[i];
	return workload_owner(w);
}

static void propose_storage(const struct lever_in *in, struct rec_list *out, const struct known *k,
			    size_t i)
{
	const struct workload *w = &in->fleet->workload.v[i];
	double least = in->conf->gates.storage_days;
	int64_t used_ms = INT64_MIN;
	const char *why, *of = evidence_of(k, w, &why, &used_ms);
	bool checkpoints = sv_ihas(sv_of(w->name), SV("checkpoint")) ||
			   sv_ihas(sv_of(w->name), SV("ckpt"));
	double days = 0;

	/* Days at the end of the history in which it was paid and not used; 0: it is gone, or in
	 * use. */
	int64_t from = max_i64(max_i64(w->start_ms, in->fleet->since_ms), used_ms),
		until = in->fleet->until_ms;
	bool gone = w->start_ms == UNKNOWN_MS || w->end_ms < until - LATE_MS;
	if (of && !gone && from < until)
		days = (double)(until - from) / (double)MS_DAY;
	const char *no_resource = "of which the bill names no resource";
	if (!*w->name)
		no_resource = "without a tag `Name`, by which the resource is found";
	else if (w->several_resources)
		no_resource = "whose tag `Name` several resources of the bill have";
	if (!*w->resource && (*w->name || *w->team || *w->user))
		lever_left(in, "bill lines of storage", no_resource, 1);
	else if (days >= least)
		propose_orphan(in, out, i, why, of, days);
	else if (checkpoints) {
		struct rec *r = rec_new(in, out, "storage",
					arena_printf(in->mem, "expire-%s", w->name));
		r->advice = true;
		r->risk = RISK_HIGH;
		r->effort_days = 1;
		r->within_days = 14;
		r->confidence_frac = 0.5;
		r->team = w->team;
		r->p05_nano = 0;
		r->p95_nano = in->use[i].cost_nano * 9 / 10;
		r->saving_nano = r->p95_nano / 2;
		r->title = arena_printf(in->mem, "let old checkpoints in '%s' expire", w->name);
		rec_subject(in, r, "name", w->name);
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED, "cost in the window",
						.unit = in->fleet->currency, .source = "bill" },
			     "%.2f", (double)in->use[i].cost_nano / 1e9);
		rec_action(r, ACTION_EXPIRE)->expire =
			(struct action_expire){ .bucket = raw_name(w->resource), .days = 30 };
		rec_risk(in, r,
			 "What has expired does not come back; keep the last one of each run.");
	} else if (days > 0 && used_ms == INT64_MIN)
		plan_note(
			in,
			"storage '%s' (%s %s) is left alone: %.0f days of history show no use, %g are asked for",
			filled_or(w->name, w->resource), why, of, floor(days), least);
	else if (!*w->team && !*w->user && !*w->name)
		plan_note(
			in,
			"storage without a name or an owner is left alone: tag it, and what belongs to nothing shows");
	else
		lever_left(in, "bill lines of storage",
			   of ? "of machines or owners that work, or gone"
			      : "of nothing that this history tells of",
			   1);
}

int lever_storage_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct known k = { .mem = in->mem };

	(void)err;
	for (size_t i = 0; i < in->fleet->workload.n; i++) {
		const struct workload *w = &in->fleet->workload.v[i];
		int64_t at = INT64_MIN;
		if (w->kind != WORKLOAD_FREE)
			at = w->end_ms;
		if (w->kind == WORKLOAD_LINE)
			continue;
		see_place(&k, w->node, at);
		see_place(&k, w->cluster, at);
		if (w->kind != WORKLOAD_FREE && (*w->team || *w->user))
			see_use(&k.owner, plain_name(&k, workload_owner(w)), at);
	}
	for (size_t i = 0; i < in->fleet->workload.n; i++) {
		const struct workload *w = &in->fleet->workload.v[i];
		if (w->kind == WORKLOAD_LINE && w->line_kind == KIND_STORAGE &&
		    in->use[i].cost_nano > 0 && !workload_is_frozen(in, w, "storage"))
			propose_storage(in, out, &k, i);
	}
	last_use_free(&k.place);
	last_use_free(&k.owner);
	return 0;
}
