#include "report/col.h"

#include "base/tm.h"
#include "model/model.h"
#include "report/text.h"

static const void *value_of(const struct col *c, const void *row)
{
	return (const char *)row + c->at;
}

static const char *text_of(const struct col *c, const void *row)
{
	return *(const char *const *)value_of(c, row);
}

static int64_t int_of(const struct col *c, const void *row)
{
	return *(const int64_t *)value_of(c, row);
}

static dec dec_of(const struct col *c, const void *row)
{
	dec v;

	memcpy(&v, value_of(c, row), sizeof v);
	return v;
}

static bool bool_of(const struct col *c, const void *row)
{
	return *(const bool *)value_of(c, row);
}

static bool is_known(const struct col *c, const void *row)
{
	if (c->has_at && !*(const bool *)((const char *)row + c->has_at))
		return false;
	switch (c->type) {
	case COL_TEXT: return text_of(c, row) != NULL;
	case COL_INT: return int_of(c, row) != UNKNOWN_I64;
	case COL_TIME: return int_of(c, row) != UNKNOWN_MS;
	case COL_DEC:
	case COL_DAY:
	case COL_BOOL: break;
	}
	return true;
}

static void put_json(const struct col *c, const void *row, struct jw *w)
{
	char buf[TM_BUF];

	jw_key(w, c->name);
	if (!is_known(c, row)) {
		jw_null(w);
		return;
	}
	switch (c->type) {
	case COL_TEXT: jw_str(w, text_of(c, row)); break;
	case COL_DEC: jw_dec(w, dec_of(c, row)); break;
	case COL_INT: jw_int(w, int_of(c, row)); break;
	case COL_DAY: jw_str(w, tm_format_date(buf, int_of(c, row))); break;
	case COL_TIME: jw_time(w, int_of(c, row)); break;
	case COL_BOOL: jw_bool(w, bool_of(c, row)); break;
	}
}

static void put_csv(const struct col *c, const void *row, struct str *out)
{
	char buf[DEC_BUF > TM_BUF ? DEC_BUF : TM_BUF];

	if (!is_known(c, row))
		return;
	switch (c->type) {
	case COL_TEXT: text_csv(out, sv_of(text_of(c, row))); break;
	case COL_DEC: str_addz(out, dec_format(buf, dec_of(c, row))); break;
	case COL_INT: str_addf(out, "%lld", (long long)int_of(c, row)); break;
	case COL_DAY: str_addz(out, tm_format_date(buf, int_of(c, row))); break;
	case COL_TIME: str_addz(out, tm_format(buf, int_of(c, row))); break;
	case COL_BOOL: str_addz(out, bool_of(c, row) ? "true" : "false"); break;
	}
}

void cols_json_row(const struct col *cols, const void *row, struct jw *w)
{
	for (const struct col *c = cols; c->name; c++)
		put_json(c, row, w);
}

void cols_json(const struct col *cols, const void *rows, size_t n, size_t size, struct jw *w)
{
	jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		jw_obj(w);
		cols_json_row(cols, (const char *)rows + i * size, w);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

void cols_csv(const struct col *cols, const void *rows, size_t n, size_t size, struct str *out)
{
	for (const struct col *c = cols; c->name; c++) {
		if (c != cols)
			str_addc(out, ',');
		text_csv(out, sv_of(c->name));
	}
	str_addc(out, '\n');
	for (size_t i = 0; i < n; i++) {
		for (const struct col *c = cols; c->name; c++) {
			if (c != cols)
				str_addc(out, ',');
			put_csv(c, (const char *)rows + i * size, out);
		}
		str_addc(out, '\n');
	}
}

/* ---- schema ------------------------------------------------------------------------------ */

static const char *json_type(enum col_type t)
{
	switch (t) {
	case COL_INT: return "integer";
	case COL_BOOL: return "boolean";
	case COL_TEXT:
	case COL_DEC:
	case COL_DAY:
	case COL_TIME: break;
	}
	return "string";
}

static const char *json_format(enum col_type t)
{
	if (t == COL_DAY)
		return "date";
	return t == COL_TIME ? "date-time" : NULL;
}

static bool may_be_null(const struct col *c)
{
	return c->has_at || c->type == COL_TEXT || c->type == COL_INT || c->type == COL_TIME;
}

static void put_property(const struct col *c, struct jw *w)
{
	jw_key(w, c->name);
	jw_obj(w);
	jw_key(w, "type");
	if (may_be_null(c)) {
		jw_arr(w);
		jw_str(w, json_type(c->type));
		jw_str(w, "null");
		jw_end_arr(w);
	} else {
		jw_str(w, json_type(c->type));
	}
	if (json_format(c->type)) {
		jw_key(w, "format");
		jw_str(w, json_format(c->type));
	}
	if (c->type == COL_DEC) {
		jw_key(w, "pattern");
		jw_str(w, "^-?[0-9]+(\\.[0-9]+)?$");
	}
	jw_key(w, "description");
	jw_str(w, c->help);
	jw_end_obj(w);
}

void cols_schema(const struct col *cols, struct jw *w)
{
	jw_obj(w);
	jw_key(w, "type");
	jw_str(w, "object");
	jw_key(w, "additionalProperties");
	jw_bool(w, false);
	jw_key(w, "required");
	jw_arr(w);
	for (const struct col *c = cols; c->name; c++)
		jw_str(w, c->name);
	jw_end_arr(w);
	jw_key(w, "properties");
	jw_obj(w);
	for (const struct col *c = cols; c->name; c++)
		put_property(c, w);
	jw_end_obj(w);
	jw_end_obj(w);
}
