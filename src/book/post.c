/*
 * Post a scope: reverse what stands in the ledger for the touched days, load facts, attribute, add the new entries.
 *
 * A node with cards: every card is closed by itself (attrib_gpu). Allocations that do not name cards are bound to the lowest free ones when the
 * node has telemetry or they hold the whole node (quality estimated when it is a choice); else the node is a pool (attrib_pool). Pools of (cluster, model)
 * have no cards. Time that nothing but an allocation or a sample speaks of is paid time of its own (quality assumed).
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/tm.h"
#include "book/energy.h"
#include "book/in.h"

struct holding { /* an allocation and the cards of this node it holds */
	struct attrib_alloc a;
	const struct allocation *raw;
	size_t *card; /* [ncard]; ncard 0 = not bound to cards */
	size_t ncard;
	bool named;
};
struct card {
	struct sv key;	/* as entries name it */
	struct sv uuid; /* {NULL,0} = not known */
	VEC(size_t) series;
};
struct post {
	struct book *book;
	struct arena mem;
	const char *scope;
	int64_t from_ms, to_ms;
	struct node *node;
	size_t nnode;
	struct bill_line *line;
	size_t nline;
	struct allocation *alloc;
	size_t nalloc;
	struct series *series;
	size_t nseries;
	struct paid_node paid;
	const struct gpu_spec *gpu;
	VEC(const struct owner *) owner;
	VEC(struct holding) hold;
	VEC(struct card) card;
	size_t *series_owner; /* [nseries] */
	const char **run;     /* [nalloc] */
	/* being posted */
	struct sv card_key;
	struct attrib_rest total;
	VEC(struct remainder) rest; /* per day, currency, basis */
	struct sv rest_currency;
	struct energy energy;
	const struct owned_conf *metered; /* owned hardware whose energy is measured, or NULL */
};

static bool has_prefix(const char *scope, const char *prefix)
{
	return !strncmp(scope, prefix, strlen(prefix));
}

/* ---- owners --------------------------------------------------------------------------------------------------------------------- */

static size_t add_owner(struct post *p, const struct owner *o)
{
	for (size_t i = p->owner.n; i-- > 0 && p->owner.n - i < 16;)
		if (p->owner.v[i] == o)
			return i;
	*vec_push(&p->owner) = o;
	return p->owner.n - 1;
}

static struct sv or_sv(struct sv a, struct sv b)
{
	return a.n ? a : b;
}

static size_t owner_of_alloc(struct post *p, size_t i)
{
	const struct allocation *a = &p->alloc[i];
	struct owner_evidence ev = {
		.user = a->user, .team = a->team, .project = a->project, .env = a->env, .workload = a->workload, .job = a->job_id, .name = a->name,
		.account = a->account, .namespace_ = a->namespace_, .node = a->node, .cluster = or_sv(a->cluster, p->paid.cluster), .queue = a->queue,
		.gpu_model = or_sv(a->gpu_model, p->paid.gpu_model), .tags = a->tags,
		.duration_ms = a->end_ms != UNKNOWN_MS && a->start_ms != UNKNOWN_MS ? a->end_ms - a->start_ms : UNKNOWN_MS,
		.gpus_milli = a->gpus_milli, .open_end = a->open_end || a->end_ms == UNKNOWN_MS,
		.has_requests = (a->name.n && intern_find(&p->book->services, a->name) >= 0) ||
				(a->job_id.n && intern_find(&p->book->services, a->job_id) >= 0),
	};
	const struct owner *o = owner_resolve(p->book->owners, &ev);

	if (p->run && p->run[i] && *p->run[i]) { /* the run is known only beside the other attempts */
		struct owner *with = arena_alloc(&p->mem, sizeof *with);
		*with = *o;
		with->field[OWNER_RUN] = sv_of(p->run[i]);
		with->source[OWNER_RUN] = FROM_INFERENCE;
		o = with;
	}
	return add_owner(p, o);
}

static size_t owner_of_series(struct post *p, const struct sample_key *k)
{
	struct owner_evidence ev = {
		.user = k->user, .team = k->team, .project = k->project, .env = k->env, .workload = k->workload, .job = k->job_id, .name = k->job_id,
		.node = k->node, .cluster = or_sv(k->cluster, p->paid.cluster), .gpu_model = or_sv(k->gpu_model, p->paid.gpu_model),
		.duration_ms = UNKNOWN_MS, .gpus_milli = UNKNOWN_I64,
		.has_requests = k->job_id.n && intern_find(&p->book->services, k->job_id) >= 0,
	};

	if (!k->job_id.n && !k->user.n && !k->team.n && !k->project.n)
		return ATTRIB_NOBODY;
	return add_owner(p, owner_resolve(p->book->owners, &ev));
}

/* Who answers for the time nobody holds: the tags of the bill's resource, else nobody. */
static size_t owner_of_unheld(struct post *p)
{
	struct owner_evidence ev = { .account = p->paid.account, .tags = p->paid.tags, .node = p->paid.node, .cluster = p->paid.cluster,
				     .duration_ms = UNKNOWN_MS, .gpus_milli = UNKNOWN_I64 };
	const struct owner *o = owner_resolve(p->book->owners, &ev);

	for (int f = 0; f < OWNER_N; f++)
		if (o->field[f].n)
			return add_owner(p, o);
	return ATTRIB_NOBODY;
}

/* ---- allocations ------------------------------------------------------------------------------------------------------------------ */

