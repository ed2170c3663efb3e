/*
 * Storage that belongs to nothing any more. Evidence is needed for each: a disk named after
 * machines on which nobody worked in the whole window, or storage of an owner without any work in
 * it. It is snapshotted into the archive and deleted, so that it can come back. Storage without a
 * name or an owner is no evidence and stays; checkpoints that only grow get the advice to let them
 * expire.
 */
#include <math.h>
#include <stdlib.h>

#include "base/tm.h"
#include "plan/levers.h"
#include "plan/work.h"

#define MIN_WINDOW_MS (14 * MS_DAY) /* a shorter history does not show that something is not used */
/* us-east-1, $/GB-month: gp3 0.08, snapshot 0.05, archived snapshot 0.0125. */
#define ARCHIVE_FRAC  (0.0125 / 0.08)
#define SNAPSHOT_FRAC (0.05 / 0.08)
#define NAME_MIN      4 /* letters that a name must share with a machine or cluster */

struct known { /* names of machines and clusters, and whether anybody worked there */
	struct intern name;
	VEC(bool) used;
	struct intern owner; /* with GPU work */
};

static void see(struct known *k, const char *name, bool used)
{
	if (strlen(name) < NAME_MIN)
		return;
	uint32_t i = intern_add(&k->name, sv_of(name));
	if (i == k->used.n)
		*vec_push(&k->used) = false;
	k->used.v[i] |= used;
}

static void learn(const struct fleet *f, struct known *k)
{
	for (size_t i = 0; i < f->work.n; i++) {
		const struct work *w = &f->work.v[i];
		bool used = w->kind != WORK_FREE;
		if (w->kind == WORK_LINE)
			continue;
		see(k, w->node, used);
		see(k, w->cluster, used);
		if (used && (*w->team || *w->user))
			intern_add(&k->owner, sv_of(work_owner(w)));
	}
}

static bool ends_word(char c)
{
	return c == 0 || c == '-' || c == '_' || c == '.' || c == '/' || c == ' ';
}

/* The unused machine or cluster that this storage is named after; NULL. A longer name of something
 * in use wins. */
static const char *named_after(const struct known *k, const char *name)
{
	const char *best = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < k->name.n; i++) {
		struct sv n = k->name.text[i];
		if (!sv_starts(sv_of(name), n) || !ends_word(name[n.n]) || n.n <= longest)
			continue;
		longest = n.n;
		best = k->used.v[i] ? NULL : intern_z(&k->name, (uint32_t)i);
	}
	return best;
}

static bool is_checkpoints(const char *name)
{
	return sv_ihas(sv_of(name), SV("checkpoint")) || sv_ihas(sv_of(name), SV("ckpt"));
}

static void propose_orphan(const struct lever_in *in, struct rec_list *out, size_t i,
			   const char *why, const char *of)
{
	const struct work *w = &in->fleet->work.v[i];
	struct rec *r = rec_new(in, out, "storage", *w->name ? w->name : of);
	struct rec_change *c = rec_change(in, r, (uint32_t)i);
	double cost = (double)in->use[i].cost_nano;

	c->after.cost_nano = (int64_t)(cost * ARCHIVE_FRAC);
	c->lo_nano = 0;
	c->hi_nano = (int64_t)(cost * SNAPSHOT_FRAC);
	r->risk = RISK_MEDIUM;
	r->effort_days = 1;
	r->within_days = 7;
	r->confidence_frac = 0.8;
	r->team = w->team;
	r->title = arena_printf(in->mem, "archive and delete storage '%s': %s %s",
				*w->name ? w->name : w->resource, why, of);
	rec_subject(in, r, "team", w->team);
	rec_subject(in, r, "name", w->name);
	rec_subject(in, r, "resource", w->resource);
	rec_evidence(in, r, QUALITY_MEASURED, "GPU work there in the window", "GPU·h", "ledger",
		     "0");
	rec_evidence(in, r, QUALITY_ASSUMED, "archive, of the price of the disk", "frac",
		     "list prices, us-east-1", "%.3f (0 to %.3f)", ARCHIVE_FRAC, SNAPSHOT_FRAC);
	rec_action(r, ACTION_ARCHIVE)->archive =
		(struct action_archive){ .provider = raw_name(w->provider),
					 .region = raw_name(w->region),
					 .name = raw_name(w->name),
					 .resource = raw_name(w->resource) };
	rec_risk(in, r, "Something without a GPU may read it: ask its owner before the deletion.");
}

static void propose_expiry(const struct lever_in *in, struct rec_list *out, size_t i)
{
	const struct work *w = &in->fleet->work.v[i];
	struct rec *r = rec_new(in, out, "storage", arena_printf(in->mem, "expire-%s", w->name));
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
	rec_evidence(in, r, QUALITY_MEASURED, "cost in the window", in->fleet->currency, "bill",
		     "%.2f", (double)in->use[i].cost_nano / 1e9);
	rec_action(r, ACTION_EXPIRE)->expire =
		(struct action_expire){ .bucket = raw_name(w->resource), .days = 30 };
	rec_risk(in, r, "What has expired does not come back; keep the last one of each run.");
}

int lever_storage_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct known k = { 0 };

	(void)err;
	learn(in->fleet, &k);
	for (size_t i = 0; i < in->fleet->work.n; i++) {
		const struct work *w = &in->fleet->work.v[i];
		if (w->kind != WORK_LINE || w->line_kind != KIND_STORAGE ||
		    in->use[i].cost_nano <= 0 || work_is_frozen(in, w, "storage"))
			continue;
		const char *of = *w->name ? named_after(&k, w->name) : NULL;
		bool known = in->fleet->until_ms - in->fleet->since_ms >= MIN_WINDOW_MS;
		if (of && known)
			propose_orphan(in, out, i, "named after machines nobody uses,", of);
		else if (known && (*w->team || *w->user) &&
			 intern_find(&k.owner, sv_of(work_owner(w))) < 0)
			propose_orphan(in, out, i, "no GPU work by", work_owner(w));
		else if (is_checkpoints(w->name))
			propose_expiry(in, out, i);
		else if (!*w->team && !*w->user && !*w->name)
			plan_note(
				in,
				"storage without a name or an owner is left alone: tag it, and what belongs to nothing shows");
	}
	intern_free(&k.name);
	intern_free(&k.owner);
	vec_free(&k.used);
	return 0;
}
