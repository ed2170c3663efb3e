#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/num.h"
#include "base/tm.h"
#include "net/digest.h"
#include "ckpt/push_priv.h"

#define MEASURE_BYTES (8u << 20)
#define TURNS_MAX     4 /* times that one is given up for a newer one */

int push_open(struct object_store *s, const char *dir, const struct push_opt *opt,
	      struct push **ret, struct err *err)
{
	struct push *p = xcalloc(1, sizeof *p);
	struct ckpt_opt ro = { .read_only = true };
	double start;
	int rc;

	p->s = s;
	if (opt)
		p->opt = *opt;
	p->bytes_s = NAN;
	rc = ckpt_open(dir, &ro, &p->d, err);
	if (rc == 0 && (rc = push_read_token(p, err)) == -ENOENT)
		rc = push_make_token(p, err);
	start = tm_awake_s();
	if (rc == 0)
		rc = remote_list(s, &p->there, err);
	p->answer_ms = (int64_t)((tm_awake_s() - start) * 1000) + 1;
	if (rc < 0)
		push_close(p);
	else
		*ret = p;
	return rc;
}

void push_close(struct push *p)
{
	if (!p)
		return;
	ckpt_close(p->d);
	remote_free(&p->there);
	free(p);
}

const char *push_safe(const struct push *p)
{
	return p->safe;
}

/* ---- how long ---------------------------------------------------------------------------- */

/* What was measured last counts most: networks of rented machines change. */
void push_measured(struct push *p, uint64_t bytes, double seconds)
{
	if (bytes < MEASURED_LEAST || !(seconds > 0))
		return;
	double now = (double)bytes / seconds;
	p->bytes_s = isnan(p->bytes_s) ? now : 0.5 * p->bytes_s + 0.5 * now;
}

int push_measure(struct push *p, uint64_t bytes, const struct object_when *when, struct err *err)
{
	struct object_src src = { .fd = -1, .bytes = bytes ? bytes : MEASURE_BYTES };
	unsigned char *mem = xmalloc((size_t)src.bytes);
	char key[64];
	double start;
	uint64_t sent = 0;
	int rc = 0;

	/* what nobody on the way can press together */
	for (uint64_t at = 0; at < src.bytes && rc == 0; at += 1 << 20)
		rc = digest_random(mem + at, (size_t)min_u64(src.bytes - at, 1 << 20));
	src.mem = mem;
	snprintf(key, sizeof key, "probe/%s", p->token);
	start = tm_awake_s();
	if (rc == 0)
		rc = object_put(p->s, key, &src, NULL, false, when, &sent, err);
	if (rc == 0) {
		push_measured(p, src.bytes, tm_awake_s() - start);
		rc = object_delete(p->s, key, err);
	}
	free(mem);
	return rc;
}

double push_bytes_s(const struct push *p)
{
	return p->bytes_s;
}

struct push_turn push_rates(const struct push *p)
{
	struct push_turn t = { .bytes_s = p->bytes_s,
			       .answer_ms = p->answer_ms,
			       .margin_frac = 0.25,
			       .margin_ms = 2000 };

	if (p->opt.margin_frac > 0)
		t.margin_frac = p->opt.margin_frac;
	if (p->opt.margin_ms > 0)
		t.margin_ms = p->opt.margin_ms;
	return t;
}

void push_estimate(const struct push *p, uint64_t bytes, const struct object_when *when,
		   struct push_fit *ret)
{
	struct push_turn t = push_rates(p);

	*ret = (struct push_fit){ .need_ms = push_need_ms(&t, bytes),
				  .left_ms = INT64_MAX,
				  .fits = true };
	if (when && when->deadline_ms != INT64_MAX) {
		ret->left_ms = when->deadline_ms - object_now_ms(when);
		ret->fits = ret->need_ms >= 0 && ret->need_ms <= ret->left_ms;
	}
}

/* ---- what is missing --------------------------------------------------------------------- */

void push_send_free(struct push_send *x)
{
	for (size_t i = 0; i < x->v.n; i++)
		close(x->v.v[i].fd);
	vec_free(&x->v);
	str_free(&x->manifest);
	ckpt_free(&x->c);
}

