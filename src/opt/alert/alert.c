/*
 * The state machine of alerts. For a rule with condition B (bad) and its contrary G (good, beyond
 * the clear threshold), over observed time only:
 *
 *   ok -> pending at the first evaluation with B pending -> ok at one without B
 *   pending -> firing when B held for `for` firing -> ok when G held for `clear_for`
 *   any     -> no data  when unknown for `no_data`; from there: firing if it fired before, else ok
 *
 * Source: pending/firing/resolved and `for` as in Prometheus' alerting rules, inhibition as in
 * Alertmanager. Different: a clear threshold of its own (hysteresis), time that nobody observed
 * counts for nothing (there a missing series resolves), a cause that is still pending holds back
 * what follows from it, and what is told once is told again when it is over, whatever was silenced
 * meanwhile.
 */
#include "opt/alert/alert.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tm.h"
#include "opt/alert/alert_in.h"

#define FORGET_MS MS_DAY

static uint64_t alert_hash(uint64_t h, const void *p, size_t n) /* FNV-1a */
{
	const unsigned char *b = p;

	for (size_t i = 0; i < n; i++)
		h = (h ^ b[i]) * 0x100000001b3ULL;
	return h;
}

uint64_t alert_rule_hash(const struct alert_rule *r)
{
	char text[512];
	int n = snprintf(text, sizeof text, "%.100s %d %d %lld %d %.17g %.17g %lld %lld", r->name,
			 r->signal, (int)r->agg, (long long)r->window_ms, (int)r->cmp, r->threshold,
			 r->clear, (long long)r->for_ms, (long long)r->clear_for_ms);

	return alert_hash(0xcbf29ce484222325ULL, text, (size_t)n);
}

static uint64_t alert_owner_hash(char field[ALERT_FIELD_N][ALERT_TEXT])
{
	uint64_t h = 0xcbf29ce484222325ULL;

	h = alert_hash(h, field[ALERT_JOB], strlen(field[ALERT_JOB]) + 1);
	h = alert_hash(h, field[ALERT_USER], strlen(field[ALERT_USER]) + 1);
	return alert_hash(h, field[ALERT_WORKLOAD], strlen(field[ALERT_WORKLOAD]) + 1);
}

bool alert_cell_firing(const struct alert_cell *c)
{
	return c->state == ALERT_FIRING || (c->state == ALERT_NO_DATA && c->was_firing);
}

/* ---- GPUs ------------------------------------------------------------------------------- */

static void cells_free(const struct alerts *a, struct alert_gpu *gpu)
{
	for (size_t i = 0; gpu->cell && i < a->n; i++) {
		if (gpu->cell[i].w)
			window_free(gpu->cell[i].w);
		free(gpu->cell[i].w);
		free(gpu->cell[i].snap);
	}
	free(gpu->cell);
	gpu->cell = NULL;
}

struct alert_gpu *alert_gpu_get(struct alerts *a, char field[ALERT_FIELD_N][ALERT_TEXT])
{
	char key[3 * ALERT_TEXT];
	int n = snprintf(key, sizeof key, "%s\n%s\n%s", field[ALERT_NODE], field[ALERT_GPU],
			 field[ALERT_MIG]);
	struct sv k = { key, (size_t)n };
	struct alert_gpu *gpu;

	if (intern_find(&a->keys, k) < 0 && a->keys.n >= ALERT_GPUS_MAX)
		return NULL;
	uint32_t id = intern_add(&a->keys, k);
	if (id == a->gpu.n)
		*vec_push(&a->gpu) = xcalloc(1, sizeof *gpu);
	gpu = a->gpu.v[id];
	if (!gpu->cell) {
		memcpy(gpu->field, field, sizeof gpu->field);

		struct alert_cell *cell = xcalloc(a->n ? a->n : 1, sizeof *cell);

		for (size_t i = 0; i < a->n; i++) {
			const struct alert_rule *r = &a->rule[i];
			cell[i].since_ms = UNKNOWN_MS;
			cell[i].value = cell[i].worst = NAN;
			if (r->window_ms > 0) {
				cell[i].w = xcalloc(1, sizeof *cell[i].w);
				window_init(
					cell[i].w, r->window_ms,
					r->agg != ALERT_P95 ? 0
					: sv_ends(sv_of(alert_signal_name(r->signal)), SV("_pct"))
						? 100
						: 1);
			}
		}
		gpu->cell = cell;
		gpu->last_ms = INT64_MIN;
		gpu->owner = alert_owner_hash(field);
	}
	return gpu;
}

struct alerts *alerts_new(const struct alert_rule *rule, size_t n, alert_fn *fn, void *ctx)
{
	struct alerts *a = xcalloc(1, sizeof *a);

