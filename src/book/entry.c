/* From attributed entries to rows of the ledger, and what their rounding left. */
#include "base/tm.h"
#include "book/post.h"

/* What all entries of the card or pool being posted share. */
static struct entry entry_of(const struct post *p, enum kind kind, const struct attrib_entry *a)
{
	static const struct owner nobody;

	return (struct entry){
		.hour_ms = a->hour_ms,
		.kind = kind,
		.gpu = p->card_key.p ? p->card_key : SV(""),
		.scope = sv_of(p->scope),
		.node = p->paid.node,
		.cluster = p->paid.cluster,
		.provider = p->paid.provider,
		.region = p->paid.region,
		.zone = p->paid.zone,
		.gpu_model = p->paid.gpu_model,
		.purchase = a->purchase,
		.currency = a->currency,
		.owner = a->owner == ATTRIB_NOBODY ? nobody : *p->owner.v[a->owner],
		.util_ms = UNKNOWN_I64,
	};
}

int entry_emit(void *ctx, const struct attrib_entry *a, struct err *err)
{
	struct post *p = ctx;
	struct entry e = entry_of(p, KIND_GPU, a);

	e.state = a->state;
	e.cause = a->state == STATE_UNDERUSED && a->cause == CAUSE_UNKNOWN
			  ? cause_of_hour(&p->causes, a->hour_ms, a->owner)
			  : a->cause;
	e.quality = a->quality;
	e.ms = a->ms;
	e.util_ms = a->util_ms;
	e.priced = (enum priced)a->tag; /* stretches carry where their price came from */
	memcpy(e.nano, a->nano, sizeof e.nano);
	if (p->metered)
		energy_held(&p->energy, a);
	return store_add_entry(p->book->store, &e, err);
}

/* The energy that an owner used in an hour, beside the GPU time of the same card. */
int entry_energy(void *ctx, const struct attrib_entry *a, int64_t nano, struct err *err)
{
	struct post *p = ctx;
	struct entry e = entry_of(p, KIND_ENERGY, a);

	e.quality = QUALITY_MEASURED;
	e.priced = PRICED_RECORD;
	for (int b = 0; b < BASIS_N; b++)
		e.nano[b] = nano;
	return store_add_entry(p->book->store, &e, err);
}

/* Money of the node's bill that no time carries: whoever answers for what nobody holds has it. */
int entry_extra(struct post *p, const struct paid_extra *x, struct err *err)
{
	struct attrib_entry a = { .hour_ms = x->hour_ms,
				  .owner = hold_unheld_owner(p, x->account, x->tags),
				  .purchase = x->purchase,
				  .currency = or_sv(x->currency,
						    sv_of(p->book->opt.conf->currency)) };
	struct entry e = entry_of(p, x->kind, &a);

	e.state = x->kind == KIND_GPU ? STATE_UNKNOWN : STATE_NONE;
	e.quality = QUALITY_MEASURED;
	e.priced = PRICED_BILL;
	memcpy(e.nano, x->nano, sizeof e.nano);
	return store_add_entry(p->book->store, &e, err);
}

static struct remainder *rest_of(struct post *p, int64_t hour_ms, enum basis b)
{
	int64_t day = tm_floor(hour_ms, MS_DAY);

	for (size_t i = p->rest.n; i-- > 0 && p->rest.n - i < 9;)
		if (p->rest.v[i].from_ms == day && p->rest.v[i].basis == b)
			return &p->rest.v[i];
	struct remainder *r = vec_push(&p->rest);
	*r = (struct remainder){
		.scope = p->scope, .basis = b, .from_ms = day, .to_ms = day + MS_DAY
	};
	return r;
}

static void rest_hour(void *ctx, int64_t hour_ms, const __int128 pico_ms[BASIS_N])
{
	for (int b = 0; b < BASIS_N; b++)
		if (pico_ms[b])
			rest_of(ctx, hour_ms, (enum basis)b)->pico_ms += pico_ms[b];
}

void entry_rest_energy(void *ctx, int64_t hour_ms, dec rest)
{
	for (int b = 0; b < BASIS_N && rest; b++)
		rest_of(ctx, hour_ms, (enum basis)b)->amount += rest;
}

/* Write the remainders of the calls since the last flush: they share a currency. */
int entry_flush(struct post *p, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < p->rest.n && !rc; i++) {
		p->rest.v[i].currency = arena_sv(
			&p->mem, or_sv(p->rest_currency, sv_of(p->book->opt.conf->currency)));
		rc = store_add_remainder(p->book->store, &p->rest.v[i], err);
	}
	vec_clear(&p->rest);
	return rc;
}

void entry_start(struct post *p, struct attrib_rest *r, struct sv currency)
{
	*r = (struct attrib_rest){ .hour = rest_hour, .hour_ctx = p };
	p->rest_currency = currency;
}
