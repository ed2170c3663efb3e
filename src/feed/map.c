/* Maps: the YAML that says how a foreign table becomes one of a native kind. map_tab.c applies
 * them. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>

#include "base/str.h"
#include "base/tm.h"
#include "feed/map.h"

static int tell_bad(const struct feed_map *m, const struct yaml *y, struct err *err,
		    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
static int tell_bad(const struct feed_map *m, const struct yaml *y, struct err *err,
		    const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	err_set(err, -EINVAL, "map '%s', line %d: %s", m->name, y ? y->line : 1, text);
	err_hint(err, "The format of maps: docs/MAPS.md.");
	return -EINVAL;
}

/* ---- small pieces ------------------------------------------------------------------------ */

/* A string or a list of strings. */
static int words_of(struct feed_map *m, const struct yaml *y, const char ***ret, size_t *ret_n,
		    struct err *err)
{
	size_t n = 0;

	if (!y)
		return 0;
	if (y->type == YAML_TEXT || y->type == YAML_NULL) {
		*ret = arena_alloc(&m->mem, sizeof **ret);
		(*ret)[0] = y->type == YAML_TEXT ? y->text : "null";
		*ret_n = 1;
		return 0;
	}
	if (y->type != YAML_SEQ)
		return tell_bad(m, y, err, "'%s' is a string or a list of strings",
				text_or(y->key, "value"));
	for (const struct yaml *c = y->child; c; c = c->next)
		n++;
	*ret = arena_alloc(&m->mem, (n + 1) * sizeof **ret);
	*ret_n = 0;
	for (const struct yaml *c = y->child; c; c = c->next) {
		if (c->type != YAML_TEXT && c->type != YAML_NULL)
			return tell_bad(m, c, err, "a list of strings holds strings only");
		/* a bare null in a list of words is meant as the word */
		(*ret)[(*ret_n)++] = c->type == YAML_TEXT ? c->text : "null";
	}
	return 0;
}

struct unit {
	const char *name;
	char dimension;   /* b(ytes) t(ime) r(atio) w(att) */
	int64_t num, den; /* in B, ms, 1, W */
};
static const struct unit units[] = {
	{ "bytes", 'b', 1, 1 },     { "b", 'b', 1, 1 },           { "kb", 'b', 1000, 1 },
	{ "mb", 'b', 1000000, 1 },  { "gb", 'b', 1000000000, 1 }, { "kib", 'b', 1024, 1 },
	{ "mib", 'b', 1 << 20, 1 }, { "gib", 'b', 1 << 30, 1 },   { "us", 't', 1, 1000 },
	{ "ms", 't', 1, 1 },        { "s", 't', 1000, 1 },        { "min", 't', MS_MINUTE, 1 },
	{ "h", 't', MS_HOUR, 1 },   { "d", 't', MS_DAY, 1 },      { "frac", 'r', 1, 1 },
	{ "pct", 'r', 1, 100 },     { "milli", 'r', 1, 1000 },    { "w", 'w', 1, 1 },
	{ "mw", 'w', 1, 1000 },     { "kw", 'w', 1000, 1 },
};

static const struct unit *unit_find(const char *name)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (sv_ieq(sv_of(units[i].name), sv_of(name)))
			return &units[i];
	return NULL;
}

static int conds_of(struct feed_map *m, const struct yaml *y, struct map_conds *ret,
		    struct err *err);

