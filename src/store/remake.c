/* The ledger made again on a copy of the facts (remake.h). Telemetry and control state are not
 * touched: they hold raw readings and what people said, and their batches are those of before. */
#include "store/remake.h"

#include <errno.h>

#include "store/control.h"
#include "store/inside.h"

int store_remake_begin(struct store *s, struct err *err)
{
	int r;

	if (s->mode != STORE_WRITE || s->in_tx)
		r = err_set(err, -EPERM, "the store is not open for writing");
	else
		r = facts_remake_begin(s->facts, telemetry_fill, s, err);
	if (r)
		store_remake_drop(s);
	return r;
}

int store_remake_clear(struct store *s, struct err *err)
{
	if (!facts_remaking(s->facts) || !s->in_tx)
		return store_not_in_tx(err);
	return facts_remake_clear(s->facts, err);
}

int store_remake_bills(struct store *s, store_route_fn *route, void *ctx, struct err *err)
{
	if (s->in_tx)
		return facts_remake_bills(s->facts, route, ctx, err);
	return store_not_in_tx(err);
}

int store_remake_end(struct store *s, int64_t now_ms, const char *command, struct err *err)
{
	int r = facts_remake_end(s->facts, err);
	struct err unwritten;

	if (facts_remaking(s->facts))
		store_remake_drop(s);
	else
		control_journal(s->dir, now_ms, command, s->last_batch, "committed", &unwritten);
	return r;
}

void store_remake_drop(struct store *s)
{
	struct err ignored;

	if (s->in_tx)
		store_rollback(s);
	s->last_batch = -1;
	if (facts_remake_drop(s->facts) == 0)
		store_last_batch(s, &ignored);
}
