#ifndef TARE_BOOK_BOOK_H
#define TARE_BOOK_BOOK_H
/*
 * Book-keeping: takes what feeds bring, puts it into the store, and posts closed entries, all in
 * one batch.
 *
 *   feed -> sink (sink.c) -> store   raw facts of the batch; which scopes they touch is remembered
 *                                    (dirty.c)
 *   join (join of nodes and bill resources), then for every dirty scope: reverse what was posted
 *   for the touched days, load facts, attribute (ledger/attrib.h), post again (post.c)
 *
 * A scope (model/scope.h) is what is closed and rebuilt together: a node, a pool of anonymous GPUs,
 * a GPU without a node, a bill resource without a node, a file of bill lines that are no machine's
 * time (posted as read, and again where a later bill took some of its months).
 */
#include "base/err.h"
#include "catalog/catalog.h"
#include "feed/feed.h"
#include "ledger/conf.h"
#include "store/store.h"

struct book_opt {
	const struct conf *conf;
	const char *command; /* for the journal: "tare import" */
	const char *kind;    /* --as */
	const struct feed_map *map;
	/* " --map NAME --set KEY=VALUE": how the files are read, for a shell; kept with the batch,
	 * for advice to import them again. NULL: as they are */
	const char *words;
	bool alone; /* of one file: --set of what it has not is an error, as in feed_run */
	const struct feed_set *set;
	size_t nset;
	int64_t at_ms, now_ms, max_rejects;
	/* partial: only what the new bills have sub accounts and days of is replaced; whole: they
	 * are all there is, whatever they lack of what they replace */
	bool replace, partial, whole;
	/* of a dry run: where it looks for what is there already, open for reading; or NULL */
	struct store *look;
	/* [ncovers] clusters of which the jobs of these files are all there were, over [from,
	 * to), or as far as the jobs reach (both UNKNOWN_MS) */
	const char **covers;
	size_t ncovers;
	int64_t covers_from_ms, covers_to_ms;
	/* may be NULL */
	void (*progress)(void *ctx, const char *label, int64_t rows, int64_t done_bytes,
			 int64_t size_bytes);
	/* the same of work of which it is known how much there is; may be NULL */
	void (*steps)(void *ctx, const char *label, const char *unit, int64_t done, int64_t of);
	void *progress_ctx;
	/* a line for people, such as what became of an older ledger; may be NULL; ctx as above */
	void (*said)(void *ctx, const char *line);
};

struct book_file {
	struct feed_report report;
	/* imported before: nothing was changed, json is the report of that time */
	bool already;
	int64_t batch; /* that batch */
	const char
		*json; /* object of the import report, in the book's memory; after book_commit() */
	/* GPU time the rows stand for, for people (exact sums are in the ledger): of nodes and bill
	 * lines, where there are none of jobs, else of samples. */
	double gpu_seconds;
	double paid_s, held_s, seen_s;
	bool instances; /* samples of MIG instances are in seen_s, each for all of its time */
	/* jobs that still run: GPUs, and GPUs x the second at which they were started */
	double running, running_from_s;
	bool has_jobs;
	/* of its bill lines: provider, account and month of each; the same with sub account and
	 * day; of the last line */
	struct intern bills, covers;
	struct str bill_key, id;
	int64_t lines; /* rows of its bills that lines stand for: a row may be two lines */
	size_t row;    /* in the batch: its own, or that of the file of this call that it repeats */
};

/* The setting of a store that says which rules of owners matched: the digest of the settings,
 * then a line for each rule, "+" or "-" and what is nearest to what it asks for. */
#define BOOK_RULES "owner.rules_matched"

/* The setting of a store that has the words of a batch: book_opt.words; %lld: the batch. */
#define BOOK_WORDS "import.words.%lld"

struct book;

/* Start a batch. s NULL: a dry run that reads and counts and keeps nothing. The store must be open
 * for writing. */
int book_begin(struct store *s, const struct book_opt *opt, struct book **ret, struct err *err);
/* import.c: read one file. After an error the book can only be aborted. *ret is owned by the
 * book. */
int book_add_file(struct book *b, const char *path, const struct book_file **ret, struct err *err);
struct book_rows {
	const char *name, *kind;
	int (*run)(void *ctx, const struct feed_sink *sink, struct feed_report *report,
		   struct err *err);
	void *ctx;
};
/* Rows from elsewhere (a Prometheus server): run() as if it were a file of this name. */
int book_add_rows(struct book *b, const struct book_rows *rows, const struct book_file **ret,
		  struct err *err);
/* Bills that stand for earlier ones take their place, what was touched is rebuilt, the reports are
 * completed; commit: from here on everything is in. Frees nothing. */
int book_commit(struct book *b, struct err *err);
/* Free; a book that was not committed is rolled back. */
void book_free(struct book *b);

#endif
