/* Who writes to a prefix: the token of the folder, the number of its run. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include "net/digest.h"
#include "ckpt/push_priv.h"

#define MARK "tare-checkpoints"

/* DIR/remote: a random token, made once: it tells this folder from another whose runs have the same
 * numbers. */
int push_read_token(struct push *p, struct err *err)
{
	struct str text = { 0 };
	int rc = ckpt_slurp(p->d->fd, "remote", 64, &text, err);
	struct sv t = sv_trim(str_sv(&text));

	if (rc == 0 && (t.n != 32 || strspn(t.p, "0123456789abcdef") < 32))
		rc = -ENOENT;
	if (rc == 0)
		snprintf(p->token, sizeof p->token, "%.*s", SVF(t));
	str_free(&text);
	return rc;
}

int push_make_token(struct push *p, struct err *err)
{
	unsigned char r[16];
	struct str text = { 0 };
	int rc = digest_random(r, sizeof r);

	for (size_t i = 0; rc == 0 && i < sizeof r; i++)
		str_addf(&text, "%02x", r[i]);
	str_addc(&text, '\n');
	if (rc < 0)
		rc = err_set(err, rc, "the system gives no random numbers");
	else
		rc = ckpt_spit(p->d->fd, "remote", str_sv(&text), err);
	str_free(&text);
	if (rc < 0)
		return rc;
	return push_read_token(p, err);
}

int push_put_text(struct push *p, const char *key, struct sv text, bool only_new,
		  const struct object_when *when, struct err *err)
{
	struct object_src src = { .mem = text.p, .fd = -1, .bytes = text.n };
	struct object_put put = { .src = &src, .only_new = only_new, .when = when };

	return object_put(p->s, key, &put, NULL, err);
}

static int other_runner(struct push *p, uint64_t run, struct err *err)
{
	err_set(err, -EBUSY, "another runner writes to '%s' (its run %" PRIu64 ")",
		object_url(p->s), run);
	err_hint(
		err,
		"end it, or give this run a prefix of its own; a new start that first fetches what is there comes after it");
	return -EBUSY;
}

/* Is the greatest run in the store ours, or older than `run`? */
int push_check_runs(struct push *p, uint64_t run, const struct object_when *when, struct err *err)
{
	const char *key;
	uint64_t last = remote_run(&p->there, &key);
	struct str text = { 0 };
	int rc = 0;

	if (last < run || !key)
		return 0;
	if (last == p->claimed && last == run)
		return 0;
	rc = remote_text(p->s, key, 256, when, &text, err);
	if (rc == 0 && !sv_is(sv_trim(str_sv(&text)), p->token))
		rc = other_runner(p, last, err);
	else if (rc == 0 && last == run)
		p->claimed = run;
	str_free(&text);
	return rc;
}

int push_claim(struct push *p, uint64_t run, const struct object_when *when, struct err *err)
{
	struct str text = { 0 };
	char key[32];
	int rc = push_check_runs(p, run, when, err);

	if (rc < 0 || p->claimed == run)
		return rc;
	if ((rc = push_none_yet(p, when, err)) < 0)
		return rc;
	/* the mark of the format: put where it is missing */
	rc = remote_text(p->s, MARK, 64, when, &text, err);
	if (rc == -ENOENT)
		rc = push_put_text(p, MARK, SV("1\n"), false, when, err);
	else if (rc == 0 && !sv_is(str_sv(&text), "1\n"))
		rc = err_set(err, -EPROTO, "the checkpoints in '%s' are of a newer version of tare",
			     object_url(p->s));
	if (rc < 0) {
		str_free(&text);
		return rc;
	}
	snprintf(key, sizeof key, "runs/%016" PRIx64, run);
	str_clear(&text);
	str_addf(&text, "%s\n", p->token);
	rc = push_put_text(p, key, str_sv(&text), true, when, err);
	if (rc == -EEXIST || (rc == 0 && !object_can_condition(p->s))) {
		/* a store that knows no conditions may have let two through: the token that stands
		 * there a moment later decides */
		rc = remote_text(p->s, key, 256, when, &text, err);
		if (rc == 0 && !sv_is(sv_trim(str_sv(&text)), p->token))
			rc = other_runner(p, run, err);
	}
	if (rc == 0)
		p->claimed = run;
	str_free(&text);
	return rc;
}
