/* Reading and giving out lines of bills; see bill_rows.h. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>

#include "base/jscan.h"
#include "base/num.h"
#include "base/tm.h"
#include "feed/bill/bill_rows.h"
#include "feed/feeds.h"
#include "feed/tags.h"
#include "model/cloud_id.h"

#define WORDS_MAX 50 /* unusual words that are told; more say nothing new */

static const char *const sum_name[BILL_SUMS] = { "BilledCost", "EffectiveCost", "ListCost",
						 "ContractedCost" };

bool bill_named(const struct sv *col, size_t ncol, const char *names)
{
	struct sv rest = sv_of(names);

	while (rest.n) {
		struct sv name = sv_cut(rest, '|', &rest);
		char one[80];
		snprintf(one, sizeof one, "%.*s", SVF(name));
		if (tab_find(col, ncol, one, true) >= 0)
			return true;
	}
	return false;
}

static int check_needed(const struct bill_rows *w, const int *needed, struct err *err)
{
	const struct feed_report *p = w->r->report;

	for (; needed && *needed >= 0; needed++)
		if (!bill_has(w, *needed)) {
			struct sv rest, first = sv_cut(sv_of(w->name[*needed]), '|', &rest);
			err_set(err, -EINVAL, "'%s' has no column '%.*s'%s%.*s%s, which %s needs",
				p->file, SVF(first), text_if(rest.n, " (or "), SVF(rest),
				text_if(rest.n, ")"), p->kind);
			err_hint(err,
				 "Add it to the export, or give a constant with --set NAME=VALUE.");
			return -EINVAL;
		}
	return 0;
}

/* What --set gives a column, by any of its names; the last one given wins. {NULL,0}: nothing. */
static struct sv find_set(const struct feed_run *r, const char *names)
{
	for (size_t k = r->nset; k-- > 0;) {
		struct sv key = sv_of(r->set[k].key);
		if (bill_named(&key, 1, names))
			return sv_of(r->set[k].value);
	}
	return SV_NULL;
}

/* --set must name columns that this feed reads. */
static int check_set(const struct bill_rows *w, struct err *err)
{
	const struct feed_run *r = w->r;
	int rc = 0;

	for (size_t k = 0; k < r->nset && !rc; k++) {
		struct sv key = sv_of(r->set[k].key);
		bool known = false;
		for (size_t i = 0; w->name[i] && !known; i++)
			known = bill_named(&key, 1, w->name[i]);
		if (!known)
			rc = feed_set_unknown(w->r, r->set[k].key, NULL, err);
	}
	return rc;
}

int bill_rows_open(struct bill_rows *w, struct feed_run *r, const char *const *name,
		   const int *needed, struct err *err)
{
	int rc;

	*w = (struct bill_rows){ .r = r, .name = name };
	w->quoted = tab_col(r->tab, FOCUS_QUOTED) >= 0;
	for (; name[w->n] && w->n < BILL_MAX_COLS; w->n++) {
		size_t i = w->n;
		struct sv rest = sv_of(name[i]), one;
		w->col[i] = -1;
		w->fixed[i] = find_set(r, name[i]);
		while (rest.n && w->col[i] < 0) {
			one = sv_cut(rest, '|', &rest);
			snprintf(w->field_name[i], sizeof w->field_name[i], "%.*s", SVF(one));
			w->col[i] = tab_find(r->tab->col, r->tab->ncol, w->field_name[i], true);
		}
		if (w->fixed[i].p && w->col[i] >= 0)
			feed_set_beside(r, w->field_name[i], w->field_name[i]);
	}
	assert(!name[w->n]);
	rc = check_set(w, err);
	if (!rc)
		rc = check_needed(w, needed, err);
	if (rc)
		return rc;
	return bill_classifier_new(&w->classifier, err);
}

