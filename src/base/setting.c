#include "base/setting.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "base/str.h"
#include "base/tm.h"

#define ROWS_MAX 64

const struct setting *setting_find(const struct setting *rows, const char *name)
{
	for (; rows && rows->name; rows++)
		if (!strcmp(rows->name, name))
			return rows;
	return NULL;
}

/* ---- text to value ----------------------------------------------------------------------- */

static void put_value(void *base, size_t at, const void *v, size_t n)
{
	memcpy((char *)base + at, v, n);
}

static bool is_outside(const struct setting *s, double v)
{
	bool any = s->lo == 0 && s->hi == 0;

	return !any && (v < s->lo || v > s->hi);
}

static int set_number(const struct setting *s, const char *text, void *base)
{
	double v, scale = s->scale != 0 ? s->scale : 1;
	int r = sv_f64(sv_of(text), &v);

	if (r < 0 || is_outside(s, v)) {
		if (r < 0)
			return -EINVAL;
		return -ERANGE;
	}
	if (s->type == SETTING_BYTES)
		put_value(base, s->at, &(int64_t){ (int64_t)(v * scale) }, sizeof(int64_t));
	else
		put_value(base, s->at, &(double){ v * scale }, sizeof v);
	return 0;
}

static int set_span(const struct setting *s, const char *text, void *base)
{
	int64_t ms = 0;
	bool nothing = s->lo == 0 && !strcmp(text, "0");

	if (!nothing && tm_parse_span(sv_of(text), &ms) < 0)
		return -EINVAL;
	if (is_outside(s, (double)ms))
		return -ERANGE;
	if (s->type == SETTING_SPAN_S)
		put_value(base, s->at, &(double){ (double)ms / MS_SECOND }, sizeof(double));
	else
		put_value(base, s->at, &ms, sizeof ms);
	return 0;
}

static int word_index(const struct setting *s, const char *text)
{
	for (int i = 0; s->words[i]; i++)
		if (!strcmp(s->words[i], text))
			return i;
	return -1;
}

/* true, false, yes, no, on, off; or the row's two words */
static int set_bool(const struct setting *s, const char *text, void *base)
{
	static const char *const usual[] = { "false", "true", "no", "yes", "off", "on" };
	int is = -1;

	if (s->words)
		is = word_index(s, text);
	for (int i = 0; !s->words && i < 6; i++)
		if (sv_ieq(sv_of(text), sv_of(usual[i])))
			is = i % 2;
	if (is < 0)
		return -EINVAL;
	if (s->type == SETTING_MAYBE)
		put_value(base, s->at, &is, sizeof is);
	else
		put_value(base, s->at, &(bool){ is != 0 }, sizeof(bool));
	return 0;
}

static int set_text(const struct setting *s, struct arena *mem, const char *text, void *base)
{
	bool web = !strncmp(text, "http://", 7) || !strncmp(text, "https://", 8);

	if ((s->type == SETTING_URL && !web) || (double)strlen(text) < s->lo)
		return -EINVAL;
	const char *kept = text;
	if (mem)
		kept = arena_sv(mem, sv_of(text));
	put_value(base, s->at, &kept, sizeof kept);
	return 0;
}

static int set_value(const struct setting *s, struct arena *mem, const char *text, void *base)
{
	bool any = s->lo == 0 && s->hi == 0;
	dec amount;
	int64_t v;
	int r;

	switch (s->type) {
	case SETTING_BOOL:
	case SETTING_MAYBE: return set_bool(s, text, base);
	case SETTING_INT:
		r = sv_i64(sv_of(text), &v);
		if (r < 0)
			return -EINVAL;
		if (is_outside(s, (double)v))
			return -ERANGE;
		put_value(base, s->at, &v, sizeof v);
		return 0;
	case SETTING_NUMBER:
	case SETTING_BYTES: return set_number(s, text, base);
	case SETTING_SPAN:
	case SETTING_SPAN_S: return set_span(s, text, base);
	case SETTING_TIME:
		if (tm_parse(sv_of(text), 0, &v) < 0)
			return -EINVAL;
		put_value(base, s->at, &v, sizeof v);
		return 0;
	case SETTING_MONEY:
		if (dec_parse(sv_of(text), 0, &amount) < 0)
			return -EINVAL;
		if (!any && (amount < (dec)s->lo * DEC_ONE || amount > (dec)s->hi * DEC_ONE))
			return -ERANGE;
		put_value(base, s->at, &amount, sizeof amount);
		return 0;
	case SETTING_TEXT:
	case SETTING_URL: return set_text(s, mem, text, base);
	case SETTING_FIXED:
		if (strlen(text) >= s->size)
			return -ERANGE;
		put_value(base, s->at, text, strlen(text) + 1);
		return 0;
	case SETTING_CHOICE:
	case SETTING_WORD:
		r = word_index(s, text);
		if (r < 0)
			return -EINVAL;
		if (s->type == SETTING_WORD)
			put_value(base, s->at, &s->words[r], sizeof s->words[r]);
		else
			put_value(base, s->at, &r, sizeof r);
		return 0;
	case SETTING_TEXTS:
	case SETTING_SECTION:
	case SETTING_LIST:
	case SETTING_OWN:
	case SETTING_ELSEWHERE: break;
	}
	assert(!"a setting of one value");
	return -EINVAL;
}

