/* See replace.h. */
#include "book/replace.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "book/once.h"
#include "book/same.h"
#include "model/cloud_id.h"

/* ---- which bills a file has lines of ----------------------------------------------------- */

#define PART '\x1f' /* between the parts of a key; replace_check_line() keeps it out of them */

int replace_check_line(const struct bill_line *l, struct err *err)
{
	const struct sv part[] = { l->provider, l->account, l->sub_account };

	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (part[i].n && memchr(part[i].p, PART, part[i].n))
			return err_set(err, -EINVAL,
				       "the account of a bill line has the control character 0x1f");
	return 0;
}

/* "PROVIDER ACCOUNT MONTH", and behind it "SUB-ACCOUNT DAY" */
void replace_note_line(struct book_file *f, const struct bill_line *l)
{
	int64_t t = l->from_ms;

	if (l->period_from_ms != UNKNOWN_MS)
		t = l->period_from_ms;
	str_clear(&f->bill_key);
	str_addsv(&f->bill_key, l->provider);
	str_addc(&f->bill_key, PART);
	str_addsv(&f->bill_key, cloud_account(l->provider, l->account, true, &f->id));
	str_addf(&f->bill_key, "%c%d", PART, (int)tm_month(t));
	intern_add(&f->bills, str_sv(&f->bill_key));
	str_addc(&f->bill_key, PART);
	str_addsv(&f->bill_key, cloud_sub_account(l->provider, l->sub_account, true, &f->id));
	str_addf(&f->bill_key, "%c%lld", PART, (long long)(l->from_ms - l->from_ms % MS_DAY));
	intern_add(&f->covers, str_sv(&f->bill_key));
}

static struct bill_key key_of(struct book *b, struct sv text)
{
	struct sv account, month, provider = sv_cut(text, PART, &account);
	int64_t m = 0;

	account = sv_cut(account, PART, &month);
	(void)sv_i64(month, &m); /* written above */
	int64_t from = tm_from_civil(
		(struct civil){ .year = (int)(m / 100), .month = (int)(m % 100), .day = 1 });
	return (struct bill_key){ arena_sv(&b->mem, provider), arena_sv(&b->mem, account), from,
				  tm_month_start(from, 1) };
}

const char *replace_source(struct book *b, const struct book_file *f)
{
	if (f->bills.n != 1)
		return NULL;
	struct bill_key k = key_of(b, f->bills.text[0]);
	return arena_printf(&b->mem, "bill:%s:%s:%d", k.provider, k.account,
			    (int)tm_month(k.from_ms));
}

/* ---- the set ----------------------------------------------------------------------------- */

#define NAMED_MAX 6 /* bills named in one sentence; the rest are counted */

struct money {
	size_t k;
	const char *currency;
	dec billed;
};

struct set {
	struct book *book;
	struct store *store;      /* NULL: a dry run without one */
	struct intern text;       /* keys of all files of the call */
	struct intern cover;      /* "KEY SUB-ACCOUNT DAY" of them */
	struct intern sub;        /* "KEY SUB-ACCOUNT" of them */
	struct intern day;        /* "number of key DAY" of them */
	struct bill_set bill;     /* the same; key[text.n], cover[cover.n] */
	bool *marked;             /* [text.n] scratch */
	int64_t *rows;            /* [text.n] of what is marked; 0: not counted */
	struct bill_earlier *old; /* [nold] */
	size_t nold;
	VEC(struct money) money; /* of what is marked */
	struct str scratch;
};

static struct sv day_text(struct set *s, size_t k, int64_t day_ms)
{
	str_clear(&s->scratch);
	str_addf(&s->scratch, "%zu%c%lld", k, PART, (long long)day_ms);
	return str_sv(&s->scratch);
}

/* The parts of a cover behind its key, and the number of that. */
static struct bill_cover cover_of(struct set *s, struct sv text)
{
	struct sv rest = text, sub, day;
	int64_t ms = 0;

