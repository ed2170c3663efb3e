/* Sending one checkpoint: its data, then what makes it one; and whether it goes on when a newer one
 * comes. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/num.h"
#include "base/tm.h"
#include "ckpt/push_look.h"
#include "ckpt/push_priv.h"

#define TURN_S 0.5 /* between two thoughts of giving up: what is missing is counted again */

static bool is_to_be_cut(struct push_send *x, uint64_t under_way)
{
	struct push_turn t = push_rates(x->p);
	struct ckpt_list l = { 0 };
	struct push_send y = { 0 };
	double span = tm_awake_s() - x->began, flown = (double)(x->arrived + under_way - x->first);
	bool cut = false;

	if (span > TURN_S && flown > MEASURED_LEAST)
		t.bytes_s = flown / span;
	t.left_ms = x->when.deadline_ms - object_now_ms(&x->when);
	t.old_left = x->there ? 0 : x->manifest.n;
	for (size_t i = x->at; i < x->v.n; i++)
		t.old_left += x->v.v[i].bytes;
	t.old_left -= min_u64(x->arrived + under_way, t.old_left);
	if (ckpt_list(x->p->d, &l, NULL) == 0 && l.v.n && strcmp(l.v.v[0].id, x->c.id) > 0 &&
	    push_find(x->p, l.v.v[0].id, &y, NULL) == 0) {
		/* What the newest still needs, where the file x->at is cut (now) or all of x is
		 * there (after). */
		t.new_now = t.new_after = y.there ? 0 : y.manifest.n;
		for (size_t i = 0; i < y.v.n; i++) {
			const char *name = y.c.data.v[y.v.v[i].data].name;
			size_t k = 0;
			while (k < x->v.n && strcmp(x->c.data.v[x->v.v[k].data].name, name) != 0)
				k++;
			if (k == x->v.n)
				t.new_after += y.v.v[i].bytes;
			if (k == x->v.n || k > x->at)
				t.new_now += y.v.v[i].bytes;
			else if (k == x->at)
				t.new_now += y.v.v[i].bytes - min_u64(x->arrived, y.v.v[i].bytes);
		}

		cut = push_turn_cut(&t);
	}
	if (cut && !isnan(t.bytes_s))
		x->p->bytes_s = t.bytes_s; /* the newest is chosen by what was seen just now */
	push_send_free(&y);
	ckpt_list_free(&l);
	return cut;
}

/* See struct object_when. */
static int turn(void *ctx, uint64_t arrived, uint64_t under_way)
{
	struct push_send *x = ctx;
	struct push_news *n = x->p->opt.news;
	int64_t deadline = atomic_load(&n->deadline_ms);
	double now = tm_awake_s();

	if (!x->began)
		x->began = now, x->first = arrived;
	x->arrived = arrived;
	/* a notice may be withdrawn */
	x->when.deadline_ms = deadline && deadline < x->told_ms ? deadline : x->told_ms;
	if (!deadline || !atomic_load(&n->newer) || now - x->thought < TURN_S)
		return 0;
	x->thought = now;
	if (is_to_be_cut(x, under_way))
		return -ECANCELED;
	return 0;
}

static int send_piece(struct push_send *x, size_t i, struct push_stat *st, struct err *err)
{
	const struct push_piece *piece = &x->v.v[i];
	struct push_look look = { 0 };
	struct str key = { 0 }, hashes = { 0 };
	char tag[40];
	uint64_t sent = 0;
	double start = tm_awake_s();
	int rc;

	x->at = i;
	x->arrived = x->first = 0;
	x->began = 0;
	push_look_init(&look, &x->c, piece->data, piece->fd, &hashes);

	/* What a try that was cut and this one must have in common. */
	str_addf(&hashes, " %" PRIu64 " %s", piece->bytes, x->p->token);
	struct ckpt_hash h = ckpt_hash_of(hashes.p, hashes.n);
	for (size_t k = 0; k < sizeof h.b; k++)
		snprintf(tag + 2 * k, 3, "%02x", h.b[k]);

	str_addf(&key, "data/%s", x->c.data.v[piece->data].name);
	/* bytes that do not hold here would not hold there: each part is compared before it is
	 * sent */
	struct object_src src = { .fd = piece->fd,
				  .bytes = piece->bytes,
				  .look = x->p->opt.trust ? NULL : push_look_at,
				  .look_ctx = &look };
	x->when.turn = x->p->opt.news ? turn : NULL; /* not of what is small */
	x->when.turn_ctx = x;
	rc = object_put(x->p->s, str_z(&key), &src, tag, false, &x->when, &sent, err);
	x->when.turn = NULL;
	if (rc == -EBADMSG)
		err_set(err, rc, "checkpoint '%s' cannot be sent: '%s' is damaged", x->c.id,
			x->c.data.v[piece->data].name);
	st->sent_bytes += sent;
	st->files += rc == 0;
	if (rc == 0)
		push_measured(x->p, sent, tm_awake_s() - start);
	vec_free(&look.chunk);
	str_free(&hashes);
	str_free(&key);
	return rc;
}

