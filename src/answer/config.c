#include "answer/config.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/near.h"
#include "base/str.h"
#include "model/model.h"

/* The tables being walked beside the file. */
struct walk {
	const struct config_ask *q;
	VEC(struct config_row) row;
	VEC(const char *) name; /* of sections, and keys as in row but without [] and numbers */
};

/* ---- YAML on one line -------------------------------------------------------------------- */

static void add_text(const char *z, struct str *out)
{
	bool plain = *z && !strpbrk(z, ",[]{}#&*!|>'\"%@`\\") && !strstr(z, ": ");

	if (plain) {
		str_addz(out, z);
		return;
	}
	str_addc(out, '"');
	for (; *z; z++)
		str_addf(out, "%s%c", text_if(*z == '"' || *z == '\\', "\\"), *z);
	str_addc(out, '"');
}

static void add_flow(const struct yaml *y, struct str *out)
{
	bool map = y->type == YAML_MAPPING;

	if (y->type == YAML_NULL)
		str_addz(out, "null");
	else if (y->type == YAML_TEXT)
		add_text(y->text, out);
	else {
		str_addc(out, map ? '{' : '[');
		for (const struct yaml *i = y->child; i; i = i->next) {
			str_addz(out, text_if(i != y->child, ", "));
			if (map) {
				add_text(i->key, out);
				str_addz(out, ": ");
			}
			add_flow(i, out);
		}
		str_addc(out, map ? '}' : ']');
	}
}

/* ---- one row ----------------------------------------------------------------------------- */

/* What the row says of itself; its value is the default's. */
static struct config_row describe_setting(const struct walk *w, const struct setting *s,
					  const char *key)
{
	struct arena *a = w->q->mem;
	struct str range = { 0 };
	bool own = s->type == SETTING_OWN;
	char *variable = NULL;

	if (s->option)
		variable = arena_printf(a, "TARE_%s", s->option);
	for (char *p = variable; p && *p; p++)
		*p = *p == '-' ? '_' : (char)toupper((unsigned char)*p);
	setting_range(s, &range);
	struct config_row r = {
		.key = key,
		.value = s->def,
		.unit = own ? NULL : s->unit,
		.source = "default",
		.def = s->def,
		.none = s->none,
		.kind = setting_kind(s),
		.range = range.n ? arena_sv(a, str_sv(&range)) : NULL,
		.option = s->option,
		.variable = variable,
		.help = s->help,
		.line = UNKNOWN_I64,
	};
	str_free(&range);
	return r;
}

static void add_value(struct walk *w, const struct setting *s, const char *key,
		      const struct yaml *y)
{
	struct config_row r = describe_setting(w, s, key);
	const char *variable = NULL;

	if (s->option && w->q->variable)
		variable = w->q->variable(w->q->ctx, s);
	if (y && y->type != YAML_NULL) {
		struct str flow = { 0 };

		if (y->type == YAML_TEXT)
			str_addz(&flow, y->text);
		else
			add_flow(y, &flow);
		r.value = arena_sv(w->q->mem, str_sv(&flow));
		str_free(&flow);
		r.source = "file";
		r.line = y->line;
		r.at = arena_printf(w->q->mem, "%s:%d", w->q->file, y->line);
	}
	if (variable) {
		r.value = arena_sv(w->q->mem, sv_of(variable));
		r.source = "variable";
		r.at = r.variable;
		r.line = UNKNOWN_I64;
	}
	*vec_push(&w->row) = r;
}

/* ---- tables ------------------------------------------------------------------------------ */

/* "plan.rules[0]" and "name" to "plan.rules[0].name" */
static const char *key_of(const struct walk *w, const char *above, const char *name)
{
	if (*above)
		return arena_printf(w->q->mem, "%s.%s", above, name);
	return name;
}

static void add_item(struct walk *w, const struct setting *list, const char *above,
		     const struct yaml *item)
{
	for (const struct setting *s = list->rows; s->name; s++) {
		const struct yaml *y = yaml_get(item, s->name);
		if (y && y->type != YAML_NULL)
			add_value(w, s, key_of(w, above, s->name), y);
	}
}

/* The items of the file, or the default where it has none; then what an item may have. */
static void add_list(struct walk *w, const struct setting *s, const char *key, const struct yaml *y)
{
	const struct yaml *first = NULL;
	int n = 0;

	if (y && y->type == YAML_SEQ)
		first = y->child;
	if (!first)
		add_value(w, s, key, y);
	for (const struct yaml *i = first; i; i = i->next)
		add_item(w, s, arena_printf(w->q->mem, "%s[%d]", key, n++), i);

	const char *item = arena_printf(w->q->mem, "%s[]", key);
	for (const struct setting *f = s->rows; f->name; f++) {
		struct config_row r = describe_setting(w, f, key_of(w, item, f->name));
		r.field = true;
		r.value = NULL;
		*vec_push(&w->row) = r;
	}
}

