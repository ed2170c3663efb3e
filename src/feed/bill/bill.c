/*
 * The memory of the classifier: lines with the same evidence are judged once (bill_rules.c), and
 * what a line's quantity counts is brought to hours of the resource.
 */
#include <xxhash.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/tm.h"
#include "feed/bill/bill_rules.h"

#define MEMO_MAX       65536 /* different lines remembered; real bills have some thousand SKUs */
#define EVIDENCE_BYTES 8192  /* a longer line is classified again each time */

struct memo {
	XXH128_hash_t key;
	bool used;
	struct verdict v;
};

struct bill_classifier {
	struct catalog *catalog;
	struct arena mem;  /* texts of verdicts */
	struct memo *slot; /* [nslot], a power of two, at most half full */
	size_t nslot, n;
	struct intern providers;
	struct sv last_name, last_provider;
	char last_buf[128];
};

int bill_classifier_new(struct bill_classifier **ret, struct err *err)
{
	struct bill_classifier *c = xcalloc(1, sizeof *c);
	int rc = catalog_open(NULL, &c->catalog, err);

	if (rc < 0) {
		free(c);
		return rc;
	}
	*ret = c;
	return 0;
}

void bill_classifier_free(struct bill_classifier *c)
{
	if (!c)
		return;
	catalog_free(c->catalog);
	arena_free(&c->mem);
	intern_free(&c->providers);
	free(c->slot);
	free(c);
}

struct sv bill_provider(struct bill_classifier *c, struct sv name)
{
	if (c->last_name.p && sv_eq(name, c->last_name))
		return c->last_provider;
	const char *p = catalog_provider(c->catalog, name);
	/* may move the texts: index afterwards */
	uint32_t id = c->providers.n < 10000 ? intern_add(&c->providers, sv_of(p)) : UINT32_MAX;
	struct sv s = SV("other");
	if (id != UINT32_MAX)
		s = c->providers.text[id];
	if (name.n && name.n <= sizeof c->last_buf) {
		memcpy(c->last_buf, name.p, name.n);
		c->last_name = (struct sv){ c->last_buf, name.n };
		c->last_provider = s;
	}
	return s;
}

/* ---- a line ------------------------------------------------------------------------------ */

static struct sv keep_text(struct bill_classifier *c, struct sv v)
{
	if (v.p)
		return (struct sv){ arena_sv(&c->mem, v), v.n };
	return v;
}

static void judge_line(struct bill_classifier *c, const struct bill_line *b,
		       const struct bill_evidence *e, struct verdict *v)
{
	bill_judge(c->catalog, b, e, v);
	v->instance_type = keep_text(c, v->instance_type);
	v->gpu_model = keep_text(c, v->gpu_model);
	if (v->purchase.n && sv_eq(v->purchase, b->commitment_type) &&
	    purchase_terms(v->purchase).commitment == COMMITMENT_NONE)
		/* a discount of a kind that only this provider has: its word, told as what it is */
		v->purchase = sv_of(arena_printf(&c->mem, "committed (%.*s)", SVF(v->purchase)));
	else
		v->purchase = keep_text(c, v->purchase);
}

/* Everything that the rules look at, one after the other with its length; false when it does not
 * fit. */
static bool evidence_key(const struct bill_line *b, const struct bill_evidence *e,
			 XXH128_hash_t *ret)
{
	bool fee = e->is_fee || bill_is_fee(b);
	bool committed = b->commitment_type.n || b->commitment_id.n ||
			 sv_ieq(b->pricing_category, SV("Committed"));
	const struct sv part[] = { b->provider,
				   b->charge_category,
				   b->charge_class,
				   b->pricing_category,
				   b->service_category,
				   b->service_name,
				   b->sku_id,
				   b->usage_type,
				   b->unit,
				   b->charge_description,
				   b->instance_type,
				   b->commitment_type,
				   b->commitment_status,
				   b->capacity_status,
				   e->details,
				   e->term,
				   e->gpu_model,
				   e->gpu_count,
				   fee ? SV("fee") : SV_NULL,
				   committed ? b->sku_price_id : SV_NULL,
				   b->commitment_type.n ? SV_NULL : b->commitment_id };
	char buf[EVIDENCE_BYTES];
	size_t n = 0;

	for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
		uint32_t len = (uint32_t)part[i].n;
		if (part[i].n > sizeof buf || n + sizeof len + len > sizeof buf)
			return false;
		memcpy(buf + n, &len, sizeof len);
		n += sizeof len;
		if (len)
			memcpy(buf + n, part[i].p, len);
		n += len;
	}
	*ret = XXH3_128bits(buf, n);
	return true;
}

