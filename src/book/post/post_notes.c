/* What closing could not book as it was told: jobs that held more than there was, or machines that
 * were not paid. Their time is scaled, or has no entry, and who imports it is told. */
#include "base/tm.h"
#include "book/in.h"

void post_count_rest(struct book *b, const struct attrib_rest *r)
{
	b->oversubscribed_ms += r->oversubscribed_ms;
	b->unpaid_alloc_ms += r->unpaid_alloc_ms;
}

struct feed_report *book_first_report(struct book *b)
{
	for (size_t i = 0; i < b->file.n; i++)
		if (!b->file.v[i]->already)
			return &b->file.v[i]->report;
	return NULL;
}

struct book_file *book_file_of(const struct book *b, int64_t src)
{
	for (size_t i = 0; i < b->file.n; i++)
		if (!b->file.v[i]->already && store_source(b->batch, (int)b->file.v[i]->row) == src)
			return b->file.v[i];
	return NULL;
}

int post_notes(struct book *b, struct err *err)
{
	struct feed_report *report = book_first_report(b);
	size_t overruled;
	int r = store_samples_overruled(b->store, &overruled, err);

	if (!report || r < 0)
		return r;
	if (overruled)
		feed_note(
			report,
			"%zu of the readings told here are contradicted by a later row of the same machine, GPU and time, which holds: are two GPUs or machines under one name (columns node, gpu, mig, cluster)?",
			overruled);
	if (b->oversubscribed_ms >= MS_MINUTE)
		feed_note(
			report,
			"oversubscribed: for %.1f hours jobs held more than the GPUs there were, and their shares were scaled down to these; are GPUs of jobs or nodes wrong, or machines missing?",
			(double)b->oversubscribed_ms / MS_HOUR);
	if (b->unpaid_alloc_ms >= MS_MINUTE)
		feed_note(
			report,
			"%.1f GPU·h were held on machines that nobody paid then: they have no entry; do the node records end too early?",
			(double)b->unpaid_alloc_ms / MS_HOUR);
	return 0;
}