int setting_set(const struct setting *s, struct arena *mem, const char *text, void *base)
{
	int r = set_value(s, mem, text, base);

	if (r >= 0 && s->has_at)
		put_value(base, s->has_at, &(bool){ true }, sizeof(bool));
	return r;
}

void setting_defaults(const struct setting *rows, void *base)
{
	for (const struct setting *s = rows; s->name; s++) {
		int r = 0;
		if (s->type == SETTING_SECTION)
			setting_defaults(s->rows, (char *)base + s->at);
		else if (s->def)
			r = set_value(s, NULL, s->def, base);
		else if (s->type == SETTING_NUMBER)
			put_value(base, s->at, &(double){ NAN }, sizeof(double));
		else if (s->type == SETTING_MAYBE)
			put_value(base, s->at, &(int){ -1 }, sizeof(int));
		assert(r == 0);
		(void)r;
	}
}

/* ---- sentences --------------------------------------------------------------------------- */

int setting_wrong(const struct setting_reader *r, const struct yaml *y, const char *what)
{
	return err_set(r->err, -EINVAL, "'%s' line %d: %s", yaml_name(r->doc), y->line, what);
}

int setting_want_text(const struct setting_reader *r, const struct yaml *y)
{
	bool filled = y->type == YAML_TEXT && *y->text;

	if (filled)
		return 0;
	return setting_wrong(r, y, "a string is wanted here");
}

int setting_want_word(const struct setting_reader *r, const struct yaml *y, const char *word,
		      const struct setting_words *of)
{
	const char *near;

	for (size_t i = 0; i < of->n; i++)
		if (!strcmp(of->list[i], word))
			return 0;
	err_set(r->err, -EINVAL, "'%s' line %d: '%.100s' is %s", yaml_name(r->doc), y->line, word,
		of->what);
	if ((near = near_word(word, of->list, of->n)))
		err_hint(r->err, "did you mean '%s'?", near);
	else if (of->hint)
		err_hint(r->err, "%s", of->hint);
	return -EINVAL;
}

const char *setting_keep(const struct setting_reader *r, const char *z)
{
	return arena_sv(r->mem, sv_of(z));
}

static size_t word_count(const char *const *words)
{
	size_t n = 0;

	while (words[n])
		n++;
	return n;
}

/* "a, b or c" */
static void setting_words_text(const char *const *words, struct str *out)
{
	size_t n = word_count(words);

	for (size_t i = 0; i < n; i++) {
		const char *between = ", ";
		if (i + 1 == n)
			between = " or ";
		str_addf(out, "%s%s", i ? between : "", words[i]);
	}
}

/* What a value of plain YAML has to be, as yaml_bad_value() says it. */
static void describe_wanted(const struct setting *s, char *buf, size_t size)
{
	switch (s->type) {
	case SETTING_BOOL:
	case SETTING_MAYBE:
		snprintf(buf, size, "%s", s->words ? "a string" : "true or false");
		break;
	case SETTING_INT:
		snprintf(buf, size, "a whole number from %.0f to %.0f", s->lo, s->hi);
		break;
	case SETTING_NUMBER:
	case SETTING_BYTES: snprintf(buf, size, "a number from %g to %g", s->lo, s->hi); break;
	case SETTING_MONEY: snprintf(buf, size, "a decimal number"); break;
	default: snprintf(buf, size, "a string"); break;
	}
}

