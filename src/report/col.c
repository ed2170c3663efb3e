#include "report/col.h"

#include <assert.h>
#include <limits.h>
#include <math.h>

#include "base/tm.h"
#include "model/model.h"
#include "report/text.h"

/* ---- the value of a column in a row ------------------------------------------------------ */

static bool take_int(int64_t v, int64_t unknown, union col_value *ret)
{
	ret->n = v;
	return v != unknown;
}

bool col_never(const void *row, union col_value *ret)
{
	return false;
}

bool cols_value(const struct col *c, const void *row, union col_value *ret)
{
	if (c->has_at && !*(const bool *)((const char *)row + c->has_at))
		return false;
	if (c->via)
		row = *(const void *const *)(const void *)((const char *)row + c->via_at);
	if (c->via && !row)
		return false;
	if (c->get)
		return c->get(row, ret);
	const char *at = (const char *)row + c->at;

	switch (c->type) {
	case COL_TEXT:
	case COL_RAW:
		ret->text = c->words ? c->words[*(const int *)at] : *(const char *const *)at;
		return ret->text != NULL;
	case COL_WORD: ret->text = *(const char *const *)at; return ret->text && *ret->text;
	case COL_DEC: memcpy(&ret->money, at, sizeof ret->money); return true;
	case COL_NANO:
	case COL_INT: return take_int(*(const int64_t *)at, UNKNOWN_I64, ret);
	case COL_SECONDS:
	case COL_TIME: return take_int(*(const int64_t *)at, UNKNOWN_MS, ret);
	case COL_DAY: ret->n = *(const int64_t *)at; return true;
	case COL_I32: return take_int(*(const int *)at, INT_MIN, ret);
	case COL_SIZE: ret->n = (int64_t) * (const size_t *)at; return true;
	case COL_NUM:
		if (c->of_i64 && *(const int64_t *)at == UNKNOWN_I64)
			return false;
		ret->x = c->of_i64 ? (double)*(const int64_t *)at : *(const double *)at;
		if (c->per > 0)
			ret->x /= c->per;
		return isfinite(ret->x);
	case COL_BOOL: ret->yes = *(const bool *)at; return true;
	case COL_ROW:
		ret->rows.p = at;
		ret->rows.n = 1;
		return true;
	case COL_ROWS:
	case COL_MAP:
	case COL_TEXTS:
		ret->rows.p = *(const void *const *)at;
		ret->rows.n = *(const size_t *)((const char *)row + c->n_at);
		return true;
	}
	return false;
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void put_object(const struct col *cols, const void *row, struct jw *w)
{
	jw_obj(w);
	cols_json_row(cols, row, w);
	jw_end_obj(w);
}

static void put_value(const struct col *c, const union col_value *v, struct jw *w);

static void put_pairs(const struct col *c, const union col_value *v, struct jw *w)
{
	for (size_t i = 0; i < v->rows.n; i++) {
		const char *row = (const char *)v->rows.p + i * c->size;
		union col_value key, value;
		if (!cols_value(&c->sub[0], row, &key))
			continue;
		jw_key(w, key.text);
		if (cols_value(&c->sub[1], row, &value))
			put_value(&c->sub[1], &value, w);
		else
			jw_null(w);
	}
}

static void put_value(const struct col *c, const union col_value *v, struct jw *w)
{
	char buf[TM_BUF];

	switch (c->type) {
	case COL_TEXT:
	case COL_WORD: jw_str(w, v->text); break;
	case COL_RAW: jw_raw(w, sv_of(v->text)); break;
	case COL_DEC: jw_dec(w, v->money); break;
	case COL_NANO: jw_dec(w, (dec)v->n * (DEC_ONE / 1000000000)); break;
	case COL_SECONDS: jw_dec(w, (dec)v->n * (DEC_ONE / 1000)); break;
	case COL_INT:
	case COL_I32:
	case COL_SIZE: jw_int(w, v->n); break;
	case COL_NUM: jw_num(w, v->x, c->digits); break;
	case COL_DAY: jw_str(w, tm_format_date(buf, v->n)); break;
	case COL_TIME: jw_time(w, v->n); break;
	case COL_BOOL: jw_bool(w, v->yes); break;
	case COL_ROW: put_object(c->sub, v->rows.p, w); break;
	case COL_ROWS: cols_json(c->sub, v->rows.p, v->rows.n, c->size, w); break;
	case COL_MAP:
		jw_obj(w);
		put_pairs(c, v, w);
		jw_end_obj(w);
		break;
	case COL_TEXTS:
		jw_arr(w);
		for (size_t i = 0; i < v->rows.n; i++)
			jw_str(w, ((const char *const *)v->rows.p)[i]);
		jw_end_arr(w);
		break;
	}
}

void cols_json_row(const struct col *cols, const void *row, struct jw *w)
{
	for (const struct col *c = cols; c->name; c++) {
		union col_value v;
		bool known = cols_value(c, row, &v);
		if (c->csv_only)
			continue;
		if (!known && (c->optional || c->here)) /* keys of its own, or none */
			continue;
		if (c->here && c->type == COL_MAP) {
			put_pairs(c, &v, w);
			continue;
		}
		if (c->here) {
			cols_json_row(c->sub, v.rows.p, w);
			continue;
		}
		jw_key(w, c->name);
		if (known)
			put_value(c, &v, w);
		else
			jw_null(w);
	}
}

void cols_json(const struct col *cols, const void *rows, size_t n, size_t size, struct jw *w)
{
	jw_arr(w);
	for (size_t i = 0; i < n; i++)
		put_object(cols, (const char *)rows + i * size, w);
	jw_end_arr(w);
}

static bool doc_is_demo;

void cols_doc_demo(bool demo)
{
	doc_is_demo = demo;
}

void cols_doc(const struct col_doc *d, const void *doc, struct str *out)
{
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_put_str(&w, "schema", d->schema);
	if (doc_is_demo)
		jw_put_bool(&w, "demo", true);
	cols_json_row(d->cols, doc, &w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

/* ---- CSV --------------------------------------------------------------------------------- */

static void put_cell(const struct col *c, const void *row, struct str *out)
{
	char buf[DEC_BUF > TM_BUF ? DEC_BUF : TM_BUF];
	union col_value v;

	if (!cols_value(c, row, &v))
		return;
	switch (c->type) {
	case COL_TEXT:
	case COL_WORD:
		if (c->quoted)
			str_addf(out, "\"%s\"", v.text);
		else
			text_csv(out, sv_of(v.text));
		break;
	case COL_DEC: str_addz(out, dec_format(buf, v.money)); break;
	case COL_NANO: str_addz(out, dec_format(buf, (dec)v.n * (DEC_ONE / 1000000000))); break;
	case COL_SECONDS: str_addz(out, dec_format(buf, (dec)v.n * (DEC_ONE / 1000))); break;
	case COL_INT:
	case COL_I32:
	case COL_SIZE: str_addf(out, "%lld", (long long)v.n); break;
	case COL_NUM:
		if (c->fixed)
			str_addf(out, "%.*f", c->digits, v.x);
		else {
			double x = v.x;
			int digits = c->digits;
			struct str json = { 0 };
			struct jw w;

			jw_init(&w, &json, 0);
			jw_num(&w, x, digits);
			str_addsv(out, str_sv(&json));
			str_free(&json);
		}
		break;
	case COL_DAY: str_addz(out, tm_format_date(buf, v.n)); break;
	case COL_TIME: str_addz(out, tm_format(buf, v.n)); break;
	case COL_BOOL: str_addz(out, v.yes ? "true" : "false"); break;
	case COL_RAW:
	case COL_ROW:
	case COL_ROWS:
	case COL_MAP:
	case COL_TEXTS: assert(!"a cell holds one value"); break;
	}
}

void cols_csv_head(const struct col *cols, struct str *out)
{
	const char *comma = "";

	for (const struct col *c = cols; c->name; c++) {
		if (c->json_only)
			continue;
		str_addz(out, comma);
		text_csv(out, sv_of(c->name));
		comma = ",";
	}
	str_addc(out, '\n');
}

void cols_csv_row(const struct col *cols, const void *row, struct str *out)
{
	const char *comma = "";

	for (const struct col *c = cols; c->name; c++) {
		if (c->json_only)
			continue;
		str_addz(out, comma);
		put_cell(c, row, out);
		comma = ",";
	}
	str_addc(out, '\n');
}

void cols_csv(const struct col *cols, const void *rows, size_t n, size_t size, struct str *out)
{
	cols_csv_head(cols, out);
	for (size_t i = 0; i < n; i++)
		cols_csv_row(cols, (const char *)rows + i * size, out);
}

void cols_csv_some(const struct col *cols, const char *names, const void *rows, size_t n,
		   size_t size, struct str *out)
{
	struct col some[32];
	struct sv rest = sv_of(names);
	size_t k = 0;

	while (rest.p) {
		struct sv name = sv_cut(rest, ' ', &rest);
		const struct col *c = cols;
		while (c->name && !sv_is(name, c->name))
			c++;
		assert(c->name && k < 31);
		some[k++] = *c;
	}
	some[k] = (struct col){ 0 };
	cols_csv(some, rows, n, size, out);
}

/* ---- schema ------------------------------------------------------------------------------ */

static const char *json_type(enum col_type t)
{
	switch (t) {
	case COL_INT:
	case COL_I32:
	case COL_SIZE: return "integer";
	case COL_NUM: return "number";
	case COL_BOOL: return "boolean";
	case COL_ROW:
	case COL_MAP: return "object";
	case COL_ROWS:
	case COL_TEXTS: return "array";
	case COL_TEXT:
	case COL_WORD:
	case COL_RAW:
	case COL_DEC:
	case COL_NANO:
	case COL_SECONDS:
	case COL_DAY:
	case COL_TIME: break;
	}
	return "string";
}

static const char *json_format(enum col_type t)
{
	if (t == COL_DAY)
		return "date";
	if (t == COL_TIME)
		return "date-time";
	return NULL;
}

/* Members of these types are always known; what a get gives may be not. */
static bool always_known(enum col_type t)
{
	switch (t) {
	case COL_DEC:
	case COL_SIZE:
	case COL_DAY:
	case COL_BOOL:
	case COL_ROW:
	case COL_ROWS:
	case COL_MAP:
	case COL_TEXTS: return true;
	case COL_TEXT:
	case COL_WORD:
	case COL_RAW:
	case COL_NANO:
	case COL_INT:
	case COL_I32:
	case COL_NUM:
	case COL_SECONDS:
	case COL_TIME: break;
	}
	return false;
}

static void put_column(const struct col *c, struct jw *w);

static void put_required(const struct col *cols, struct jw *w)
{
	for (const struct col *c = cols; c->name; c++) {
		if (c->optional)
			continue;
		if (c->here && c->type == COL_ROW)
			put_required(c->sub, w);
		else if (!c->maybe && !c->here && !c->csv_only)
			jw_str(w, c->name);
	}
}

static void put_properties(const struct col *cols, struct jw *w)
{
	for (const struct col *c = cols; c->name; c++) {
		if (c->here && c->type == COL_ROW)
			put_properties(c->sub, w);
		if (c->here || c->csv_only)
			continue;
		jw_key(w, c->name);
		jw_obj(w);
		put_column(c, w);
		jw_end_obj(w);
	}
}

/* What free keys of a map have for values. */
static void put_free_keys(const struct col *map, struct jw *w)
{
	jw_key(w, "additionalProperties");
	jw_obj(w);
	put_column(&map->sub[1], w);
	jw_end_obj(w);
}

static void put_object_schema(const struct col *cols, const char *key, const char *is, struct jw *w)
{
	jw_key(w, "required");
	jw_arr(w);
	if (key)
		jw_str(w, key);
	put_required(cols, w);
	jw_end_arr(w);
	jw_key(w, "properties");
	jw_obj(w);
	if (key) {
		jw_key(w, key);
		jw_obj(w);
		jw_put_str(w, "const", is);
		jw_end_obj(w);
		if (!strcmp(key, "schema")) {
			/* What any document may say behind its schema: see cols_doc_demo(). */
			jw_key(w, "demo");
			jw_obj(w);
			jw_put_str(w, "type", "boolean");
			jw_put_str(w, "description", "true: of the invented fleet of tare demo");
			jw_end_obj(w);
		}
	}
	put_properties(cols, w);
	jw_end_obj(w);
	for (const struct col *c = cols; c->name; c++)
		if (c->here && c->type == COL_MAP)
			put_free_keys(c, w);
}

/* What the schema says of one column, into an object that is open. */
static void put_column(const struct col *c, struct jw *w)
{
	if (c->shape)
		c->shape(w);
	if (c->type != COL_RAW) {
		bool null = c->maybe || c->has_at || c->get || c->via;
		if (!always_known(c->type))
			null = true;
		if (c->always || c->optional)
			null = false;
		jw_key(w, "type");
		if (null)
			jw_arr(w);
		jw_str(w, json_type(c->type));
		if (null) {
			jw_str(w, "null");
			jw_end_arr(w);
		}
	}
	if (json_format(c->type))
		jw_put_str(w, "format", json_format(c->type));
	if (c->type == COL_DEC || c->type == COL_NANO || c->type == COL_SECONDS)
		jw_put_str(w, "pattern", "^-?[0-9]+(\\.[0-9]+)?$");
	jw_put_str(w, "description", c->help);
	if (c->unit)
		jw_put_str(w, "x-unit", c->unit);
	if (c->type == COL_ROW)
		put_object_schema(c->sub, NULL, NULL, w);
	if (c->type == COL_MAP)
		put_free_keys(c, w);
	if (c->type != COL_ROWS && c->type != COL_TEXTS)
		return;
	jw_key(w, "items");
	jw_obj(w);
	jw_put_str(w, "type", c->type == COL_ROWS ? "object" : "string");
	if (c->type == COL_ROWS)
		put_object_schema(c->sub, NULL, NULL, w);
	jw_end_obj(w);
}

void cols_schema(const struct col *cols, const char *key, const char *is, struct jw *w)
{
	jw_obj(w);
	jw_put_str(w, "type", "object");
	put_object_schema(cols, key, is, w);
	jw_end_obj(w);
}

void cols_doc_schema(const struct col_doc *d, struct str *out)
{
	struct jw w;

	jw_init(&w, out, 2);
	jw_obj(&w);
	jw_put_str(&w, "$schema", "https://json-schema.org/draft/2020-12/schema");
	jw_put_str(&w, "title", d->schema);
	jw_put_str(&w, "description", d->help);
	jw_put_str(&w, "type", "object");
	if (d->other) {
		jw_key(&w, "anyOf");
		jw_arr(&w);
		for (const struct col_doc *o = d; o; o = o->other) {
			jw_obj(&w);
			jw_put_str(&w, "description", o->help);
			put_object_schema(o->cols, "schema", o->schema, &w);
			jw_end_obj(&w);
		}
		jw_end_arr(&w);
	} else
		put_object_schema(d->cols, "schema", d->schema, &w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}
