/* See ahead.h. */
#include "agent/ahead.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/dirfd.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"

/* ---- readings on their way
 * ----------------------------------------------------------------------------- */

void raw_add(struct raw *r, int64_t dev, int64_t t_ms, const double value[METRIC_N])
{
	struct raw_columns *b = NULL;
	for (size_t i = 0; i < r->dev.n && !b; i++)
		if (r->dev.v[i].dev == dev)
			b = &r->dev.v[i];
	if (!b) {
		b = vec_push(&r->dev);
		*b = (struct raw_columns){ .dev = dev };
	}
	if (b->n >= b->cap) {
		b->cap = b->cap ? b->cap * 2 : 128;
		b->t_ms = xrealloc(b->t_ms, b->cap * sizeof *b->t_ms);
		for (int m = 0; m < METRIC_N; m++)
			if (b->value[m])
				b->value[m] = xrealloc(b->value[m], b->cap * sizeof **b->value);
	}
	for (int m = 0; m < METRIC_N; m++) {
		if (!b->value[m] && !isnan(value[m])) {
			b->value[m] = xmalloc(b->cap * sizeof **b->value);
			for (size_t i = 0; i < b->n; i++)
				b->value[m][i] = NAN;
		}
		if (b->value[m])
			b->value[m][b->n] = value[m];
	}
	b->t_ms[b->n++] = t_ms;
}

size_t raw_rows(const struct raw *r)
{
	size_t most = 0;
	for (size_t i = 0; i < r->dev.n; i++)
		most = max_size(r->dev.v[i].n, most);
	return most;
}

int raw_put_blocks(const struct raw *r, struct agentdb *db, uint64_t seq, int64_t quarantine,
		   struct err *err)
{
	VEC(struct agentdb_block) b = { 0 };
	for (size_t i = 0; i < r->dev.n; i++) {
		const struct raw_columns *c = &r->dev.v[i];
		if (!c->n)
			continue;
		struct agentdb_block *o = vec_push(&b);
		*o = (struct agentdb_block){ .dev = c->dev, .t_ms = c->t_ms, .n = c->n };
		for (int m = 0; m < METRIC_N; m++)
			o->value[m] = c->value[m];
	}
	int rc = agentdb_put_blocks(db, b.v, b.n, (int64_t)seq, quarantine, err);
	vec_free(&b);
	return rc;
}

/* Columns too: a metric that a GPU stopped giving shall not stay one for ever. */
int64_t raw_clear(struct raw *r)
{
	int64_t rows = 0;
	for (size_t i = 0; i < r->dev.n; i++) {
		struct raw_columns *c = &r->dev.v[i];
		rows += (int64_t)c->n;
		free(c->t_ms);
		for (int m = 0; m < METRIC_N; m++)
			free(c->value[m]);
		*c = (struct raw_columns){ .dev = c->dev };
	}
	return rows;
}

void raw_free(struct raw *r)
{
	raw_clear(r);
	vec_free(&r->dev);
}

/* ---- readings as a record ---------------------------------------------------------- */

static void put_u32(struct str *out, uint32_t v)
{
	str_add(out, (const char *)&v, 4);
}

static void put_chunk(struct chunk_codec *c, struct str *out, const int64_t *t, const double *v,
		      size_t n)
{
	size_t at = out->n;
	put_u32(out, 0);
	if (t)
		chunk_encode_i64(c, t, n, out);
	else
		chunk_encode(c, v, n, out);
	uint32_t size = (uint32_t)(out->n - at - 4);
	memcpy(out->p + at, &size, 4);
}

static void pack_device(struct chunk_codec *c, const struct tally_row *row, size_t n, int64_t dev,
			struct str *out)
{
	int64_t *t = xmalloc((n + 1) * sizeof *t);
	double *v = xmalloc((n + 1) * METRIC_N * sizeof *v);
	uint32_t rows = 0, mask = 0;
	size_t k = 0;
	for (size_t i = 0; i < n; i++) {
		if (row[i].dev != dev)
			continue;
		t[rows++] = row[i].t_ms;
		for (int m = 0; m < METRIC_N; m++)
			if (!isnan(row[i].value[m]))
				mask |= 1U << m;
	}
	for (int m = 0; m < METRIC_N; m++)
		for (size_t i = 0; (mask >> m & 1) && i < n; i++)
			if (row[i].dev == dev)
				v[k++] = row[i].value[m];
	put_u32(out, (uint32_t)dev);
	put_u32(out, rows);
	put_u32(out, mask);
	put_chunk(c, out, t, NULL, rows);
	put_chunk(c, out, NULL, v, k);
	free(t);
	free(v);
}

void raw_pack(struct chunk_codec *c, const struct tally_row *row, size_t n, struct str *out)
{
	str_clear(out);
	for (size_t i = 0; i < n; i++) {
		bool before = false;
		for (size_t k = 0; k < i && !before; k++)
			before = row[k].dev == row[i].dev;
		if (!before)
			pack_device(c, row, n, row[i].dev, out);
	}
}