/* States of schedulers that mean the work came to nothing, and why. */
static enum state end_state(const struct allocation *a, enum cause *cause)
{
	static const struct {
		const char *word;
		enum cause cause;
	} lost[] = {
		{ "FAILED", CAUSE_FAILED }, { "OUT_OF_ME", CAUSE_FAILED }, { "OOM", CAUSE_FAILED }, { "BOOT_FAIL", CAUSE_NODE_FAILURE },
		{ "ERROR", CAUSE_FAILED }, { "NODE_FAIL", CAUSE_NODE_FAILURE }, { "CANCELLED", CAUSE_CANCELLED }, { "CANCELED", CAUSE_CANCELLED },
		{ "KILLED", CAUSE_CANCELLED }, { "PREEMPTED", CAUSE_PREEMPTED }, { "EVICTED", CAUSE_EVICTED }, { "HUNG", CAUSE_HUNG },
		{ "TIMEOUT", CAUSE_FAILED }, { "DEADLINE", CAUSE_FAILED },
	};
	*cause = CAUSE_NONE;
	for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
		size_t n = strlen(lost[i].word);
		if (a->state.n < n || !sv_ieq((struct sv){ a->state.p, n }, sv_of(lost[i].word)))
			continue;
		/* What a checkpoint saved is not lost; how much that was is not known here, so nothing is claimed. */
		if (a->checkpointable == 1 && lost[i].cause != CAUSE_FAILED && lost[i].cause != CAUSE_HUNG)
			return STATE_NONE;
		*cause = lost[i].cause;
		return STATE_LOST;
	}
	if (sv_starts(a->state, SV("overhead:"))) {
		int c = cause_of((struct sv){ a->state.p + 9, a->state.n - 9 });
		*cause = c > 0 ? (enum cause)c : CAUSE_NONE;
		return STATE_OVERHEAD;
	}
	return STATE_NONE;
}

static bool is_mig(const struct allocation *a)
{
	return a->share_kind == SHARE_MIG || a->mig_profile.n;
}

static void mig_of(struct post *p, const struct allocation *a, struct attrib_alloc *t)
{
	const struct mig_profile *m = p->gpu ? catalog_mig(p->book->catalog, p->gpu->model, a->mig_profile) : NULL;
	int64_t slices = 0;
	struct sv rest;

	t->mig_start = a->mig_start;
	t->mig_card_compute = p->gpu ? p->gpu->mig_compute_slices : 0;
	t->mig_card_memory = p->gpu ? p->gpu->mig_memory_slices : 0;
	if (m) {
		t->mig_compute = m->compute_slices;
		t->mig_memory = m->memory_slices;
		return;
	}
	if (sv_i64(sv_cut(a->mig_profile, 'g', &rest), &slices) == 0 && slices > 0 && slices <= 8) { /* "3g.40gb" of an unknown card */
		t->mig_compute = (int)slices;
		t->mig_memory = slices == 3 ? 4 : slices == 7 ? 8 : (int)slices;
	}
}

/* What still runs has been seen to run until the end of the data. */
static int64_t running_end(const struct post *p, const struct allocation *a)
{
	return a->end_ms == UNKNOWN_MS ? p->book->horizon_ms : a->end_ms;
}

static int64_t end_of(const struct post *p, const struct allocation *a)
{
	int64_t end = running_end(p, a);

	return end > p->to_ms ? p->to_ms : end;
}

static void describe(struct post *p, size_t i, struct holding *h)
{
	const struct allocation *a = &p->alloc[i];
	struct attrib_alloc *t = &h->a;

	h->raw = a;
	*t = (struct attrib_alloc){
		.from_ms = a->start_ms < p->from_ms ? p->from_ms : a->start_ms,
		.to_ms = end_of(p, a),
		.owner = owner_of_alloc(p, i),
		.gpus_milli = a->gpus_milli,
		.share_kind = is_mig(a) ? SHARE_MIG : a->share_kind,
		.share_ppb = a->share_ppb,
		.mig_start = -1,
		.job_id = a->job_id,
		.quality = QUALITY_MEASURED,
		.notebook = sv_ihas(a->name, SV("jupyter")) || sv_ihas(a->name, SV("notebook")),
	};
	t->end_state = end_state(a, &t->end_cause);
	const struct owner *o = p->owner.v[t->owner];
	t->service = sv_is(o->field[OWNER_WORKLOAD], "inference");
	if (is_mig(a))
		mig_of(p, a, t);
	/* Less than one GPU without a share is a share of one: 460 of 1000. */
	if (a->gpus_milli < 1000 && t->share_ppb < 0 && t->share_kind != SHARE_MIG) {
		t->share_ppb = a->gpus_milli * 1000000;
		t->gpus_milli = 1000;
	}
}

/* The newest import of an allocation wins: rows come oldest first within (start, job). */
static bool superseded(const struct post *p, size_t i)
{
	const struct allocation *a = &p->alloc[i];

	for (size_t j = i + 1; j < p->nalloc && p->alloc[j].start_ms == a->start_ms && sv_eq(p->alloc[j].job_id, a->job_id); j++)
		if (a->job_id.n && sv_eq(p->alloc[j].node, a->node) && sv_eq(p->alloc[j].gpu_ids, a->gpu_ids) && p->alloc[j].mig_start == a->mig_start)
			return true;
	return false;
}

static void take_allocations(struct post *p)
{
	int *attempt = arena_alloc(&p->mem, (p->nalloc + 1) * sizeof *attempt);

	p->run = arena_zalloc(&p->mem, (p->nalloc + 1) * sizeof *p->run);
	if (p->nalloc)
		runs_group(p->alloc, p->nalloc, &p->mem, p->run, attempt);
	for (size_t i = 0; i < p->nalloc; i++) {
		struct holding h = { 0 };
		if (p->alloc[i].start_ms == UNKNOWN_MS || end_of(p, &p->alloc[i]) <= p->from_ms || superseded(p, i))
			continue;
		describe(p, i, &h);
		if (h.a.from_ms < h.a.to_ms)
			*vec_push(&p->hold) = h;
	}
}

