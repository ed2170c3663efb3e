#ifndef TARE_FEED_JOBS_JOB_WORDS_H
#define TARE_FEED_JOBS_JOB_WORDS_H
/* Words of a job list for how a job ended that nobody knows: they are told, with their rows.
 * Zero-initialise. */
#include "base/mem.h"
#include "feed/feed.h"

struct job_words {
	struct intern word; /* the first few */
	int64_t rows;
};
void job_words_see(struct job_words *w, struct sv state);
void job_words_note(const struct job_words *w, struct feed_report *report);
void job_words_free(struct job_words *w);

#endif
