/* Values of typed options: text to value, and the sentence for what does not fit. */
#include "cli/opt.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>

#include "base/dec.h"
#include "base/setting.h"
#include "base/tm.h"
#include "cli/cli.h"
#include "model/model.h"

static void put_value(const struct cli_opt *o, void *asked, const void *v, size_t n)
{
	memcpy((char *)asked + o->at, v, n);
}

/* ---- words ------------------------------------------------------------------------------- */

static bool has_words(const struct cli_opt *o)
{
	return o->values && strchr(o->values, '|');
}

static int word_index(const struct cli_opt *o, const char *text)
{
	struct sv rest = sv_of(o->values);

	for (int i = 0; rest.p; i++)
		if (sv_is(sv_cut(rest, '|', &rest), text))
			return i;
	return -1;
}

bool cli_opt_fits(const struct cli_opt *o, const char *text)
{
	bool one = o->type == OPT_UNTYPED || o->type == OPT_TEXT || o->type == OPT_CHOICE;

	return !one || !has_words(o) || word_index(o, text) >= 0;
}

/* ---- what it has to be ------------------------------------------------------------------- */

static bool is_any(const struct cli_opt *o)
{
	return o->lo == 0 && o->hi == 0;
}

/* The row's range; shares are from 0 to 1 without one. */
static double highest_value(const struct cli_opt *o)
{
	if (is_any(o) && o->type == OPT_FRAC)
		return 1;
	return o->hi;
}

static void add_limit(const struct cli_opt *o, double v, struct str *out)
{
	if (o->type == OPT_SPAN || o->type == OPT_SPANS)
		setting_span_text((int64_t)v, out);
	else if (o->type == OPT_INT || (fabs(v) >= 1e5 && fabs(v) < 1e15))
		str_addf(out, "%.0f", v);
	else
		str_addf(out, "%g", v);
}

/* " from 0 to 1", " of 1 or more", or nothing */
static void add_range(const struct cli_opt *o, struct str *out)
{
	double hi = highest_value(o);

	if (o->lo == 0 && hi == 0)
		return;
	str_addz(out, isinf(hi) ? " of " : " from ");
	add_limit(o, o->lo, out);
	if (isinf(hi)) {
		str_addz(out, " or more");
		return;
	}
	str_addz(out, " to ");
	add_limit(o, hi, out);
}

static const char *type_text(const struct cli_opt *o)
{
	switch (o->type) {
	case OPT_INT: return "whole number";
	case OPT_NUM: return "number";
	case OPT_FRAC: return "share";
	case OPT_MONEY: return "amount";
	case OPT_SPAN:
	case OPT_SPANS: return is_any(o) ? "duration such as 5m, 1h or 0" : "duration";
	case OPT_SIGNAL: return "signal that a program can answer, such as USR1";
	case OPT_HOURS: return "duration such as 6m, 20s or 48h";
	case OPT_TIME: return "time such as 2026-11-20 or 2026-11-20T12:00:00Z";
	default: return "value";
	}
}

/* ", such as 0.08": from the examples, else the default, else the lowest that may be. */
static void add_example(const struct cli *c, const struct cli_opt *o, struct str *out)
{
	struct str name = { 0 };
	struct sv word = { "", 0 }; /* what the command's own examples give it */

	str_addf(&name, "--%s ", o->name);
	const char *at = strstr(text_or(c->cmd->examples, ""), str_z(&name));
	if (at)
		word = (struct sv){ at + name.n, strcspn(at + name.n, " \n\"'") };
	str_free(&name);
	if (!word.n && o->def)
		word = sv_of(o->def);
	if (!word.n && is_any(o) && o->type != OPT_FRAC)
		return;
	str_addz(out, ", such as ");
	if (word.n)
		str_add(out, word.p, word.n);
	else if (o->lo != 0)
		add_limit(o, o->lo, out);
	else
		str_addz(out, highest_value(o) > 1 ? "1" : "0.5");
}

static int wrong_value(const struct cli *c, const struct cli_opt *o, const char *text,
		       struct err *err)
{
	struct str wanted = { 0 }; /* what it has to be, its range, and one that would do */
	const char *what = text_or(o->what, type_text(o));