/* The manifest makes the checkpoint: only now, with every data file seen there in its length, and
 * nobody come between. */
static int send_manifest(struct push_send *x, const struct object_when *when, struct push_stat *st,
			 struct err *err)
{
	struct push *p = x->p;
	char key[64];
	int rc = remote_list(p->s, &p->there, err);

	if (rc == 0)
		rc = push_check_runs(p, push_run_of(x->c.id), when, err);
	if (rc == 0 && !remote_whole(&p->there, &x->c))
		rc = err_set(err, -EIO,
			     "'%s' does not have all data of checkpoint '%s' although it said so",
			     object_url(p->s), x->c.id);
	if (rc < 0)
		return rc;
	snprintf(key, sizeof key, "ckpt/%s", x->c.id);
	rc = push_put_text(p, key, str_sv(&x->manifest), true, when, err);
	if (rc == 0)
		st->sent_bytes += x->manifest.n;
	st->files += rc == 0;
	if (rc == 0)
		rc = remote_list(p->s, &p->there, err);
	if (rc == 0 && remote_size(&p->there, key) != (int64_t)x->manifest.n)
		rc = err_set(err, -EIO, "'%s' has another manifest of '%s' than was sent",
			     object_url(p->s), x->c.id);
	return rc;
}

/* The manifest is there: the same, or somebody else's of that name? */
static int compare_manifest(struct push_send *x, const struct object_when *when, struct err *err)
{
	struct str text = { 0 };
	char key[64];
	int rc;

	snprintf(key, sizeof key, "ckpt/%s", x->c.id);
	rc = remote_text(x->p->s, key, REMOTE_MANIFEST_MAX, when, &text, err);
	if (rc == 0 && !sv_eq(str_sv(&text), str_sv(&x->manifest))) {
		rc = err_set(err, -EEXIST, "'%s' has another checkpoint '%s' than this folder",
			     object_url(x->p->s), x->c.id);
		err_hint(err, "another run has written there: give this one a prefix of its own");
	}
	str_free(&text);
	return rc;
}

int push_one(struct push *p, const char *id, const struct object_when *when, struct push_stat *stat,
	     struct err *err)
{
	struct push_stat st = { 0 };
	struct push_send x = { .when = when ? *when
					    : (struct object_when){ .deadline_ms = INT64_MAX } };
	double start = tm_awake_s();
	int rc = remote_list(p->s, &p->there, err);

	if (rc == 0)
		rc = push_find(p, id, &x, err);
	st.missing_bytes = x.bytes;
	x.told_ms = x.when.deadline_ms;
	if (rc == 0 && x.there)
		rc = compare_manifest(&x, &x.when, err);
	if (rc == 0 && (!x.there || x.v.n))
		rc = push_claim(p, push_run_of(x.c.id), &x.when, err);
	for (size_t i = 0; rc == 0 && i < x.v.n; i++)
		rc = send_piece(&x, i, &st, err);
	if (rc == 0 && !x.there && (rc = send_manifest(&x, &x.when, &st, err)) == -EEXIST)
		rc = compare_manifest(&x, &x.when, err);
	if (rc == 0 && (!p->safe[0] || strcmp(id, p->safe) > 0))
		snprintf(p->safe, sizeof p->safe, "%s", id);
	if (rc == 0 && !x.there) {
		size_t first, n = remote_below(&p->there, "ckpt/", &first);
		struct str text = { 0 };
		if (!n || strcmp(p->there.key[first + n - 1].key + 5, id) <= 0) {
			/* an older one was sent */
			str_addf(&text, "%s\n", id);
			/* a hint: nobody depends on it */
			push_put_text(p, "latest", str_sv(&text), false, when, NULL);
			str_free(&text);
		}
	}
	if (rc == 0)
		push_begun(p, &x.when);
	st.seconds = tm_awake_s() - start;
	if (stat)
		*stat = st;
	push_send_free(&x);
	return rc;
}