void bill_rows_close(struct bill_rows *w)
{
	struct feed_report *p = w->r->report;

	if (!w->classifier)
		return;
	/* each sum in each currency, in the order in which the file has them */
	if (!w->sums.n) { /* no row: sums of nothing */
		intern_add(&w->currencies, SV(""));
		*vec_push(&w->sums) = (struct bill_sums){ .sum = { 0 } };
	}
	for (int i = 0; i < BILL_SUMS; i++)
		for (size_t k = 0; k < w->sums.n && w->has_sum[i]; k++) {
			const struct bill_sums *s = &w->sums.v[k];
			*vec_push(&p->sums) = (struct feed_sum){
				.name = sum_name[i],
				.currency = arena_sv(&p->mem, w->currencies.text[k]),
				.sum = s->sum[i],
				.known = s->known[i],
				.unknown = s->unknown[i],
			};
		}

	if (w->negative_usage)
		feed_note(
			p,
			"usage rows with a negative cost that are not marked as corrections, kept as billed: %lld",
			(long long)w->negative_usage);
	if (w->days.either && !w->days.month_first)
		feed_note(
			p,
			"no day of the file is above 12 and no billing period tells: '%s' is read as month/day/year",
			w->days.text);
	if (w->unknown_machines)
		feed_note(
			p,
			"rows of machines of which nothing says whether they have GPUs: %lld, the first '%s'; their GPU time is unknown, not 0: say it with --set gpu_model=MODEL --set gpu_count=N, or in a node list with their resource ids",
			(long long)w->unknown_machines, w->unknown_type);
	if (w->bad_tags)
		feed_note(p, "rows whose tags are no JSON object, the tags left out: %lld",
			  (long long)w->bad_tags);
	intern_free(&w->words);
	intern_free(&w->currencies);
	vec_free(&w->sums);
	str_free(&w->tags_given);
	str_free(&w->tags_form);
	str_free(&w->account);
	str_free(&w->sub_account);
	bill_classifier_free(w->classifier);
	w->classifier = NULL;
}

int bill_rows_next(struct bill_rows *w, struct err *err)
{
	int rc;

	for (;;) {
		rc = tab_next(w->r->tab, &w->cell, err);
		w->row = rc > 0;
		if (rc == 0) {
			const struct bill_days *d = &w->days;

			if (!d->swapped || d->month_first)
				return 0;
			err_set(err, -EINVAL,
				"%lld row%s outside of the billing period as month/day/year and inside as "
				"day/month/year, the first in line %lld: '%s'",
				(long long)d->swapped, d->swapped == 1 ? " is" : "s are",
				(long long)d->line, d->text);
			err_hint(err, "%s", FEED_HINT_DAYS);
			return -EINVAL;
		}
		if (rc < 0 && rc != -EDOM)
			return rc;
		feed_tick(w->r);
		w->bad = NULL;
		if (rc > 0)
			return 1;
		char why[sizeof err->msg];
		snprintf(why, sizeof why, "%s", err->msg);
		if ((rc = feed_reject(w->r, w->r->tab->line, "", err, "%s", why)) < 0)
			return rc;
	}
}

void bill_bad(struct bill_rows *w, int i, const char *fmt, ...)
{
	va_list ap;

	if (w->bad)
		return;
	va_start(ap, fmt);
	vsnprintf(w->why, sizeof w->why, fmt, ap);
	va_end(ap);
	w->bad = w->field_name[i];
}

bool bill_good(struct bill_rows *w, int *rc, struct err *err)
{
	if (!w->bad)
		return true;
	*rc = feed_reject(w->r, w->r->tab->line, w->bad, err, "%s", w->why);
	return false;
}

/* ---- cells ------------------------------------------------------------------------------- */

/* How much of a value a message shows: its first 60 bytes. */
static int shown_len(struct sv v)
{
	return (int)min_size(v.n, 60);
}

bool bill_dec(struct bill_rows *w, int i, dec *ret)
{
	struct sv v = bill_text(w, i);
	int rc;

	if (!v.n)
		return false;
	if ((rc = dec_parse(v, 0, ret)) == 0)
		return true;
	if (rc == -ERANGE)
		bill_bad(w, i, "'%.*s' is too large", shown_len(v), v.p);
	else
		bill_bad(w, i, "'%.*s' is not a decimal", shown_len(v), v.p);
	return false;
}

