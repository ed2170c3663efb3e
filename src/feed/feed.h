#ifndef TARE_FEED_FEED_H
#define TARE_FEED_FEED_H
/*
 * What comes in. A feed reads one format and hands rows of the model to a sink; it knows nothing of
 * the store. Rows that cannot be read are named (line, field, reason) and counted, never silently
 * dropped.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/input.h"
#include "base/mem.h"
#include "base/tab.h"
#include "model/model.h"

/* Where rows go. Each function returns 0 or a negative errno with the error set; it copies what it
 * keeps. */
struct feed_sink {
	void *ctx;
	int (*node)(void *ctx, const struct node *n, struct err *err);
	int (*allocation)(void *ctx, const struct allocation *a, struct err *err);
	int (*sample)(void *ctx, const struct sample_key *k, const struct sample *s,
		      struct err *err);
	int (*request)(void *ctx, const struct request_row *r, struct err *err);
	int (*price)(void *ctx, const struct price *p, struct err *err);
	int (*bill)(void *ctx, const struct bill_line *b, struct err *err);
	/* NULL: not asked for */
	int (*incident)(void *ctx, const struct incident *i, struct err *err);
	/* who watched what and when, of sources that say so; NULL: not asked for. A file that says
	 * nothing watches from its first job to its last. */
	int (*witness)(void *ctx, const struct witness *w, struct err *err);
	/* where work that holds no GPU was; NULL: not asked for */
	int (*presence)(void *ctx, const struct presence *p, struct err *err);
	/* NULL: not asked for */
	int (*rate)(void *ctx, const struct exchange_rate *x, struct err *err);
	int (*curve)(void *ctx, const struct curve_point *p, struct err *err);
	/* Of a reading that stands alone in its file: how long before it the same GPU or instance
	 * was read, by another file; 0 = not known. NULL: not asked for. */
	int (*before)(void *ctx, const struct sample_key *k, int64_t t_ms, int64_t *ret_ms,
		      struct err *err);
};

struct feed_reject {
	int64_t line;
	const char *field, *reason; /* in the report's arena */
};
struct feed_skip {
	int64_t line;
	const char *key, *reason;
};
struct feed_count {
	const char *reason;
	int64_t rows;
};
struct feed_sum {
	const char *name;     /* "BilledCost" */
	const char *currency; /* of money: its code, a sum for each; NULL of what is none */
	dec sum;
	int64_t known, unknown; /* rows with a value and without */
};

/* What happened to one file; zero-initialise. */
struct feed_report {
	struct arena mem;
	const char *file, *kind;
	/* kept: a feed that does not count them leaves 0 */
	int64_t rows_read, rows_kept, rows_rejected, rows_skipped;
	/* lines of a bill that another file said too, through which alone they count */
	int64_t rows_elsewhere;
	VEC(struct feed_reject) rejects;     /* the first FEED_NAMED_MAX */
	VEC(struct feed_skip) skipped;       /* the first FEED_NAMED_MAX of every reason */
	VEC(struct feed_count) skip_reasons; /* every reason with how many rows it left out */
	VEC(struct feed_sum) sums;
	/* sentences for the user: unknown purchase words, assumed steps, ... each once */
	VEC(const char *) notes;
	int64_t from_ms, to_ms; /* span of time the rows cover, UNKNOWN_MS */
};
#define FEED_NAMED_MAX 1000
void feed_report_free(struct feed_report *r);

struct feed_set {
	const char *key, *value; /* --set KEY=VALUE */
};

struct feed_run {
	struct input *in;
	/* opened by feed_run_file for tabular feeds, NULL for the others (dcgm, opencost,
	 * nvidia-smi) */
	struct tab *tab;
	const struct feed_sink *sink;
	struct feed_report *report;
	const struct feed_set *set; /* [nset] */
	size_t nset;
	bool alone; /* no other file is read: a key of set that this kind has not is an error */
	bool account_team;          /* a rule of the settings makes a team of a job's account */
	const struct feed_map *map; /* --map, or NULL */
	int64_t at_ms;              /* --at, UNKNOWN_MS */
	int64_t now_ms;
	int64_t max_rejects;
	/* called now and then with (rows so far, packed bytes read, packed size or -1); may be
	 * NULL */
	void (*progress)(void *ctx, int64_t rows, int64_t done_bytes, int64_t size_bytes);
	void *progress_ctx;
};