/* ---- cards -------------------------------------------------------------------------------------------------------------------------- */

static struct sv card_key(struct post *p, struct sv node, struct sv gpu)
{
	int64_t index;

	if (node.n && sv_i64(gpu, &index) == 0)
		return sv_of(arena_printf(&p->mem, "%.*s/%.*s", SVF(node), SVF(gpu)));
	return gpu;
}

static size_t add_card(struct post *p, struct sv uuid, struct sv key)
{
	struct card *c = vec_push(&p->card);

	memset(c, 0, sizeof *c);
	c->uuid = uuid;
	c->key = key;
	return p->card.n - 1;
}

/* The cards a node's record or bill gives it. */
static void cards_of_node(struct post *p)
{
	int64_t n = (p->paid.gpu_milli + 999) / 1000;
	struct sv rest = p->paid.gpu_ids;

	for (int64_t i = 0; i < n && i < 1024; i++) {
		struct sv uuid = rest.n ? sv_trim(sv_cut(rest, ';', &rest)) : SV_NULL;
		struct sv name = p->paid.node.n ? p->paid.node : sv_of(p->scope);
		add_card(p, uuid, uuid.n ? uuid : sv_of(arena_printf(&p->mem, "%.*s/%lld", SVF(name), (long long)i)));
	}
}

/* The card a text names: a uuid, an index, "index/mig"; -1 if none of this node's. */
static long find_card(const struct post *p, struct sv text)
{
	struct sv rest, head = sv_cut(text, '/', &rest);
	int64_t index;

	for (size_t i = 0; i < p->card.n; i++)
		if (sv_eq(p->card.v[i].uuid, text) || sv_eq(p->card.v[i].key, text) || (p->card.v[i].uuid.n && sv_eq(p->card.v[i].uuid, head)))
			return (long)i;
	if (sv_i64(head, &index) == 0 && index >= 0 && (size_t)index < p->card.n)
		return (long)index;
	return -1;
}

/* Samples name cards by uuid that the record does not know: they are the node's cards in the order of their names. */
static long claim_card(struct post *p, struct sv uuid, size_t recorded)
{
	for (size_t i = 0; i < recorded && i < p->card.n; i++)
		if (!p->card.v[i].uuid.n && !p->card.v[i].series.n) {
			p->card.v[i].uuid = uuid;
			return (long)i;
		}
	return (long)add_card(p, uuid, card_key(p, p->paid.node, uuid));
}

static void cards_of_series(struct post *p)
{
	size_t recorded = p->card.n;

	p->series_owner = arena_alloc(&p->mem, (p->nseries + 1) * sizeof *p->series_owner);
	for (size_t i = 0; i < p->nseries; i++) {
		long c = find_card(p, p->series[i].key.gpu);
		if (c < 0)
			c = claim_card(p, p->series[i].key.gpu, recorded);
		*vec_push(&p->card.v[c].series) = i;
		p->series_owner[i] = owner_of_series(p, &p->series[i].key);
	}
}

/* Cards that an allocation names; unknown names become cards of their own where no record says how many there are. */
static void bind_named(struct post *p, struct holding *h, bool recorded)
{
	struct sv rest = h->raw->gpu_ids;

	h->card = arena_alloc(&p->mem, (h->raw->gpu_ids.n / 2 + 2) * sizeof *h->card);
	while (rest.n) {
		struct sv id = sv_trim(sv_cut(rest, ';', &rest)), mig;
		if (!id.n)
			continue;
		long c = find_card(p, id);
		if (c < 0 && sv_starts(id, SV("MIG-")) && p->card.n == 1)
			c = 0;
		if (c < 0 && !recorded)
			c = (long)add_card(p, id, card_key(p, h->raw->node, id));
		if (c < 0)
			continue;
		h->card[h->ncard++] = (size_t)c;
		h->named = true;
		sv_cut(id, '/', &mig);
		if (is_mig(h->raw))
			h->a.mig = sv_starts(id, SV("MIG-")) ? id : mig;
	}
}

/* Lowest cards that nobody else holds whole at any time of this allocation. */
static void bind_free(struct post *p, struct holding *h)
{
	size_t want = (size_t)((h->a.gpus_milli + 999) / 1000);
	bool all = want >= p->card.n;

	if (!want || want > p->card.n)
		want = p->card.n;
	h->card = arena_alloc(&p->mem, (want + 1) * sizeof *h->card);
	for (size_t c = 0; c < p->card.n && h->ncard < want; c++) {
		bool taken = false;
		for (size_t i = 0; i < p->hold.n && !taken && !all; i++) {
			const struct holding *o = &p->hold.v[i];
			if (o == h || o->a.to_ms <= h->a.from_ms || o->a.from_ms >= h->a.to_ms || o->a.share_kind != SHARE_WHOLE || o->a.share_ppb >= 0)
				continue;
			for (size_t j = 0; j < o->ncard && !taken; j++)
				taken = o->card[j] == c;
		}
		if (!taken)
			h->card[h->ncard++] = c;
	}
	for (size_t c = 0; c < p->card.n && h->ncard < want; c++) { /* more held than there is: the rest is shared from the start */
		bool mine = false;
		for (size_t j = 0; j < h->ncard; j++)
			mine |= h->card[j] == c;
		if (!mine)
			h->card[h->ncard++] = c;
	}
	if (!all)
		h->a.quality = QUALITY_ESTIMATED;
}