bool bill_amount(struct bill_rows *w, int i, dec *ret)
{
	if (!bill_dec(w, i, ret))
		return false;
	if (dec_fits_nano(*ret))
		return true;
	bill_bad(w, i, "'%.*s' is more than 9.2 billion, the most a line can be",
		 shown_len(bill_text(w, i)), bill_text(w, i).p);
	return false;
}

int64_t bill_time(struct bill_rows *w, int i)
{
	struct sv v = bill_text(w, i);
	struct bill_time_cache *c = &w->time[i];
	int64_t ms;

	if (!v.n)
		return UNKNOWN_MS;
	if (v.n == c->n && !memcmp(v.p, c->text, v.n))
		return c->ms;
	/* BigQuery writes the zone's name */
	struct sv t = v;
	if (sv_ends(v, SV(" UTC")))
		t = (struct sv){ v.p, v.n - 4 };
	if (tm_parse(t, 0, &ms) < 0 &&
	    (!memchr(v.p, '/', v.n) || tm_parse_slashed(v, 0, 0, &ms) < 0)) {
		bill_bad(w, i, "'%.*s' is not a time", shown_len(v), v.p);
		return UNKNOWN_MS;
	}
	if (v.n <= sizeof c->text) {
		memcpy(c->text, v.p, v.n);
		c->n = v.n;
		c->ms = ms;
	}
	return ms;
}

void bill_usage_time(struct bill_rows *w, int from, int to, struct bill_line *ret)
{
	ret->from_ms = bill_time(w, from);
	ret->to_ms = bill_time(w, to);
	if (ret->from_ms == UNKNOWN_MS)
		bill_bad(w, from, "is empty");
	if (ret->to_ms == UNKNOWN_MS)
		ret->to_ms = ret->from_ms;
	if (ret->to_ms < ret->from_ms)
		bill_bad(w, to, "'%.*s' is before the start of the usage", SVF(bill_text(w, to)));
}

static bool is_in_period(const struct bill_line *b, int64_t ms)
{
	int64_t to_ms = b->period_to_ms;

	if (b->period_from_ms == UNKNOWN_MS)
		return false;
	if (to_ms == UNKNOWN_MS)
		to_ms = tm_month_start(b->period_from_ms, 1);
	return ms >= b->period_from_ms && ms < to_ms;
}

void bill_note_day(struct bill_rows *w, int i, const struct bill_line *b)
{
	struct sv v = bill_text(w, i);
	struct bill_days *d = &w->days;
	int64_t other;

	if (d->month_first || v.n < 4 || (v.p[1] != '/' && v.p[2] != '/'))
		return;
	if (tm_parse_slashed(v, true, 0, &other) < 0) {
		/* what is no day in either order proves neither */
		d->month_first = b->from_ms != UNKNOWN_MS;
		return;
	}
	if (other == b->from_ms || is_in_period(b, b->from_ms))
		return;
	bool swapped = is_in_period(b, other);
	bool first = !d->swapped && (swapped || !d->either);
	if (first) {
		d->line = w->r->tab->line;
		snprintf(d->text, sizeof d->text, "%.*s", SVF(v));
	}
	d->swapped += swapped;
	d->either += !swapped;
}

struct sv bill_json(struct bill_rows *w, int i)
{
	struct sv v = bill_text(w, i);

	if (!v.n)
		return SV_NULL;
	if (sv_eq(v, w->last_tags))
		return v;
	if (!jscan_is_object(v)) {
		w->bad_tags++;
		return SV_NULL;
	}
	if (v.n <= sizeof w->tags_buf) {
		memcpy(w->tags_buf, v.p, v.n);
		w->last_tags = (struct sv){ w->tags_buf, v.n };
	}
	return v;
}

/* ---- giving ------------------------------------------------------------------------------ */

void bill_word(struct bill_rows *w, const char *column, struct sv word)
{
	if (!word.n || w->words.n >= WORDS_MAX || intern_find(&w->words, word) >= 0)
		return;
	intern_add(&w->words, word);
	feed_note(w->r->report, "%s '%.*s' is none of the known words; kept as it is", column,
		  shown_len(word), word.p);
}

static void add_sum(struct bill_sums *s, enum bill_sum i, bool known, dec v)
{
	s->known[i] += known;
	s->unknown[i] += !known;
	if (known) /* amounts fit 64 bits of nano, so any number of rows fits 127 of pico */
		s->sum[i] += v;
}

