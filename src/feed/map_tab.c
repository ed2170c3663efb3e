/* Rows through a map: a table whose columns and cells are those of the kind the map makes. */
#include <errno.h>
#include <stdio.h>

#include "base/num.h"
#include "base/tm.h"
#include "feed/map.h"

struct bound { /* a target on this file */
	const struct map_target *t;
	int col, plus, times; /* in the file; -1 = not there */
	int part[MAP_MAX_PARTS];
	int when[MAP_MAX_CONDS];
	struct sv fixed; /* the same in each row, {NULL,0} = no */
	struct str text; /* of this row */
};

struct mapped {
	struct tab tab;
	const struct feed_map *m;
	struct feed_run *r;
	struct tab *inner;
	struct bound *b; /* [m->ntarget], then columns kept */
	size_t n;
	int skip_col[MAP_MAX_CONDS][MAP_MAX_CONDS], skip_key[MAP_MAX_CONDS];
	struct sv *name, *cell; /* [n] */
};

static bool is_blank(const struct mapped *t, struct sv v)
{
	v = sv_trim(v);
	if (!v.n)
		return true;
	for (size_t i = 0; i < t->m->nnull; i++)
		if (sv_is(v, t->m->null[i]))
			return true;
	return false;
}

static bool cond_holds(const struct mapped *t, const struct map_cond *c, struct sv v)
{
	if (c->op == COND_BLANK || c->op == COND_NOT_BLANK)
		return is_blank(t, v) == (c->op == COND_BLANK);

	/* Equal as texts, or as numbers: a column of 1 may say 1.0. */
	dec is, asked;
	v = sv_trim(v);
	bool number = !dec_parse(v, 0, &is);
	for (size_t i = 0; i < c->nword; i++) {
		if (sv_is(v, c->word[i]))
			return c->op == COND_IS;
		if (number && !dec_parse(sv_of(c->word[i]), 0, &asked) && is == asked)
			return c->op == COND_IS;
	}
	return c->op == COND_IS_NOT;
}

static bool conds_hold(const struct mapped *t, const struct map_conds *c, const int *col,
		       const struct sv *cell)
{
	for (size_t i = 0; i < c->n; i++)
		if (!cond_holds(t, &c->v[i], col[i] >= 0 ? cell[col[i]] : SV_NULL))
			return false;
	return true;
}

/* ---- one cell: 0, or -EINVAL with *why --------------------------------------------------- */

static int parse_time(const struct map_target *g, struct sv v, int64_t *ret)
{
	for (size_t i = 0; i < g->ntime; i++) {
		const struct map_time *f = &g->time[i];
		int rc;
		if (f->format == TIME_RFC3339)
			rc = tm_parse(v, 0, ret);
		else if (f->format == TIME_NUMBER)
			rc = tm_parse_number(v, g->origin_ms, f->unit_ms, ret);
		else
			rc = tm_parse_slashed(v, f->format == TIME_DMY, 0, ret);
		if (!rc)
			return 0;
	}
	return -EINVAL;
}

#define MAX_TIMES 9000000 /* a multiplier has its 12 digits in 64 bits */

static int put_time(struct mapped *t, struct bound *b, struct sv v, const struct sv *cell,
		    const char **field, struct sv *bad)
{
	char buf[TM_BUF];
	int64_t ms, plus;

	*bad = v;
	if (parse_time(b->t, v, &ms) < 0)
		return -EINVAL;
	if (b->plus >= 0) {
		struct sv p = sv_trim(cell[b->plus]);
		if (is_blank(t, p)) { /* no span, no end */
			t->cell[b - t->b] = SV_NULL;
			return 0;
		}
		*field = b->t->plus;
		*bad = p;
		/* a duration, given as a number of units */
		dec d;
		if (dec_parse(p, 0, &d) < 0 || d < 0 || d > DEC_ONE * 1000000000000LL)
			return -EINVAL;
		d = dec_muldiv(d, b->t->plus_unit_ms, 1);
		plus = (int64_t)((d + DEC_ONE / 2) / DEC_ONE);
		if (__builtin_add_overflow(ms, plus, &ms))
			return -EINVAL;
	}
	str_addz(&b->text, tm_format(buf, ms));
	return 0;
}