int raw_take_sized(struct sv *in, struct sv *ret)
{
	uint32_t n;
	if (in->n < 4)
		return -EBADMSG;
	memcpy(&n, in->p, 4);
	if (in->n - 4 < n)
		return -EBADMSG;
	*ret = (struct sv){ in->p + 4, n };
	in->p += 4 + n;
	in->n -= 4 + (size_t)n;
	return 0;
}

int raw_unpack(struct chunk_codec *c, struct sv record, struct raw *r, struct err *err)
{
	int rc = 0;
	while (record.n && rc >= 0) { /* a device */
		uint32_t head[3];
		struct sv t, v;
		if (record.n < sizeof head)
			return -EBADMSG;
		memcpy(head, record.p, sizeof head);
		record = sv_from(record, sizeof head);
		size_t rows = head[1], nm = (size_t)__builtin_popcount(head[2]);
		if (rows > CHUNK_ROWS_MAX || rows * nm > CHUNK_ROWS_MAX || head[2] >> METRIC_N)
			return -EBADMSG;
		if (raw_take_sized(&record, &t) < 0 || raw_take_sized(&record, &v) < 0)
			return -EBADMSG;
		int64_t *time = xmalloc((rows + 1) * sizeof *time);
		double *value = xmalloc((rows * nm + 1) * sizeof *value), one[METRIC_N];
		rc = chunk_decode_i64(c, t.p, t.n, rows, time, err);
		if (rc >= 0)
			rc = chunk_decode(c, v.p, v.n, rows * nm, value, err);
		for (size_t i = 0; rc >= 0 && i < rows; i++) {
			for (int m = 0, k = 0; m < METRIC_N; m++)
				one[m] = head[2] >> m & 1 ? value[(size_t)k++ * rows + i] : NAN;
			raw_add(r, head[0], time[i], one);
		}
		free(time);
		free(value);
	}
	return rc;
}

/* ---- the file -------------------------------------------------------------------------- */

#define NAME       "ahead"
#define NEXT       NAME ".new"
#define MAGIC      0x64684174U /* "tAhd" */
#define HEAD_BYTES 24
#define TAIL_BYTES 8

struct ahead {
	char *dir;
	int dir_fd, fd;
	int64_t size;
	struct agentdb_commits mark;
	struct ahead_look found;
	struct str buf;
};

#define COMMITS_MAX ((int64_t)1 << 28)

static void compose_record(struct ahead *a, enum ahead_type type, uint64_t seq, struct sv payload)
{
	struct str *out = &a->buf;
	uint32_t magic = MAGIC, n = (uint32_t)payload.n;
	uint64_t rows = (uint64_t)min_i64(a->mark.rows, COMMITS_MAX - 1),
		 blocks = (uint64_t)min_i64(a->mark.blocks, COMMITS_MAX - 1);
	uint64_t kind = rows << 8 | blocks << 36 | (unsigned char)type;
	str_clear(out);
	str_add(out, (const char *)&magic, 4);
	str_add(out, (const char *)&n, 4);
	str_add(out, (const char *)&seq, 8);
	str_add(out, (const char *)&kind, 8);
	str_add(out, text_if(payload.n, payload.p), payload.n);
	uint64_t sum = XXH3_64bits(out->p, out->n);
	str_add(out, (const char *)&sum, TAIL_BYTES);
}

/* Size of the whole record at p, 0 if there is none. */
static size_t parse_record(const char *p, size_t left, enum ahead_type *type, uint64_t *seq,
			   struct agentdb_commits *mark, struct sv *payload)
{
	uint32_t magic, n;
	uint64_t sum, kind;
	if (left < HEAD_BYTES + TAIL_BYTES)
		return 0;
	memcpy(&magic, p, 4);
	memcpy(&n, p + 4, 4);
	if (magic != MAGIC || n > AHEAD_PAYLOAD_MAX || left < HEAD_BYTES + TAIL_BYTES + (size_t)n)
		return 0;
	memcpy(&sum, p + HEAD_BYTES + n, TAIL_BYTES);
	if (sum != XXH3_64bits(p, HEAD_BYTES + n))
		return 0;
	memcpy(seq, p + 8, 8);
	memcpy(&kind, p + 16, 8);
	*type = (enum ahead_type)(kind & 0xff);

	/* counts only grow: the largest of all records is what there was */
	int64_t rows = (int64_t)(kind >> 8 & (COMMITS_MAX - 1)), blocks = (int64_t)(kind >> 36);
	mark->rows = max_i64(rows, mark->rows);
	mark->blocks = max_i64(blocks, mark->blocks);

	*payload = (struct sv){ p + HEAD_BYTES, n };
	return HEAD_BYTES + TAIL_BYTES + (size_t)n;
}