	for (int i = 0; i < 3; i++)
		sv_cut(rest, PART, &rest);
	int64_t k = intern_find(&s->text, (struct sv){ text.p, (size_t)(rest.p - text.p) - 1 });
	assert(k >= 0); /* replace_note_line() puts both */
	sub = sv_cut(rest, PART, &day);
	(void)sv_i64(day, &ms); /* written above */
	intern_add(&s->sub, (struct sv){ text.p, (size_t)(day.p - text.p) - 1 });
	intern_add(&s->day, day_text(s, (size_t)k, ms));
	return (struct bill_cover){ (size_t)k, arena_sv(&s->book->mem, sub), ms };
}

static void open_set(struct book *b, struct set *s)
{
	*s = (struct set){ .book = b, .store = b->store ? b->store : b->opt.look };
	for (size_t i = 0; i < b->file.n; i++) {
		for (size_t k = 0; k < b->file.v[i]->bills.n; k++)
			intern_add(&s->text, b->file.v[i]->bills.text[k]);
		for (size_t k = 0; k < b->file.v[i]->covers.n; k++)
			intern_add(&s->cover, b->file.v[i]->covers.text[k]);
	}
	struct bill_key *key = arena_alloc(&b->mem, (s->text.n + 1) * sizeof *key);
	struct bill_cover *cover = arena_alloc(&b->mem, (s->cover.n + 1) * sizeof *cover);
	s->marked = arena_alloc(&b->mem, s->text.n + 1);
	s->rows = arena_alloc(&b->mem, (s->text.n + 1) * sizeof *s->rows);
	for (size_t k = 0; k < s->text.n; k++) {
		key[k] = key_of(b, s->text.text[k]);
		key[k].any_sub = true;
	}
	for (size_t i = 0; i < s->cover.n; i++) {
		cover[i] = cover_of(s, s->cover.text[i]);
		if (*cover[i].sub_account)
			key[cover[i].k].any_sub = false;
	}
	s->bill = (struct bill_set){ key, s->text.n, cover, s->cover.n, b->opt.partial };
}

/* The call has a line of that sub account (of any, where they are not compared) and day. */
static bool has_day(struct set *s, const struct bill_earlier *e)
{
	if (s->bill.key[e->k].any_sub)
		return intern_find(&s->day, day_text(s, e->k, e->day_ms)) >= 0;
	str_clear(&s->scratch);
	str_addsv(&s->scratch, s->text.text[e->k]);
	str_addf(&s->scratch, "%c%s%c%lld", PART, e->sub_account, PART, (long long)e->day_ms);
	return intern_find(&s->cover, str_sv(&s->scratch)) >= 0;
}

static void mark_money(struct set *s, size_t k, const char *currency, dec billed)
{
	size_t i = s->money.n;

	s->marked[k] = true;
	while (i-- > 0)
		if (s->money.v[i].k == k && !strcmp(s->money.v[i].currency, currency))
			break;
	if (i == SIZE_MAX)
		*vec_push(&s->money) = (struct money){ k, currency, billed };
	else
		s->money.v[i].billed += billed;
}

/* "20 USD + 3 EUR" */
static void put_money(const struct set *s, size_t k, struct str *out)
{
	char buf[DEC_BUF];
	bool any = false;

	for (size_t i = 0; i < s->money.n; i++) {
		if (s->money.v[i].k != k)
			continue;
		str_addf(out, "%s%s%s%s", text_if(any, " + "),
			 dec_format(buf, s->money.v[i].billed),
			 text_if(*s->money.v[i].currency, " "), s->money.v[i].currency);
		any = true;
	}
}

/* "aws 111122223333 2026-09" */
static const char *key_name(const struct set *s, size_t k)
{
	const struct bill_key *key = &s->bill.key[k];
	char day[TM_BUF];

	return arena_printf(&s->book->mem, "%s%s%s %.7s", key->provider,
			    text_if(*key->account, " "), key->account,
			    tm_format_date(day, key->from_ms));
}

struct ranked {
	size_t k;
	dec billed; /* 0 where the marked are in several currencies: those are not compared */
	int64_t rows;
};

static int costliest_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->billed != y->billed)
		return cmp_dec(y->billed, x->billed);
	if (x->rows != y->rows)
		return cmp_i64(y->rows, x->rows);
	return cmp_size(x->k, y->k);
}