static int put_number(struct mapped *t, struct bound *b, struct sv v, const struct sv *cell,
		      const char **field, struct sv *bad)
{
	char buf[DEC_BUF];
	const struct map_target *g = b->t;
	dec d;

	if (dec_parse(v, g->dec_flags, &d) < 0)
		return -EINVAL;
	if (g->num != 1 || g->den != 1)
		d = dec_muldiv(d, g->num, g->den);
	if (g->factor % DEC_ONE == 0)
		d = dec_muldiv(d, (int64_t)(g->factor / DEC_ONE), 1);
	else if (g->factor < DEC_ONE * 1000000)
		d = dec_muldiv(d, (int64_t)g->factor, (int64_t)DEC_ONE);
	else /* with the six digits that can matter */
		d = dec_muldiv(d, (int64_t)(g->factor / 1000000), 1000000);
	if (b->times >= 0) {
		struct sv times = sv_trim(cell[b->times]);
		dec by;
		if (is_blank(t, times)) { /* no factor, no value */
			t->cell[b - t->b] = SV_NULL;
			return 0;
		}
		*field = g->times;
		*bad = times;
		if (dec_parse(times, g->dec_flags, &by) < 0 || by < 0 || by > DEC_ONE * MAX_TIMES)
			return -EINVAL;
		d = dec_muldiv(d, (int64_t)by, (int64_t)DEC_ONE);
	}
	str_addz(&b->text, dec_format(buf, d));
	return 0;
}

static int map_cell(struct mapped *t, size_t i, const struct sv *cell, const char **field,
		    const char **what, struct sv *bad)
{
	struct bound *b = &t->b[i];
	const struct map_target *g = b->t;
	struct sv v;
	int rc = 0;

	if (!g || b->fixed.p) { /* kept as it is, or a constant */
		if (b->fixed.p)
			t->cell[i] = b->fixed;
		else if (is_blank(t, cell[b->col]))
			t->cell[i] = SV_NULL;
		else
			t->cell[i] = cell[b->col];
		return 0;
	}
	t->cell[i] = SV_NULL;
	if (!conds_hold(t, &g->when, b->when, cell))
		return 0;
	str_clear(&b->text);
	v = b->col >= 0 ? sv_trim(cell[b->col]) : SV_NULL;
	if (is_blank(t, v))
		v = sv_of(g->fill);
	if (!g->npart && !v.p)
		return 0;
	*field = g->from;
	for (size_t k = 0; k < g->nword; k++)
		if (sv_is(v, g->word[2 * k])) {
			v = sv_of(g->word[2 * k + 1]);
			break;
		}
	*bad = v;
	if (!g->npart && !g->ntime && !g->number) {
		t->cell[i] = v;
		return 0;
	}
	t->cell[i] = (struct sv){ "", 0 };
	*what = g->ntime ? "time" : "decimal";
	for (size_t k = 0; k < g->npart; k++) {
		const struct map_part *p = &g->part[k];
		if (p->kind == PART_TEXT)
			str_addz(&b->text, p->text);
		else if (p->kind == PART_LINE)
			str_addf(&b->text, "%lld", (long long)t->inner->line);
		else
			str_addsv(&b->text, sv_trim(cell[b->part[k]]));
	}
	if (!g->npart && g->ntime)
		rc = put_time(t, b, v, cell, field, bad);
	else if (!g->npart)
		rc = put_number(t, b, v, cell, field, bad);
	if (t->cell[i].p)
		t->cell[i] = str_sv(&b->text);
	return rc;
}

/* ---- rows -------------------------------------------------------------------------------- */

static bool is_skipped(struct mapped *t, const struct sv *cell)
{
	for (size_t i = 0; i < t->m->nskip; i++)
		if (conds_hold(t, &t->m->skip[i].when, t->skip_col[i], cell)) {
			feed_tick(t->r);
			feed_skip(t->r, t->inner->line,
				  t->skip_key[i] >= 0 ? cell[t->skip_key[i]] : SV_NULL,
				  t->m->skip[i].reason);
			return true;
		}
	return false;
}

/* 1 when the row is there, 0 when it was rejected, negative when that was one too many. */
static int map_row(struct mapped *t, const struct sv *cell, struct err *err)
{
	const char *field = "", *what = "value";
	struct sv bad = SV_NULL;

	for (size_t i = 0; i < t->n; i++)
		if (map_cell(t, i, cell, &field, &what, &bad) < 0) {
			feed_tick(t->r);
			return feed_reject(t->r, t->inner->line, field, err, "'%.*s' is not a %s",
					   (int)min_size(bad.n, 80), bad.p, what);
		}
	return 1;
}

static int mapped_next(struct tab *tab, const struct sv **ret_cell, struct err *err)
{
	struct mapped *t = (struct mapped *)tab;
	const struct sv *cell;
	int rc;

	for (;;) {
		rc = tab_next(t->inner, &cell, err);
		tab->line = t->inner->line;
		if (rc <= 0)
			return rc;
		if (is_skipped(t, cell) || !(rc = map_row(t, cell, err)))
			continue;
		if (rc > 0)
			*ret_cell = t->cell;
		return rc;
	}
}