/* Whether the node's time can be closed card by card. */
static bool bind_cards(struct post *p, bool recorded)
{
	bool named = false;

	for (size_t i = 0; i < p->hold.n; i++) {
		struct holding *h = &p->hold.v[i];
		if (h->raw->gpu_ids.n)
			bind_named(p, h, recorded);
		named |= h->ncard > 0;
	}
	if (!p->card.n || (!named && !p->nseries)) /* nobody tells the cards apart: the node is a pool of them */
		return false;
	for (size_t i = 0; i < p->hold.n; i++)
		if (!p->hold.v[i].ncard)
			bind_free(p, &p->hold.v[i]);
	return true;
}

/* ---- entries ------------------------------------------------------------------------------------------------------------------------ */

/* Entries carry where their price came from, and the place of the stretch, through the stretch's tag. */
static int emit(void *ctx, const struct attrib_entry *a, struct err *err)
{
	struct post *p = ctx;
	static const struct owner nobody;
	struct entry e = {
		.hour_ms = a->hour_ms, .kind = KIND_GPU, .gpu = p->card_key.p ? p->card_key : SV(""), .scope = sv_of(p->scope), .node = p->paid.node,
		.cluster = p->paid.cluster, .provider = p->paid.provider, .region = p->paid.region, .zone = p->paid.zone,
		.gpu_model = p->paid.gpu_model, .purchase = a->purchase, .currency = a->currency,
		.owner = a->owner == ATTRIB_NOBODY ? nobody : *p->owner.v[a->owner], .state = a->state, .cause = a->cause, .quality = a->quality,
		.ms = a->ms, .util_ms = a->util_ms, .priced = (enum priced)a->tag,
	};

	memcpy(e.nano, a->nano, sizeof e.nano);
	if (p->metered)
		energy_held(&p->energy, a);
	return store_add_entry(p->book->store, &e, err);
}

/* The energy that an owner used in an hour, beside the GPU time of the same card. */
static int emit_energy(void *ctx, const struct attrib_entry *a, int64_t nano, struct err *err)
{
	struct post *p = ctx;
	static const struct owner nobody;
	struct entry e = {
		.hour_ms = a->hour_ms, .kind = KIND_ENERGY, .gpu = p->card_key.p ? p->card_key : SV(""), .scope = sv_of(p->scope), .node = p->paid.node,
		.cluster = p->paid.cluster, .provider = p->paid.provider, .region = p->paid.region, .zone = p->paid.zone,
		.gpu_model = p->paid.gpu_model, .purchase = a->purchase, .currency = a->currency,
		.owner = a->owner == ATTRIB_NOBODY ? nobody : *p->owner.v[a->owner], .quality = QUALITY_MEASURED, .util_ms = UNKNOWN_I64,
		.nano = { nano, nano, nano }, .priced = PRICED_RECORD,
	};

	return store_add_entry(p->book->store, &e, err);
}

static struct remainder *rest_of(struct post *p, int64_t hour_ms, enum basis b)
{
	int64_t day = tm_floor(hour_ms, MS_DAY);

	for (size_t i = p->rest.n; i-- > 0 && p->rest.n - i < 9;)
		if (p->rest.v[i].from_ms == day && p->rest.v[i].basis == b)
			return &p->rest.v[i];
	struct remainder *r = vec_push(&p->rest);
	*r = (struct remainder){ .scope = p->scope, .basis = b, .from_ms = day, .to_ms = day + MS_DAY };
	return r;
}

static void rest_hour(void *ctx, int64_t hour_ms, const __int128 pico_ms[BASIS_N])
{
	for (int b = 0; b < BASIS_N; b++)
		if (pico_ms[b])
			rest_of(ctx, hour_ms, (enum basis)b)->pico_ms += pico_ms[b];
}

static void rest_energy(void *ctx, int64_t hour_ms, dec rest)
{
	for (int b = 0; b < BASIS_N && rest; b++)
		rest_of(ctx, hour_ms, (enum basis)b)->amount += rest;
}

/* Write the remainders of the calls since the last flush: they share a currency. */
static int flush_rest(struct post *p, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < p->rest.n && !rc; i++) {
		p->rest.v[i].currency = arena_sv(&p->mem, or_sv(p->rest_currency, sv_of(p->book->opt.conf->currency)));
		rc = store_add_remainder(p->book->store, &p->rest.v[i], err);
	}
	vec_clear(&p->rest);
	return rc;
}

static void start_rest(struct post *p, struct attrib_rest *r, struct sv currency)
{
	*r = (struct attrib_rest){ .hour = rest_hour, .hour_ctx = p };
	p->rest_currency = currency;
}

/* ---- paid stretches of a card or pool ------------------------------------------------------------------------------------------------- */

static int64_t part_of(int64_t total, size_t n, size_t i)
{
	int64_t base = total / (int64_t)n, rest = total % (int64_t)n;

	if (rest >= 0)
		return base + ((int64_t)i < rest);
	return base - ((int64_t)i < -rest);
}