	a->rule = rule;
	a->n = n;
	a->fn = fn;
	a->ctx = ctx;
	return a;
}

void alerts_free(struct alerts *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->gpu.n; i++) {
		cells_free(a, a->gpu.v[i]);
		free(a->gpu.v[i]);
	}
	vec_free(&a->gpu);
	intern_free(&a->keys);
	arena_free(&a->silence_mem);
	free(a);
}

size_t alerts_gpus(const struct alerts *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->gpu.n; i++)
		n += a->gpu.v[i]->cell != NULL;
	return n;
}

/* ---- events ------------------------------------------------------------------------------ */

static struct alert alert_of(const struct alert_rule *r, const struct alert_gpu *gpu,
			     const struct alert_cell *c, const char *field[ALERT_FIELD_N])
{
	for (int f = 0; f < ALERT_FIELD_N; f++)
		field[f] = c->snap ? c->snap[f] : gpu->field[f];
	return (struct alert){ .rule = r,
			       .field = field,
			       .state = c->state,
			       .firing = alert_cell_firing(c),
			       .told = c->told,
			       .silenced = c->silenced,
			       .held_back = c->held_back,
			       .since_ms = c->since_ms,
			       .resolved_ms = UNKNOWN_MS,
			       .value = c->value,
			       .worst = c->worst };
}

static void emit_event(const struct alerts *a, enum alert_event ev, const struct alert_gpu *gpu,
		       const struct alert_cell *c, int64_t wall_ms, const char *over)
{
	const char *field[ALERT_FIELD_N];
	struct alert al = alert_of(&a->rule[c - gpu->cell], gpu, c, field);

	if (!a->fn)
		return;
	al.over = over;
	if (over)
		al.resolved_ms = wall_ms;
	a->fn(a->ctx, ev, &al, wall_ms);
}

void alerts_each(const struct alerts *a, void (*fn)(void *ctx, const struct alert *al), void *ctx)
{
	const char *field[ALERT_FIELD_N];

	for (size_t k = 0; k < a->gpu.n; k++)
		for (size_t i = 0; a->gpu.v[k]->cell && i < a->n; i++) {
			const struct alert_cell *c = &a->gpu.v[k]->cell[i];
			struct alert al = alert_of(&a->rule[i], a->gpu.v[k], c, field);
			if (al.firing || al.state == ALERT_PENDING)
				fn(ctx, &al);
		}
}

/* ---- one rule on one GPU ---------------------------------------------------------------- */

/* Back to ok; what fired is over. */
static void cell_over(const struct alerts *a, struct alert_gpu *gpu, struct alert_cell *c,
		      int64_t wall_ms, const char *why)
{
	bool fired = alert_cell_firing(c), told = c->told;

	c->state = ALERT_OK;
	c->was_firing = c->told = c->clearing = false;
	c->held_ms = c->clear_ms = 0;
	if (fired)
		emit_event(a, ALERT_EV_OVER, gpu, c, wall_ms, why);
	if (told)
		emit_event(a, ALERT_EV_TELL_OVER, gpu, c, wall_ms, why);
	c->since_ms = UNKNOWN_MS;
	c->silenced = false;
	c->held_back = NULL;
	free(c->snap);
	c->snap = NULL;
}

static void cell_reset(const struct alerts *a, struct alert_gpu *gpu, struct alert_cell *c,
		       int64_t wall_ms, const char *why)
{
	cell_over(a, gpu, c, wall_ms, why);
	c->unknown_ms = 0;
	c->value = NAN;
	if (c->w)
		window_reset(c->w);
}

static void cell_no_data(const struct alerts *a, struct alert_gpu *gpu, struct alert_cell *c,
			 int64_t wall_ms)
{
	enum alert_state was = c->state;

	if (was == ALERT_NO_DATA)
		return;
	c->was_firing = was == ALERT_FIRING;
	c->state = ALERT_NO_DATA;
	c->held_ms = 0;
	c->clearing = false;
	if (was != ALERT_OK)
		emit_event(a, ALERT_EV_NO_DATA, gpu, c, wall_ms, NULL);
	if (was == ALERT_PENDING)
		c->since_ms = UNKNOWN_MS;
}

static void cell_unknown(const struct alerts *a, struct alert_gpu *gpu, struct alert_cell *c,
			 int64_t ms, int64_t wall_ms)
{
	c->unknown_ms += ms;
	if (c->unknown_ms >= a->rule[c - gpu->cell].no_data_ms)
		cell_no_data(a, gpu, c, wall_ms);
}