/* "agent: interval is out of range" */
static int wrong_named(const struct setting_reader *r, const struct setting *s,
		       const struct yaml *y, const char *is)
{
	return err_set(r->err, -EINVAL, "'%s' line %d: %s%s%s %s", yaml_name(r->doc), y->line,
		       text_or(r->section, ""), text_if(r->section, ": "), s->name, is);
}

/* The sentence of a text that setting_set() refused with rc. */
static int wrong_value(const struct setting_reader *r, const struct setting *s,
		       const struct yaml *y, int rc)
{
	char want[100];

	if (rc == -ERANGE && s->outside)
		return setting_wrong(r, y, s->outside);
	if (s->wrong)
		return setting_wrong(r, y, s->wrong);
	if (s->words) {
		/* "'mig_share' must be compute or memory, not 'both'" */
		struct str words = { 0 };
		const char *near = near_word(y->text, s->words, word_count(s->words));

		setting_words_text(s->words, &words);
		err_set(r->err, -EINVAL, "'%s' line %d: '%s' must be %s, not '%.60s'",
			yaml_name(r->doc), y->line, s->name, str_z(&words), y->text);
		str_free(&words);
		if (near)
			err_hint(r->err, "did you mean '%s'?", near);
		return -EINVAL;
	}
	switch (s->type) {
	case SETTING_SPAN:
	case SETTING_SPAN_S:
		return wrong_named(r, s, y,
				   rc == -ERANGE ? "is out of range"
						 : "is not a duration such as 1s, 100ms or 24h");
	case SETTING_URL: return wrong_named(r, s, y, "must begin with http:// or https://");
	case SETTING_FIXED: return wrong_named(r, s, y, "is too long");
	case SETTING_TEXT: return setting_wrong(r, y, "a string is wanted here");
	case SETTING_TIME:
		return setting_wrong(
			r, y,
			"a date or time such as 2026-12-01 or 2026-12-01T06:00:00Z is wanted here");
	case SETTING_MONEY:
		if (rc == -ERANGE)
			return wrong_named(r, s, y, "is out of range");
		break;
	default: break;
	}
	describe_wanted(s, want, sizeof want);
	return yaml_bad_value(r->doc, y, r->err, want);
}

/* ---- reading ----------------------------------------------------------------------------- */

int setting_check_keys(const struct setting_reader *r, const struct yaml *map,
		       const struct setting *rows)
{
	const char *keys[ROWS_MAX + 1];
	size_t n = 0;

	for (; rows[n].name; n++) {
		assert(n < ROWS_MAX);
		keys[n] = rows[n].name;
	}
	keys[n] = NULL;
	return yaml_check_keys(r->doc, map, keys, r->err);
}

static int read_one(const struct setting_reader *r, const struct setting *s, const struct yaml *y,
		    void *base)
{
	char want[100];

	if (y->type != YAML_TEXT) {
		describe_wanted(s, want, sizeof want);
		return yaml_bad_value(r->doc, y, r->err, want);
	}
	int rc = setting_set(s, r->mem, y->text, base);
	if (rc < 0)
		return wrong_value(r, s, y, rc);
	if (s->check)
		return s->check(r, y, base);
	return 0;
}

static int read_texts(const struct setting_reader *r, const struct setting *s, const struct yaml *y,
		      void *base)
{
	VEC(const char *) list;
	int rc = 0;

	if (y->type != YAML_SEQ)
		return setting_wrong(r, y, "a list is wanted here");
	/* All VEC() of pointers look alike. */
	memcpy(&list, (char *)base + s->at, sizeof list);
	for (const struct yaml *i = y->child; i && rc >= 0; i = i->next) {
		rc = setting_want_text(r, i);
		if (rc >= 0 && s->check)
			rc = s->check(r, i, base);
		if (rc >= 0)
			*vec_push(&list) = setting_keep(r, i->text);
	}
	memcpy((char *)base + s->at, &list, sizeof list);
	return rc;
}

static int read_section(const struct setting_reader *r, const struct setting *s,
			const struct yaml *y, void *base)
{
	void *in = (char *)base + s->at;

	if (y->type != YAML_MAPPING && s->wrong)
		return setting_wrong(r, y, s->wrong);
	int rc = setting_read(r, y, s->rows, in);
	if (rc >= 0 && s->check)
		return s->check(r, y, in);
	return rc;
}