/* The share of card i of n in a node's stretch; n == 0: the whole node as a pool. */
static void stretch(const struct post *p, const struct paid_piece *q, size_t n, size_t i, size_t unheld_owner, struct attrib_paid *t)
{
	*t = (struct attrib_paid){
		.from_ms = q->from_ms, .to_ms = q->to_ms, .purchase = q->purchase, .currency = or_sv(q->currency, sv_of(p->book->opt.conf->currency)),
		.quality = q->quality, .recorded = q->recorded, .gpus_known = true, .owner = unheld_owner, .tag = q->priced,
		.unheld_state = q->from_bill_alone ? STATE_UNKNOWN : STATE_UNALLOCATED,
		.unheld_cause = q->from_bill_alone ? CAUSE_NONE : CAUSE_FREE,
	};
	if (q->from_bill_alone && p->hold.n) { /* jobs of this machine are known, so the rest of its time is known to be nobody's */
		t->unheld_state = STATE_UNALLOCATED;
		t->unheld_cause = CAUSE_FREE;
	}
	t->gpus_milli = !n ? (q->gpu_milli ? q->gpu_milli : p->paid.gpu_milli) : n == 1 ? (p->paid.gpu_milli < 1000 ? p->paid.gpu_milli : 1000) : 1000;
	for (int b = 0; b < BASIS_N; b++) {
		t->has_amount[b] = q->has_amount[b];
		t->amount_nano[b] = n ? part_of(q->amount_nano[b], n, i) : q->amount_nano[b];
		t->has_rate[b] = q->has_rate[b] && !q->has_amount[b];
		if (!t->has_rate[b])
			continue;
		if (n) { /* cards' rates add up to the node's: what does not divide goes to the first cards, 10^-12 each */
			dec base = q->rate_node_hour[b] / (dec)n;
			t->rate_gpu_hour[b] = base + ((dec)i < q->rate_node_hour[b] - base * (dec)n);
			if (t->gpus_milli != 1000) /* a rate is per whole card */
				t->rate_gpu_hour[b] = dec_muldiv(t->rate_gpu_hour[b], 1000, t->gpus_milli);
		} else {
			t->rate_gpu_hour[b] = dec_muldiv(q->rate_node_hour[b], 1000, p->paid.gpu_milli);
		}
	}
}

/* Stretches by currency: attribution takes one currency at a time. */
static size_t stretches_in(const struct post *p, struct sv currency, size_t n, size_t i, size_t unheld_owner, struct attrib_paid *ret)
{
	size_t k = 0;

	for (size_t j = 0; j < p->paid.piece.n; j++) {
		stretch(p, &p->paid.piece.v[j], n, i, unheld_owner, &ret[k]);
		if (sv_eq(ret[k].currency, currency))
			k++;
	}
	return k;
}

static size_t currencies(const struct post *p, struct sv ret[8])
{
	size_t n = 0;

	for (size_t j = 0; j < p->paid.piece.n; j++) {
		struct sv c = or_sv(p->paid.piece.v[j].currency, sv_of(p->book->opt.conf->currency));
		size_t i = 0;
		while (i < n && !sv_eq(ret[i], c))
			i++;
		if (i == n && n < 8)
			ret[n++] = c;
	}
	return n;
}

/* ---- cards: samples ---------------------------------------------------------------------------------------------------------------------- */

struct feed_samples {
	struct post *post;
	struct sample_cursor *cursor;
	const size_t *series; /* numbers of the series of the card */
	struct sample sample;
};

static int next_sample(void *ctx, struct attrib_sample *ret, struct err *err)
{
	struct feed_samples *f = ctx;
	size_t i;
	int rc = sample_cursor_next(f->cursor, &i, &f->sample, err);

	if (rc <= 0)
		return rc;
	const struct series *s = &f->post->series[f->series[i]];
	if (f->post->metered)
		energy_sample(&f->post->energy, &f->sample, s->key.mig);
	*ret = (struct attrib_sample){ .mig = s->key.mig, .job_id = s->key.job_id, .owner = f->post->series_owner[f->series[i]], .s = &f->sample };
	return 1;
}

static int open_samples(struct post *p, const struct card *c, struct feed_samples *f, struct err *err)
{
	struct series *s = arena_alloc(&p->mem, (c->series.n + 1) * sizeof *s);

	for (size_t i = 0; i < c->series.n; i++)
		s[i] = p->series[c->series.v[i]];
	*f = (struct feed_samples){ .post = p, .series = c->series.v };
	return store_samples(p->book->store, s, c->series.n, p->from_ms, p->to_ms, &f->cursor, err);
}

static size_t holdings_of_card(const struct post *p, size_t card, struct attrib_alloc *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < p->hold.n; i++)
		for (size_t j = 0; j < p->hold.v[i].ncard; j++)
			if (p->hold.v[i].card[j] == card)
				ret[n++] = p->hold.v[i].a;
	return n;
}

static const struct attrib_mig *mig_places(struct post *p, size_t *n)
{
	struct attrib_mig *m = arena_alloc(&p->mem, 32 * sizeof *m);
	const struct mig_profile *f;

	for (*n = 0; p->gpu && *n < 32 && (f = catalog_mig_at(p->book->catalog, p->gpu->model, *n)); ++*n) {
		m[*n] = (struct attrib_mig){ .compute = f->compute_slices, .memory = f->memory_slices, .nstart = f->nstart };
		memcpy(m[*n].start, f->start, sizeof m[*n].start);
	}
	return m;
}

static int run_card(struct post *p, struct attrib_gpu *g, const struct card *c, struct sv currency, struct err *err)
{
	struct feed_samples f = { 0 };
	struct attrib_rest rest;
	int rc = c->series.n ? open_samples(p, c, &f, err) : 0;

	if (rc < 0)
		return rc;
	start_rest(p, &rest, currency);
	energy_start(&p->energy);
	p->card_key = c->key;
	rc = attrib_gpu(&p->book->opt.conf->attrib, g, f.cursor ? next_sample : NULL, &f, emit, p, &rest, err);
	sample_cursor_close(f.cursor);
	if (!rc && p->metered)
		rc = energy_post(&p->energy, &p->metered->terms, emit_energy, rest_energy, p, err);
	return rc ? rc : flush_rest(p, err);
}