static int cond_of(struct feed_map *m, const struct yaml *y, struct map_conds *ret, struct err *err)
{
	const struct yaml *is = yaml_get(y, "is"), *is_not = yaml_get(y, "is_not");
	bool blank = false, has_blank = yaml_get(y, "blank") != NULL;
	struct map_cond *c;
	int rc;

	if (ret->n == MAP_MAX_CONDS)
		return tell_bad(m, y, err, "at most %d conditions", MAP_MAX_CONDS);
	c = &ret->v[ret->n];
	*c = (struct map_cond){ 0 };
	if ((rc = yaml_text(m->doc, y, "column", &c->column, err)) < 0 ||
	    (rc = yaml_bool(m->doc, y, "blank", &blank, err)) < 0)
		return rc;
	if (!c->column || (is != NULL) + (is_not != NULL) + has_blank != 1)
		return tell_bad(m, y, err, "a condition has a column and one of is, is_not, blank");
	if (is)
		c->op = COND_IS;
	else if (is_not)
		c->op = COND_IS_NOT;
	else if (blank)
		c->op = COND_BLANK;
	else
		c->op = COND_NOT_BLANK;
	if ((rc = words_of(m, is ? is : is_not, &c->word, &c->nword, err)) < 0)
		return rc;
	ret->n++;
	return 0;
}

static int conds_of(struct feed_map *m, const struct yaml *y, struct map_conds *ret,
		    struct err *err)
{
	static const char *const allowed[] = { "column", "is", "is_not", "blank", NULL };
	int rc = 0;

	if (!y)
		return 0;
	if (y->type == YAML_MAPPING) {
		if ((rc = yaml_check_keys(m->doc, y, allowed, err)) < 0)
			return rc;
		return cond_of(m, y, ret, err);
	}
	if (y->type != YAML_SEQ)
		return tell_bad(m, y, err, "'when' is a condition or a list of them");
	for (const struct yaml *c = y->child; c && !rc; c = c->next)
		if (!(rc = yaml_check_keys(m->doc, c, allowed, err)))
			rc = cond_of(m, c, ret, err);
	return rc;
}

/* ---- a column ---------------------------------------------------------------------------- */

/* "job-{line}", "{cluster}/{id}" */
static int parts_of(struct feed_map *m, const struct yaml *y, const char *text,
		    struct map_target *t, struct err *err)
{
	const char *p = text;

	while (*p) {
		const char *open = strchr(p, '{'), *close = NULL;
		if (open)
			close = strchr(open, '}');
		if (t->npart + 2 > MAP_MAX_PARTS)
			return tell_bad(m, y, err, "'%s' has too many parts", text);
		bool column = open && close;
		if (!column)
			open = p + strlen(p);
		if (open > p)
			t->part[t->npart++] = (struct map_part){
				PART_TEXT, arena_strn(&m->mem, p, (size_t)(open - p))
			};
		if (!column)
			return 0;
		const char *name = arena_strn(&m->mem, open + 1, (size_t)(close - open - 1));
		t->part[t->npart++] =
			(struct map_part){ strcmp(name, "line") ? PART_COLUMN : PART_LINE, name };
		p = close + 1;
	}
	return 0;
}

static int time_of(struct feed_map *m, const struct yaml *y, struct map_target *t, struct err *err)
{
	const struct yaml *time = yaml_get(y, "time");
	const char **name = NULL, *origin = NULL, *plus_unit = "s";
	const struct unit *u;
	size_t n = 0;
	int rc;

	if ((rc = words_of(m, time, &name, &n, err)) < 0)
		return rc;
	if (n > 4)
		return tell_bad(m, time, err, "at most 4 formats of time");
	for (size_t i = 0; i < n; i++) {
		struct map_time *f = &t->time[t->ntime++];
		if (!strcmp(name[i], "rfc3339"))
			f->format = TIME_RFC3339;
		else if (!strcmp(name[i], "mdy"))
			f->format = TIME_MDY;
		else if (!strcmp(name[i], "dmy"))
			f->format = TIME_DMY;
		else if ((u = unit_find(name[i])) && u->dimension == 't' && u->den == 1)
			*f = (struct map_time){ TIME_NUMBER, u->num };
		else
			return tell_bad(m, time, err,
					"time '%s' is none of rfc3339, mdy, dmy, s, ms, min, h, d",
					name[i]);
	}
	if ((rc = yaml_text(m->doc, y, "origin", &origin, err)) < 0 ||
	    (rc = yaml_text(m->doc, y, "plus", &t->plus, err)) < 0 ||
	    (rc = yaml_text(m->doc, y, "plus_unit", &plus_unit, err)) < 0)
		return rc;
	if (origin && tm_parse(sv_of(origin), 0, &t->origin_ms) < 0)
		return tell_bad(m, y, err, "origin '%s' is not a time such as 2025-01-01T00:00:00Z",
				origin);
	if ((origin || t->plus) && !n)
		return tell_bad(m, y, err, "'origin' and 'plus' belong to a column with 'time'");
	if (!(u = unit_find(plus_unit)) || u->dimension != 't' || u->den != 1)
		return tell_bad(m, y, err, "plus_unit '%s' is none of ms, s, min, h, d", plus_unit);
	t->plus_unit_ms = u->num;
	return 0;
}