/* "aws 111122223333 2026-09, aws 111122223333 2026-10" of the marked keys, each with ": 20 USD"
 * where money was added up, and ": 3 rows, 20 USD" where rows were counted. */
static const char *name_marked(const struct set *s)
{
	struct ranked *v = arena_alloc(&s->book->mem, (s->text.n + 1) * sizeof *v);
	struct str out = { 0 };
	bool counted = false, one = true;
	size_t n = 0;

	for (size_t i = 1; i < s->money.n; i++)
		one &= !strcmp(s->money.v[i].currency, s->money.v[0].currency);
	for (size_t k = 0; k < s->text.n; k++) {
		if (!s->marked[k])
			continue;
		v[n] = (struct ranked){ .k = k, .rows = s->rows[k] };
		for (size_t i = 0; one && i < s->money.n; i++)
			v[n].billed += s->money.v[i].k == k ? s->money.v[i].billed : 0;
		counted |= s->rows[k] > 0;
		n++;
	}
	/* where rows were counted the most expensive first */
	if (counted)
		sort_items(v, n, sizeof *v, costliest_first);
	for (size_t i = 0; i < n && i < NAMED_MAX; i++) {
		size_t k = v[i].k;
		str_addf(&out, "%s%s", i ? ", " : "", key_name(s, k));
		if (s->money.n)
			str_addz(&out, ": ");
		if (s->rows[k])
			str_addf(&out, "%lld row%s, ", (long long)s->rows[k],
				 s->rows[k] == 1 ? "" : "s");
		put_money(s, k, &out);
	}
	if (n > NAMED_MAX)
		str_addf(&out, " and %zu more", n - NAMED_MAX);
	const char *ret = arena_sv(&s->book->mem, str_sv(&out));
	str_free(&out);
	return ret;
}

static const char *money_of(const struct set *s, size_t k)
{
	struct str out = { 0 };

	put_money(s, k, &out);
	const char *ret = arena_sv(&s->book->mem, str_sv(&out));
	str_free(&out);
	return ret;
}

static void mark_none(struct set *s)
{
	memset(s->marked, 0, s->text.n + 1);
	memset(s->rows, 0, (s->text.n + 1) * sizeof *s->rows);
	vec_clear(&s->money);
}

static bool file_has(const struct set *s, const struct book_file *f, size_t k)
{
	return intern_find(&f->bills, s->text.text[k]) >= 0;
}

/* Files of the call with lines of the same days of a bill: parts of one export, or two exports of
 * it, which only the user knows. Said once, of the last; not of days that count once. */
static void note_within(struct set *s, const struct once *o)
{
	struct book *b = s->book;
	struct book_file *last = NULL;
	size_t *files = arena_zalloc(&b->mem, (s->cover.n + 1) * sizeof *files), n = 0;

	mark_none(s);
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < b->file.n; i++) {
			struct book_file *f = b->file.v[i];
			bool shares = false;
			for (size_t k = 0; k < f->covers.n && !once_told(o, i); k++) {
				int64_t at = intern_find(&s->cover, f->covers.text[k]);
				files[at] += pass == 0;
				if (!pass || files[at] < 2)
					continue;
				shares = s->marked[s->bill.cover[at].k] = true;
			}
			n += shares;
			if (shares)
				last = f;
		}
	if (last)
		feed_note(
			&last->report,
			"%zu files of this call have rows of the same bill and days (%s): parts of one export add up; of two exports "
			"of it rows count twice, then import the newer alone",
			n, name_marked(s));
}

/* A newer export of a month's bill repeats the rows of the older one; parts of one export do
 * not. */
