/* Copying checkpoints away: what is to be sent of one, its data and then what makes it one, and
 * whether it goes on when a newer one comes. */
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
#include "ckpt/push_look.h"
#include "ckpt/push_priv.h"
#include "net/digest.h"

#define MEASURE_BYTES (8u << 20)
#define TURNS_MAX     4 /* times that one is given up for a newer one */

#define MEASURED_LEAST (1u << 20) /* less says more of the answer time than of the way */
struct push_piece {
	size_t data; /* index into c->data */
	int fd;
	uint64_t bytes;
};
struct push_send {
	struct push *p;
	struct ckpt c;
	struct str manifest;
	VEC(struct push_piece) v; /* data files to send */
	uint64_t bytes;           /* of them and the manifest */
	bool there;               /* the manifest is in the store */
	struct object_when when;
	int64_t caller_deadline_ms;
	/* of the file under way */
	size_t at;
	uint64_t arrived, first; /* first: of an earlier try */
	double began, thought;   /* tm_awake_s() */
};

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
static void push_measured(struct push *p, uint64_t bytes, double seconds)
{
	if (bytes < MEASURED_LEAST || !(seconds > 0))
		return;
	double now = (double)bytes / seconds;
	p->bytes_s = isnan(p->bytes_s) ? now : 0.5 * p->bytes_s + 0.5 * now;
}

int push_measure(struct push *p, uint64_t bytes, const struct object_when *when, struct err *err)
{
	struct object_src src = { .fd = -1, .bytes = bytes ? bytes : MEASURE_BYTES };
	struct object_put put = { .src = &src, .when = when };
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
		rc = object_put(p->s, key, &put, &sent, err);
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

static struct push_turn push_rates(const struct push *p)
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

static void push_send_free(struct push_send *x)
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

/* push_send_free() in any case */
static int push_find(struct push *p, const char *id, struct push_send *x, struct err *err)
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
static const char *choose_newest(struct push *p, const struct ckpt_list *l,
				 const struct object_when *when)
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
	if (!(id = choose_newest(p, &l, when)))
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
		if (stat) {
			*stat = st;
			stat->sent_bytes = sent;
		}
	}
	return rc;
}

/* ---- sending one ----------------------------------------------------------------------- */

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
static int take_turn(void *ctx, uint64_t arrived, uint64_t under_way)
{
	struct push_send *x = ctx;
	struct push_news *n = x->p->opt.news;
	int64_t deadline = atomic_load(&n->deadline_ms);
	double now = tm_awake_s();

	if (!x->began) {
		x->began = now;
		x->first = arrived;
	}
	x->arrived = arrived;
	/* a notice may be withdrawn */
	x->when.deadline_ms = deadline && deadline < x->caller_deadline_ms ? deadline
									   : x->caller_deadline_ms;
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
	struct object_put put = { .src = &src, .tag = tag, .when = &x->when };
	x->when.turn = x->p->opt.news ? take_turn : NULL; /* not of what is small */
	x->when.turn_ctx = x;
	rc = object_put(x->p->s, str_z(&key), &put, &sent, err);
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
	x.caller_deadline_ms = x.when.deadline_ms;
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