/* The aggregate; false: undecided. */
static bool cell_value(const struct alert_rule *r, struct alert_cell *c, int64_t to_ms, double raw,
		       double *ret)
{
	struct window_stat s;

	if (!c->w) {
		*ret = raw;
		return true;
	}
	if (!window_stat(c->w, to_ms, &s))
		return false;
	if (r->agg == ALERT_MEAN)
		*ret = s.mean;
	else if (r->agg == ALERT_MAX)
		*ret = s.hi;
	else if (r->agg == ALERT_MIN)
		*ret = s.lo;
	else
		*ret = window_percentile(c->w, to_ms, 0.95);
	return !isnan(*ret);
}

static void cell_judge_bad(const struct alerts *a, struct alert_gpu *gpu, struct alert_cell *c,
			   int64_t ms, int64_t wall_ms)
{
	const struct alert_rule *r = &a->rule[c - gpu->cell];

	if (c->state == ALERT_OK) {
		c->state = ALERT_PENDING;
		c->held_ms = 0;
		c->since_ms = wall_ms;
		if (r->for_ms > 0)
			emit_event(a, ALERT_EV_PENDING, gpu, c, wall_ms, NULL);
	} else {
		c->held_ms += ms;
	}
	if (c->held_ms >= r->for_ms) {
		c->state = ALERT_FIRING;
		c->since_ms = wall_ms;
		c->worst = c->value;
		c->clearing = false;
		c->snap = xrealloc(c->snap, sizeof gpu->field);
		memcpy(c->snap, gpu->field, sizeof gpu->field);
		emit_event(a, ALERT_EV_FIRING, gpu, c, wall_ms, NULL);
	}
}

static bool in_scope(const struct alert_rule *r, const struct alert_gpu *gpu, int held)
{
	const char *field[ALERT_FIELD_N];

	if (r->disabled || (r->held == ALERT_HELD_YES && held != 1))
		return false;
	if (r->held == ALERT_HELD_FREE && held != 0)
		return false;
	if (r->held == ALERT_HELD_NOT_FREE && held == 0)
		return false;
	if (!r->nmatch)
		return true;
	for (int f = 0; f < ALERT_FIELD_N; f++)
		field[f] = gpu->field[f];
	return alert_matches(r->match, r->nmatch, r->name, alert_severity_name[r->severity], field);
}

static void cell_step(const struct alerts *a, struct alert_gpu *gpu, struct alert_cell *c,
		      const struct alert_obs *o, int64_t gap_ms, int64_t wall_ms)
{
	const struct alert_rule *r = &a->rule[c - gpu->cell];
	double raw = o->value[r->signal];
	int64_t ms = gpu->last_ms == INT64_MIN || o->from_ms >= gpu->last_ms
			     ? o->to_ms - o->from_ms
			     : o->to_ms - gpu->last_ms;

	if (gap_ms > 0)
		cell_unknown(a, gpu, c, gap_ms, wall_ms);
	if (isnan(raw)) {
		cell_unknown(a, gpu, c, ms, wall_ms);
		return;
	}
	c->unknown_ms = 0;
	if (c->state == ALERT_NO_DATA) {
		c->state = c->was_firing ? ALERT_FIRING : ALERT_OK;
		c->was_firing = false;
	}
	if (c->w)
		window_add(c->w, o->to_ms - ms, o->to_ms, raw);
	if (cell_value(r, c, o->to_ms, raw, &c->value)) {
		bool bad = r->cmp == ALERT_ABOVE ? c->value > r->threshold
						 : c->value < r->threshold;

		if (c->state == ALERT_FIRING) {
			bool good = r->cmp == ALERT_ABOVE ? c->value <= r->clear
							  : c->value >= r->clear;

			if (isnan(c->worst) ||
			    (r->cmp == ALERT_ABOVE ? c->value > c->worst : c->value < c->worst))
				c->worst = c->value;
			if (!good) {
				c->clearing = false;
				return;
			}
			c->clear_ms = c->clearing ? c->clear_ms + ms : 0;
			c->clearing = true;
			if (c->clear_ms >= r->clear_for_ms)
				cell_over(a, gpu, c, wall_ms, "cleared");
		} else if (bad)
			cell_judge_bad(a, gpu, c, ms, wall_ms);
		else if (c->state == ALERT_PENDING)
			cell_over(a, gpu, c, wall_ms, NULL);
	}
}

/* ---- who is notified ------------------------------------------------------------------------- */

static const struct alert_rule *root_of(const struct alerts *a, const struct alert_gpu *gpu,
					const struct alert_rule *r)
{
	for (int f = 0; f < r->nfollows; f++)
		for (size_t i = 0; i < a->n; i++)
			if (!strcmp(a->rule[i].name, r->follows[f]) &&
			    (gpu->cell[i].state == ALERT_PENDING ||
			     alert_cell_firing(&gpu->cell[i])))
				return &a->rule[i];
	return NULL;
}

