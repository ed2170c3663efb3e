/* See once.h. */
#include "book/once.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/tm.h"

struct told {
	const struct bill_again *v;
	size_t n;
	size_t same; /* days that say the same */
	bool other;  /* days of both that do not */
	bool mostly; /* most rows of such a day are the same */
	bool newer;  /* most use of all days is the same, with other amounts, tags or words */
};

/* So many rows that tell the same use of a resource are two exports of one bill. */
#define USED_MIN 10

static bool is_same(const struct bill_again *r)
{
	return r->repeated == r->lines && r->repeated == r->of_lines;
}

/* The days from v on that two files have of one bill. */
static struct told read_told(const struct bill_again *v, size_t n)
{
	struct told t = { .v = v };
	int64_t used = 0, lines = 0, of_lines = 0;

	for (; t.n < n; t.n++) {
		const struct bill_again *r = &v[t.n];
		bool end = r->src != v->src || r->of_src != v->of_src || r->at.k != v->at.k;
		if (end)
			break;
		used += r->used;
		lines += r->lines;
		of_lines += r->of_lines;
		if (is_same(r)) {
			t.same++;
			continue;
		}
		t.other = true;
		int64_t most = max_i64(r->lines, r->of_lines);
		t.mostly |= r->repeated > 1 && r->repeated * 2 >= most;
	}
	t.newer = t.other && used >= USED_MIN && used * 2 >= min_i64(lines, of_lines);
	return t;
}

static struct bill_cover *same_days_of(struct book *b, const struct told *t)
{
	struct bill_cover *c = arena_alloc(&b->mem, (t->same + 1) * sizeof *c);
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (is_same(&t->v[i]))
			c[n++] = t->v[i].at;
	return c;
}

/* "2026-11-03", "3 days" */
static const char *name_days(struct book *b, const struct bill_cover *c, size_t n)
{
	size_t days = 0;
	char day[TM_BUF];

	for (size_t i = 0; i < n; i++) {
		bool seen = false;
		for (size_t j = 0; j < i && !seen; j++)
			seen = c[j].day_ms == c[i].day_ms;
		days += !seen;
	}
	if (days == 1)
		return arena_printf(&b->mem, "%s", tm_format_date(day, c->day_ms));
	return arena_printf(&b->mem, "%zu days", days);
}

/* Out of the file, as if it had not had them. Returns how many rows. */
static int64_t take_back(struct book *b, const struct bill_set *set, struct book_file *f,
			 const struct bill_cover *same, size_t nsame, struct err *err)
{
	struct bill_set days = *set;

	days.same = same;
	days.nsame = nsame;
	int64_t taken = store_bill_take_back(b->store, &days, (int)f->row, err);
	if (taken <= 0)
		return taken;
	f->report.rows_elsewhere += taken;
	int rc = direct_redo(b->direct, store_source(b->batch, (int)f->row), false, err);
	if (rc < 0)
		return rc;
	return taken;
}

static void note_told(const struct book *b, const struct book_file *f, struct once *o)
{
	for (size_t i = 0; i < b->file.n; i++)
		if (b->file.v[i] == f)
			*vec_push(&o->told) = i;
}

static int once_pair(struct book *b, const struct bill_set *set, const struct told *t,
		     struct once *o, struct err *err)
{
	struct book_file *f = book_file_of(b, t->v->src), *of = book_file_of(b, t->v->of_src);
	struct bill_cover *same = same_days_of(b, t);

	if (!f || !of)
		return 0;
	int64_t taken = take_back(b, set, f, same, t->same, err);
	if (taken > 0)
		note_told(b, f, o);
	if (taken > 0)
		feed_note(
			&f->report,
			"%lld of its rows (%s) are, word for word, in '%s' of this call too, and count once",
			(long long)taken, name_days(b, same, t->same), of->report.file);
	return (int)min_i64(taken, 0);
}