/* The file's whole records, each to fn (NULL: only looked at). */
static int read_records(int fd, const char *dir, ahead_fn *fn, void *ctx, struct ahead_look *found,
			struct err *err)
{
	struct str all = { 0 };
	char buf[65536];
	ssize_t got;
	size_t at = 0, n;
	enum ahead_type type;
	uint64_t seq;
	struct sv payload;
	int r = 0;
	while ((got = read(fd, buf, sizeof buf)) > 0)
		str_add(&all, buf, (size_t)got);
	if (got < 0) {
		r = err_set(err, -errno, "cannot read '%s/" NAME "': %s", dir, strerror(errno));
		str_free(&all);
		return r;
	}
	*found = (struct ahead_look){ .there = true };
	while (r >= 0 && all.n &&
	       (n = parse_record(all.p + at, all.n - at, &type, &seq, &found->mark, &payload))) {
		r = fn ? fn(ctx, type, seq, payload, err) : 0;
		at += n;
	}
	found->cut_bytes = (int64_t)(all.n - at);
	found->whole_bytes = (int64_t)at;
	str_free(&all);
	return r;
}

int ahead_open(int dir_fd, const char *dir, ahead_fn *fn, void *ctx, struct ahead **ret,
	       struct err *err)
{
	struct ahead *a = xcalloc(1, sizeof *a);
	a->dir = xstrdup(dir);
	a->dir_fd = dir_fd;
	a->fd = file_open_in(dir_fd, dir, NAME, O_RDWR, 0, err);
	bool is_new = a->fd == -ENOENT;
	if (is_new) {
		err_clear(err);
		a->fd = file_open_in(dir_fd, dir, NAME, O_RDWR | O_CREAT, 0640, err);
	}
	int r = a->fd;
	if (a->fd >= 0) {
		r = read_records(a->fd, a->dir, fn, ctx, &a->found, err);
		a->size = a->found.whole_bytes;
		a->mark = a->found.mark;
		if (r >= 0 && a->found.cut_bytes && ftruncate(a->fd, (off_t)a->size))
			r = err_set(err, -errno, "cannot write '%s/" NAME "': %s", a->dir,
				    strerror(errno));
	}
	a->found.there = !is_new;
	if (r < 0) {
		ahead_close(a);
		return r;
	}
	*ret = a;
	return 0;
}

void ahead_close(struct ahead *a)
{
	if (!a)
		return;
	if (a->fd >= 0)
		close(a->fd);
	str_free(&a->buf);
	free(a->dir);
	free(a);
}

static int write_whole(int fd, const struct str *b, int64_t at)
{
	for (size_t done = 0; done < b->n;) {
		ssize_t n = pwrite(fd, b->p + done, b->n - done, (off_t)(at + (int64_t)done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			if (n < 0)
				return -errno;
			return -EIO;
		}
		done += (size_t)n;
	}
	return 0;
}

int ahead_append(struct ahead *a, enum ahead_type type, uint64_t seq, struct sv payload,
		 struct err *err)
{
	if (payload.n > AHEAD_PAYLOAD_MAX)
		return err_set(err, -E2BIG, "a record of %zu bytes is too large", payload.n);
	compose_record(a, type, seq, payload);
	int r = write_whole(a->fd, &a->buf, a->size);
	if (r < 0) {
		err_set(err, r, "cannot write '%s/" NAME "': %s", a->dir, strerror(-r));
		/* a torn record is truncated at the next start as well */
		(void)!ftruncate(a->fd, (off_t)a->size);
		return r;
	}
	a->size += (int64_t)a->buf.n;
	return 0;
}

int ahead_restart(struct ahead *a, enum ahead_type type, uint64_t seq, struct sv payload,
		  struct err *err)
{
	unlinkat(a->dir_fd, NEXT, 0); /* of a run that was killed; or what somebody put there */
	int fd = file_open_in(a->dir_fd, a->dir, NEXT, O_RDWR | O_CREAT | O_EXCL, 0640, err);
	int r = min_int(fd, 0);
	compose_record(a, type, seq, payload);
	if (r == 0)
		r = write_whole(fd, &a->buf, 0);
	if (r == 0 && fsync(fd)) /* else the power may leave the new name without the bytes */
		r = -errno;
	if (r == 0 && renameat(a->dir_fd, NEXT, a->dir_fd, NAME))
		r = -errno;
	if (r < 0) {
		if (fd >= 0)
			close(fd);
		unlinkat(a->dir_fd, NEXT, 0);
		return err_set(err, r, "cannot write '%s/" NEXT "': %s", a->dir, strerror(-r));
	}
	close(a->fd);
	a->fd = fd;
	a->size = (int64_t)a->buf.n;
	return 0;
}

int64_t ahead_bytes(const struct ahead *a)
{
	return a->size;
}

void ahead_mark(struct ahead *a, const struct agentdb_commits *commits)
{
	a->mark = *commits;
}

void ahead_found(const struct ahead *a, struct ahead_look *ret)
{
	*ret = a->found;
}

int ahead_look(int dir_fd, const char *dir, struct ahead_look *ret, struct err *err)
{
	*ret = (struct ahead_look){ 0 };
	int fd = file_open_in(dir_fd, dir, NAME, O_RDONLY, 0, err);
	if (fd == -ENOENT) {
		err_clear(err);
		return 0;
	}
	if (fd < 0)
		return fd;
	int r = read_records(fd, dir, NULL, NULL, ret, err);
	close(fd);
	return r;
}