static void add_rows(struct walk *w, const struct setting *rows, const char *above,
		     const struct yaml *map)
{
	for (const struct setting *s = rows; s->name; s++) {
		const char *key = key_of(w, above, s->name);
		const struct yaml *y = yaml_get(map, s->name);
		if (s->type == SETTING_ELSEWHERE)
			continue;
		if (s->type == SETTING_SECTION)
			add_rows(w, s->rows, key, y);
		else if (s->type == SETTING_LIST)
			add_list(w, s, key, y);
		else
			add_value(w, s, key, y);
	}
}

static void walk_all(struct walk *w, const struct yaml *root)
{
	add_rows(w, w->q->top, "", root);
	for (size_t i = 0; i < w->q->nsection; i++) {
		const struct setting *s = w->q->section[i];
		add_rows(w, s->rows, s->name, yaml_get(root, s->name));
	}
}

/* ---- what was asked for ------------------------------------------------------------------ */

/* "plan.rules[0].when" to "plan.rules.when" */
static const char *bare_key(struct arena *a, const char *key)
{
	char *z = arena_sv(a, sv_of(key)), *to = z;
	bool in = false;

	for (const char *p = key; *p; p++) {
		in = in || *p == '[';
		if (!in)
			*to++ = *p;
		in = in && *p != ']';
	}
	*to = 0;
	return z;
}

static bool is_below(const char *key, const char *want)
{
	size_t n = strlen(want);

	return !strncmp(key, want, n) && strchr(".[", key[n]); /* or the end of the key */
}

/* Is the row, with its numbers or without, what the word names or below it? */
static bool is_row_below(struct arena *a, const struct config_row *r, const char *want)
{
	return is_below(r->key, want) || is_below(bare_key(a, r->key), want);
}

/* Is the row under one of the words, or are there none? *ret_named: a word names the very row, or
 * its list (not only a section above), and wants the fields of items too. */
static bool is_wanted(const struct walk *w, const struct config_row *r, bool *ret_named)
{
	bool wanted = w->q->nwant == 0;

	*ret_named = false;
	for (size_t i = 0; i < w->q->nwant; i++) {
		const char *want = w->q->want[i];
		if (!is_row_below(w->q->mem, r, want))
			continue;
		wanted = true;
		if (strlen(want) >= strcspn(r->key, "["))
			*ret_named = true;
	}
	return wanted;
}

static void add_name(struct walk *w, const char *name)
{
	for (size_t i = 0; i < w->name.n; i++)
		if (!strcmp(w->name.v[i], name))
			return;
	*vec_push(&w->name) = name;
}

/* Every word that names something: keys, and what stands before each of their dots. */
static void collect_names(struct walk *w)
{
	for (size_t i = 0; i < w->row.n; i++) {
		const char *plain = bare_key(w->q->mem, w->row.v[i].key);
		for (const char *dot = strchr(plain, '.'); dot; dot = strchr(dot + 1, '.'))
			add_name(w, arena_strn(w->q->mem, plain, (size_t)(dot - plain)));
		add_name(w, plain);
	}
}

static int check_words(const struct walk *w, struct err *err)
{
	for (size_t k = 0; k < w->q->nwant; k++) {
		const char *word = w->q->want[k];
		bool found = false;
		for (size_t i = 0; i < w->row.n && !found; i++)
			found = is_row_below(w->q->mem, &w->row.v[i], word);
		if (found)
			continue;
		const char *near = near_word(word, w->name.v, w->name.n);
		err_set(err, -EINVAL, "'%.100s' is not a setting", word);
		if (near)
			err_hint(err, "Did you mean '%s'?", near);
		else
			err_hint(err, "All of them: tare config --all");
		return -EINVAL;
	}
	return 0;
}

int answer_config(const struct config_ask *q, struct config_answer *ret, struct err *err)
{
	struct walk w = { .q = q };
	struct yaml_doc *d = NULL;
	int r = 0;

	if (q->file)
		r = yaml_load(q->file, &d, err);
	if (r < 0)
		return r;
	walk_all(&w, d ? yaml_root(d) : NULL);
	collect_names(&w);
	r = check_words(&w, err);
	size_t n = 0;
	for (size_t i = 0; i < w.row.n && r >= 0; i++) {
		const struct config_row *row = &w.row.v[i];
		bool named, wanted = is_wanted(&w, row, &named);
		bool shown = !row->field || q->fields || named;
		if (q->changed && !strcmp(row->source, "default"))
			wanted = false;
		if (wanted && shown)
			w.row.v[n++] = *row;
	}
	if (r >= 0)
		*ret = (struct config_answer){
			.file = q->file,
			.row = arena_copy(q->mem, w.row.v, n, sizeof *w.row.v),
			.n = n,
		};
	vec_free(&w.row);
	vec_free(&w.name);
	yaml_doc_free(d);
	return r;
}

void config_words(const struct config_ask *q, struct str *out)
{
	struct walk w = { .q = q };

	walk_all(&w, NULL);
	collect_names(&w);
	for (size_t i = 0; i < w.name.n; i++)
		str_addf(out, "%s ", w.name.v[i]);
	vec_free(&w.row);
	vec_free(&w.name);
}