static bool is_silenced(const struct alerts *a, const struct alert *al, int64_t wall_ms)
{
	for (size_t i = 0; i < a->nsilence; i++) {
		const struct alert_silence *s = &a->silence[i];
		if (wall_ms >= s->from_ms && wall_ms < s->until_ms &&
		    alert_matches(s->match, s->nmatch, al->rule->name,
				  alert_severity_name[al->rule->severity], al->field))
			return true;
	}
	return false;
}

static void gpu_tell(const struct alerts *a, struct alert_gpu *gpu, int64_t wall_ms)
{
	const char *field[ALERT_FIELD_N];

	for (size_t i = 0; i < a->n; i++) {
		struct alert_cell *c = &gpu->cell[i];
		if (!alert_cell_firing(c))
			continue;
		struct alert al = alert_of(&a->rule[i], gpu, c, field);
		const struct alert_rule *root = root_of(a, gpu, &a->rule[i]),
					*before = c->held_back;
		c->silenced = is_silenced(a, &al, wall_ms);
		c->held_back = root;
		if (before && !root && !c->told) {
			/* what was seen meanwhile was its cause's doing */
			cell_reset(a, gpu, c, wall_ms, "cause over");
			continue;
		}
		if (c->told || c->silenced || c->held_back)
			continue;
		c->told = true;
		emit_event(a, ALERT_EV_TELL, gpu, c, wall_ms, NULL);
	}
}

void alerts_silence(struct alerts *a, const struct alert_silence *s, size_t n)
{
	arena_free(&a->silence_mem);
	a->silence = arena_alloc(&a->silence_mem, (n ? n : 1) * sizeof *s);
	a->nsilence = n;
	for (size_t i = 0; i < n; i++) {
		struct alert_silence *d = &a->silence[i];
		*d = s[i];
		d->id = arena_sv(&a->silence_mem, sv_of(s[i].id));
		d->why = d->by = NULL;
		for (int k = 0; k < d->nmatch; k++) {
			d->match[k].field = arena_sv(&a->silence_mem, sv_of(s[i].match[k].field));
			d->match[k].glob = arena_sv(&a->silence_mem, sv_of(s[i].match[k].glob));
		}
	}
}

/* ---- time passes ------------------------------------------------------------------------- */

void alerts_observe(struct alerts *a, const struct alert_obs *o, int64_t wall_ms)
{
	char field[ALERT_FIELD_N][ALERT_TEXT];

	for (int f = 0; f < ALERT_FIELD_N; f++)
		alert_clean(field[f], ALERT_TEXT, o->field[f]);
	struct alert_gpu *gpu = alert_gpu_get(a, field);
	if (!gpu || o->to_ms <= o->from_ms)
		return;
	if (gpu->last_ms != INT64_MIN && o->to_ms <= gpu->last_ms)
		return;

	/* Take over who holds the GPU. other: it is somebody else. */
	uint64_t owner = alert_owner_hash(field);
	bool other = owner != gpu->owner;

	memcpy(gpu->field, field, sizeof gpu->field);
	gpu->owner = owner;

	int64_t gap = 0;
	if (gpu->last_ms != INT64_MIN && o->from_ms > gpu->last_ms)
		gap = o->from_ms - gpu->last_ms;
	for (size_t i = 0; i < a->n; i++) {
		struct alert_cell *c = &gpu->cell[i];
		if (!in_scope(&a->rule[i], gpu, o->held)) {
			cell_reset(a, gpu, c, wall_ms, "out of scope");
			continue;
		}
		if (other && a->rule[i].per_owner)
			cell_reset(a, gpu, c, wall_ms, "owner changed");
		cell_step(a, gpu, c, o, gap, wall_ms);
	}
	gpu->last_ms = o->to_ms;
	gpu_tell(a, gpu, wall_ms);
}

void alerts_tick(struct alerts *a, int64_t now_ms, int64_t wall_ms)
{
	for (size_t k = 0; k < a->gpu.n; k++) {
		struct alert_gpu *gpu = a->gpu.v[k];
		if (!gpu->cell || gpu->last_ms == INT64_MIN)
			continue;
		int64_t silent = now_ms - gpu->last_ms;
		for (size_t i = 0; i < a->n; i++) {
			if (silent >= FORGET_MS)
				cell_over(a, gpu, &gpu->cell[i], wall_ms, "gone");
			else if (silent > 0 && !a->rule[i].disabled &&
				 gpu->cell[i].unknown_ms + silent >= a->rule[i].no_data_ms)
				cell_no_data(a, gpu, &gpu->cell[i], wall_ms);
		}
		if (silent >= FORGET_MS)
			cells_free(a, gpu);
		else
			gpu_tell(a, gpu, wall_ms);
	}
}