struct feed {
	const char *kind; /* "focus"; the word of its row in feeds.def */
	const char *
		group; /* where --help lists it: "bills" "jobs" "telemetry" "training" "the rest" */
	const char *about; /* one line for --help */
	bool tabular;
	/* How sure: 0 not ours .. 100. head: the first bytes; col[ncol]: column names when it looks
	 * tabular, else ncol == 0. */
	int (*detect)(struct sv head, const struct sv *col, size_t ncol);
	/* Columns the kind needs: NULL-terminated; checked before run, all missing ones are named
	 * in one error. May be NULL. */
	const char *const *required;
	int (*run)(struct feed_run *r, struct err *err);
	/* CSV rows may be shorter than the header: exports that leave out empty cells at the end */
	bool ragged;
	/* Lines of bills: columns are found letter by letter (tab_find() loose), and --replace goes
	 * by provider, account and month, not by the file's name. */
	bool bill;
};

/* RUN/metrics/KEY at the end of a path of MLflow's file store, where the path says what the file is
 * of; NULL: it says nothing. Points into path. */
const char *mlflow_place(const char *path);

/* All feeds, NULL-terminated; the rows are feeds.def. */
extern const struct feed *const feed_table[];
const struct feed *feed_find(const char *kind);

/*
 * Read one file: opens the tabular reader if the feed (or the map) wants one, detects the kind when
 * kind is NULL, runs the feed, checks the number of rejects. Parquet readers come from open_parquet
 * (may be NULL: then a clear error).
 * Returns 0, or negative with an error that names file, line and field; rows may then have reached
 * the sink and the caller rolls back.
 */
struct feed_file_opt {
	const char *kind; /* --as, or NULL */
	const struct feed_map *map;
	const struct feed_set *set;
	size_t nset;
	bool alone, account_team; /* as in feed_run */
	int64_t at_ms, now_ms, max_rejects;
	int (*open_parquet)(void *ctx, const char *path, struct tab **ret, struct err *err);
	void *parquet_ctx;
	void (*progress)(void *ctx, int64_t rows, int64_t done_bytes, int64_t size_bytes);
	void *progress_ctx;
};
int feed_run_file(struct input *in, const struct feed_file_opt *opt, const struct feed_sink *sink,
		  struct feed_report *ret_report, struct err *err);

/* For feeds: count and name a row that cannot be read. Returns 0 while the limit holds or reading
 * on is still useful, else -EINVAL with err set. */
int feed_reject(struct feed_run *r, int64_t line, const char *field, struct err *err,
		const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void feed_skip(struct feed_run *r, int64_t line, struct sv key, const char *reason);
/* same text only once */
void feed_note(struct feed_report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void feed_sum_add(struct feed_report *r, const char *name, bool known, dec v);
/* widens report->from_ms..to_ms */
void feed_cover(struct feed_report *r, int64_t from_ms, int64_t to_ms);
/* --set KEY that this kind has no column of; near: what may have been meant, or NULL. An error
 * where no other file could know it, before the rows are read; else a note. */
int feed_set_unknown(struct feed_run *r, const char *key, const char *near, struct err *err);
/* Notes that --set KEY is used where this column of the file is empty. */
void feed_set_beside(struct feed_run *r, const char *key, const char *column);
/* value of --set KEY or NULL */
const char *feed_set_get(const struct feed_run *r, const char *key);
/* once a row: counts rows_read and calls progress now and then */
void feed_tick(struct feed_run *r);

/*
 * Maps (--map NAME|FILE; YAML, format in docs/MAPS.md): rename columns to those of a native kind or
 * of FOCUS, give units, origins, step and defaults, skip rows. A mapped table looks to the feed
 * like a table of its own kind: feed_map_wrap() gives a tab whose columns and cells are already in
 * the kind's names and units.
 */
struct feed_map;
/* shipped names first: maps/NAME.yaml in the data folder */
int feed_map_load(const char *name_or_path, struct feed_map **ret, struct err *err);
/* Names of the shipped maps, sorted; how many. ret [n] and what it points to lie in mem. */
size_t feed_map_names(struct arena *mem, const char ***ret);
int feed_map_parse(const char *name, struct sv yaml, struct feed_map **ret, struct err *err);
void feed_map_free(struct feed_map *m);
const char *feed_map_kind(const struct feed_map *m);
/* its jobs are all that their clusters had in that time */
bool feed_map_covers(const struct feed_map *m);
/* its YAML as read: part of the batch's identity */
const char *feed_map_text(const struct feed_map *m);
/* skip_if rows are counted through r and not returned. The inner tab stays owned by the caller. */
int feed_map_wrap(const struct feed_map *m, struct feed_run *r, struct tab *inner, struct tab **ret,
		  struct err *err);

#endif
