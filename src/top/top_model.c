/* See top_model.h. */
#include "top/top_model.h"
#include "top/top_diag.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"

#define PPB               1000000000LL
#define DIAGNOSE_EVERY_MS 10000
#define MAX_TRACKS        4096 /* devices that came and went; MIG re-partition makes new ones */

void top_model_free(struct top_model *m)
{
	for (size_t i = 0; i < m->track.n; i++) {
		free(m->track.v[i]->past);
		vec_free(&m->track.v[i]->waste.line);
		free(m->track.v[i]);
	}
	vec_free(&m->track);
	vec_free(&m->by);
	top_snap_free(m->snap);
	top_snap_free(m->held_back);
	*m = (struct top_model){ 0 };
}

/* ---- the past of a device ---------------------------------------------------------------- */

static struct top_track *find_track(const struct top_model *m, const char *key)
{
	for (size_t i = 0; i < m->track.n; i++)
		if (!strncmp(m->track.v[i]->key, key, sizeof m->track.v[i]->key - 1))
			return m->track.v[i];
	return NULL;
}

static struct top_track *track_for(struct top_model *m, const struct snap_dev *d)
{
	struct top_track *t = find_track(m, d->key);
	if (t)
		return t;
	if (m->track.n >= MAX_TRACKS) /* the oldest gives way; its waste stays in nobody's sum */
		for (size_t i = 0; i < m->track.n; i++)
			if (!m->track.v[i]->seen) {
				t = m->track.v[i];
				vec_clear(&t->waste.line);
				t->npast = t->first = 0;
				t->state = STATE_NONE;
				snprintf(t->key, sizeof t->key, "%s", d->key);
				return t;
			}
	t = xcalloc(1, sizeof *t);
	snprintf(t->key, sizeof t->key, "%s", d->key);
	t->state_since_ms = UNKNOWN_MS;
	*vec_push(&m->track) = t;
	return t;
}

const struct top_track *top_track_of(const struct top_model *m, const struct snap_dev *d)
{
	return find_track(m, d->key);
}

static void remember_dev(struct top_track *t, const struct top_snap *s, const struct snap_dev *d)
{
	size_t at;
	if (t->npast < TOP_PAST) {
		if (t->npast == t->cap) {
			t->cap = t->cap ? t->cap * 2 : 32;
			t->past = xrealloc(t->past, t->cap * sizeof *t->past);
		}
		at = t->npast++;
	} else {
		at = t->first;
		t->first = (t->first + 1) % TOP_PAST;
	}
	struct diag_step *p = &t->past[at];
	diag_step_init(p);
	p->t_ms = s->t_ms;
	p->step_ms = s->step_ms > 0 && s->step_ms < INT32_MAX ? (int32_t)s->step_ms : 1;
	memcpy(p->value, d->value, sizeof p->value);
	p->value[METRIC_GPU_UTIL_PCT] = top_util_pct(d);
	p->value[METRIC_CPU_UTIL_PCT] = s->host.cpu_util_pct;
	p->value[METRIC_NIC_RX_BYTES_S] = s->host.nic_rx_bytes_s;
	p->value[METRIC_NIC_TX_BYTES_S] = s->host.nic_tx_bytes_s;
	p->extra[DIAG_X_HOST_CPU_PCT] = s->host.cpu_util_pct;
	p->extra[DIAG_X_DISK_READ_BYTES_S] = s->host.disk_read_bytes_s;
	p->extra[DIAG_X_DISK_WRITE_BYTES_S] = s->host.disk_write_bytes_s;

	/* The server that was named is on the GPUs whose work is inference. */
	const struct snap_part *m = top_main_part(d);
	if (m && m->workload && !strcmp(m->workload, "inference")) {
		p->extra[DIAG_X_QUEUE] = s->serving.waiting;
		p->extra[DIAG_X_RUNNING] = s->serving.running;
		p->extra[DIAG_X_BATCH] = s->serving.batch;
	}

	for (size_t i = 0; i < d->nproc; i++)
		/* the first, else a busier one; NAN leaves what is there */
		if (!(d->proc[i].cpu_util_pct <= p->extra[DIAG_X_MAIN_CPU_PCT])) {
			if (isfinite(d->proc[i].cpu_util_pct))
				p->extra[DIAG_X_MAIN_CPU_PCT] = d->proc[i].cpu_util_pct;
		}
}

