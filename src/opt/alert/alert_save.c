/*
 * The state of the alert engine as lines of text, for a restart. A GPU: "C age field...", a rule
 * on it: "R name hash ...", a window: "W ...". Times are ages at the moment of saving, so that
 * neither the clock nor its epoch has to be the same afterwards. Not saved: bins of percentiles
 * (those windows begin again) and rules without anything to tell.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/tm.h"
#include "opt/alert/alert_in.h"

#define AGE_MAX    (60 * MS_DAY)
#define LINE_WORDS 256

/* Letters, digits and few signs as they are, "-" for nothing, the rest as %XX. */
static void put_text(struct str *out, const char *z)
{
	str_addc(out, ' ');
	if (!*z)
		str_addc(out, '-');
	for (; *z; z++)
		if (within_int(*z, 'a', 'z') || within_int(*z, 'A', 'Z') ||
		    within_int(*z, '0', '9') || strchr("._:/@", *z))
			str_addc(out, *z);
		else
			str_addf(out, "%%%02X", (unsigned char)*z);
}

static void save_cell(const struct alert_rule *r, const struct alert_cell *c, int64_t now_ms,
		      int64_t wall_ms, struct str *out)
{
	if (c->state == ALERT_OK && (!c->w || c->w->first_ms == INT64_MIN))
		return;
	str_addc(out, 'R');
	put_text(out, r->name);
	str_addf(out,
		 " %" PRIx64 " %d %d %d %d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
		 " %.17g %.17g",
		 alert_rule_hash(r), (int)c->state, c->was_firing, c->told, c->clearing, c->held_ms,
		 c->clear_ms, c->unknown_ms, c->since_ms == UNKNOWN_MS ? -1 : wall_ms - c->since_ms,
		 c->value, c->worst);
	for (int f = 0; c->snap && f < ALERT_FIELD_N; f++)
		put_text(out, c->snap[f]);
	str_addc(out, '\n');
	const struct window *w = c->w;
	if (!w || w->bin || w->first_ms == INT64_MIN)
		return;
	str_addf(out, "W %" PRId64 " %" PRId64, now_ms - w->first_ms, now_ms - w->last_ms);
	for (int i = 0; i <= WINDOW_BUCKETS; i++)
		if (w->part[i].k >= 0)
			str_addf(out, " %" PRId64 " %" PRId64 " %.17g %.17g %.17g", w->part[i].k,
				 w->part[i].ms, w->part[i].sum, w->part[i].lo, w->part[i].hi);
	str_addc(out, '\n');
}

void alerts_save(const struct alerts *a, int64_t now_ms, int64_t wall_ms, struct str *out)
{
	str_addf(out, "tare-alerts 1 %" PRId64 "\n", wall_ms);
	for (size_t k = 0; k < a->gpu.n; k++) {
		const struct alert_gpu *gpu = a->gpu.v[k];
		if (!gpu->cell || gpu->last_ms == INT64_MIN)
			continue;
		str_addf(out, "C %" PRId64, now_ms - gpu->last_ms);
		for (int f = 0; f < ALERT_FIELD_N; f++)
			put_text(out, gpu->field[f]);
		str_addc(out, '\n');
		for (size_t i = 0; i < a->n; i++)
			save_cell(&a->rule[i], &gpu->cell[i], now_ms, wall_ms, out);
	}
	str_addz(out, "end\n");
}

/* ---- reading ----------------------------------------------------------------------------- */

struct loading {
	struct alerts *a;
	int64_t now_ms, wall_ms; /* when it was saved, in today's clocks */
	struct alert_gpu *gpu;
	struct alert_cell *cell; /* NULL: a rule that has changed, or is not there any more */
	struct sv word[LINE_WORDS];
	size_t n;
};

static bool get_text(struct sv w, char to[ALERT_TEXT])
{
	char raw[ALERT_TEXT];
	size_t n = 0;

	if (sv_is(w, "-"))
		w.n = 0;
	for (size_t i = 0; i < w.n; i++) {
		int byte;
		if (n + 1 >= sizeof raw)
			return false;
		if (w.p[i] != '%') {
			raw[n++] = w.p[i];
			continue;
		}
		if (i + 2 >= w.n || (byte = hex_pair(w.p + i + 1)) < 0)
			return false;
		raw[n++] = (char)byte;
		i += 2;
	}
	alert_clean(to, ALERT_TEXT, (struct sv){ raw, n });
	return true;
}

static bool get_int(struct sv w, int64_t lo, int64_t hi, int64_t *ret)
{
	return sv_i64(w, ret) == 0 && *ret >= lo && *ret <= hi;
}

static bool get_num(struct sv w, double *ret) /* also nan */
{
	if (sv_is(w, "nan") || sv_is(w, "-nan")) {
		*ret = NAN;
		return true;
	}
	return sv_f64(w, ret) == 0 && isfinite(*ret);
}

static struct alert_cell *cell_find(struct loading *l, struct sv name, struct sv hash)
{
	char text[ALERT_TEXT], want[24];

	if (!get_text(name, text))
		return NULL;
	for (size_t i = 0; i < l->a->n; i++) {
		snprintf(want, sizeof want, "%" PRIx64, alert_rule_hash(&l->a->rule[i]));
		if (!strcmp(l->a->rule[i].name, text) && sv_is(hash, want) &&
		    !l->a->rule[i].disabled)
			return &l->gpu->cell[i];
	}
	return NULL;
}