/*
 * A billing period is the name of a month: midnights that begin one somewhere on earth are taken as
 * its first instant, so that exports written in different zones speak of the same month.
 */
static int64_t month_mark(int64_t ms)
{
	const int64_t ahead = 14 * MS_HOUR, behind = 12 * MS_HOUR; /* zones: +14:00 to -12:00 */

	if (ms == UNKNOWN_MS)
		return ms;
	int64_t start = tm_month_start(ms + ahead, 0);
	if (within_i64(ms, start - ahead, start + behind))
		return start;
	return ms;
}

/* Rows are told apart by their tags too: one bill as CSV and as Parquet spells them differently. */
static struct sv form_of_tags(struct bill_rows *w, struct sv tags)
{
	if (!tags.n)
		return SV_NULL;
	if (!sv_eq(tags, str_sv(&w->tags_given))) {
		struct sv form = tags_one_form(&w->tags_form, tags);
		if (form.p == tags.p)
			return tags;
		if (!form.n)
			str_clear(&w->tags_form);
		str_clear(&w->tags_given);
		str_addsv(&w->tags_given, tags);
	}
	if (w->tags_form.n)
		return str_sv(&w->tags_form);
	return SV_NULL;
}

int bill_give(struct bill_rows *w, struct bill_line *b, const struct bill_evidence *e,
	      struct err *err)
{
	int rc;

	bill_take_row(w, b);
	b->period_from_ms = month_mark(b->period_from_ms);
	b->period_to_ms = month_mark(b->period_to_ms);
	b->account = cloud_account(b->provider, b->account, false, &w->account);
	b->sub_account = cloud_sub_account(b->provider, b->sub_account, false, &w->sub_account);
	bill_find_capacity(b);
	w->used_gpu |= bill_classify(w->classifier, b, e);
	if (bill_is_unknown_machine(b) && !w->unknown_machines++)
		snprintf(w->unknown_type, sizeof w->unknown_type, "%.*s",
			 SVF(sv_or(b->instance_type, b->charge_description)));
	if (e->owner_tags.n && b->kind != KIND_GPU)
		b->tags = e->owner_tags;
	else if (e->owner_tags.n)
		feed_note(
			w->r->report,
			"GPU machines that the bill has split already are split again, by the allocations known here: AllocatedTags of their rows are not used");
	b->tags = form_of_tags(w, b->tags);
	if (b->purchase.n && b->commitment_type.n && sv_eq(b->purchase, b->commitment_type) &&
	    !purchase_is_known(b->purchase))
		feed_note(
			w->r->report,
			"rows of the bill do not say the term of '%.*s': kept as it is, as time that cannot be given back, where no node list says more",
			shown_len(b->purchase), b->purchase.p);
	else if (b->purchase.n && !purchase_is_known(b->purchase))
		bill_word(w, "purchase", b->purchase);
	if (b->has_cost[BASIS_BILLED] && b->cost[BASIS_BILLED] < 0 &&
	    sv_is(b->charge_category, "Usage") && !b->charge_class.n)
		w->negative_usage++;
	if ((rc = w->r->sink->bill(w->r->sink->ctx, b, err)) < 0)
		return rc;
	uint32_t id = intern_add(&w->currencies, sv_or(b->currency, SV("")));
	if (id == w->sums.n)
		*vec_push(&w->sums) = (struct bill_sums){ .sum = { 0 } };
	struct bill_sums *s = &w->sums.v[id];
	add_sum(s, SUM_BILLED, b->has_cost[BASIS_BILLED], b->cost[BASIS_BILLED]);
	add_sum(s, SUM_EFFECTIVE, b->has_cost[BASIS_EFFECTIVE], b->cost[BASIS_EFFECTIVE]);
	add_sum(s, SUM_LIST, b->has_cost[BASIS_LIST], b->cost[BASIS_LIST]);
	add_sum(s, SUM_CONTRACTED, b->has_contracted, b->contracted);
	feed_cover(w->r->report, b->from_ms, b->to_ms);
	return 0;
}
