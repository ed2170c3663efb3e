/* Requests that came before: a log read again under another name, or two exports that overlap. */
#include <errno.h>
#include <stdlib.h>

#include "book/in.h"

#define AGAIN_MIN 10 /* requests; fewer agree by chance */

/*
 * Half of the smaller file in the same words, minute by minute; under another name of the service
 * all of both, as a log that was read with another --set has it.
 */
static bool is_same_log(const struct request_repeat *r)
{
	int64_t less = r->requests < r->of_requests ? r->requests : r->of_requests;

	if (r->repeated < AGAIN_MIN)
		return false;
	if (r->same_service)
		return r->repeated >= (less + 1) / 2;
	return r->repeated == r->requests && r->repeated == r->of_requests;
}

int again_refuse_requests(struct book *b, struct err *err)
{
	struct request_repeat *r = NULL;
	size_t n = 0;
	int rc;

	if (!b->saw_requests || !b->store)
		return 0;
	rc = store_request_repeats(b->store, &b->mem, &r, &n, err);
	for (size_t i = 0; i < n && !rc; i++) {
		struct book_file *f = book_file_of(b, r[i].src),
				 *other = book_file_of(b, r[i].of_src);
		const char *of = other ? other->report.file : r[i].of_path;
		if (!f)
			continue;
		bool server = !strcmp(f->report.kind, "prometheus");
		if (is_same_log(&r[i]) && !server) {
			rc = err_set(
				err, -EINVAL,
				"'%s': %lld of its %lld requests are, minute by minute, those of '%s', %s",
				f->report.file, (long long)r[i].repeated, (long long)r[i].requests,
				of,
				other ? "which this call has too" : "which was imported before");
			err_hint(
				err,
				"They would count twice: leave one of the two out%s. Requests of another replica are "
				"told apart by a tenant: --set tenant=NAME",
				other ? ""
				      : ", or let a file of the same name take its place with --replace");
		} else if (r[i].same_service && r[i].repeated >= AGAIN_MIN) {
			feed_note(
				&f->report,
				"%lld of its %lld requests are, minute by minute, those of '%s' too and count "
				"twice: %s",
				(long long)r[i].repeated, (long long)r[i].requests, of,
				server ? "ask from where the last import ended, with --since"
				       : "take the minutes out that both have");
		}
	}
	return rc;
}
