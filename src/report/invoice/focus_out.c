/* See focus_out.h. */
#include "report/invoice/focus_out.h"

#define FLUSH_BYTES (1 << 20)

int focus_out_flush(struct focus_out *x, struct err *err)
{
	int r = x->put(x->ctx, str_sv(&x->text), err);

	str_clear(&x->text);
	return r;
}

static void put_entry(void *ctx, const struct entry *e)
{
	focus_add_entry(((struct focus_out *)ctx)->f, e);
}

static int put_line(void *ctx, const struct bill_line *b, struct sv scope, struct err *err)
{
	struct focus_out *x = ctx;

	focus_line(x->f, b, scope, &x->text);
	if (x->text.n > FLUSH_BYTES)
		return focus_out_flush(x, err);
	return 0;
}

static int put_unbilled(void *ctx, struct err *err)
{
	struct focus_out *x = ctx;

	focus_unbilled(x->f, &x->text);
	x->unpriced_ms = focus_counts(x->f).unpriced_ms;
	return focus_out_flush(x, err);
}

static void clear_out(void *ctx)
{
	focus_clear(((struct focus_out *)ctx)->f);
}

struct focus_sink focus_out_begin(struct focus_out *x)
{
	x->f = focus_new();
	focus_header(&x->text);
	return (struct focus_sink){ .ctx = x,
				    .entry = put_entry,
				    .line = put_line,
				    .unbilled = put_unbilled,
				    .clear = clear_out };
}

void focus_out_free(struct focus_out *x)
{
	if (x->f)
		focus_free(x->f);
	str_free(&x->text);
}