static struct memo *find_memo(const struct bill_classifier *c, XXH128_hash_t key)
{
	size_t i = key.low64 & (c->nslot - 1);

	while (c->slot[i].used && !XXH128_isEqual(c->slot[i].key, key))
		i = (i + 1) & (c->nslot - 1);
	return &c->slot[i];
}

static const struct verdict *judge_remembered(struct bill_classifier *c, const struct bill_line *b,
					      const struct bill_evidence *e, struct verdict *spare)
{
	XXH128_hash_t key;

	if (c->n == MEMO_MAX || c->mem.used_bytes > ((size_t)64 << 20)) {
		/* more kinds of lines than any bill has: start over */
		if (c->nslot)
			memset(c->slot, 0, c->nslot * sizeof *c->slot);
		arena_free(&c->mem);
		c->n = 0;
	}
	if (!evidence_key(b, e, &key)) {
		judge_line(c, b, e, spare);
		return spare;
	}
	if (2 * c->n >= c->nslot) {
		struct memo *old = c->slot;
		size_t n = c->nslot;
		c->nslot = n ? n * 2 : 1024;
		c->slot = xcalloc(c->nslot, sizeof *c->slot);
		for (size_t i = 0; i < n; i++)
			if (old[i].used)
				*find_memo(c, old[i].key) = old[i];
		free(old);
	}
	struct memo *m = find_memo(c, key);
	if (!m->used) {
		judge_line(c, b, e, &m->v);
		m->key = key;
		m->used = true;
		c->n++;
	}
	return &m->v;
}

/* How many GPUs a line that counts GPU-hours stands for: as many as were running at least, if they
 * ran all the time. */
static int64_t gpus_counted(const struct bill_line *b)
{
	int64_t ms = b->to_ms - b->from_ms;

	if (!b->has_quantity || b->quantity <= 0)
		return 1;
	if (ms <= 0 || b->quantity > DEC_ONE * 1000000)
		return 1;
	dec n = dec_muldiv(b->quantity, MS_HOUR, ms);
	int64_t whole = (int64_t)((n + DEC_ONE - 1) / DEC_ONE);
	return clamp_i64(whole, 1, 1024);
}

bool bill_classify(struct bill_classifier *c, struct bill_line *b, const struct bill_evidence *e)
{
	struct verdict spare;
	const struct verdict *v = judge_remembered(c, b, e, &spare);

	b->kind = v->kind;
	b->gpu_model = v->gpu_model;
	b->gpu_milli = v->gpu_milli;
	b->purchase = v->purchase;
	if (!b->instance_type.n)
		b->instance_type = v->instance_type;
	if (!v->of_gpu)
		return false;
	if (v->counts == COUNTS_GPU && !b->gpu_milli)
		b->gpu_milli = gpus_counted(b) * 1000;
	if (v->counts == COUNTS_GPU && b->has_quantity)
		b->quantity = dec_muldiv(b->quantity, 1000, b->gpu_milli);
	/* credits, corrections, negations and fees repeat the quantity of the usage they belong
	 * to */
	bool usage = sv_ieq(b->charge_category, SV("Usage")) && !bill_is_credit(b);
	if (v->counts == COUNTS_OTHER || !usage)
		b->has_quantity = false;
	return v->told;
}