static void describe_card(struct post *p, struct attrib_gpu *g)
{
	g->mem_total_bytes = p->gpu ? p->gpu->memory_gib * 1073741824.0 : NAN;
	g->tdp_w = p->gpu ? p->gpu->tdp_w : NAN;
	g->mig_compute_slices = p->gpu && p->gpu->mig_compute_slices ? p->gpu->mig_compute_slices : 7;
	g->mig_memory_slices = p->gpu && p->gpu->mig_memory_slices ? p->gpu->mig_memory_slices : 8;
	g->profile = mig_places(p, &g->nprofile);
}

/* Cards that a record or a bill pays for. */
static int post_recorded_cards(struct post *p, struct err *err)
{
	struct attrib_paid *paid = arena_alloc(&p->mem, (p->paid.piece.n + 1) * sizeof *paid);
	struct attrib_alloc *alloc = arena_alloc(&p->mem, (p->hold.n + 1) * sizeof *alloc);
	size_t unheld = owner_of_unheld(p), n = (size_t)((p->paid.gpu_milli + 999) / 1000);
	struct sv currency[8];
	size_t ncur = currencies(p, currency);
	int rc = 0;

	p->metered = paid_metered(p->book, &p->paid);
	for (size_t i = 0; i < p->card.n && i < n && !rc; i++)
		for (size_t k = 0; k < ncur && !rc; k++) {
			struct attrib_gpu g = { .paid = paid, .alloc = alloc };
			describe_card(p, &g);
			g.npaid = stretches_in(p, currency[k], n, i, unheld, paid);
			g.nalloc = holdings_of_card(p, i, alloc);
			rc = run_card(p, &g, &p->card.v[i], currency[k], err);
		}
	return rc;
}

/* A card of which only allocations and samples speak: one stretch over all of it, in which only held or sampled time exists. */
static int post_unrecorded_card(struct post *p, size_t i, struct err *err)
{
	struct card *c = &p->card.v[i];
	struct attrib_paid paid = { .from_ms = INT64_MAX, .to_ms = INT64_MIN, .gpus_milli = 1000, .quality = QUALITY_ASSUMED, .owner = ATTRIB_NOBODY,
				    .unheld_state = STATE_UNKNOWN };
	struct attrib_gpu g = { .paid = &paid, .npaid = 1, .alloc = arena_alloc(&p->mem, (p->hold.n + 1) * sizeof *g.alloc) };
	bool has = false;
	dec price = 0;
	struct sv currency = SV_NULL, model = p->paid.gpu_model;

	g.nalloc = holdings_of_card(p, i, (struct attrib_alloc *)g.alloc);
	for (size_t j = 0; j < g.nalloc; j++) {
		paid.from_ms = g.alloc[j].from_ms < paid.from_ms ? g.alloc[j].from_ms : paid.from_ms;
		paid.to_ms = g.alloc[j].to_ms > paid.to_ms ? g.alloc[j].to_ms : paid.to_ms;
	}
	for (size_t j = 0; j < p->hold.n && !has; j++)
		if (p->hold.v[j].raw->has_usd_gpu_hour)
			has = true, price = p->hold.v[j].raw->usd_gpu_hour, currency = p->hold.v[j].raw->currency;
	for (size_t j = 0; j < c->series.n; j++) {
		const struct series *s = &p->series[c->series.v[j]];
		paid.from_ms = s->from_ms < paid.from_ms ? s->from_ms : paid.from_ms;
		paid.to_ms = s->to_ms > paid.to_ms ? s->to_ms : paid.to_ms;
		model = or_sv(model, s->key.gpu_model);
		p->paid.cluster = or_sv(p->paid.cluster, s->key.cluster);
		if (!has && s->key.has_usd_gpu_hour)
			has = true, price = s->key.usd_gpu_hour, currency = s->key.currency;
	}
	paid.from_ms = paid.from_ms < p->from_ms ? p->from_ms : paid.from_ms;
	paid.to_ms = paid.to_ms > p->to_ms ? p->to_ms : paid.to_ms;
	if (paid.from_ms >= paid.to_ms)
		return 0;
	paid_own_price(p->book, has, price, currency, &paid);
	p->paid.gpu_model = model;
	p->gpu = catalog_gpu(p->book->catalog, model);
	describe_card(p, &g);
	return run_card(p, &g, c, paid.currency, err);
}

/* ---- pools ---------------------------------------------------------------------------------------------------------------------------- */

static int by_price(const void *a, const void *b)
{
	const struct holding *x = *(const struct holding *const *)a, *y = *(const struct holding *const *)b;
	dec px = x->raw->has_usd_gpu_hour ? x->raw->usd_gpu_hour : -1, py = y->raw->has_usd_gpu_hour ? y->raw->usd_gpu_hour : -1;

	if (px != py)
		return px < py ? -1 : 1;
	int c = sv_cmp(x->raw->currency, y->raw->currency);
	if (c)
		return c;
	if (x->a.from_ms != y->a.from_ms)
		return x->a.from_ms < y->a.from_ms ? -1 : 1;
	return x < y ? -1 : x > y;
}

static bool same_price(const struct holding *x, const struct holding *y)
{
	return x->raw->has_usd_gpu_hour == y->raw->has_usd_gpu_hour && x->raw->usd_gpu_hour == y->raw->usd_gpu_hour &&
	       sv_eq(x->raw->currency, y->raw->currency);
}

