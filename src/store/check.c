#include "store/check.h"

#include "base/str.h"
#include "base/tm.h"
#include "store/inside.h"

#define NANO 1000 /* of a dec's 10^-12 */

struct finder {
	struct arena *mem;
	struct check_diffs *io;
};

static void take_diff(struct check_diffs *io, const struct check_diff *d)
{
	if (io->kept.n < io->most)
		*vec_push(&io->kept) = *d;
	io->all++;
}

/* ---- money ------------------------------------------------------------------------------- */

static void compare_money(void *ctx, const struct check_money *m)
{
	struct finder *x = ctx;

	for (size_t b = 0; b < BASIS_N; b++) {
		dec entries = m->nano[b] * NANO - m->rated[b];
		/* a line and an entry leave half a nano unit at most: what is more is no
		 * rounding */
		dec most = ((dec)m->nrows + 1) * (NANO / 2);
		bool rounding = m->rest[b] <= most && m->rest[b] >= -most;
		if (m->lines[b] == entries + m->rest[b] && rounding)
			continue;
		take_diff(x->io, &(struct check_diff){ .scope = arena_sv(x->mem, m->scope),
						       .gpu = "",
						       .currency = arena_sv(x->mem, m->currency),
						       .from_ms = m->from_ms,
						       .to_ms = m->to_ms,
						       .basis = (enum basis)b,
						       .lines = m->lines[b],
						       .entries = entries,
						       .rest = m->rest[b] });
	}
}

int store_check_money(struct store *s, const struct check_what *what, struct arena *a,
		      struct check_diffs *io, struct err *err)
{
	struct finder x = { a, io };

	return facts_check_money(s->facts, what, compare_money, &x, err);
}

/* ---- time -------------------------------------------------------------------------------- */

static void compare_time(void *ctx, const struct check_time *t)
{
	struct finder *x = ctx;
	bool paid = t->paid_milli_ms >= 0;

	take_diff(x->io, &(struct check_diff){ .scope = arena_sv(x->mem, t->scope),
					       .gpu = arena_sv(x->mem, t->gpu),
					       .currency = "",
					       .from_ms = t->hour_ms,
					       .to_ms = t->hour_ms + MS_HOUR,
					       .is_time = true,
					       .ms = t->ms,
					       .paid_milli_ms = paid ? t->paid_milli_ms
								     : MS_HOUR * 1000 });
}

int store_check_time(struct store *s, const struct check_what *what, struct arena *a,
		     struct check_diffs *io, struct err *err)
{
	struct finder x = { a, io };

	return facts_check_time(s->facts, what, compare_time, &x, err);
}

const char *check_sentence(const struct check_diff *d, struct arena *a)
{
	char from[TM_BUF], to[TM_BUF], line[DEC_BUF], entries[DEC_BUF], rest[DEC_BUF];

	tm_format(from, d->from_ms);
	tm_format(to, d->to_ms);
	if (d->is_time)
		return arena_printf(a, "'%s'%s%s at %s: entries of %lld ms, paid were %s ms",
				    d->scope, text_if(*d->gpu, " GPU "), d->gpu, from,
				    (long long)d->ms,
				    dec_format(line, (dec)d->paid_milli_ms * (DEC_ONE / 1000)));
	return arena_printf(
		a,
		"'%s' from %.10s to %.10s: bill lines of %s %s, entries of %s, remainder %s (%s)",
		d->scope, from, to, dec_format(line, d->lines), d->currency,
		dec_format(entries, d->entries), dec_format(rest, d->rest), basis_name(d->basis));
}