const struct diag_step *top_past(const struct top_track *t, size_t back)
{
	if (!t || back >= t->npast)
		return NULL;
	return &t->past[(t->first + t->npast - 1 - back) % TOP_PAST];
}

double top_past_mean(const struct top_track *t, enum metric m, size_t *ret_n)
{
	double sum = 0;
	size_t n = 0;
	for (size_t i = 0; t && i < t->npast; i++)
		if (isfinite(t->past[i].value[m])) {
			sum += t->past[i].value[m];
			n++;
		}
	if (ret_n)
		*ret_n = n;
	if (n)
		return sum / (double)n;
	return NAN;
}

/* ---- waste ------------------------------------------------------------------------------- */

double waste_frac(enum state s, double util_pct)
{
	switch (s) {
	case STATE_IDLE_HELD:
	case STATE_IDLE_EMPTY:
	case STATE_UNALLOCATED:
	case STATE_LOST: return 1;
	case STATE_UNDERUSED:
		if (!isfinite(util_pct))
			return NAN;
		if (util_pct >= 100)
			return 0;
		if (util_pct <= 0)
			return 1;
		return 1 - util_pct / 100;
	case STATE_BUSY:
	case STATE_OVERHEAD: return 0;
	default: return NAN;
	}
}

static struct waste_line *line_for(struct waste *w, enum state s, enum cause c, int64_t minute_ms)
{
	for (size_t i = w->line.n; i-- > 0;)
		if (w->line.v[i].state == s && w->line.v[i].cause == c &&
		    w->line.v[i].minute_ms == minute_ms)
			return &w->line.v[i];
	struct waste_line *l = vec_push(&w->line);
	*l = (struct waste_line){ .state = s, .cause = c, .minute_ms = minute_ms };
	return l;
}

static void add_waste(struct top_model *m, struct top_track *t, const struct top_snap *s,
		      const struct snap_part *p, double util_pct)
{
	double frac = waste_frac(p->state, isfinite(p->util_pct) ? p->util_pct : util_pct);
	t->told = t->told || (isfinite(frac) && s->step_ms > 0);
	if (!(frac > 0) || s->step_ms <= 0)
		return;
	int64_t ppb = llround((double)p->share_ppb * frac), step_ms = min_i64(s->step_ms, MS_DAY);
	/* By minute only where a book may come and take its minutes over. */
	struct waste_line *l = line_for(&t->waste, p->state, p->cause,
					m->booked ? tm_floor(s->t_ms, MS_MINUTE) : 0);
	l->ms_ppb += (dec)step_ms * ppb;
	if (s->rate.known)
		l->cost += dec_muldiv(s->rate.usd_gpu_hour, step_ms * ppb, MS_HOUR * PPB);
}

dec top_wasted(const struct top_track *t, dec *ret_ms_ppb)
{
	dec cost = 0, ms = 0;
	for (size_t i = 0; t && i < t->waste.line.n; i++) {
		cost += t->waste.line.v[i].cost;
		ms += t->waste.line.v[i].ms_ppb;
	}
	if (ret_ms_ppb)
		*ret_ms_ppb = ms;
	return cost;
}

static int by_cost_falling(const void *a, const void *b)
{
	const struct waste_line *x = a, *y = b;
	if (x->cost != y->cost)
		return cmp_dec(y->cost, x->cost);
	if (x->ms_ppb != y->ms_ppb)
		return cmp_dec(y->ms_ppb, x->ms_ppb);
	if (x->state != y->state)
		return (int)x->state - (int)y->state;
	return (int)x->cause - (int)y->cause;
}