static int number_of(struct feed_map *m, const struct yaml *y, struct map_target *t,
		     struct err *err)
{
	const char *unit = NULL, *format = NULL;
	int rc;

	t->factor = DEC_ONE;
	t->num = t->den = 1;
	if ((rc = yaml_text(m->doc, y, "unit", &unit, err)) < 0 ||
	    (rc = yaml_text(m->doc, y, "number", &format, err)) < 0 ||
	    (rc = yaml_text(m->doc, y, "times", &t->times, err)) < 0)
		return rc;
	t->number |= t->times != NULL;
	if (yaml_get(y, "factor")) {
		t->number = true;
		if ((rc = yaml_dec(m->doc, y, "factor", &t->factor, err)) < 0)
			return rc;
		if (t->factor <= 0 || t->factor > DEC_ONE * 1000000000)
			return tell_bad(m, yaml_get(y, "factor"), err,
					"a factor is above 0 and at most 10^9");
	}
	if (format) {
		t->number = true;
		if (!strcmp(format, "grouped"))
			t->dec_flags = DEC_GROUPED;
		else if (!strcmp(format, "comma"))
			t->dec_flags = DEC_COMMA | DEC_GROUPED;
		else if (strcmp(format, "plain"))
			return tell_bad(m, yaml_get(y, "number"), err,
					"number '%s' is none of plain, grouped, comma", format);
	}
	if (!unit)
		return 0;
	/* From the unit given to the one that ends the target's name; names without one (gpus,
	 * gpu_share) count whole things. */
	const struct unit *from = unit_find(unit), *to = NULL;
	const char *suffix = strrchr(t->name, '_');
	if (suffix)
		to = unit_find(suffix + 1);
	if (!to)
		to = unit_find("frac");
	assert(to);
	if (!from)
		return tell_bad(m, yaml_get(y, "unit"), err, "unit '%s' is not known", unit);
	if (from->dimension != to->dimension)
		return tell_bad(m, yaml_get(y, "unit"), err, "'%s' cannot be given in '%s'",
				t->name, unit);
	t->number = true;
	t->num = from->num * to->den;
	t->den = from->den * to->num;
	return 0;
}

static int values_of(struct feed_map *m, const struct yaml *y, struct map_target *t,
		     struct err *err)
{
	size_t n = 0;

	if (!y)
		return 0;
	if (y->type != YAML_MAPPING)
		return tell_bad(m, y, err, "'values' is a list of THEIRS: OURS");
	for (const struct yaml *c = y->child; c; c = c->next)
		n++;
	t->word = arena_alloc(&m->mem, (2 * n + 1) * sizeof *t->word);
	for (const struct yaml *c = y->child; c; c = c->next) {
		if (c->type != YAML_TEXT)
			return tell_bad(m, c, err, "'%s' wants a string", c->key);
		t->word[2 * t->nword] = c->key;
		t->word[2 * t->nword++ + 1] = c->text;
	}
	return 0;
}

static int target_of(struct feed_map *m, const struct yaml *y, struct map_target *t,
		     struct err *err)
{
	static const char *const allowed[] = { "from", "text",   "default", "optional",
					       "time", "origin", "plus",    "plus_unit",
					       "unit", "factor", "number",  "values",
					       "when", "times",  NULL };
	const char *text = NULL;
	int rc;