static void note_earlier(struct set *s, struct book_file *f)
{
	int64_t last = -1;
	size_t n = 0;

	/* files in old[] with lines of this file's bills */
	mark_none(s);
	for (size_t i = 0; i < s->nold; i++) {
		if (!file_has(s, f, s->old[i].k))
			continue;
		s->marked[s->old[i].k] = true;
		n += s->old[i].src != last;
		last = s->old[i].src;
	}
	if (!n)
		return;
	const char *bills = name_marked(s), *are = n > 1 ? "s are" : " is";

	/* What the store has of these bills on days (and sub accounts) that the call has too: the
	 * whole of a bill that is exported again, nothing of another part of it. */
	mark_none(s);
	for (size_t i = 0; i < s->nold; i++) {
		const struct bill_earlier *e = &s->old[i];
		if (!file_has(s, f, e->k) || !has_day(s, e))
			continue;
		mark_money(s, e->k, e->currency, e->billed);
		s->rows[e->k] += e->lines;
	}
	if (s->money.n > 0)
		feed_note(
			&f->report,
			"%zu earlier file%s of the same bill and month (%s), with rows of the same days (%s): if this is a newer export "
			"of it, those count twice; then import it with --replace (--partial: of these days alone)",
			n, are, bills, name_marked(s));
	else
		feed_note(
			&f->report,
			"%zu earlier file%s of the same bill and month (%s), of other days: parts of one bill add up",
			n, are, bills);
	if (!s->book->store)
		feed_note(
			&f->report,
			"whether its charges are word for word those of a file before shows only when it is imported: with half of "
			"either or more it is refused (--replace takes it instead)");
}

/* ---- replacing --------------------------------------------------------------------------- */

#define WHAT_NOW                                                                                  \
	"Name all files of the newer bill in one call; or say --partial to replace only the sub " \
	"accounts and days that they have, --whole if the other rows are to go."

/* Sub accounts that were there and are not: mostly an export of one of them that was forgotten. */
static int check_subs(struct set *s, struct err *err)
{
	struct intern gone = { 0 };
	struct str names = { 0 };
	const struct bill_earlier *first = NULL;
	bool others = false;

	mark_none(s);
	for (size_t i = 0; i < s->nold; i++) {
		const struct bill_earlier *e = &s->old[i];
		if (s->bill.key[e->k].any_sub)
			continue;
		str_clear(&s->scratch);
		str_addsv(&s->scratch, s->text.text[e->k]);
		str_addf(&s->scratch, "%c%s", PART, e->sub_account);
		if (intern_find(&s->sub, str_sv(&s->scratch)) >= 0)
			continue;
		if (!first)
			first = e;
		others |= e->k != first->k;
		if (e->k != first->k)
			continue;
		mark_money(s, e->k, e->currency, e->billed);
		size_t n = gone.n;
		bool new = intern_add(&gone, sv_of(e->sub_account)) == n;
		if (new &&gone.n <= NAMED_MAX)
			str_addf(&names, "%s%s", text_if(gone.n > 1, ", "),
				 filled_or(e->sub_account, "none named"));
	}
	if (first) {
		size_t n = gone.n;
		if (n > NAMED_MAX)
			str_addf(&names, " and %zu more", n - NAMED_MAX);
		err_set(err, -EINVAL,
			"--replace: the bill that is in the store has rows of %zu sub account%s that %s not here (%s), billed %s%s: %s",
			n, text_if(n > 1, "s"), n > 1 ? "are" : "is", key_name(s, first->k),
			money_of(s, first->k), text_if(others, "; other bills too"), str_z(&names));
		err_hint(err, WHAT_NOW);
	}
	intern_free(&gone);
	str_free(&names);
	if (first)
		return -EINVAL;
	return 0;
}

/* Days that were there and are not: mostly a file of the export that was forgotten, or another
 * day's. */
static int check_days(struct set *s, struct err *err)
{
	struct intern gone = { 0 };
	const struct bill_earlier *first = NULL, *k = NULL;
	bool others = false;
	char day[TM_BUF];

	mark_none(s);
	for (size_t i = 0; i < s->nold; i++) {
		const struct bill_earlier *e = &s->old[i];
		if (has_day(s, e))
			continue;
		if (!k)
			k = e;
		others |= e->k != k->k;
		if (e->k != k->k)
			continue;
		mark_money(s, e->k, e->currency, e->billed);
		intern_add(&gone, day_text(s, e->k, e->day_ms));
		if (!first || e->day_ms < first->day_ms)
			first = e;
	}
	if (first) {
		bool sub = !s->bill.key[first->k].any_sub && *first->sub_account;
		err_set(err, -EINVAL,
			"--replace: the bill that is in the store (%s) has rows of %zu %s not here, billed %s, the first %s%s%s%s",
			key_name(s, first->k), gone.n, gone.n > 1 ? "days that are" : "day that is",
			money_of(s, first->k), tm_format_date(day, first->day_ms),
			text_if(sub, " of sub account "), text_if(sub, first->sub_account),
			text_if(others, "; other bills too"));
		err_hint(err, WHAT_NOW);
	}
	intern_free(&gone);
	if (first)
		return -EINVAL;
	return 0;
}