static void mapped_close(struct tab *tab)
{
	struct mapped *t = (struct mapped *)tab;

	for (size_t i = 0; i < t->n; i++)
		str_free(&t->b[i].text);
	free(t->b);
	free(t->name);
	free(t->cell);
	free(t);
}

/* ---- binding to a file ------------------------------------------------------------------- */

static int find_column(const struct mapped *t, const char *name, int *ret, struct err *err)
{
	if ((*ret = tab_col(t->inner, name)) >= 0)
		return 0;
	err_set(err, -EINVAL, "'%s' has no column '%s', which map '%s' reads", input_name(t->r->in),
		name, t->m->name);
	err_hint(err, "Is it the right map for this file?");
	return -EINVAL;
}

static int bind_conds(const struct mapped *t, const struct map_conds *c, int *col, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < c->n && !rc; i++)
		rc = find_column(t, c->v[i].column, &col[i], err);
	return rc;
}

/* Says whether the target has anything to give on this file: an optional column that is not there
 * has not. */
static int bind_target(struct mapped *t, const struct map_target *g, bool *ret_used,
		       struct err *err)
{
	struct bound *b = &t->b[t->n];
	const char *set = g->set ? feed_set_get(t->r, g->name) : NULL;
	int rc;

	*b = (struct bound){ .t = g, .col = -1, .plus = -1, .times = -1 };
	*ret_used = true;
	if (g->set) {
		b->fixed = sv_of(set ? set : g->part[0].text);
		return 0;
	}
	if ((rc = bind_conds(t, &g->when, b->when, err)) < 0)
		return rc;
	for (size_t i = 0; i < g->npart; i++)
		if (g->part[i].kind == PART_COLUMN &&
		    (rc = find_column(t, g->part[i].text, &b->part[i], err)) < 0)
			return rc;
	if (g->from && (b->col = tab_col(t->inner, g->from)) < 0 && !g->fill) {
		*ret_used = !g->optional;
		if (g->optional)
			return 0;
		return find_column(t, g->from, &b->col, err);
	}
	if (g->times && (rc = find_column(t, g->times, &b->times, err)) < 0)
		return rc;
	if (g->plus)
		return find_column(t, g->plus, &b->plus, err);
	return 0;
}

static int bind_targets(struct mapped *t, struct err *err)
{
	bool used;
	int rc;

	for (size_t i = 0; i < t->m->ntarget; i++) {
		if ((rc = bind_target(t, &t->m->target[i], &used, err)) < 0)
			return rc;
		if (used)
			t->name[t->n++] = sv_of(t->m->target[i].name);
	}
	for (size_t i = 0; t->m->keep && i < t->inner->ncol; i++) {
		bool target = false;
		for (size_t k = 0; k < t->m->ntarget && !target; k++)
			target = sv_ieq(sv_of(t->m->target[k].name), t->inner->col[i]);
		if (target)
			continue;
		t->b[t->n] = (struct bound){ .col = (int)i };
		t->name[t->n++] = t->inner->col[i];
	}
	for (size_t i = 0; i < t->m->nskip; i++) {
		t->skip_key[i] = t->m->skip[i].key ? tab_col(t->inner, t->m->skip[i].key) : -1;
		if ((rc = bind_conds(t, &t->m->skip[i].when, t->skip_col[i], err)) < 0)
			return rc;
	}
	return 0;
}

int feed_map_wrap(const struct feed_map *m, struct feed_run *r, struct tab *inner, struct tab **ret,
		  struct err *err)
{
	static const struct tab_ops ops = { mapped_next, mapped_close };
	struct mapped *t = xcalloc(1, sizeof *t);
	size_t max = m->ntarget + inner->ncol;
	int rc;

	t->m = m;
	t->r = r;
	t->inner = inner;
	t->b = xcalloc(max + 1, sizeof *t->b);
	t->name = xcalloc(max + 1, sizeof *t->name);
	t->cell = xcalloc(max + 1, sizeof *t->cell);
	rc = bind_targets(t, err);
	t->tab = (struct tab){ .ops = &ops, .format = inner->format, .ncol = t->n, .col = t->name };
	if (rc < 0) {
		mapped_close(&t->tab);
		return rc;
	}
	for (size_t i = 0; i < m->nnote; i++)
		feed_note(r->report, "%s", m->note[i]);
	*ret = &t->tab;
	return 0;
}