	*t = (struct map_target){ .name = y->key, .num = 1, .den = 1, .factor = DEC_ONE };
	if (y->type == YAML_TEXT) {
		t->from = y->text;
		return 0;
	}
	if (y->type != YAML_MAPPING)
		return tell_bad(m, y, err, "'%s' is the name of a column, or {from: NAME, ...}",
				y->key);
	if ((rc = yaml_check_keys(m->doc, y, allowed, err)) < 0 ||
	    (rc = yaml_text(m->doc, y, "from", &t->from, err)) < 0 ||
	    (rc = yaml_text(m->doc, y, "text", &text, err)) < 0)
		return rc;
	if ((rc = yaml_text(m->doc, y, "default", &t->fill, err)) < 0 ||
	    (rc = yaml_bool(m->doc, y, "optional", &t->optional, err)) < 0 ||
	    (rc = time_of(m, y, t, err)) < 0)
		return rc;
	if ((rc = number_of(m, y, t, err)) < 0 ||
	    (rc = values_of(m, yaml_get(y, "values"), t, err)) < 0 ||
	    (rc = conds_of(m, yaml_get(y, "when"), &t->when, err)) < 0)
		return rc;
	if (text && t->from)
		return tell_bad(m, y, err, "'%s' has both 'from' and 'text'", y->key);
	if (text)
		return parts_of(m, y, text, t, err);
	if (!t->from)
		t->from = y->key;
	return 0;
}

/* ---- the whole --------------------------------------------------------------------------- */

/* NULL: there is none more, or the column has one. */
static struct map_target *add_target(struct feed_map *m, const struct yaml *y, struct err *err)
{
	bool twice = false;

	for (size_t i = 0; i < m->ntarget; i++)
		twice |= sv_ieq(sv_of(m->target[i].name), sv_of(y->key));
	if (twice)
		tell_bad(m, y, err, "column '%s' is given twice", y->key);
	else if (m->ntarget == MAP_MAX_TARGETS)
		tell_bad(m, y, err, "at most %d columns", MAP_MAX_TARGETS);
	else
		return &m->target[m->ntarget++];
	return NULL;
}

static int columns_of(struct feed_map *m, const struct yaml *y, struct err *err)
{
	int rc = 0;

	if (y && y->type != YAML_MAPPING)
		return tell_bad(m, y, err, "'columns' is a list of OURS: THEIRS");
	for (const struct yaml *c = y ? y->child : NULL; c && !rc; c = c->next) {
		struct map_target *t = add_target(m, c, err);
		if (!t)
			return -EINVAL;
		rc = target_of(m, c, t, err);
	}
	return rc;
}

static int sets_of(struct feed_map *m, const struct yaml *y, struct err *err)
{
	if (y && y->type != YAML_MAPPING)
		return tell_bad(m, y, err, "'set' is a list of COLUMN: VALUE");
	for (const struct yaml *c = y ? y->child : NULL; c; c = c->next) {
		if (c->type != YAML_TEXT)
			return tell_bad(m, c, err, "'%s' wants a string", c->key);
		struct map_target *t = add_target(m, c, err);
		if (!t)
			return -EINVAL;
		*t = (struct map_target){ .name = c->key,
					  .set = true,
					  .num = 1,
					  .den = 1,
					  .factor = DEC_ONE,
					  .npart = 1 };
		t->part[0] = (struct map_part){ PART_TEXT, c->text };
	}
	return 0;
}