/* The first file of the call with lines of the bills of an earlier file; of[ntaken]. */
static void first_files(const struct set *s, const struct bill_taken *t, size_t n, size_t *of)
{
	struct book *b = s->book;
	size_t *first = arena_alloc(&b->mem, (s->text.n + 1) * sizeof *first), j = 0;

	for (size_t i = b->file.n; i-- > 0;)
		for (size_t k = 0; k < b->file.v[i]->bills.n; k++)
			first[intern_find(&s->text, b->file.v[i]->bills.text[k])] = i;
	for (size_t i = 0; i < n; i++)
		of[i] = SIZE_MAX;
	for (size_t o = 0; o < s->nold; o++) { /* both by src */
		while (j < n && t[j].src < s->old[o].src)
			j++;
		if (j < n && t[j].src == s->old[o].src && first[s->old[o].k] < of[j])
			of[j] = first[s->old[o].k];
	}
}

/* Of a day that stays as it is. */
static bool is_same(const struct set *s, const struct bill_earlier *e)
{
	for (size_t i = 0; i < s->bill.nsame; i++) {
		const struct bill_cover *c = &s->bill.same[i];
		if (c->k == e->k && c->day_ms == e->day_ms &&
		    !strcmp(c->sub_account, e->sub_account))
			return true;
	}
	return false;
}

static void note_taken(struct set *s, const struct bill_taken *t, size_t n, bool whole)
{
	struct book *b = s->book;
	size_t *of = arena_alloc(&b->mem, (n + 1) * sizeof *of);
	const char *go = b->store ? "taken out" : "would be taken out",
		   *rest = "its other months and accounts stay";

	if (s->bill.partial || s->bill.nsame)
		rest = "what else it has stays";
	first_files(s, t, n, of);
	for (size_t i = 0; i < b->file.n; i++) {
		size_t files = 0, o = 0;
		mark_none(s);
		for (size_t j = 0; j < n; j++) {
			if (of[j] != i || t[j].whole != whole || t[j].stale)
				continue;
			files++;
			while (o < s->nold && s->old[o].src < t[j].src)
				o++;
			for (; o < s->nold && s->old[o].src == t[j].src; o++) {
				const struct bill_earlier *e = &s->old[o];
				/* what the newer bill does not leave there */
				if (!is_same(s, e) && (!s->bill.partial || has_day(s, e)))
					mark_money(s, e->k, e->currency, e->billed);
			}
		}
		if (files && whole)
			feed_note(&b->file.v[i]->report,
				  "%zu earlier file%s of the same bill and month %s (%s)", files,
				  text_if(files > 1, "s"), go, name_marked(s));
		else if (files)
			feed_note(&b->file.v[i]->report,
				  "of %zu earlier file%s these rows %s (%s); %s", files,
				  text_if(files > 1, "s"), go, name_marked(s), rest);
	}
}

static int rebuild_taken(struct set *s, const struct bill_files *taken, struct err *err)
{
	struct book *b = s->book;
	struct scope_spans span = { 0 };
	int rc = store_bill_take_out(b->store, &s->bill, taken, &b->mem, &span, err);

	for (size_t i = 0; i < span.n && !rc; i++)
		dirty_mark_key(&b->dirty, sv_of(span.v[i].scope), span.v[i].from_ms,
			       span.v[i].to_ms);
	rc = rc ? rc : store_bill_spans(b->store, &b->mem, &span, err);
	for (size_t i = 0; i < span.n && !rc; i++)
		dirty_mark_key(&b->dirty, sv_of(span.v[i].scope), span.v[i].from_ms,
			       span.v[i].to_ms);
	for (size_t i = 0; i < taken->n && rc >= 0; i++)
		if (!taken->v[i].stale || taken->v[i].whole)
			rc = direct_redo(b->direct, taken->v[i].src, taken->v[i].whole, err);
	if (rc < 0)
		return rc;
	return 0;
}

