/* What happened to a file: rejects, skips, notes and sums, and the limits on how many of them are
 * named. */
#include <errno.h>
#include <stdio.h>

#include "base/input.h"
#include "base/str.h"
#include "feed/feed.h"
#include "feed/feeds.h"

#define TICK_ROWS    4096 /* rows between two calls of progress */
#define NOTES_MAX    100  /* sentences kept: more say nothing new */
#define REJECT_SLACK 20   /* rows read on over the limit, so that the error can name several */

void feed_report_free(struct feed_report *r)
{
	arena_free(&r->mem);
	vec_free(&r->rejects);
	vec_free(&r->skipped);
	vec_free(&r->skip_reasons);
	vec_free(&r->sums);
	vec_free(&r->notes);
	*r = (struct feed_report){ 0 };
}

int feed_reject(struct feed_run *r, int64_t line, const char *field, struct err *err,
		const char *fmt, ...)
{
	struct feed_report *p = r->report;
	char text[512], place[512];
	va_list ap;

	p->rows_rejected++;
	if (p->rejects.n < FEED_NAMED_MAX) {
		const char *reason = text;
		int n = 0;
		va_start(ap, fmt);
		vsnprintf(text, sizeof text, fmt, ap);
		va_end(ap);
		/* what a reader of tables says begins with file and line, which a reject names
		 * anyway */
		if (r->in)
			n = snprintf(place, sizeof place, "'%s' line %lld: ", input_name(r->in),
				     (long long)line);
		if (n > 0 && n < (int)sizeof place && !strncmp(reason, place, (size_t)n))
			reason += n;
		*vec_push(&p->rejects) =
			(struct feed_reject){ line, arena_sv(&p->mem, sv_of(text_or(field, ""))),
					      arena_sv(&p->mem, sv_of(reason)) };
	}
	if (r->max_rejects > INT64_MAX - REJECT_SLACK ||
	    p->rows_rejected <= r->max_rejects + REJECT_SLACK)
		return 0;
	return feed_too_many(r, false, err);
}

/* "-1234,56": what a spreadsheet makes of a number where the comma is decimal. */
static bool is_comma_number(const char *reason)
{
	const char *p = reason + (*reason == '\'') + (reason[*reason == '\''] == '-');
	size_t whole = strspn(p, "0123456789."), frac = 0;

	if (whole && p[whole] == ',')
		frac = strspn(p + whole + 1, "0123456789");
	return frac && p[whole + 1 + frac] == '\'';
}

/* "-1,500.00", "$ 10", "€ 10": groups of three, a currency. */
static bool is_grouped_number(const char *reason)
{
	const char *p = reason + (*reason == '\''), *end = strchr(p, '\'');
	size_t digits = 0, n = end ? (size_t)(end - p) : 0;

	for (size_t i = 0; i < n; i++) {
		bool letter = (p[i] >= 'a' && p[i] <= 'z') || (p[i] >= 'A' && p[i] <= 'Z');
		if (letter)
			return false;
		digits += p[i] >= '0' && p[i] <= '9';
	}
	return digits && strstr(reason, "decimal") && !is_comma_number(reason);
}

/* "31.10.2026 00:00", "10/31/2026": days as a spreadsheet shows them. */
static bool is_local_day(const char *reason)
{
	const char *p = reason + (*reason == '\'');
	size_t a = strspn(p, "0123456789"), b = 0;

	if (a && a <= 2 && (p[a] == '.' || p[a] == '/'))
		b = strspn(p + a + 1, "0123456789");
	return b && b <= 2 && p[a + 1 + b] == p[a] && strstr(reason, " time");
}

/* The name of the column where its value should be: one table was put behind another. */
static bool is_header_again(const struct feed_reject *j)
{
	size_t n = strlen(j->field);

	return n && j->reason[0] == '\'' && !strncmp(j->reason + 1, j->field, n) &&
	       j->reason[n + 1] == '\'';
}

/* What to do depends on why: leaving rows out makes a cut file a smaller bill. */
static const char *hint_of(const struct feed_report *p)
{
	size_t comma = 0, day = 0, grouped = 0, header = 0, n = p->rejects.n;

	for (size_t i = 0; i < n; i++) {
		const char *reason = p->rejects.v[i].reason;
		if (strstr(reason, CSV_CUT))
			return "Fetch the file again: what follows that line is missing.";
		comma += is_comma_number(reason);
		day += is_local_day(reason);
		grouped += is_grouped_number(reason);
		header += is_header_again(&p->rejects.v[i]);
	}
	if (n && header == n)
		return "It is the header again, of a table that was put behind another: take that line out.";
	if (comma && comma + day == n)
		return "The numbers have decimal commas, as a spreadsheet saves them. Take the file as the "
		       "provider wrote it; or a FOCUS bill with --map focus-comma, an Azure bill with --map "
		       "azure-comma, other tables with a map that says number: comma (docs/MAPS.md).";
	if (day && day == n)
		return FEED_HINT_DAYS;
	if (grouped && grouped == n)
		return "The numbers have separators of thousands or a currency sign. Take the file as the provider "
		       "wrote it; or a map that says number: grouped, with keep: true for the rest (docs/MAPS.md).";
	return "Correct the rows, or leave out up to N of them with --max-rejects N.";
}