static void sum_up(struct top_model *m)
{
	struct waste all = { 0 };
	m->wasted = m->wasted_ms_ppb = 0;
	for (size_t i = 0; i < m->track.n; i++)
		for (size_t k = 0; k < m->track.v[i]->waste.line.n; k++) {
			const struct waste_line *l = &m->track.v[i]->waste.line.v[k];
			struct waste_line *to = line_for(&all, l->state, l->cause, 0);
			to->cost += l->cost;
			to->ms_ppb += l->ms_ppb;
			m->wasted += l->cost;
			m->wasted_ms_ppb += l->ms_ppb;
		}
	if (all.line.n)
		sort_items(all.line.v, all.line.n, sizeof *all.line.v, by_cost_falling);
	vec_free(&m->by);
	m->by.v = all.line.v;
	m->by.n = all.line.n;
	m->by.cap = all.line.cap;
}

/* ---- a poll ------------------------------------------------------------------------------ */

const struct snap_part *top_main_part(const struct snap_dev *d)
{
	const struct snap_part *best = NULL;
	double most = -1;
	for (size_t i = 0; i < d->npart; i++) {
		double frac = waste_frac(d->part[i].state, d->part[i].util_pct),
		       share = (double)d->part[i].share_ppb;
		double w = (frac > 0 ? 2e9 * frac : 1) * share; /* any waste before any size */
		if (w > most) {
			best = &d->part[i];
			most = w;
		}
	}
	return best;
}

int64_t top_share_ppb(const struct snap_dev *d)
{
	int64_t sum = 0;
	if (d->info.parent < 0)
		return PPB;
	for (size_t i = 0; i < d->npart; i++)
		sum += d->part[i].share_ppb;
	return sum;
}

double top_util_pct(const struct snap_dev *d)
{
	double util = d->value[METRIC_GPU_UTIL_PCT], sm = d->value[METRIC_SM_ACTIVE_FRAC];
	if (isfinite(util))
		return util;
	if (d->info.parent >= 0 && isfinite(sm))
		return 100 * sm;
	return NAN;
}

char *top_share_text(char *buf, const struct snap_dev *d, const struct snap_part *p, bool tight)
{
	const int64_t gpu_ppb = 1000000000;
	__int128 *part = xcalloc(d->npart + 1, sizeof *part);
	int64_t *pct = xcalloc(d->npart + 1, sizeof *pct);
	size_t at = (size_t)(p - d->part);

	for (size_t i = 0; i < d->npart; i++)
		part[i] = d->part[i].share_ppb;
	percent_split(gpu_ppb, d->npart, part, PERCENT_UNITS, pct);
	percent_text(buf, pct[at], PERCENT_UNITS, part[at], gpu_ppb);
	char *blank = NULL;
	if (tight)
		blank = strchr(buf, ' ');
	if (blank)
		memmove(blank, blank + 1, strlen(blank));
	free(part);
	free(pct);
	return buf;
}

bool top_usd_h(const struct top_model *m, int64_t share_ppb, dec *ret)
{
	if (!m->snap || !m->snap->rate.known)
		return false;
	*ret = dec_muldiv(m->snap->rate.usd_gpu_hour, share_ppb, PPB);
	return true;
}

/* A cause that is sure enough to be named on a line; the page of the device has all of them with
 * their evidence. */
static enum cause diagnose_dev(const struct top_model *m, const struct top_snap *s,
			       const struct snap_dev *d)
{
	struct diag_result r = { 0 };
	size_t ndev;
	top_diagnose(m, s, d, &r, &ndev);
	enum cause c = CAUSE_NONE;
	if (r.verdict == DIAG_FOUND && r.n > 0)
		c = diag_ledger_cause(r.finding[0].cause);
	if (c == CAUSE_UNKNOWN)
		return CAUSE_NONE;
	return c;
}

static const struct top_snap *newest_snap(const struct top_model *m)
{
	if (m->held_back)
		return m->held_back;
	return m->snap;
}

