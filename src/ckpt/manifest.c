#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
/* the same hash by AVX2 or AVX512 where the processor has them: a third less time */
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif
#include "base/among.h"
#include "base/clean.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "ckpt/manifest.h"

#define HEAD "tare-checkpoint 1"

void ckpt_free(struct ckpt *c)
{
	arena_free(&c->mem);
	vec_free(&c->data);
	vec_free(&c->file);
	vec_free(&c->chunk);
	*c = (struct ckpt){ 0 };
}

struct ckpt_hash ckpt_hash_of(const void *p, size_t n)
{
	XXH128_canonical_t canon;
	struct ckpt_hash h;

	XXH128_canonicalFromHash(&canon, XXH3_128bits(n ? p : "", n));
	memcpy(h.b, canon.digest, sizeof h.b);
	return h;
}

uint64_t ckpt_bytes(const struct ckpt *c)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->file.n; i++)
		sum += c->file.v[i].bytes;
	return sum;
}

bool ckpt_name_ok(struct sv name)
{
	struct sv rest = name;

	if (!name.n || name.n > 1000)
		return false;
	for (size_t at = 0, len; at < name.n; at += len) {
		uint32_t c;
		if (!(len = sv_utf8(name.p + at, name.n - at, &c)) || c < 0x20)
			return false;
		if (c >= 0x7f && c < 0xa0)
			return false;
	}
	while (rest.p) {
		struct sv part = sv_cut(rest, '/', &rest);
		if (!part.n || SV_AMONG(part, ".", ".."))
			return false;
	}
	return true;
}

bool ckpt_id_ok(struct sv id)
{
	if (id.n != 29 || id.p[12] != '-')
		return false;
	for (size_t i = 0; i < id.n; i++)
		if (i != 12 && !within_int(id.p[i], '0', '9') &&
		    !(i > 12 && within_int(id.p[i], 'a', 'f')))
			return false;
	return true;
}

static void add_hash(struct str *s, struct ckpt_hash h)
{
	for (size_t i = 0; i < sizeof h.b; i++)
		str_addf(s, "%02x", h.b[i]);
}

void ckpt_manifest_write(const struct ckpt *c, struct str *ret)
{
	char at[TM_BUF];

	str_clear(ret);
	str_addf(ret, HEAD "\nid %s\nstep %" PRId64 "\ntime %s\n", c->id, c->step,
		 tm_format(at, c->time_ms));
	if (c->parent[0])
		str_addf(ret, "parent %s\n", c->parent);
	str_addf(ret, "world %d\n", c->world);
	if (c->rank >= 0)
		str_addf(ret, "rank %d\n", c->rank);
	str_addf(ret, "attempt %s\nmeta %s\n", filled_or(c->attempt, "-"),
		 filled_or(c->meta, "{}"));
	for (size_t i = 0; i < c->data.n; i++)
		str_addf(ret, "data %" PRIu64 " %s\n", c->data.v[i].bytes, c->data.v[i].name);
	for (size_t i = 0; i < c->file.n; i++) {
		const struct ckpt_file *f = &c->file.v[i];
		str_addf(ret, "file %" PRIu64 " %s\n", f->bytes, f->name);
		for (size_t j = f->first; j < f->first + f->nchunk; j++) {
			const struct ckpt_chunk *k = &c->chunk.v[j];
			str_addf(ret, "chunk %" PRIu32 " %" PRIu64 " %" PRIu32 " ", k->data,
				 k->offset, k->bytes);
			add_hash(ret, k->hash);
			str_addc(ret, '\n');
		}
	}
	struct ckpt_hash h = ckpt_hash_of(str_z(ret), ret->n);
	str_addz(ret, "end ");
	add_hash(ret, h);
	str_addc(ret, '\n');
}

/* ---- reading ----------------------------------------------------------------------------- */

struct reader {
	const char *name;
	struct sv rest;
	size_t line;
	struct ckpt *c;
	uint64_t left; /* bytes of the last file that its chunks have not covered yet */
	struct err *err;
};

