/* See run_away.h. */
#include "spot/run_away.h"

#include <errno.h>
#include <stdlib.h>

#include "spot/notice_priv.h"
#include "spot/pull.h"
#include "spot/push.h"

static int store(struct run_save *s, struct err *err)
{
	return s->store ? 0 : object_open(s->o->store, NULL, &s->store, err);
}

static int64_t step_of(const char *id)
{
	return strtoll(id, NULL, 10); /* twelve digits, then a dash */
}

int run_away_back(struct run_save *s, struct run_result *r)
{
	struct object_when when = { s->until_ms, notice_wall_ms };
	struct pull_stat st = { 0 };
	char id[40] = "";
	int rc = store(s, &r->err);

	if (rc >= 0)
		rc = pull_newest(s->store, s->o->dir, &when, id, &st, &r->err);
	if (rc > 0)
		r->skipped += st.skipped;
	if (rc > 0 && st.stored_id[0]) /* the folder may have a newer one, which is not there yet */
		r->pulled = step_of(st.stored_id);
	return rc < 0 ? rc : 0;
}

int run_away_push(struct run_save *s, struct run_result *r)
{
	struct push_stat st = { 0 };
	struct err e;
	int removed, rc = store(s, &r->err);

	s->when = (struct object_when){ s->until_ms, notice_wall_ms };
	if (rc >= 0 && !s->push)
		rc = push_open(s->store, s->o->dir, &(struct push_opt){ .news = &s->news }, &s->push, &r->err);
	if (rc >= 0)
		rc = push_newest(s->push, &s->when, r->id, &st, &r->err);
	if (rc > 0) {
		r->step = step_of(r->id);
		r->bytes = r->written_bytes = st.sent_bytes;
		if (s->until_ms == INT64_MAX && !atomic_load(&s->news.deadline_ms)) /* never in the time of a notice */
			push_retain(s->push, &(struct ckpt_keep){ .last = s->o->keep_last > 0 ? s->o->keep_last : 3, .known_good = r->id }, &removed, &e);
	}
	return rc < 0 ? rc : 0;
}

void run_away_close(struct run_save *s)
{
	push_close(s->push);
	object_close(s->store);
	s->push = NULL;
	s->store = NULL;
}