void top_model_feed(struct top_model *m, struct top_snap *s)
{
	const struct top_snap *last = newest_snap(m);
	if (!last)
		m->start_ms = m->since_ms = s->t_ms;
	else if (tm_floor(s->t_ms, MS_DAY) != tm_floor(last->t_ms, MS_DAY)) {
		int64_t since_ms = s->t_ms > last->t_ms ? tm_floor(s->t_ms, MS_DAY) : s->t_ms;
		for (size_t i = 0; i < m->track.n; i++)
			vec_clear(&m->track.v[i]->waste.line);
		m->since_ms = since_ms;
		m->booked = false;
	}
	for (size_t i = 0; i < m->track.n; i++)
		m->track.v[i]->seen = false;
	for (size_t i = 0; i < s->ndev; i++) {
		const struct snap_dev *d = &s->dev[i];
		struct top_track *t = track_for(m, d);
		bool unexplained = d->npart == 1 && d->part->state == STATE_UNDERUSED &&
				   d->part->cause == CAUSE_UNKNOWN;
		if (unexplained && t->found != CAUSE_NONE)
			d->part->cause = t->found;
		const struct snap_part *p = top_main_part(d);
		enum state state = STATE_NONE;
		enum cause cause = CAUSE_NONE;
		if (p) {
			cause = p->cause;
			state = p->state;
		}
		t->seen = true;
		remember_dev(t, s, d);
		if (state != t->state || cause != t->cause || t->state_since_ms == UNKNOWN_MS)
			t->state_since_ms = s->t_ms;
		t->state = state;
		t->cause = cause;
		for (size_t k = 0; k < d->npart; k++)
			add_waste(m, t, s, &d->part[k], top_util_pct(d));
	}
	if (!m->diagnosed_mono_ms || s->mono_ms - m->diagnosed_mono_ms >= DIAGNOSE_EVERY_MS) {
		m->diagnosed_mono_ms = s->mono_ms;
		for (size_t i = 0; i < s->ndev; i++) {
			struct top_track *t = track_for(m, &s->dev[i]);
			if (t->state == STATE_UNDERUSED)
				t->found = diagnose_dev(m, s, &s->dev[i]);
		}
	}
	m->priced = m->priced || s->rate.known;
	struct top_snap **to = m->hold && m->snap ? &m->held_back : &m->snap;
	top_snap_free(*to);
	*to = s;
	sum_up(m);
}

void top_model_hold(struct top_model *m, bool hold)
{
	m->hold = hold;
	if (hold || !m->held_back)
		return;
	top_snap_free(m->snap);
	m->snap = m->held_back;
	m->held_back = NULL;
}

void top_model_book(struct top_model *m, const struct top_today *b)
{
	if (!b->known || !m->snap)
		return;
	const struct watch_rate *rate = &newest_snap(m)->rate;
	/* what was seen without minutes lies after the book's end by less than its own delay: from
	 * here on by minute */
	if (!m->booked)
		for (size_t i = 0; i < m->track.n; i++)
			for (size_t k = 0; k < m->track.v[i]->waste.line.n; k++)
				m->track.v[i]->waste.line.v[k].minute_ms =
					tm_floor(newest_snap(m)->t_ms, MS_MINUTE);
	m->booked = true;
	m->since_ms = b->since_ms;
	for (size_t i = 0; i < m->track.n; i++) {
		/* The book's minutes replace what top saw of them itself. */
		struct top_track *t = m->track.v[i];
		size_t kept = 0;
		for (size_t k = 0; k < t->waste.line.n; k++)
			if (t->waste.line.v[k].minute_ms != UNKNOWN_MS &&
			    t->waste.line.v[k].minute_ms >= b->until_ms)
				t->waste.line.v[kept++] = t->waste.line.v[k];
		t->waste.line.n = kept;
	}
	for (size_t i = 0; i < b->n; i++) {
		struct snap_dev d = { 0 };
		char key[96];
		snprintf(key, sizeof key, "%.*s", SVF(b->row[i].key));
		d.key = key;
		struct top_track *t = track_for(m, &d);
		struct waste_line *l = line_for(&t->waste, b->row[i].state, b->row[i].cause,
						UNKNOWN_MS);
		l->ms_ppb += b->row[i].ms_ppb;
		if (rate->known && b->row[i].ms_ppb < INT64_MAX)
			l->cost += dec_muldiv(rate->usd_gpu_hour, (int64_t)b->row[i].ms_ppb,
					      MS_HOUR * PPB);
		t->told = true;
	}
	sum_up(m);
}