	str_addz(&wanted, what);
	if (!strpbrk(what, "0123456789"))
		add_range(o, &wanted);
	if (!strstr(what, "such as"))
		add_example(c, o, &wanted);
	err_set(err, -EINVAL, "--%s: '%.200s' is not %s %s", o->name, text,
		strchr("aeiou", *str_z(&wanted)) ? "an" : "a", str_z(&wanted));
	str_free(&wanted);
	return -EINVAL;
}

static int wrong_word(const struct cli_opt *o, const char *text, struct err *err)
{
	return err_set(err, -EINVAL, "--%s does not know '%.200s': it takes %s", o->name, text,
		       o->values);
}

/* ---- text to value ----------------------------------------------------------------------- */

static int set_word(const struct cli_opt *o, const char *text, void *asked, struct err *err)
{
	int i = word_index(o, text);

	put_value(o, asked, &i, sizeof i);
	if (i < 0)
		return wrong_word(o, text, err);
	return 0;
}

static int set_money(const struct cli_opt *o, struct sv text, void *asked)
{
	dec v;

	if (dec_parse(text, DEC_GROUPED, &v) < 0)
		return -EINVAL;
	if (!is_any(o) && !(dec_to_double(v) >= o->lo && dec_to_double(v) <= o->hi))
		return -ERANGE;
	put_value(o, asked, &v, sizeof v);
	return 0;
}

int opt_hours(struct sv text, double *ret_h)
{
	int64_t ms;

	if (sv_f64(text, ret_h) >= 0 && *ret_h >= 0 && *ret_h <= 1e6)
		return 0;
	if (tm_parse_span(text, &ms) < 0)
		return -EINVAL;
	*ret_h = (double)ms / MS_HOUR;
	return 0;
}

static int set_hours(const struct cli_opt *o, struct sv text, void *asked)
{
	double h;

	if (opt_hours(text, &h) < 0)
		return -EINVAL;
	put_value(o, asked, &h, sizeof h);
	return 0;
}

static bool is_signal(int n, struct sv text)
{
	const char *word = sigabbrev_np(n);

	if (word && text.n > 3 && sv_ieq((struct sv){ text.p, 3 }, SV("SIG")))
		text = (struct sv){ text.p + 3, text.n - 3 };
	return word && sv_ieq(text, sv_of(word));
}

static int set_signal(const struct cli_opt *o, struct sv text, void *asked)
{
	int64_t n;

	if (sv_i64(text, &n) < 0)
		for (n = 1; n < NSIG && !is_signal((int)n, text);)
			n++;
	bool taken = n == SIGKILL || n == SIGSTOP || n == SIGCHLD;
	if (n < 1 || n >= NSIG || taken)
		return -EINVAL;
	put_value(o, asked, &(int){ (int)n }, sizeof(int));
	return 0;
}

static enum setting_type setting_type_of(enum opt_type t)
{
	switch (t) {
	case OPT_INT: return SETTING_INT;
	case OPT_SPAN:
	case OPT_SPANS: return SETTING_SPAN;
	case OPT_TIME: return SETTING_TIME;
	default: return SETTING_NUMBER;
	}
}

static int set_value(const struct cli *c, const struct cli_opt *o, const char *text, void *asked,
		     struct err *err)
{
	struct arena *mem = (struct arena *)&c->mem;
	struct sv v = sv_trim(sv_of(text));
	struct setting s = { .name = o->name,
			     .type = setting_type_of(o->type),
			     .at = o->at,
			     .lo = o->lo,
			     .hi = highest_value(o) };
	int r;

	if (o->type == OPT_MONEY)
		r = set_money(o, v, asked);
	else if (o->type == OPT_HOURS)
		r = set_hours(o, v, asked);
	else if (o->type == OPT_SIGNAL)
		r = set_signal(o, v, asked);
	else
		r = setting_set(&s, NULL, arena_sv(mem, v), asked);
	if (r < 0)
		return wrong_value(c, o, text, err);
	return 0;
}

static struct opt_list cut_list(struct arena *mem, const char *text)
{
	struct sv rest = sv_of(text);
	struct opt_list l = { arena_alloc(mem, (rest.n / 2 + 2) * sizeof *l.v), 0 };

	while (rest.p) {
		struct sv w = sv_trim(sv_cut(rest, ',', &rest));
		if (w.n)
			l.v[l.n++] = arena_sv(mem, w);
	}
	return l;
}

