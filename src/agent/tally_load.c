/* The account of time goes on where the last run of the agent ended. See tally.h. */
#include "agent/tally_in.h"
#include "base/num.h"

#include <stdio.h>

/* Holds and intervals of one set of tables; the last interval goes on. */
static int load_account(struct tally *b, struct agentdb *db, struct arena *a, bool held,
			struct err *err)
{
	struct agentdb_hold *o = NULL;
	struct agentdb_watched *w = NULL;
	size_t no = 0, nw = 0;
	agentdb_hold_back(db, held);
	int r = agentdb_holds(db, 0, a, &o, &no, err);
	if (r >= 0)
		r = agentdb_watches(db, a, &w, &nw, err);
	agentdb_hold_back(db, false);
	for (size_t i = 0; r >= 0 && i < no && held == b->held; i++) {
		/* What was held when the last run ended is held on until a tick says otherwise. */
		const struct agentdb_hold *h = &o[i];
		for (size_t k = 0; k < b->dev.n && h->open; k++)
			if (b->dev.v[k]->id == h->dev)
				*vec_push(&b->dev.v[k]->part) =
					(struct tally_part){ .owner = h->owner,
							     .hold = h->id,
							     .share_ppb = h->share_ppb,
							     .from_ms = h->from_ms };
	}
	if (r < 0 || !nw)
		return r;
	bool goes_on = held == b->held;
	for (size_t i = 0; i < nw - goes_on; i++)
		spans_put(held ? &b->kept : &b->taken, (struct span){ w[i].from_ms, w[i].to_ms });
	b->end_ms = w[nw - 1].to_ms;
	if (goes_on)
		b->watched = w[nw - 1];
	return r;
}

int tally_load(struct tally *b, struct agentdb *db, bool held, struct err *err)
{
	struct arena a = { 0 };
	struct agentdb_device *d = NULL;
	struct agentdb_owner *h = NULL;
	size_t nd = 0, nh = 0;
	b->held = held;
	int r = agentdb_devices(db, &a, &d, &nd, err);
	if (r >= 0)
		r = agentdb_owners(db, 0, &a, &h, &nh, err);
	for (size_t i = 0; r >= 0 && i < nd; i++) {
		char uuid[96];
		snprintf(uuid, sizeof uuid, "%.*s", SVF(d[i].uuid));
		struct tally_dev *n = tally_dev_new(b, uuid, d[i].index);
		n->id = d[i].id;
		n->d = d[i];
		n->d.uuid = arena_keep(&b->mem, d[i].uuid);
		n->d.name = arena_keep(&b->mem, d[i].name);
		n->d.model = arena_keep(&b->mem, d[i].model);
		n->d.bus_id = arena_keep(&b->mem, d[i].bus_id);
		n->d.mig_profile = arena_keep(&b->mem, d[i].mig_profile);
	}
	for (size_t i = 0; r >= 0 && i < nh; i++)
		*vec_push(&b->owner) =
			(struct tally_owner){ .id = h[i].id,
					      .key = tally_owner_key(&h[i].a),
					      .content = tally_owner_content(&h[i].a) };
	if (r >= 0) {
		/* Numbers go on behind the largest there is, held back or not. */
		struct {
			const char *what;
			int64_t *next;
		} ids[] = { { "device", &b->next_dev },
			    { "holder", &b->next_owner },
			    { "hold", &b->next_hold },
			    { "event", &b->next_event },
			    { "watched", &b->next_watched } };
		int64_t rev = 0;
		r = agentdb_last_of_all(db, "rev", &rev, err);
		b->rev = max_i64(rev, b->rev);
		for (size_t i = 0; r >= 0 && i < sizeof ids / sizeof *ids; i++) {
			int64_t last = 0;
			r = agentdb_last_of_all(db, ids[i].what, &last, err);
			*ids[i].next = max_i64(last + 1, *ids[i].next);
		}
	}
	if (r >= 0)
		r = load_account(b, db, &a, false, err);
	if (r >= 0 && held)
		r = load_account(b, db, &a, true, err);
	arena_free(&a);
	return r;
}
