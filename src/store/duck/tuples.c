/* Tuples of texts by their hash of 128 bits, in a table with open addressing. */
#include "base/utf8.h"
#include "store/duck/tuples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/num.h"
#include "store/duck/inside.h"

struct slot {
	XXH128_hash_t hash;
	int32_t id; /* 0 = free */
};

struct key {
	char *p;
	size_t n, cap;
};

struct tuple_set {
	struct slot *slot;
	size_t nslot, n;  /* nslot: a power of two */
	int32_t last_id;  /* the highest number given */
	struct key key;   /* of the tuple asked for */
	struct key above; /* of the one asked for before: entries come in runs */
	int32_t above_id; /* 0 = none */
};

struct tuples {
	struct tuple_set set[TUPLE_N];
	struct str mended[TUPLE_TEXTS];
};

#define SELECT_FROM(columns, table) \
	"SELECT id, " columns " FROM " table " WHERE id >= CAST($1 AS BIGINT)"
static const struct {
	enum table table;
	size_t n, nbill; /* nbill: the last of them, in ledger_bill */
	bool nulls;      /* {NULL,0} is another text than "" */
	const char *load;
} kinds[TUPLE_N] = {
	[TUPLE_WHAT] = { T_WHAT, WHAT_N, WHAT_BILL_N, false,
			 SELECT_FROM(WHAT_COLUMNS("") ", " WHAT_BILL_COLUMNS(""),
				     WHAT_WITH_BILL " w") },
	[TUPLE_WHO] = { T_WHO, WHO_N, 0, false, SELECT_FROM(WHO_COLUMNS(""), "ledger_who") },
	[TUPLE_PLACE] = { T_PLACE, PLACE_TEXTS, 0, true,
			  SELECT_FROM(PLACE_COLUMNS(""), "allocation_place") },
	[TUPLE_OWNER] = { T_OWNER, OWNER_TEXTS, 0, true,
			  SELECT_FROM(OWNER_COLUMNS(""), "allocation_owner") },
	[TUPLE_SHAPE] = { T_SHAPE, SHAPE_TEXTS, 0, true,
			  SELECT_FROM(SHAPE_COLUMNS(""), "allocation_shape") },
};

void tuples_free(struct tuples *t)
{
	if (!t)
		return;
	for (int i = 0; i < TUPLE_N; i++) {
		free(t->set[i].slot);
		free(t->set[i].key.p);
		free(t->set[i].above.p);
	}
	for (size_t i = 0; i < TUPLE_TEXTS; i++)
		str_free(&t->mended[i]);
	free(t);
}

/* ---- the table ---------------------------------------------------------------------------- */

static struct slot *find_slot(const struct tuple_set *s, XXH128_hash_t hash)
{
	size_t i = hash.low64 & (s->nslot - 1);

	while (s->slot[i].id && !XXH128_isEqual(s->slot[i].hash, hash))
		i = (i + 1) & (s->nslot - 1);
	return &s->slot[i];
}

static void put_tuple(struct tuple_set *s, XXH128_hash_t hash, int32_t id)
{
	if (s->n * 2 >= s->nslot) {
		struct tuple_set old = *s;
		s->nslot = old.nslot ? old.nslot * 2 : 1024;
		s->slot = xcalloc(s->nslot, sizeof *s->slot);
		for (size_t i = 0; i < old.nslot; i++)
			if (old.slot[i].id)
				*find_slot(s, old.slot[i].hash) = old.slot[i];
		free(old.slot);
	}
	*find_slot(s, hash) = (struct slot){ hash, id };
	s->n++;
}

/* A text without a value has a length that none has. */
static uint32_t key_length(enum tuple t, struct sv text)
{
	if (kinds[t].nulls && !text.p)
		return UINT32_MAX;
	return (uint32_t)text.n;
}

/* The lengths, the numbers and then the texts; as long as it is made, a fifth of the time of a list
 * of jobs' entries went through str_add(). */
