/* See job_words.h. */
#include "feed/jobs/job_words.h"

#include "base/str.h"
#include "model/job_end.h"

#define NAMED_MAX 5

void job_words_see(struct job_words *w, struct sv state)
{
	if (job_end_is_known(state))
		return;
	w->rows++;
	if (w->word.n <= NAMED_MAX) /* one more than is named: there are others */
		intern_add(&w->word, state);
}

void job_words_note(const struct job_words *w, struct feed_report *report)
{
	struct str s = { 0 };

	for (size_t i = 0; i < w->word.n && i < NAMED_MAX; i++)
		str_addf(&s, "%s'%.60s'", text_if(i, ", "), intern_z(&w->word, (uint32_t)i));
	if (w->rows)
		feed_note(report,
			  "state %s%s of %lld row%s is no word that is known: these jobs are taken "
			  "to have ended well, nothing of them is lost",
			  str_z(&s), text_if(w->word.n > NAMED_MAX, " and others"),
			  (long long)w->rows, plural(w->rows));
	str_free(&s);
}

void job_words_free(struct job_words *w)
{
	intern_free(&w->word);
}
