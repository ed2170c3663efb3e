/* See run_away.h. */
#include "base/tm.h"
#include "run/run_away.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ckpt/pull.h"
#include "ckpt/push.h"
#include "run/run_known.h"

#define KNOWN_MS 30000 /* a small object */

static int store(struct run_save *s, struct err *err)
{
	if (s->store)
		return 0;
	return object_open(s->o->store, NULL, &s->store, err);
}

static int64_t step_of(const char *id)
{
	return strtoll(id, NULL, 10); /* twelve digits, then a dash */
}

/* What cannot be had or put is measured again: nothing is wrong for it. */
static void bring_known(struct run_save *s)
{
	struct object_when when = { tm_steady_ms() + KNOWN_MS, tm_steady_ms };
	char text[RUN_KNOWN_MAX];
	struct run_known k;
	struct err e;
	uint64_t n = 0;
	int fd = open(s->o->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && faccessat(fd, "measured", F_OK, AT_SYMLINK_NOFOLLOW) < 0 &&
	    object_get(s->store, "measured", 0, sizeof text, -1, 0, text, &when, &n, &e) >= 0 &&
	    n <= sizeof text && run_known_parse((struct sv){ text, (size_t)n }, &k, &e) == 0)
		run_known_save(fd, &k);
	if (fd >= 0)
		close(fd);
}

int run_away_back(struct run_save *s, struct run_result *r)
{
	struct object_when when = { s->until_ms, tm_steady_ms };
	struct pull_stat st = { 0 };
	char id[CKPT_ID_BYTES] = "";
	int rc = store(s, &r->err);

	if (rc >= 0)
		bring_known(s);
	if (rc >= 0)
		rc = pull_newest(s->store, s->o->dir, &when, id, &st, &s->damage, &r->err);
	if (rc > 0 && st.stored_id[0]) /* the folder may have a newer one, which is not there yet */
		r->pulled = step_of(st.stored_id);
	if (rc < 0)
		return rc;
	return 0;
}

/* In a fifth of the time that is left: nobody is notified that the checkpoint is safe before this
 * is over. */
static void put_known(struct run_save *s)
{
	int64_t told = atomic_load(&s->news.deadline_ms), now = tm_steady_ms(),
		until = told && told < s->until_ms ? told : s->until_ms;
	struct object_when when = { until - now > 5 * KNOWN_MS ? now + KNOWN_MS
							       : now + (until - now) / 5,
				    tm_steady_ms };
	char path[4200], text[RUN_KNOWN_MAX];
	struct err e;

	snprintf(path, sizeof path, "%s/measured", s->o->dir);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = -1;
	if (fd >= 0)
		n = read(fd, text, sizeof text);
	if (fd >= 0)
		close(fd);
	if (n > 0)
		object_put(s->store, "measured",
			   &(struct object_src){ .mem = text, .fd = -1, .bytes = (uint64_t)n },
			   NULL, false, &when, NULL, &e);
}

int run_away_push(struct run_save *s, struct run_result *r)
{
	struct push_stat st = { 0 };
	struct err e;
	int removed, rc = store(s, &r->err);

	s->when = (struct object_when){ s->until_ms, tm_steady_ms };
	if (rc >= 0 && !s->push)
		rc = push_open(s->store, s->o->dir,
			       &(struct push_opt){ .news = &s->news, .damage = &s->damage },
			       &s->push, &r->err);
	if (rc >= 0)
		rc = push_newest(s->push, &s->when, r->id, &st, &r->err);
	if (rc > 0) {
		r->step = step_of(r->id);
		r->bytes = r->written_bytes = st.sent_bytes;
		put_known(s);
		/* never in the time of a notice */
		if (s->until_ms == INT64_MAX && !atomic_load(&s->news.deadline_ms))
			push_retain(s->push,
				    &(struct ckpt_keep){
					    .last = s->o->keep_last > 0 ? s->o->keep_last : 3,
					    .known_good = r->id },
				    &removed, &e);
	}
	if (rc < 0)
		return rc;
	return 0;
}

void run_away_close(struct run_save *s)
{
	push_close(s->push);
	object_close(s->store);
	s->push = NULL;
	s->store = NULL;
}
