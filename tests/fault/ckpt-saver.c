/*
 * Saves checkpoints of a known state, for tests/fault/ckpt to kill.
 *
 *   ckpt-saver save DIR plain|linked|ranks STEPS   resumes from the newest checkpoint; "safe STEP"
 *                                                  after each that was reported safe
 *   ckpt-saver find DIR                            "found STEP" of the newest that holds and is bit
 *                                                  for bit what was saved, "found -1" for none;
 *                                                  exit 2 where anything is called damaged
 *
 * The state of step s is STATE_BYTES bytes; a part of it changes with each step, so that chunks are
 * named again and retention frees data.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ckpt/ckpt.h"

enum { STATE_BYTES = 9 * 1024 * 1024 + 123 };

static void state_of(int64_t step, uint8_t *p)
{
	for (size_t i = 0; i < STATE_BYTES; i += 4096) {
		size_t chunk = i / CKPT_CHUNK_BYTES;
		uint64_t x = (uint64_t)(chunk == (size_t)(step % 3) || chunk == 2
						? step
						: step - (step - (int64_t)chunk % 3 + 3) % 3) *
				     0x9e3779b97f4a7c15u +
			     i;
		size_t n = STATE_BYTES - i < 4096 ? STATE_BYTES - i : 4096;
		memset(p + i, (int)(x >> 56), n);
		memcpy(p + i, &x, n < 8 ? n : 8);
	}
}

static int die(const struct err *err)
{
	fprintf(stderr, "%s\n", err->msg);
	return 2;
}

static int put_linked(struct ckpt_writer *w, const char *dir, const uint8_t *p, struct err *err)
{
	char path[4096];
	int fd, rc;

	snprintf(path, sizeof path, "%s.model", dir);
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	for (ssize_t n, at = 0; fd >= 0 && at < STATE_BYTES; at += n)
		if ((n = write(fd, p + at, (size_t)(STATE_BYTES - at))) < 0 && errno == EINTR)
			n = 0;
		else if (n < 0)
			return err_set(err, -errno, "cannot write the model: %s", strerror(errno));
	if (fd < 0)
		return err_set(err, -errno, "cannot make the model: %s", strerror(errno));
	close(fd);
	rc = ckpt_put_path(w, "state", path, err);
	return rc;
}

static int save_one(struct ckpt_dir *const *d, int world, const char *dir, int linked, int64_t step,
		    const uint8_t *p, struct err *err)
{
	struct ckpt_writer *w[2] = { NULL };
	char name[16] = "state";
	int rc = 0;

	for (int r = world - 1; rc == 0 && r >= 0; r--) {
		rc = ckpt_begin(d[r], step, step * 1000, &w[r], err);
		if (r)
			snprintf(name, sizeof name, "rank%d", r);
		else
			strcpy(name, "state");
		if (rc == 0)
			rc = linked ? put_linked(w[r], dir, p, err)
				    : ckpt_put(w[r], name, p, STATE_BYTES, err);
		if (rc == 0)
			rc = r ? ckpt_prepare(w[r], err) : ckpt_commit(w[r], NULL, 0, NULL, err);
	}
	if (rc == 0 && world > 1)
		rc = ckpt_commit(w[1], NULL, 0, NULL, err);
	for (int r = 0; r < world; r++)
		ckpt_writer_free(w[r]);
	return rc;
}

/* The step that comes after the newest. */
static int next_step(struct ckpt_dir *d, int64_t *ret, struct err *err)
{
	struct ckpt c;
	int rc = ckpt_newest(d, NULL, true, &c, NULL, err);

	*ret = 0;
	if (rc > 0) {
		*ret = c.step + 1;
		ckpt_free(&c);
	}
	return rc < 0 ? rc : 0;
}

static int save(const char *dir, const char *how, int steps)
{
	int world = strcmp(how, "ranks") ? 1 : 2, rc = 0;
	uint8_t *p = malloc(STATE_BYTES);
	struct ckpt_dir *d[2] = { NULL };
	int64_t begin = 0;
	struct err err;

	for (int r = 0; rc == 0 && r < world; r++)
		rc = ckpt_open(dir,
			       &(struct ckpt_opt){ .rank = r, .world = world, .attempt = "once" },
			       &d[r], &err);
	if (rc == 0)
		rc = next_step(d[0], &begin, &err);
	for (int64_t s = begin; rc == 0 && s < begin + steps; s++) {
		state_of(s, p);
		rc = save_one(d, world, dir, !strcmp(how, "linked"), s, p, &err);
		if (rc == 0) {
			printf("safe %" PRId64 "\n", s);
			fflush(stdout);
			rc = ckpt_retain(d[0], &(struct ckpt_keep){ .last = 2 }, NULL, &err);
		}
	}
	for (int r = 0; r < world; r++)
		ckpt_close(d[r]);
	free(p);
	return rc < 0 ? die(&err) : 0;
}

static int find(const char *dir)
{
	uint8_t *want = malloc(STATE_BYTES), *is = malloc(STATE_BYTES);
	struct ckpt_dir *d;
	struct ckpt c;
	struct err err;
	int64_t step = -1;
	struct ckpt_damage damage = { 0 };
	int rc = ckpt_open(dir, &(struct ckpt_opt){ .read_only = true }, &d, &err);

	if (rc == -ENOENT) {
		puts("found -1");
		return 0;
	}
	if (rc < 0)
		return die(&err);
	int found = ckpt_newest(d, NULL, true, &c, &damage, &err);
	if (found < 0)
		return die(&err);
	if (damage.v.n) /* nothing that a kill or a power cut leaves is called that */
		rc = err_set(&err, -EBADMSG, "called damaged: %s", damage.v.v[0].why);
	ckpt_damage_free(&damage);
	if (found > 0) {
		state_of(step = c.step, want);
		for (size_t f = 0; rc == 0 && f < c.file.n; f++)
			if (c.file.v[f].bytes != STATE_BYTES ||
			    (rc = ckpt_read(d, &c, f, is, &err)) < 0 ||
			    memcmp(want, is, STATE_BYTES))
				rc = err_set(&err, -EBADMSG,
					     "step %" PRId64 ": '%s' is not what was saved", step,
					     c.file.v[f].name);
		if (rc == 0 && c.file.n != (size_t)c.world)
			rc = err_set(&err, -EBADMSG, "step %" PRId64 " has %zu files of %d ranks",
				     step, c.file.n, c.world);
		ckpt_free(&c);
	}
	ckpt_close(d);
	free(want);
	free(is);
	if (rc < 0)
		return die(&err);
	printf("found %" PRId64 "\n", step);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "save"))
		return save(argv[2], argv[3], atoi(argv[4]));
	if (argc == 3 && !strcmp(argv[1], "find"))
		return find(argv[2]);
	fprintf(stderr, "usage: ckpt-saver save DIR plain|linked|ranks STEPS | find DIR\n");
	return 2;
}