/* Days that say what is there already stay; what each file said of them is told. */
static int leave_same(struct set *s, struct err *err)
{
	struct book *b = s->book;
	int64_t *rows = arena_zalloc(&b->mem, (b->file.n + 1) * sizeof *rows);
	int rc = same_days(b, &s->bill, rows, err);

	for (size_t i = 0; i < b->file.n && !rc; i++) {
		if (!rows[i])
			continue;
		b->file.v[i]->report.rows_elsewhere += rows[i];
		mark_none(s);
		for (size_t j = 0; j < s->bill.nsame; j++)
			s->marked[s->bill.same[j].k] |= file_has(s, b->file.v[i],
								 s->bill.same[j].k);
		feed_note(
			&b->file.v[i]->report,
			"%lld of its rows are of days that say what the store has already, and stay as they are (%s)",
			(long long)rows[i], name_marked(s));
	}
	return rc;
}

/* One export of an Azure bill in the place of two: what only the other one says goes with it. */
static int note_side_lost(struct set *s, struct err *err)
{
	struct book *b = s->book;
	struct bill_side *v;
	size_t n = 0;
	int64_t first = store_source(b->batch, 0);
	int rc = store_bill_sides(b->store, &s->bill, &b->mem, &v, &n, err);

	for (size_t k = 0; k < s->text.n && !rc; k++) {
		struct bill_side old = { 0 }, new = { 0 };
		struct book_file *f = NULL;
		for (size_t i = 0; i < n; i++) {
			struct bill_side *x = v[i].src < first ? &old : &new;
			if (v[i].k != k)
				continue;
			x->actual |= v[i].actual;
			x->amortised |= v[i].amortised;
			if (x == &new && !f)
				f = book_file_of(b, v[i].src);
		}
		bool lost = old.amortised && !new.amortised;
		bool fees = old.actual && !new.actual;
		if (!f || (!lost && !fees))
			continue;
		feed_note(
			&f->report,
			"it is the %s export of the bill (%s) and takes the place of the %s one too, without which %s: name both in one "
			"call, tare import --replace ACTUAL AMORTISED",
			lost ? "actual" : "amortised", key_name(s, k),
			lost ? "amortised" : "actual",
			lost ? "the effective cost of what commitments cover is not known"
			     : "the fees of commitments are not on it");
	}
	return rc;
}

static int take_out(struct set *s, struct err *err)
{
	struct book *b = s->book;
	struct bill_files taken;
	int rc = 0;

	if (!b->opt.partial && !b->opt.whole) {
		rc = check_subs(s, err);
		if (!rc)
			rc = check_days(s, err);
	}
	if (!rc && b->store && s->nold)
		rc = note_side_lost(s, err);
	if (!rc && b->store && s->nold)
		rc = leave_same(s, err);
	if (!rc)
		rc = store_bill_files(s->store, &s->bill, &b->mem, &taken, err);
	if (!rc && b->store)
		rc = rebuild_taken(s, &taken, err);
	if (rc)
		return rc;
	note_taken(s, taken.v, taken.n, true);
	note_taken(s, taken.v, taken.n, false);
	return 0;
}

/* ---- the same bill again ------------------------------------------------------------------ */

/* Charges of one month's bill hardly ever agree in every word. All of a file's are the same again;
 * so many that do, and half of either file, are the same bill: saved again, or the month so far and
 * then the whole of it. */
#define REPEATS_MIN 10

