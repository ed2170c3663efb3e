/* See raw.h. */
#include "agent/raw.h"

#include <errno.h>
#include <math.h>

#include "base/num.h"

/* ---- columns ----------------------------------------------------------------------------- */

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

/* ---- records of the write-ahead ---------------------------------------------------------- */

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