static int refuse_newer(const struct book *b, const struct told *t, struct err *err)
{
	const char *file = NULL;
	size_t files = 0;

	int64_t rows = 0, used = 0;
	char day[TM_BUF];
	const struct bill_again *other = NULL;

	for (size_t i = 0; i < t->n; i++) {
		rows += t->v[i].repeated;
		used += t->v[i].used;
		if (!other && !is_same(&t->v[i]))
			other = &t->v[i];
	}
	const struct book_file *f = book_file_of(b, t->v->src), *of = book_file_of(b, t->v->of_src);
	if (f && of) {
		err_set(err, -EINVAL,
			"'%s' and '%s' of this call: %lld rows tell the same use of the same resources, with other amounts, tags or words: "
			"two exports of one bill",
			of->report.file, f->report.file, (long long)used);
		err_hint(err, "Leave the older of the two out.");
		return -EINVAL;
	}
	for (size_t i = 0; i < b->file.n; i++) {
		if (b->file.v[i]->already || !b->file.v[i]->bills.n)
			continue;
		file = b->file.v[i]->report.file;
		files++;
	}
	assert(other); /* a call that says only the same is refused elsewhere */
	const char *quote = text_if(files == 1, "'");
	if (files > 1)
		file = "the bills of this call";
	if (t->same || t->mostly)
		err_set(err, -EINVAL,
			"%s%s%s: %lld rows are, word for word, in the store already, and of %s there are others than in the store: a newer "
			"export of a bill that was imported before",
			quote, file, quote, (long long)rows, tm_format_date(day, other->at.day_ms));
	else
		err_set(err, -EINVAL,
			"%s%s%s: %lld rows tell the same use of the same resources as rows in the store, with other amounts, tags or words "
			"(the first of %s): a newer export of a bill that was imported before",
			quote, file, quote, (long long)used, tm_format_date(day, other->at.day_ms));
	err_hint(
		err,
		"Import all its files in one call with --replace, so that they take the place of the older ones (--partial: of the "
		"sub accounts and days alone that they have).");
	return -EINVAL;
}

static size_t count_new_bills(const struct book *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->file.n; i++)
		n += !b->file.v[i]->already && b->file.v[i]->bills.n;
	return n;
}

int once_in_call(struct book *b, const struct bill_set *set, struct once *o, struct err *err)
{
	struct bill_agains again = { 0 };
	int rc = 0;

	if (count_new_bills(b) > 1)
		rc = store_bill_again(b->store, set, false, &b->mem, &again, err);

	for (size_t i = 0; i < again.n && !rc;) {
		struct told t = read_told(again.v + i, again.n - i);
		i += t.n;
		if (t.same && !t.other)
			rc = once_pair(b, set, &t, o, err);
		else if (t.newer && !t.same && !t.mostly)
			rc = refuse_newer(b, &t, err);
		else if (t.same || t.mostly)
			*vec_push(&o->doubt) = (struct once_doubt){ t.v->src, t.v->of_src };
	}
	return rc;
}

/* ---- Azure: what is invoiced, and what use costs ------------------------------------------ */

static bool is_one_side(const struct bill_side *s)
{
	return s->actual != s->amortised;
}

int once_join_sides(struct book *b, const struct bill_set *set, struct once *o, struct err *err)
{
	struct bill_side *v;
	size_t n = 0;
	int64_t first = store_source(b->batch, 0);
	int rc = store_bill_sides(b->store, set, &b->mem, &v, &n, err);

	for (size_t i = 0; i < n && !rc; i++)
		for (size_t j = 0; j < n && !rc; j++) {
			const struct bill_side *x = &v[i], *y = &v[j];
			bool pair = x->k == y->k && x->actual && y->amortised && is_one_side(x) &&
				    is_one_side(y);
			if (!pair || x->src < first || y->src < first)
				continue;
			int64_t gone = store_bill_join_sides(b->store, set, x->src, y->src, x->k,
							     err);
			if (gone < 0)
				return (int)gone;
			rc = direct_redo(b->direct, x->src, false, err);
			if (!rc)
				rc = direct_redo(b->direct, y->src, false, err);
			struct book_file *f = book_file_of(b, y->src),
					 *of = book_file_of(b, x->src);
			if (gone && f)
				note_told(b, f, o);
			if (f)
				f->report.rows_elsewhere += gone;
			if (of)
				of->report.rows_elsewhere += gone;
			if (gone && f && of)
				feed_note(
					&f->report,
					"the amortised export of the bill of which '%s' is the actual one: billed cost is from that, "
					"effective cost from this one; %lld rows that both have count once",
					of->report.file, (long long)gone);
		}
	return rc;
}

static const char *side_name(const struct bill_side *s)
{
	if (s->actual && s->amortised)
		return "both";
	return s->actual ? "the actual one" : "the amortised one";
}