/* "'b.csv': 90 of its 99 charges are, word for word, those of 'a.csv'", said of the smaller. */
static int refuse_repeat(const struct book *b, const struct bill_repeat *r, struct err *err)
{
	const struct book_file *f = book_file_of(b, r->src), *other = book_file_of(b, r->of_src);
	bool here = r->of_src >= store_source(b->batch, 0);
	const char *path = "", *of = r->of_path, *where = "which was imported before";

	if (f)
		path = f->report.file;
	if (other)
		of = other->report.file;
	if (here)
		where = "which this call has too";
	if (r->lines <= r->of_lines)
		err_set(err, -EINVAL,
			"'%s': %lld of its %lld charges are, word for word, those of '%s', %s",
			path, (long long)r->repeated, (long long)r->lines, of, where);
	else
		err_set(err, -EINVAL,
			"'%s' has, word for word, %lld of the %lld charges of '%s', %s", path,
			(long long)r->repeated, (long long)r->of_lines, of, where);
	const char *out = NULL; /* all of it is in the other */
	if (r->repeated == r->lines)
		out = path;
	else if (r->repeated == r->of_lines)
		out = of;
	if (here && out)
		err_hint(err, "Leave '%s' out: the other has all of it.", out);
	else
		err_hint(
			err,
			here ? "Leave the older of the two out."
			     : "It is the same bill again, and would count twice: leave it out, or let it take the "
			       "place of the one before with --replace.");
	return -EINVAL;
}

/* Too few to say that it is the same bill: both are in, and what that comes to is told. */
static void note_repeat(struct set *s, const struct bill_repeat *r, size_t n, int64_t repeated)
{
	struct book_file *f = book_file_of(s->book, r->src), *of = book_file_of(s->book, r->of_src);

	if (!f)
		return;
	mark_none(s);
	for (size_t i = 0; i < n; i++) {
		mark_money(s, r[i].k, r[i].currency, r[i].billed);
		s->rows[r[i].k] += r[i].repeated;
	}
	feed_note(
		&f->report,
		"%lld of its %lld charges are, word for word, in '%s' too and count twice now (%s): where it is a newer export of the "
		"same bill, import it with --replace",
		(long long)repeated, (long long)r->lines, of ? of->report.file : r->of_path,
		name_marked(s));
}

/* What would be counted twice is not imported: the same bill packed, saved again or exported
 * again. */
static int refuse_repeats(struct set *s, const struct once *o, struct err *err)
{
	struct bill_repeat *r;
	size_t n = 0;
	int rc = store_bill_repeats(s->book->store, &s->bill, &s->book->mem, &r, &n, err);

	for (size_t i = 0, k; i < n && !rc; i += k) {
		struct bill_repeat all = r[i]; /* of the two files, whatever key and currency */
		for (k = 1; i + k < n && r[i + k].src == r[i].src && r[i + k].of_src == r[i].of_src;
		     k++)
			all.repeated += r[i + k].repeated;
		int64_t less = min_i64(all.lines, all.of_lines);
		bool half = all.repeated >= REPEATS_MIN && all.repeated >= less / 2;
		bool again = all.repeated == less || half;
		if (again || once_doubts(o, all.src, all.of_src))
			rc = refuse_repeat(s->book, &all, err);
		else
			note_repeat(s, &r[i], k, all.repeated);
	}
	return rc;
}

/* So many days of accounts that two formats bill to the cent, different sums among them, or so many
 * resources of a day, or so many machines of a day with the same hours, whatever they cost (before
 * and after discounts), and half of what both have: one month in two formats. */
#define RETOLD_MIN 3

/* Bills of which a file of the call tells no sub accounts are compared without them. */
static void compare_unnamed_subs(struct set *s)
{
	struct book *b = s->book;

	for (size_t i = 0; i < b->file.n; i++) {
		const struct book_file *f = b->file.v[i];
		mark_none(s);
		for (size_t k = 0; k < f->covers.n; k++) {
			int64_t at = intern_find(&s->cover, f->covers.text[k]);
			const struct bill_cover *c = &s->bill.cover[at];
			s->marked[c->k] |= *c->sub_account != 0;
		}
		for (size_t k = 0; k < s->text.n; k++)
			s->bill.key[k].any_sub |= file_has(s, f, k) && !s->marked[k];
	}
}