static int read_list(const struct setting_reader *r, const struct setting *s, const struct yaml *y,
		     void *base)
{
	double n = 0;
	int most = (int)s->hi;
	char many[64];

	if (y->type != YAML_SEQ)
		return setting_wrong(r, y, "a list is wanted here");
	if (most < 1000)
		snprintf(many, sizeof many, "more than %d items", most);
	else
		snprintf(many, sizeof many, "more than %d,%03d items", most / 1000, most % 1000);
	for (const struct yaml *i = y->child; i; i = i->next) {
		if (s->hi > 0 && ++n > s->hi)
			return setting_wrong(r, i, many);
		if (i->type != YAML_MAPPING)
			return setting_wrong(
				r, i, text_or(s->wrong, "a mapping (key: value) is wanted here"));
		int rc = s->own(r, i, base);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int setting_read_member(const struct setting_reader *r, const struct yaml *map,
			const struct setting *s, void *base)
{
	const struct yaml *y = yaml_get(map, s->name);

	if (!y || y->type == YAML_NULL)
		return 0;
	switch (s->type) {
	case SETTING_TEXTS: return read_texts(r, s, y, base);
	case SETTING_SECTION: return read_section(r, s, y, base);
	case SETTING_LIST: return read_list(r, s, y, base);
	case SETTING_OWN: return s->own(r, y, base);
	case SETTING_ELSEWHERE: return 0;
	default: return read_one(r, s, y, base);
	}
}

int setting_read(const struct setting_reader *r, const struct yaml *map, const struct setting *rows,
		 void *base)
{
	int rc = setting_check_keys(r, map, rows);

	for (const struct setting *s = rows; s->name && rc >= 0; s++)
		rc = setting_read_member(r, map, s, base);
	return rc;
}

/* ---- for people -------------------------------------------------------------------------- */

const char *setting_kind(const struct setting *s)
{
	if (s->words)
		return "word";
	switch (s->type) {
	case SETTING_BOOL:
	case SETTING_MAYBE: return "true or false";
	case SETTING_INT: return "whole number";
	case SETTING_NUMBER:
	case SETTING_BYTES: return "number";
	case SETTING_SPAN:
	case SETTING_SPAN_S: return "span";
	case SETTING_TIME: return "time";
	case SETTING_MONEY: return "amount";
	case SETTING_URL: return "URL";
	case SETTING_TEXTS: return "list of texts";
	case SETTING_SECTION:
	case SETTING_ELSEWHERE: return "section";
	case SETTING_LIST: return "list";
	case SETTING_OWN: return s->unit;
	default: return "text";
	}
}

void setting_span_text(int64_t ms, struct str *out)
{
	static const struct {
		int64_t ms;
		const char *unit;
	} unit[] = { { MS_DAY, "d" }, { MS_HOUR, "h" }, { MS_MINUTE, "m" }, { MS_SECOND, "s" } };

	for (size_t i = 0; i < sizeof unit / sizeof *unit; i++)
		if (ms > 0 && ms % unit[i].ms == 0) {
			str_addf(out, "%lld%s", (long long)(ms / unit[i].ms), unit[i].unit);
			return;
		}
	str_addf(out, "%lld%s", (long long)ms, text_if(ms, "ms"));
}

static bool is_span(const struct setting *s)
{
	return s->type == SETTING_SPAN || s->type == SETTING_SPAN_S;
}

static bool is_number(const struct setting *s)
{
	if (s->type == SETTING_INT || s->type == SETTING_NUMBER)
		return true;
	return s->type == SETTING_BYTES || s->type == SETTING_MONEY;
}

/* A limit as one would write it; those beyond all that means something are not said. */
static void add_limit(const struct setting *s, double v, struct str *out)
{
	if (is_span(s))
		setting_span_text((int64_t)v, out);
	else
		str_addf(out, "%.15g", v);
}

/* Limits from here on mean "any": 30 years, and numbers that nobody comes near. */
#define ANY_MS 1e12
#define ANY    1e6

void setting_range(const struct setting *s, struct str *out)
{
	double far = is_span(s) ? ANY_MS : ANY;
	bool any = s->lo == 0 && s->hi == 0, least = s->lo > -far, most = s->hi < far;

	if (s->words)
		setting_words_text(s->words, out);
	else if (any || !(is_span(s) || is_number(s)))
		return;
	else if (s->lo == s->hi)
		add_limit(s, s->lo, out);
	else if (least && most) {
		add_limit(s, s->lo, out);
		str_addz(out, " to ");
		add_limit(s, s->hi, out);
	} else if (least && (s->lo > 1 || is_number(s))) {
		str_addz(out, "from ");
		add_limit(s, s->lo, out);
	}
}