static void make_key(struct key *key, enum tuple t, const struct sv *text,
		     const struct shape *shape)
{
	uint32_t len[TUPLE_TEXTS];
	size_t n = kinds[t].n, bytes = n * sizeof *len + (shape ? sizeof *shape : 0);

	for (size_t i = 0; i < n; i++) {
		len[i] = key_length(t, text[i]);
		bytes += text[i].n;
	}
	if (bytes > key->cap) {
		key->cap = 2 * bytes;
		key->p = xrealloc(key->p, key->cap);
	}
	key->n = bytes;
	char *at = key->p;
	memcpy(at, len, n * sizeof *len);
	at += n * sizeof *len;
	if (shape) {
		memcpy(at, shape, sizeof *shape);
		at += sizeof *shape;
	}
	for (size_t i = 0; i < n; i++)
		if (text[i].n) {
			memcpy(at, text[i].p, text[i].n);
			at += text[i].n;
		}
}

/* Is this the key of these texts and numbers? */
static bool is_key_of(const struct key *key, enum tuple t, const struct sv *text,
		      const struct shape *shape)
{
	size_t n = kinds[t].n;
	const char *at = key->p + n * sizeof(uint32_t);

	for (size_t i = 0; i < n; i++) {
		uint32_t len;
		memcpy(&len, key->p + i * sizeof len, sizeof len);
		if (len != key_length(t, text[i]))
			return false;
	}
	if (shape && memcmp(at, shape, sizeof *shape) != 0)
		return false;
	at += shape ? sizeof *shape : 0;
	for (size_t i = 0; i < n; i++) {
		if (text[i].n && memcmp(at, text[i].p, text[i].n) != 0)
			return false;
		at += text[i].n;
	}
	return true;
}

/* ---- what others read of them -------------------------------------------------------------- */

int32_t tuple_last(const struct facts *f, enum tuple t)
{
	return f->tuples ? f->tuples->set[t].last_id : 0;
}

size_t tuple_texts(enum tuple t)
{
	return kinds[t].n;
}

const char *tuple_select(enum tuple t)
{
	return kinds[t].load;
}

struct shape tuple_read_shape(const struct answer *r)
{
	size_t c = 1 + SHAPE_TEXTS;

	return (struct shape){ .gpus_milli = answer_i64(r, c),
			       .share_kind = answer_i64(r, c + 1),
			       .share_ppb = answer_i64(r, c + 2),
			       .mig_start = answer_i64(r, c + 3),
			       .open_end = answer_i64(r, c + 4),
			       .checkpointable = answer_i64(r, c + 5),
			       .attempt = answer_i64(r, c + 6),
			       .has_usd_gpu_hour = !answer_null(r, c + 7),
			       .usd_gpu_hour = answer_huge(r, c + 7) };
}

/* ---- those of earlier batches ------------------------------------------------------------- */

static int load_tuples(struct facts *f, struct tuples *ts, enum tuple t, struct err *err)
{
	struct tuple_set *s = &ts->set[t];
	struct sv text[TUPLE_TEXTS];
	struct shape shape;
	struct answer r;
	int e = writer_quiet(f->writer, NULL, err);

	if (e == 0)
		e = answer_open(&r,
				&(struct sql_query){ f->con, kinds[t].load,
						     "read the store's texts", true },
				err, "i", (int64_t)0);
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0) {
		int32_t id = (int32_t)answer_i64(&r, 0);
		for (size_t i = 0; i < kinds[t].n; i++)
			text[i] = answer_sv(&r, 1 + i);
		if (t == TUPLE_SHAPE)
			shape = tuple_read_shape(&r);
		make_key(&s->key, t, text, t == TUPLE_SHAPE ? &shape : NULL);
		put_tuple(s, XXH3_128bits(s->key.p, s->key.n), id);
		s->last_id = max_int(id, s->last_id);
	}
	answer_close(&r);
	return e;
}

/* ---- asked for ---------------------------------------------------------------------------- */