/* One month that came as the cloud's own export and as FOCUS. */
static int refuse_retold(struct set *s, struct err *err)
{
	struct book *b = s->book;
	struct bill_format *format = arena_alloc(&b->mem, (b->file.n + 1) * sizeof *format);
	struct bill_retold *r = NULL;
	size_t n = 0;

	s->bill.nformat = 0;
	for (size_t i = 0; i < b->file.n; i++) {
		const struct book_file *f = b->file.v[i];
		if (!f->already && f->bills.n)
			format[s->bill.nformat++] = (struct bill_format){
				store_source(b->batch, (int)f->row), f->report.kind
			};
	}
	s->bill.format = format;
	compare_unnamed_subs(s);
	int rc = store_bill_retold(b->store, &s->bill, &b->mem, &r, &n, err);
	for (size_t i = 0; i < n && !rc; i++, r++) {
		const struct book_file *f = book_file_of(b, r->src),
				       *of = book_file_of(b, r->of_src);
		const char *path = r->of_path, *where = "which was imported before";
		const char *has = "to the cent what it bills on";
		int64_t same = r->days, both = r->of_days;
		bool days = same >= RETOLD_MIN && same * 2 >= both && r->sums > 1;
		bool named = r->named >= RETOLD_MIN && r->named * 2 >= r->of_named;
		bool used = r->used >= RETOLD_MIN && r->used * 2 >= r->of_used;
		if (!f || !(days || named || used))
			continue;
		if (of) {
			path = of->report.file;
			where = "which this call has too";
		}
		if (!days && named) {
			has = "to the cent what it bills each resource on";
			same = r->named;
			both = r->of_named;
		} else if (!days) {
			has = "the hours that it has of the machines on";
			same = r->used;
			both = r->of_used;
		}
		rc = err_set(
			err, -EINVAL,
			"'%s' (%s) is %s in another format: '%s' (%s), %s, has %s %lld of %lld days of its accounts",
			f->report.file, r->kind, key_name(s, r->k), path, r->of_kind, where, has,
			(long long)same, (long long)both);
		err_hint(
			err,
			of ? "It would count twice: leave one of the two out."
			   : "It would count twice: leave it out, or let it take the place of the one before with "
			     "--replace.");
	}
	return rc;
}

int replace_bills(struct book *b, struct err *err)
{
	struct once once = { 0 };
	struct set s;
	int rc = 0;

	open_set(b, &s);
	bool has_bills = s.text.n > 0, stored = b->store && has_bills;
	if (stored && b->file.n > 1)
		rc = once_join_sides(b, &s.bill, &once, err);
	if (!rc && stored && b->file.n > 1)
		rc = once_in_call(b, &s.bill, &once, err);
	note_within(&s, &once);
	if (!rc && s.store && has_bills) {
		/* Bills of a format that tells no sub accounts stand for those of all: then they
		 * are not compared. */
		bool *named = arena_zalloc(&b->mem, s.text.n + 1),
		     *old = arena_zalloc(&b->mem, s.text.n + 1);
		rc = store_bill_earlier(s.store, &s.bill, &b->mem, &s.old, &s.nold, err);
		for (size_t i = 0; i < s.nold && !rc; i++) {
			named[s.old[i].k] |= *s.old[i].sub_account != 0;
			old[s.old[i].k] = true;
		}
		for (size_t k = 0; k < s.text.n && !rc; k++)
			s.bill.key[k].any_sub |= old[k] && !named[k];
	}
	if (!rc && s.store && has_bills && b->opt.replace)
		rc = take_out(&s, err);
	if (!rc && stored && s.nold && !b->opt.replace)
		rc = once_before(b, &s.bill, &once, err);
	for (size_t i = 0; i < b->file.n && !rc && !b->opt.replace; i++)
		if (!once_told(&once, i))
			note_earlier(&s, b->file.v[i]);
	bool several = s.nold || b->file.n > 1;
	if (!rc && stored && several)
		rc = refuse_repeats(&s, &once, err);
	if (!rc && stored && several)
		rc = refuse_retold(&s, err);
	if (!rc && stored)
		rc = same_remember(b, err);
	once_free(&once);
	intern_free(&s.text);
	intern_free(&s.cover);
	intern_free(&s.sub);
	intern_free(&s.day);
	vec_free(&s.money);
	str_free(&s.scratch);
	return rc;
}