/* GPUs that only allocations speak of: each allocation's own time is paid time, at its own price. */
static int post_unrecorded_pool(struct post *p, struct err *err)
{
	struct holding **h = arena_alloc(&p->mem, (p->hold.n + 1) * sizeof *h);
	struct attrib_alloc *a = arena_alloc(&p->mem, (p->hold.n + 1) * sizeof *a);
	int rc = 0;

	for (size_t i = 0; i < p->hold.n; i++)
		h[i] = &p->hold.v[i];
	qsort(h, p->hold.n, sizeof *h, by_price);
	for (size_t i = 0, n; i < p->hold.n && !rc; i += n) {
		struct attrib_paid paid = { .from_ms = INT64_MAX, .to_ms = INT64_MIN, .quality = QUALITY_ASSUMED, .owner = ATTRIB_NOBODY,
					    .unheld_state = STATE_UNKNOWN };
		struct attrib_rest rest;
		for (n = 0; i + n < p->hold.n && same_price(h[i], h[i + n]); n++) {
			a[n] = h[i + n]->a;
			paid.from_ms = a[n].from_ms < paid.from_ms ? a[n].from_ms : paid.from_ms;
			paid.to_ms = a[n].to_ms > paid.to_ms ? a[n].to_ms : paid.to_ms;
		}
		paid_own_price(p->book, h[i]->raw->has_usd_gpu_hour, h[i]->raw->usd_gpu_hour, h[i]->raw->currency, &paid);
		start_rest(p, &rest, paid.currency);
		rc = attrib_pool(&p->book->opt.conf->attrib, &paid, 1, a, n, emit, p, &rest, err);
		rc = rc ? rc : flush_rest(p, err);
	}
	return rc;
}

/* Rates become exact amounts per hour: a node's price need not divide by its cards. */
static int exact_hours(struct post *p, struct err *err)
{
	struct paid_node m = { 0 };
	int rc = 0;

	paid_merge(&p->mem, &p->paid, 1, p->book->opt.conf->currency, &m);
	vec_free(&p->paid.piece);
	p->paid.piece.v = m.piece.v;
	p->paid.piece.n = m.piece.n;
	p->paid.piece.cap = m.piece.cap;
	for (size_t i = 0; i < m.rest.n && !rc; i++) {
		m.rest.v[i].scope = p->scope;
		rc = store_add_remainder(p->book->store, &m.rest.v[i], err);
	}
	vec_free(&m.rest);
	return rc;
}

static int post_recorded_pool(struct post *p, struct err *err)
{
	int rc = has_prefix(p->scope, "pool:") ? 0 : exact_hours(p, err); /* pools are merged already */
	struct attrib_paid *paid = arena_alloc(&p->mem, (p->paid.piece.n + 1) * sizeof *paid);
	struct attrib_alloc *a = arena_alloc(&p->mem, (p->hold.n + 1) * sizeof *a);
	struct sv currency[8];
	size_t ncur = currencies(p, currency), unheld = owner_of_unheld(p);

	for (size_t i = 0; i < p->hold.n; i++)
		a[i] = p->hold.v[i].a;
	for (size_t k = 0; k < ncur && !rc; k++) {
		struct attrib_rest rest;
		size_t n = stretches_in(p, currency[k], 0, 0, unheld, paid);
		start_rest(p, &rest, currency[k]);
		rc = attrib_pool(&p->book->opt.conf->attrib, paid, n, a, p->hold.n, emit, p, &rest, err);
		rc = rc ? rc : flush_rest(p, err);
	}
	return rc;
}

/* ---- a scope ---------------------------------------------------------------------------------------------------------------------------- */

static bool widen(struct post *p, int64_t from_ms, int64_t to_ms)
{
	bool grew = false;

	if (from_ms < p->from_ms)
		p->from_ms = tm_floor(from_ms, MS_DAY), grew = true;
	if (to_ms > p->to_ms)
		p->to_ms = tm_floor(to_ms + MS_DAY - 1, MS_DAY), grew = true;
	return grew;
}

/* Load what touches the window; the window grows until every bill line and allocation it touches lies in it whole. */
static int load(struct post *p, struct err *err)
{
	struct store *s = p->book->store;
	bool grew = true;
	int rc = 0;

	for (int i = 0; i < 8 && grew && !rc; i++) {
		grew = false;
		if (!rc)
			rc = store_bill_gpu(s, p->scope, p->from_ms, p->to_ms, &p->mem, &p->line, &p->nline, err);
		if (!rc)
			rc = store_allocations(s, p->scope, p->from_ms, p->to_ms, &p->mem, &p->alloc, &p->nalloc, err);
		for (size_t k = 0; !rc && k < p->nline; k++)
			grew |= widen(p, p->line[k].from_ms, p->line[k].to_ms);
		for (size_t k = 0; !rc && k < p->nalloc; k++)
			if (p->alloc[k].start_ms != UNKNOWN_MS)
				grew |= widen(p, p->alloc[k].start_ms, running_end(p, &p->alloc[k]));
	}
	if (!rc && !has_prefix(p->scope, "pool:") && !has_prefix(p->scope, "gpu:") && !has_prefix(p->scope, "res:")) {
		rc = store_nodes(s, p->scope, &p->mem, &p->node, &p->nnode, err);
		rc = rc ? rc : store_series(s, p->scope, &p->mem, &p->series, &p->nseries, err);
	}
	if (!rc && has_prefix(p->scope, "gpu:")) { /* the series without a node whose card this is */
		const struct book *b = p->book;
		p->series = arena_alloc(&p->mem, (b->nloose + 1) * sizeof *p->series);
		for (size_t k = 0; k < b->nloose; k++)
			if (sv_is(b->loose[k].key.gpu, p->scope + 4))
				p->series[p->nseries++] = b->loose[k];
	}
	return rc;
}