static int skips_of(struct feed_map *m, const struct yaml *y, struct err *err)
{
	static const char *const allowed[] = { "column", "is",  "is_not", "blank",
					       "when",   "key", "reason", NULL };
	int rc;

	if (y && y->type != YAML_SEQ)
		return tell_bad(m, y, err, "'skip_if' is a list of conditions");
	for (const struct yaml *c = y ? y->child : NULL; c; c = c->next) {
		if (m->nskip == MAP_MAX_CONDS)
			return tell_bad(m, c, err, "at most %d rules in 'skip_if'", MAP_MAX_CONDS);
		struct map_skip *s = &m->skip[m->nskip++];
		if ((rc = yaml_check_keys(m->doc, c, allowed, err)) < 0 ||
		    (rc = yaml_text(m->doc, c, "key", &s->key, err)) < 0 ||
		    (rc = yaml_text(m->doc, c, "reason", &s->reason, err)) < 0)
			return rc;
		if (yaml_get(c, "when"))
			rc = conds_of(m, yaml_get(c, "when"), &s->when, err);
		else
			rc = cond_of(m, c, &s->when, err);
		if (rc < 0)
			return rc;
		if (!s->reason)
			return tell_bad(m, c, err, "a rule in 'skip_if' wants a 'reason'");
	}
	return 0;
}

static int read_map(struct feed_map *m, struct err *err)
{
	static const char *const allowed[] = { "version", "kind",    "about", "note",
					       "keep",    "covers",  "null",  "columns",
					       "set",     "skip_if", NULL };
	const struct yaml *root = yaml_root(m->doc);
	int64_t version = 0;
	int rc;

	if (!root || root->type != YAML_MAPPING)
		return tell_bad(m, root, err, "a map starts with 'version: 1'");
	if ((rc = yaml_check_keys(m->doc, root, allowed, err)) < 0 ||
	    (rc = yaml_i64(m->doc, root, "version", (struct yaml_range){ 1, 1 }, &version, err)) <
		    0 ||
	    (rc = yaml_text(m->doc, root, "kind", &m->kind, err)) < 0)
		return rc;
	if ((rc = yaml_bool(m->doc, root, "keep", &m->keep, err)) < 0 ||
	    (rc = yaml_bool(m->doc, root, "covers", &m->covers, err)) < 0 ||
	    (rc = words_of(m, yaml_get(root, "null"), &m->null, &m->nnull, err)) < 0)
		return rc;
	if ((rc = words_of(m, yaml_get(root, "note"), &m->note, &m->nnote, err)) < 0)
		return rc;
	if (version != 1)
		return tell_bad(m, root, err, "a map starts with 'version: 1'");
	if (!m->kind)
		return tell_bad(m, root, err,
				"'kind' is missing: what the rows become, such as samples");
	const struct feed *f = feed_find(m->kind);
	if (!f || !f->tabular)
		return tell_bad(m, yaml_get(root, "kind"), err, "'%s' is not a tabular kind",
				m->kind);
	if ((rc = columns_of(m, yaml_get(root, "columns"), err)) < 0 ||
	    (rc = sets_of(m, yaml_get(root, "set"), err)) < 0)
		return rc;
	return skips_of(m, yaml_get(root, "skip_if"), err);
}

int feed_map_parse(const char *name, struct sv text, struct feed_map **ret, struct err *err)
{
	struct feed_map *m = xcalloc(1, sizeof *m);
	int rc;

	m->name = arena_sv(&m->mem, sv_of(name));
	str_addsv(&m->text, text);
	rc = yaml_parse(m->name, str_sv(&m->text), &m->doc, err);
	if (!rc)
		rc = read_map(m, err);
	if (rc < 0) {
		feed_map_free(m);
		return rc;
	}
	*ret = m;
	return 0;
}

void feed_map_free(struct feed_map *m)
{
	if (!m)
		return;
	if (m->doc)
		yaml_free(m->doc);
	arena_free(&m->mem);
	str_free(&m->text);
	free(m);
}

const char *feed_map_kind(const struct feed_map *m)
{
	return m->kind;
}

bool feed_map_covers(const struct feed_map *m)
{
	return m->covers;
}

const char *feed_map_text(const struct feed_map *m)
{
	return str_z(&m->text);
}