static void write_shape(struct bulk *b, const struct shape *s)
{
	bulk_i64(b, s->gpus_milli);
	bulk_i8(b, (int)s->share_kind);
	bulk_i64(b, s->share_ppb);
	bulk_i32(b, (int32_t)s->mig_start);
	bulk_i8(b, (int)s->open_end);
	bulk_i8(b, (int)s->checkpointable);
	bulk_i32(b, (int32_t)s->attempt);
	bulk_dec(b, s->has_usd_gpu_hour, s->usd_gpu_hour);
}

static int write_tuple(struct facts *f, enum tuple t, const struct sv *text,
		       const struct shape *shape, int32_t id, struct err *err)
{
	struct bulk *b = duck_bulk(f, kinds[t].table, err);
	size_t n = kinds[t].n - kinds[t].nbill;
	bool any = false;

	if (!b)
		return -EPERM;
	bulk_i32(b, id);
	for (size_t i = 0; i < n; i++)
		if (kinds[t].nulls)
			bulk_sv(b, text[i]);
		else
			bulk_text(b, text[i]);
	if (shape)
		write_shape(b, shape);
	int e = bulk_end_row(b, err);
	for (size_t i = n; i < kinds[t].n; i++)
		any |= text[i].n > 0;
	if (e || !any)
		return e;
	b = duck_bulk(f, T_WHAT_BILL, err);
	if (!b)
		return -EPERM;
	bulk_i32(b, id);
	for (size_t i = n; i < kinds[t].n; i++)
		bulk_text(b, text[i]);
	return bulk_end_row(b, err);
}

/* A tuple that was not seen as it is: what is no UTF-8 in it is stored mended, and may then be one
 * that is known. */
static int add_tuple(struct facts *f, enum tuple t, const struct sv *text,
		     const struct shape *shape, int32_t *ret, struct err *err)
{
	struct tuple_set *s = &f->tuples->set[t];
	struct sv mended[TUPLE_TEXTS] = { 0 };
	int e = 0;

	for (size_t i = 0; i < kinds[t].n; i++)
		mended[i] = utf8_of(&f->tuples->mended[i], text[i]);
	make_key(&s->key, t, mended, shape);
	XXH128_hash_t stored = XXH3_128bits(s->key.p, s->key.n);
	*ret = s->nslot ? find_slot(s, stored)->id : 0;
	if (!*ret) {
		if (s->last_id == INT32_MAX)
			return err_set(err, -EOVERFLOW,
				       "the store has %d different sets of texts, no more fit",
				       INT32_MAX);
		*ret = ++s->last_id;
		e = write_tuple(f, t, mended, shape, *ret, err);
		put_tuple(s, stored, *ret);
	}
	return e;
}

int tuple_id(struct facts *f, enum tuple t, const struct sv *text, const struct shape *shape,
	     int32_t *ret, struct err *err)
{
	int e = 0;

	if (!f->tuples) {
		struct tuples *ts = xcalloc(1, sizeof *ts);
		for (int k = 0; k < TUPLE_N && e == 0; k++)
			e = load_tuples(f, ts, (enum tuple)k, err);
		if (e)
			tuples_free(ts);
		else
			f->tuples = ts;
	}
	if (e)
		return e;
	struct tuple_set *s = &f->tuples->set[t];
	if (s->above_id && is_key_of(&s->above, t, text, shape)) {
		*ret = s->above_id;
		return 0;
	}
	make_key(&s->above, t, text, shape);
	s->above_id = 0;
	XXH128_hash_t hash = XXH3_128bits(s->above.p, s->above.n);
	*ret = s->nslot ? find_slot(s, hash)->id : 0;
	if (!*ret) {
		e = add_tuple(f, t, text, shape, ret, err);
		if (!e && !find_slot(s, hash)->id) /* it is stored mended */
			put_tuple(s, hash, *ret);
	}
	s->above_id = e ? 0 : *ret;
	return e;
}