static void name_scope(struct post *p)
{
	const char *s = p->scope;

	if (has_prefix(s, "pool:")) {
		struct sv rest, head = sv_cut(sv_of(s + 5), '/', &rest);
		p->paid.cluster = head;
		p->paid.gpu_model = rest;
	} else if (has_prefix(s, "res:")) {
		p->paid.node = join_tail(sv_of(s + 4));
	} else if (!has_prefix(s, "gpu:")) {
		p->paid.node = sv_of(s);
	}
	for (size_t i = 0; i < p->nalloc; i++) {
		p->paid.cluster = or_sv(p->paid.cluster, p->alloc[i].cluster);
		p->paid.gpu_model = or_sv(p->paid.gpu_model, p->alloc[i].gpu_model);
	}
}

/* The nodes of a pool, added up; their bill lines are found under their own names. */
static int paid_of_pool(struct post *p, struct err *err)
{
	struct book *b = p->book;
	struct node *node;
	size_t n = 0, k = 0;
	int rc = store_nodes(b->store, NULL, &p->mem, &node, &n, err);
	struct paid_node *paid = arena_zalloc(&p->mem, (n + 1) * sizeof *paid);

	for (size_t i = 0, same; i < n && !rc; i += same) {
		struct bill_line *line = NULL;
		size_t nline = 0;
		for (same = 1; i + same < n && sv_eq(node[i + same].node, node[i].node);)
			same++;
		if (intern_find(&b->pooled, node[i].node) < 0 || !sv_eq(node[i].cluster, p->paid.cluster) ||
		    (p->paid.gpu_model.n && !sv_ieq(node[i].gpu_model, p->paid.gpu_model) &&
		     catalog_gpu(b->catalog, node[i].gpu_model) != catalog_gpu(b->catalog, p->paid.gpu_model)))
			continue;
		rc = store_bill_gpu(b->store, arena_sv(&p->mem, node[i].node), p->from_ms, p->to_ms, &p->mem, &line, &nline, err);
		rc = rc ? rc : paid_build(b, &p->mem, node + i, same, line, nline, p->from_ms, p->to_ms, &paid[k], err);
		p->paid.provider = or_sv(p->paid.provider, node[i].provider);
		p->paid.region = or_sv(p->paid.region, node[i].region);
		for (size_t j = 0; j < paid[k].rest.n; j++)
			*vec_push(&p->paid.rest) = paid[k].rest.v[j];
		k++;
	}
	if (!rc && k) {
		paid_merge(&p->mem, paid, k, b->opt.conf->currency, &p->paid);
		for (size_t i = 0; i < k; i++)
			p->paid.gpu_milli += paid[i].gpu_milli;
	}
	for (size_t i = 0; i < k; i++) {
		vec_free(&paid[i].piece);
		vec_free(&paid[i].rest);
	}
	return rc;
}

static int attribute(struct post *p, struct err *err)
{
	bool recorded;
	int rc = 0;

	name_scope(p);
	if (intern_find(&p->book->pooled, sv_of(p->scope)) >= 0)
		return 0; /* its pool has it */
	if (has_prefix(p->scope, "pool:"))
		rc = paid_of_pool(p, err);
	else
		rc = paid_build(p->book, &p->mem, p->node, p->nnode, p->line, p->nline, p->from_ms, p->to_ms, &p->paid, err);
	if (rc)
		return rc;
	recorded = p->paid.piece.n > 0 && p->paid.gpu_milli > 0;
	p->gpu = catalog_gpu(p->book->catalog, p->paid.gpu_model);
	if (p->gpu)
		p->paid.gpu_model = sv_of(p->gpu->model);
	take_allocations(p);
	if (recorded && !has_prefix(p->scope, "pool:"))
		cards_of_node(p);
	cards_of_series(p);
	for (size_t i = 0; i < p->paid.rest.n && !rc; i++) {
		p->paid.rest.v[i].scope = p->scope;
		rc = store_add_remainder(p->book->store, &p->paid.rest.v[i], err);
	}
	if (rc)
		return rc;
	if (has_prefix(p->scope, "pool:") || !bind_cards(p, recorded))
		return recorded ? post_recorded_pool(p, err) : post_unrecorded_pool(p, err);
	if (recorded)
		return post_recorded_cards(p, err);
	for (size_t i = 0; i < p->card.n && !rc; i++)
		rc = post_unrecorded_card(p, i, err);
	return rc;
}

int post_scope(struct book *b, const char *scope, int64_t from_ms, int64_t to_ms, struct err *err)
{
	struct post p = { .book = b, .scope = scope, .from_ms = tm_floor(from_ms, MS_DAY), .to_ms = tm_floor(to_ms + MS_DAY - 1, MS_DAY) };
	int rc;

	rc = load(&p, err);
	rc = rc ? rc : store_reverse_scope(b->store, scope, p.from_ms, p.to_ms, err);
	rc = rc ? rc : attribute(&p, err);
	for (size_t i = 0; i < p.card.n; i++)
		vec_free(&p.card.v[i].series);
	vec_free(&p.card);
	vec_free(&p.hold);
	vec_free(&p.owner);
	vec_free(&p.rest);
	vec_free(&p.paid.piece);
	vec_free(&p.paid.rest);
	energy_free(&p.energy);
	arena_free(&p.mem);
	return rc;
}