int feed_too_many(struct feed_run *r, bool whole, struct err *err)
{
	const struct feed_report *p = r->report;
	struct str s = { 0 };

	for (size_t i = 0; i < p->rejects.n && i < 3; i++) {
		const struct feed_reject *j = &p->rejects.v[i];
		str_addf(&s, "%s line %lld, %s: %s", text_if(i, ";"), (long long)j->line,
			 j->field[0] ? j->field : "row", j->reason);
	}
	if (p->rows_rejected > 3)
		str_addz(&s, "; ...");
	err_set(err, -EINVAL, "%s%lld row%s cannot be read:%s", text_if(!whole, "more than "),
		(long long)p->rows_rejected - !whole, plural(p->rows_rejected - !whole), str_z(&s));
	err_hint(err, "%s", hint_of(p));
	str_free(&s);
	return -EINVAL;
}

void feed_skip(struct feed_run *r, int64_t line, struct sv key, const char *reason)
{
	struct feed_report *p = r->report;
	struct feed_count *c = NULL;

	p->rows_skipped++;
	for (size_t i = 0; i < p->skip_reasons.n && !c; i++)
		if (!strcmp(p->skip_reasons.v[i].reason, reason))
			c = &p->skip_reasons.v[i];
	if (!c) {
		c = vec_push(&p->skip_reasons);
		*c = (struct feed_count){ arena_sv(&p->mem, sv_of(reason)), 0 };
	}
	if (c->rows++ < FEED_NAMED_MAX)
		*vec_push(&p->skipped) =
			(struct feed_skip){ line, key.p ? arena_sv(&p->mem, key) : "", c->reason };
}

void feed_note(struct feed_report *r, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < r->notes.n; i++)
		if (!strcmp(r->notes.v[i], text))
			return;
	if (r->notes.n < NOTES_MAX)
		*vec_push(&r->notes) = arena_sv(&r->mem, sv_of(text));
}

static struct feed_sum *sum_of(struct feed_report *r, const char *name)
{
	for (size_t i = 0; i < r->sums.n; i++)
		if (r->sums.v[i].name == name)
			return &r->sums.v[i];
	for (size_t i = 0; i < r->sums.n; i++)
		if (!strcmp(r->sums.v[i].name, name))
			return &r->sums.v[i];
	struct feed_sum *s = vec_push(&r->sums);
	*s = (struct feed_sum){ .name = arena_sv(&r->mem, sv_of(name)) };
	return s;
}

void feed_sum_add(struct feed_report *r, const char *name, bool known, dec v)
{
	struct feed_sum *s = sum_of(r, name);

	s->known += known;
	if (!known)
		s->unknown++;
	else if (__builtin_add_overflow(s->sum, v, &s->sum))
		/* feeds refuse amounts that could lead here */
		s->sum = v < 0 ? -(DEC_LIMIT - 1) : DEC_LIMIT - 1;
}

void feed_cover(struct feed_report *r, int64_t from_ms, int64_t to_ms)
{
	if (from_ms != UNKNOWN_MS && (r->from_ms == UNKNOWN_MS || from_ms < r->from_ms))
		r->from_ms = from_ms;
	if (to_ms != UNKNOWN_MS && (r->to_ms == UNKNOWN_MS || to_ms > r->to_ms))
		r->to_ms = to_ms;
}

void feed_set_beside(struct feed_run *r, const char *key, const char *column)
{
	feed_note(r->report,
		  "--set %s: used only where the file's own column %s is empty; what it says stays",
		  key, column);
}

int feed_set_unknown(struct feed_run *r, const char *key, const char *near, struct err *err)
{
	if (!r->alone) {
		feed_note(r->report, "--set %s: this kind has no such column%s%s%s", key,
			  text_if(near, "; did you mean "), text_or(near, ""), text_if(near, "?"));
		return 0;
	}
	err_set(err, -EINVAL, "--set %s: this kind has no such column", key);
	if (near)
		err_hint(err, "did you mean %s?", near);
	return -EINVAL;
}

const char *feed_set_get(const struct feed_run *r, const char *key)
{
	for (size_t i = r->nset; i-- > 0;) /* the last one given wins */
		if (sv_ieq(sv_of(r->set[i].key), sv_of(key)))
			return r->set[i].value;
	return NULL;
}

void feed_tick(struct feed_run *r)
{
	if (++r->report->rows_read % TICK_ROWS == 0 && r->progress)
		r->progress(r->progress_ctx, r->report->rows_read, input_packed_read(r->in),
			    input_packed_size(r->in));
}