/* The call has one side of the bill alone and the store the other alone. v [n]: of all bills. */
static int refuse_side(struct book *b, const struct bill_side *v, size_t n, size_t k,
		       struct err *err)
{
	struct bill_side here = { 0 }, there = { 0 };
	const struct book_file *f = NULL;

	for (size_t i = 0; i < n; i++) {
		bool mine = v[i].src >= store_source(b->batch, 0);
		struct bill_side *to = &there;
		if (v[i].k != k)
			continue;
		if (mine)
			to = &here;
		to->actual |= v[i].actual;
		to->amortised |= v[i].amortised;
		if (mine && !f)
			f = book_file_of(b, v[i].src);
	}
	bool same = here.actual == there.actual && here.amortised == there.amortised;
	if (!f || same)
		return 0;
	if (!is_one_side(&here) || (!there.actual && !there.amortised))
		return 0;
	err_set(err, -EINVAL,
		"'%s' is the %s export of a bill of which the store has %s: the actual one has what is invoiced (the fees of "
		"reservations), the amortised one what the use cost (what they cover, and what nobody used of it)",
		f->report.file, here.actual ? "actual" : "amortised", side_name(&there));
	err_hint(
		err,
		"Import the files of both in one call with --replace: then billed cost is what is invoiced and effective cost what "
		"the use cost. With --replace alone the other is lost.");
	return -EINVAL;
}

/* A call that says nothing but what is there is a mistake; the same beside new rows is not. */
static int refuse_whole(const struct book *b, const int64_t *rows, struct err *err)
{
	const struct book_file *f = NULL;

	for (size_t i = 0; i < b->file.n; i++) {
		if (b->file.v[i]->already || !b->file.v[i]->bills.n)
			continue;
		f = b->file.v[i];
		if (rows[i] != f->lines)
			return 0;
	}
	if (!f)
		return 0;
	err_set(err, -EINVAL, "'%s': all of its %lld rows are, word for word, in the store already",
		f->report.file, (long long)f->report.rows_kept);
	err_hint(
		err,
		"It is the same bill again, and would count twice: leave it out, or let it take the place of the one before with "
		"--replace.");
	return -EINVAL;
}

/* rows: [b->file.n] taken back so far */
static int once_store(struct book *b, const struct bill_set *set, const struct told *t,
		      int64_t *rows, struct err *err)
{
	struct bill_cover *same = same_days_of(b, t);

	for (size_t i = 0; i < b->file.n; i++) {
		struct book_file *f = b->file.v[i];
		if (f->already || !f->bills.n)
			continue;
		int64_t taken = take_back(b, set, f, same, t->same, err);
		if (taken < 0)
			return (int)taken;
		rows[i] += taken;
		if (taken)
			feed_note(
				&f->report,
				"%lld of its rows (%s) are, word for word, in the store already, and count once",
				(long long)taken, name_days(b, same, t->same));
	}
	return 0;
}

int once_before(struct book *b, const struct bill_set *set, struct once *o, struct err *err)
{
	int64_t *rows = arena_zalloc(&b->mem, (b->file.n + 1) * sizeof *rows);
	struct bill_agains again = { 0 };
	struct bill_side *side;
	size_t nside = 0;
	int rc = store_bill_again(b->store, set, true, &b->mem, &again, err);

	if (!rc && again.n)
		rc = store_bill_sides(b->store, set, &b->mem, &side, &nside, err);
	for (size_t i = 0; i < again.n && !rc;) {
		struct told t = read_told(again.v + i, again.n - i);
		i += t.n;
		rc = refuse_side(b, side, nside, t.v->at.k, err);
		if (rc)
			break;
		if (t.same && !t.other)
			rc = once_store(b, set, &t, rows, err);
		else if (t.same || t.mostly || t.newer)
			rc = refuse_newer(b, &t, err);
	}
	for (size_t i = 0; i < b->file.n; i++)
		if (rows[i])
			*vec_push(&o->told) = i;
	return rc ? rc : refuse_whole(b, rows, err);
}

bool once_told(const struct once *o, size_t file)
{
	for (size_t i = 0; i < o->told.n; i++)
		if (o->told.v[i] == file)
			return true;
	return false;
}

bool once_doubts(const struct once *o, int64_t src, int64_t of_src)
{
	for (size_t i = 0; i < o->doubt.n; i++)
		if (o->doubt.v[i].src == src && o->doubt.v[i].of_src == of_src)
			return true;
	return false;
}

void once_free(struct once *o)
{
	vec_free(&o->doubt);
	vec_free(&o->told);
}