static int tell_bad(struct reader *r, const char *why)
{
	return err_set(r->err, -EBADMSG, "'%s' is not a whole checkpoint manifest: line %zu: %s",
		       r->name, r->line, why);
}

static int hex_of(char ch)
{
	if (ch >= '0' && ch <= '9')
		return ch - '0';
	if (ch >= 'a' && ch <= 'f')
		return ch - 'a' + 10;
	return -1;
}

static int hash_parse(struct sv s, struct ckpt_hash *ret)
{
	if (s.n != 2 * sizeof ret->b)
		return -EINVAL;
	for (size_t i = 0; i < sizeof ret->b; i++) {
		int hi = hex_of(s.p[2 * i]), lo = hex_of(s.p[2 * i + 1]);
		if (hi < 0 || lo < 0)
			return -EINVAL;
		ret->b[i] = (uint8_t)(hi << 4 | lo);
	}
	return 0;
}

/* The last line holds the hash of all before it. *ret_body: what is before. */
static int check_end(struct reader *r, struct sv text, struct sv *ret_body)
{
	enum { END = 4 + 32 + 1 };
	struct ckpt_hash told, is;

	r->line = 0;
	if (text.n < END + sizeof HEAD || text.p[text.n - 1] != '\n' ||
	    text.p[text.n - END - 1] != '\n' || memcmp(text.p + text.n - END, "end ", 4) != 0 ||
	    hash_parse((struct sv){ text.p + text.n - END + 4, 32 }, &told) < 0)
		return tell_bad(r, "it does not end with its own hash");
	*ret_body = (struct sv){ text.p, text.n - END };
	is = ckpt_hash_of(ret_body->p, ret_body->n);
	if (memcmp(&is, &told, sizeof is))
		return tell_bad(r, "its hash does not fit: it was truncated or changed");
	return 0;
}

/* "key value": the value if the next line has this key; the line is then used up. */
static bool take_key(struct reader *r, const char *key, struct sv *ret)
{
	struct sv after, line = sv_cut(r->rest, '\n', &after), value,
			 word = sv_cut(line, ' ', &value);

	if (!r->rest.n || !value.p || !sv_is(word, key))
		return false;
	r->rest = after;
	r->line++;
	*ret = value;
	return true;
}

static int take_i64(struct reader *r, const char *key, int64_t lo, int64_t hi, int64_t *ret)
{
	struct sv v;

	if (!take_key(r, key, &v) || sv_i64(v, ret) < 0 || !within_i64(*ret, lo, hi))
		return tell_bad(r, key);
	return 0;
}

static int take_head(struct reader *r)
{
	struct ckpt *c = r->c;
	struct sv v, line = sv_cut(r->rest, '\n', &r->rest);
	int64_t n;

	r->line = 1;
	if (!sv_is(line, HEAD)) {
		if (sv_starts(line, SV("tare-checkpoint ")))
			return tell_bad(r, "written by a newer version of tare");
		return tell_bad(r, "not a manifest");
	}
	if (!take_key(r, "id", &v) || !ckpt_id_ok(v))
		return tell_bad(r, "id");
	memcpy(c->id, v.p, v.n);
	if (take_i64(r, "step", 0, CKPT_STEP_MAX, &c->step) < 0)
		return -EBADMSG;
	if (!take_key(r, "time", &v) || tm_parse(v, 0, &c->time_ms) < 0)
		return tell_bad(r, "time");
	if (take_key(r, "parent", &v)) {
		if (!ckpt_id_ok(v))
			return tell_bad(r, "parent");
		memcpy(c->parent, v.p, v.n);
	}
	if (take_i64(r, "world", 1, 1 << 20, &n) < 0)
		return -EBADMSG;
	c->world = (int)n;
	c->rank = -1;
	if (take_key(r, "rank", &v)) {
		if (sv_i64(v, &n) < 0 || n < 0 || n >= c->world)
			return tell_bad(r, "rank");
		c->rank = (int)n;
	}
	if (!take_key(r, "attempt", &v) || !v.n || v.n > CKPT_ATTEMPT_MAX)
		return tell_bad(r, "attempt");
	c->attempt = arena_sv(&c->mem, v);
	if (!take_key(r, "meta", &v) || v.n > CKPT_META_MAX)
		return tell_bad(r, "meta");
	c->meta = arena_sv(&c->mem, v);
	return 0;
}