static bool load_flags(struct loading *l, struct alert_cell *c)
{
	int64_t v[4], since;

	for (int i = 0; i < 4; i++)
		if (!get_int(l->word[3 + i], 0, i ? 1 : ALERT_STATE_N - 1, &v[i]))
			return false;
	if (!get_int(l->word[7], 0, AGE_MAX, &c->held_ms) ||
	    !get_int(l->word[8], 0, AGE_MAX, &c->clear_ms) ||
	    !get_int(l->word[9], 0, INT64_MAX / 4, &c->unknown_ms))
		return false;
	if (!get_int(l->word[10], INT64_MIN / 4, INT64_MAX / 4, &since) ||
	    !get_num(l->word[11], &c->value) || !get_num(l->word[12], &c->worst))
		return false;
	c->state = (enum alert_state)v[0];
	c->was_firing = v[1] && v[0] == ALERT_NO_DATA;
	c->told = v[2] && alert_cell_firing(c);
	c->clearing = v[3];
	c->since_ms = since < 0 ? UNKNOWN_MS : l->wall_ms - since;
	return true;
}

static bool load_part(const struct sv word[5], const struct window *w, struct window_part *p)
{
	if (!get_int(word[0], 0, (w->last_ms - w->first_ms) / w->part_ms, &p->k) ||
	    !get_int(word[1], 0, w->part_ms, &p->ms) || !get_num(word[2], &p->sum))
		return false;
	if (!get_num(word[3], &p->lo) || !get_num(word[4], &p->hi) || isnan(p->sum))
		return false;
	return p->lo <= p->hi;
}

static bool load_line(struct loading *l, struct sv line)
{
	l->n = 0;
	while (line.p && line.n) {
		if (l->n == LINE_WORDS)
			return false;
		l->word[l->n++] = sv_cut(line, ' ', &line);
	}
	if (l->n < 3)
		return false;
	if (sv_is(l->word[0], "C")) {
		char field[ALERT_FIELD_N][ALERT_TEXT];
		int64_t age;

		if (l->n != 2 + ALERT_FIELD_N || !get_int(l->word[1], 0, AGE_MAX, &age))
			return false;
		for (int f = 0; f < ALERT_FIELD_N; f++)
			if (!get_text(l->word[2 + f], field[f]))
				return false;
		l->cell = NULL;
		l->gpu = alert_gpu_get(l->a, field);
		if (l->gpu)
			l->gpu->last_ms = l->now_ms - age;
		return l->gpu != NULL;
	}
	if (sv_is(l->word[0], "R")) {
		struct alert_cell skip = { 0 }, *c;

		if (!l->gpu || (l->n != 13 && l->n != 13 + ALERT_FIELD_N))
			return false;
		l->cell = c = cell_find(l, l->word[1], l->word[2]);
		if (!load_flags(l, c ? c : &skip))
			return false;
		if (!c || l->n == 13)
			return !c || !alert_cell_firing(c);
		c->snap = xrealloc(c->snap, ALERT_FIELD_N * sizeof *c->snap);
		memset(c->snap, 0, ALERT_FIELD_N * sizeof *c->snap);
		for (int f = 0; f < ALERT_FIELD_N; f++)
			if (!get_text(l->word[13 + f], c->snap[f]))
				return false;
		return true;
	}
	if (sv_is(l->word[0], "W")) {
		int64_t first, last;
		struct window *w = NULL;

		if (l->cell)
			w = l->cell->w;
		if (!l->cell)
			return l->gpu != NULL;
		if (!w || w->bin || (l->n - 3) % 5 != 0)
			return false;
		if (l->n > 3 + 5 * (WINDOW_BUCKETS + 1) ||
		    !get_int(l->word[1], 0, INT64_MAX / 4, &first) ||
		    !get_int(l->word[2], 0, first, &last))
			return false;
		w->first_ms = l->now_ms - first;
		w->last_ms = l->now_ms - last;
		for (size_t i = 3; i < l->n; i += 5) {
			struct window_part p;
			if (!load_part(&l->word[i], w, &p))
				return false;
			w->part[p.k % (WINDOW_BUCKETS + 1)] = p;
		}
		return true;
	}
	return false;
}

int alerts_load(struct alerts *a, struct sv text, int64_t now_ms, int64_t wall_ms, struct err *err)
{
	struct loading *l = xcalloc(1, sizeof *l);
	struct sv rest = text, line = sv_cut(rest, '\n', &rest);
	int64_t saved, number = 1;
	bool good = sv_starts(line, SV("tare-alerts 1 ")) &&
		    get_int(sv_from(line, 14), 0, INT64_MAX / 4, &saved),
	     ended = false;

	l->a = a;
	for (; good && !ended && rest.p; number++) {
		/* a clock that went back tells nothing of the time between */
		int64_t gap = 0;
		if (wall_ms > saved)
			gap = wall_ms - saved;
		l->now_ms = now_ms - (gap < AGE_MAX ? gap : AGE_MAX);
		l->wall_ms = saved;
		line = sv_cut(rest, '\n', &rest);
		ended = sv_is(line, "end");
		good = ended || load_line(l, line);
	}
	free(l);
	if (good && ended)
		return 0;

	struct alerts *fresh = alerts_new(a->rule, a->n, a->fn, a->ctx);
	struct alerts old = *a;

	fresh->silence = old.silence;
	fresh->nsilence = old.nsilence;
	fresh->silence_mem = old.silence_mem;
	old.silence_mem = (struct arena){ 0 };
	*a = *fresh;
	*fresh = old;
	alerts_free(fresh);
	return err_set(err, -EBADMSG, "line %lld of the saved alerts makes no sense",
		       (long long)number);
}