/* Opened now: what the folder's own retention removes meanwhile stays readable. */
static int add_piece(struct push_send *x, size_t i, struct err *err)
{
	const char *name = x->c.data.v[i].name;
	struct str key = { 0 };
	struct stat st = { 0 };
	int fd = openat(x->p->d->data_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	int rc = 0;

	if (fd < 0 || fstat(fd, &st) < 0)
		rc = -errno;
	if (rc == 0 && (uint64_t)st.st_size < x->c.data.v[i].bytes)
		rc = -EBADMSG;
	str_addf(&key, "data/%s", name);
	if (rc < 0) {
		const char *why = strerror(-rc);
		if (rc == -EBADMSG)
			why = "cut";
		else if (rc == -ENOENT)
			why = "missing";
		err_set(err, rc == -ENOENT ? -EBADMSG : rc,
			"checkpoint '%s' cannot be sent: its data file '%s' is %s", x->c.id, name,
			why);
		if (fd >= 0)
			close(fd);
	} else if (remote_size(&x->p->there, str_z(&key)) == (int64_t)st.st_size) {
		close(fd);
	} else {
		*vec_push(&x->v) = (struct push_piece){ i, fd, (uint64_t)st.st_size };
		x->bytes += (uint64_t)st.st_size;
	}
	str_free(&key);
	if (rc == -ENOENT)
		return -EBADMSG;
	return rc;
}

int push_find(struct push *p, const char *id, struct push_send *x, struct err *err)
{
	char key[64];
	int rc = ckpt_load(p->d, id, &x->c, err);

	x->p = p;
	if (rc == 0 &&
	    (rc = ckpt_slurp(p->d->ckpt_fd, id, REMOTE_MANIFEST_MAX, &x->manifest, err)) == -ENOENT)
		err_set(err, rc, "checkpoint '%s' was removed meanwhile", id);
	if (rc < 0)
		return rc;
	snprintf(key, sizeof key, "ckpt/%s", id);
	x->there = remote_size(&p->there, key) >= 0;
	x->bytes = x->there ? 0 : x->manifest.n;
	for (size_t i = 0; rc == 0 && i < x->c.data.n; i++)
		rc = add_piece(x, i, err);
	return rc;
}

int push_missing(struct push *p, const char *id, uint64_t *ret_bytes, struct err *err)
{
	struct push_send x = { 0 };
	int rc = push_find(p, id, &x, err);

	if (rc == 0)
		*ret_bytes = x.bytes;
	push_send_free(&x);
	return rc;
}

/* ---- before a deadline ------------------------------------------------------------------- */

static int say_late(struct push *p, const char *id, const struct object_when *when, struct err *err)
{
	struct push_fit fit;
	uint64_t bytes = 0;

	if (push_missing(p, id, &bytes, NULL) < 0)
		return -ETIME;
	push_estimate(p, bytes, when, &fit);
	err_set(err, -ETIME,
		"checkpoint '%s' was not in '%s' before the deadline: %" PRIu64
		" MB of it were missing",
		id, object_url(p->s), bytes / 1000000);
	if (!isnan(p->bytes_s))
		err_hint(
			err,
			"the way there takes %.0f MB/s: save oftener, so that less is missing when a notice comes",
			p->bytes_s / 1e6);
	return -ETIME;
}

/*
 * The newest that fits; those that the store has need no time. NULL: none, the newest in any case
 * is l->v.v[0]. Damaged ones are passed over; one that cannot be looked at for another reason is
 * chosen, so that its sending tells what is the matter.
 */
static const char *choose(struct push *p, const struct ckpt_list *l, const struct object_when *when)
{
	for (size_t i = 0; i < l->v.n; i++) {
		struct push_fit fit;
		uint64_t bytes = 0;
		int rc = push_missing(p, l->v.v[i].id, &bytes, NULL);
		if (rc == -EBADMSG || rc == -ENOENT)
			continue;
		push_estimate(p, bytes, when, &fit);
		if (rc < 0 || fit.fits)
			return l->v.v[i].id;
		if (!bytes || isnan(p->bytes_s))
			return l->v.v[i].id;
	}
	return NULL;
}

/* The newest that fits, or an older one where that is damaged here. */
static int send_newest(struct push *p, const struct object_when *when, char ret_id[CKPT_ID_BYTES],
		       struct push_stat *stat, struct err *err)
{
	struct ckpt_list l = { 0 };
	int rc = ckpt_list(p->d, &l, err);
	const char *id = NULL;

	/* what is damaged here is not sent, nor what has a damaged manifest there */
	size_t n = 0;
	for (size_t i = 0; rc == 0 && i < l.v.n; i++) {
		char key[64];
		snprintf(key, sizeof key, "ckpt/%s", l.v.v[i].id);
		bool there = ckpt_damage_has(p->opt.damage, l.v.v[i].id, true) &&
			     remote_size(&p->there, key) >= 0;
		if (!there && !ckpt_damage_has(p->opt.damage, l.v.v[i].id, false))
			l.v.v[n++] = l.v.v[i];
	}
	l.v.n = n;
	if (rc < 0 || !l.v.n) {
		ckpt_list_free(&l);
		return rc;
	}
	assert(l.v.v); /* a list with entries has an array */
	if (!(id = choose(p, &l, when)))
		id = l.v.v[0].id;
	rc = push_one(p, id, when, stat, err);
	for (size_t i = 0; rc == -EBADMSG && i < l.v.n; i++) /* damaged here: the one before */
		if (strcmp(l.v.v[i].id, id) < 0)
			rc = push_one(p, id = l.v.v[i].id, when, stat, err);
	if (rc == -ETIME)
		say_late(p, id, when, err);
	if (rc == 0) {
		snprintf(ret_id, CKPT_ID_BYTES, "%s", id);
		rc = 1;
	}
	ckpt_list_free(&l);
	return rc;
}

int push_newest(struct push *p, const struct object_when *when, char ret_id[CKPT_ID_BYTES],
		struct push_stat *stat, struct err *err)
{
	struct object_when w = when ? *when : (struct object_when){ .deadline_ms = INT64_MAX };
	uint64_t sent = 0;
	int rc = -ECANCELED;

	if (stat)
		*stat = (struct push_stat){ 0 };
	for (int i = 0; i < TURNS_MAX && rc == -ECANCELED; i++) {
		struct push_stat st = { 0 };
		int64_t told = 0;
		if (p->opt.news)
			told = atomic_load(&p->opt.news->deadline_ms);
		if (told && told < w.deadline_ms)
			w.deadline_ms = told;
		rc = send_newest(p, &w, ret_id, &st, err);
		sent += st.sent_bytes; /* of what was given up too */
		if (stat)
			*stat = st, stat->sent_bytes = sent;
	}
	return rc;
}