static int take_file(struct reader *r, struct sv v)
{
	struct sv name, size = sv_cut(v, ' ', &name);
	int64_t bytes;

	if (r->left)
		return tell_bad(r, "the file before has fewer bytes than it says");
	if (sv_i64(size, &bytes) < 0 || bytes < 0 || !ckpt_name_ok(name))
		return tell_bad(r, "file: not a length and a name");
	if (r->c->file.n >= CKPT_FILES_MAX)
		return tell_bad(r, "too many files");
	*vec_push(&r->c->file) = (struct ckpt_file){ .name = arena_sv(&r->c->mem, name),
						     .bytes = (uint64_t)bytes,
						     .first = r->c->chunk.n };
	r->left = (uint64_t)bytes;
	return 0;
}

static int take_chunk(struct reader *r, struct sv v)
{
	struct ckpt *c = r->c;
	struct ckpt_chunk k = { 0 };
	struct sv rest, data = sv_cut(v, ' ', &rest), off = sv_cut(rest, ' ', &rest),
			len = sv_cut(rest, ' ', &rest);
	int64_t d, o, n;

	if (sv_i64(data, &d) < 0 || sv_i64(off, &o) < 0 || sv_i64(len, &n) < 0 ||
	    hash_parse(rest, &k.hash) < 0)
		return tell_bad(r, "chunk: not data file, offset, length and hash");
	if (d < 0 || (size_t)d >= c->data.n || o < 0 || n < 1 || n > CKPT_CHUNK_BYTES ||
	    (uint64_t)o + (uint64_t)n > c->data.v[d].bytes)
		return tell_bad(r, "chunk: outside of its data file");
	if (!c->file.n || (uint64_t)n > r->left || (n < CKPT_CHUNK_BYTES && (uint64_t)n != r->left))
		return tell_bad(r, "chunk: does not fit its file");
	if (c->chunk.n >= CKPT_CHUNKS_MAX)
		return tell_bad(r, "too many chunks");
	k.data = (uint32_t)d;
	k.offset = (uint64_t)o;
	k.bytes = (uint32_t)n;
	*vec_push(&c->chunk) = k;
	c->file.v[c->file.n - 1].nchunk++;
	r->left -= (uint64_t)n;
	return 0;
}

static int take_body(struct reader *r)
{
	struct sv v;
	int rc = 0;

	while (take_key(r, "data", &v)) {
		struct sv name, size = sv_cut(v, ' ', &name);
		int64_t bytes;
		if (sv_i64(size, &bytes) < 0 || bytes < 0 || !ckpt_name_ok(name) ||
		    memchr(name.p, '/', name.n))
			return tell_bad(r, "data: not a length and a name");
		if (r->c->data.n >= CKPT_FILES_MAX)
			return tell_bad(r, "too many data files");
		*vec_push(&r->c->data) = (struct ckpt_data){ arena_sv(&r->c->mem, name),
							     (uint64_t)bytes };
	}
	while (rc == 0 && r->rest.n) {
		if (take_key(r, "chunk", &v))
			rc = take_chunk(r, v);
		else if (take_key(r, "file", &v))
			rc = take_file(r, v);
		else
			rc = tell_bad(r, "an unknown line follows");
	}
	if (rc)
		return rc;
	if (r->left)
		return tell_bad(r, "the last file has fewer bytes than it says");
	return 0;
}

int ckpt_manifest_parse(const char *name, struct sv text, struct ckpt *ret, struct err *err)
{
	struct ckpt c = { 0 };
	struct reader r = { .name = name, .c = &c, .err = err };
	int rc = check_end(&r, text, &r.rest);

	if (rc == 0)
		rc = take_head(&r);
	if (rc == 0)
		rc = take_body(&r);
	if (rc < 0)
		ckpt_free(&c);
	else
		*ret = c;
	return rc;
}