static int set_span(const struct cli *c, const struct cli_opt *o, const char *text, void *asked,
		    struct err *err)
{
	if (!has_words(o) || word_index(o, text) < 0)
		return set_value(c, o, text, asked, err);
	put_value(o, asked, &(int64_t){ INT64_MAX }, sizeof(int64_t));
	return 0;
}

static int set_spans(const struct cli *c, const struct cli_opt *o, const char *text, void *asked,
		     struct err *err)
{
	struct arena *mem = (struct arena *)&c->mem;
	struct opt_list words = cut_list(mem, text);
	int64_t *ms = arena_alloc(mem, (words.n + 1) * sizeof *ms);
	struct cli_opt one = *o;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < words.n; i++) {
		one.at = i * sizeof *ms;
		r = set_value(c, &one, words.v[i], ms, err);
	}
	put_value(o, asked, &(struct opt_spans){ ms, words.n }, sizeof(struct opt_spans));
	return r;
}

static int set_text(const struct cli *c, const struct cli_opt *o, const char *text, void *asked,
		    struct err *err)
{
	switch (o->type) {
	case OPT_TEXT:
	case OPT_FILE:
		put_value(o, asked, &text, sizeof text);
		if (cli_opt_fits(o, text))
			return 0;
		return wrong_word(o, text, err);
	case OPT_CHOICE: return set_word(o, text, asked, err);
	case OPT_SPAN: return set_span(c, o, text, asked, err);
	case OPT_SPANS: return set_spans(c, o, text, asked, err);
	default: return set_value(c, o, text, asked, err);
	}
}

/* What holds where nobody says anything. */
static void set_nothing(const struct cli_opt *o, void *asked)
{
	switch (o->type) {
	case OPT_TEXT:
	case OPT_FILE: put_value(o, asked, &(const char *){ NULL }, sizeof(const char *)); return;
	case OPT_NUM:
	case OPT_HOURS:
	case OPT_FRAC: put_value(o, asked, &(double){ NAN }, sizeof(double)); return;
	case OPT_MONEY: put_value(o, asked, &(dec){ 0 }, sizeof(dec)); return;
	case OPT_CHOICE: put_value(o, asked, &(int){ -1 }, sizeof(int)); return;
	case OPT_SIGNAL: put_value(o, asked, &(int){ 0 }, sizeof(int)); return;
	case OPT_SPANS:
		put_value(o, asked, &(struct opt_spans){ 0 }, sizeof(struct opt_spans));
		return;
	case OPT_TIME: put_value(o, asked, &(int64_t){ UNKNOWN_MS }, sizeof(int64_t)); return;
	default: put_value(o, asked, &(int64_t){ 0 }, sizeof(int64_t)); return;
	}
}

static int read_list(const struct cli *c, const struct cli_opt *o, void *asked, struct err *err)
{
	const char *text = cli_value(c, o->name);
	struct opt_list l = { 0 };

	if (o->many)
		l.n = cli_values(c, o->name, &l.v);
	else
		l = cut_list((struct arena *)&c->mem, text ? text : o->def);
	put_value(o, asked, &l, sizeof l);
	for (size_t i = 0; has_words(o) && i < l.n; i++)
		if (word_index(o, l.v[i]) < 0)
			return wrong_word(o, l.v[i], err);
	return 0;
}

/* ------------------------------------------------------------------------------------------ */

static int read_row(const struct cli *c, const struct cli_opt *o, void *asked, struct err *err)
{
	const char *text = NULL;

	if (o->arg)
		text = cli_value(c, o->name);
	if (o->has)
		memcpy((char *)asked + o->has, &(bool){ text != NULL }, sizeof(bool));
	if (o->type == OPT_FLAG) {
		put_value(o, asked, &(bool){ cli_flag(c, o->name) }, sizeof(bool));
		return 0;
	}
	if (o->type == OPT_LIST)
		return read_list(c, o, asked, err);
	set_nothing(o, asked);
	if (!text)
		text = o->def;
	if (text)
		return set_text(c, o, text, asked, err);
	return 0;
}

int cli_read_opts(const struct cli *c, void *asked, struct err *err)
{
	for (const struct cli_opt *o = c->cmd->opt; o && o->name; o++) {
		int r = o->type == OPT_UNTYPED ? 0 : read_row(c, o, asked, err);
		const char *variable = NULL;
		if (r < 0)
			variable = cli_variable(c, o->name);
		if (variable)
			err_hint(err, "the value is that of the variable %s", variable);
		if (r < 0)
			return r;
	}
	return 0;
}
