/* What closing could not book as it was told: jobs that held more than there was, or machines that
 * were not paid. Their time is scaled, or has no entry, and who imports it is told. */
#include "base/tm.h"
#include "book/post/post.h"

void post_count_rest(struct book *b, const struct attrib_rest *r)
{
	b->oversubscribed_ms += r->oversubscribed_ms;
	b->unpaid_alloc_ms += r->unpaid_alloc_ms;
}

/* A job that holds the GPU while the series is read, or NULL; one that the series is of ends it. */
static const struct holding *find_other(const struct post *p, size_t gpu, const struct series *s)
{
	const struct holding *other = NULL;

	for (size_t i = 0; i < p->hold.n; i++) {
		const struct holding *h = &p->hold.v[i];
		bool meets = s->from_ms < h->a.to_ms && s->to_ms > h->a.from_ms;
		if (attrib_reads(&h->a, SV_NULL, s->key.job_id))
			return NULL;
		if (!other && meets && hold_has_gpu(h, gpu) && h->a.job_id.n)
			other = h;
	}
	return other;
}

void post_count_misnamed(struct post *p)
{
	struct book *b = p->book;
	struct intern seen = { 0 };

	for (size_t c = 0; c < p->gpus.n; c++)
		for (size_t i = 0; i < p->gpus.v[c].series.n; i++) {
			const struct series *s = &p->series[p->gpus.v[c].series.v[i]];
			bool here = s->from_ms < p->to_ms && s->to_ms > p->from_ms;
			if (!here || !s->key.job_id.n || intern_find(&seen, s->key.job_id) >= 0)
				continue;
			const struct holding *h = find_other(p, c, s);
			if (!h)
				continue;
			intern_add(&seen, s->key.job_id);
			if (b->nmisnamed++)
				continue;
			b->misnamed = arena_sv(&b->mem, s->key.job_id);
			b->misnamed_held = arena_sv(&b->mem, h->a.job_id);
			b->misnamed_node = arena_sv(&b->mem, s->key.node);
		}
	intern_free(&seen);
}

void post_count_beyond(struct post *p, size_t n)
{
	struct book *b = p->book;

	for (size_t c = n; c < p->gpus.n; c++) {
		bool here = false;
		for (size_t i = 0; i < p->gpus.v[c].series.n && !here; i++) {
			const struct series *s = &p->series[p->gpus.v[c].series.v[i]];
			here = s->from_ms < p->to_ms && s->to_ms > p->from_ms;
		}
		if (!here || b->nbeyond++)
			continue;
		b->beyond = arena_sv(&b->mem, p->names.v.v[c].uuid);
		b->beyond_node = arena_sv(&b->mem, p->paid.node);
		b->beyond_has = n;
	}
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
	if (b->nmisnamed)
		feed_note(
			report,
			"readings name %zu job%s that no list has on the machine, and count for nothing while another holds the GPU: on %s '%s' beside '%s'; are they one (docs/LEDGER.md, Whose reading is it)?",
			b->nmisnamed, plural(b->nmisnamed), b->misnamed_node, b->misnamed,
			b->misnamed_held);
	if (b->nbeyond)
		feed_note(
			report,
			"readings of %zu GPU%s count for nothing: %s has %zu by its record or bill, all of them read meanwhile, and '%s' is one more; is its number of GPUs wrong (gpu_count of the node list), or are two machines under one name?",
			b->nbeyond, plural(b->nbeyond), b->beyond_node, b->beyond_has, b->beyond);
	if (b->unpaid_alloc_ms >= MS_MINUTE)
		feed_note(
			report,
			"%.1f GPU·h were held on machines that nobody paid then: they have no entry; do the node records end too early?",
			(double)b->unpaid_alloc_ms / MS_HOUR);
	return 0;
}
