#ifndef TARE_PROFILE_PROFILE_SESSION_H
#define TARE_PROFILE_PROFILE_SESSION_H
/* A run of `tare profile` from its start to its report: the command is run, what is read is kept,
 * told, and makes room; and the report of one that was kept. */
#include "profile/profile_after.h"
#include "profile/profile_keep.h"

struct profile_session_on {
	void *ctx;
	/* a line over and over while it runs, NULL: it is over; the function may be NULL */
	void (*live)(void *ctx, const char *line);
	void (*warn)(void *ctx, const char *what, const char *why);
	int (*report)(void *ctx, const struct str *text, struct err *err);
	void (*failed)(void *ctx, const struct err *err); /* the report could not be made or put */
	void (*trimmed)(void *ctx, const struct keep_sums *sums); /* runs of long ago are gone */
};
struct profile_session {
	struct profile_after after;
	char **argv;         /* NULL-terminated */
	const char *command; /* the same, fit to be printed */
	const char *serving; /* URL of its metrics, NULL */
	int64_t interval_ms; /* 100 ms to 1 min */
	int64_t steps;       /* UNKNOWN_I64 */
	/* the command leaves the number of its steps there: last word of the first 4 KiB; NULL */
	const char *steps_file;
	bool keep;                     /* in after.dir */
	struct profile_keep old;       /* how long the runs there stay */
	int64_t (*files_now_ms)(void); /* of the clock that the file system goes by */
	enum out_format format;
	int width; /* of the page, columns */
	struct profile_session_on on;
};
struct profile_settings { /* of the machine's price; how long runs stay */
	struct rate_ask rate;
	struct profile_keep keep;
};
/* path NULL: the defaults. Texts in mem. Errors name file, line and key. */
int profile_settings_load(const char *path, struct arena *mem, struct profile_settings *ret,
			  struct err *err);

struct profile_session_end {
	int exit_code; /* the command's, 126 or 127 where it could not be started */
	enum profile_enough enough;
};
/* Returns 0 when the command ran; -ENOEXEC where it could not be started, other negative errno for
 * what failed before. */
int profile_session(const struct profile_session *s, struct profile_session_end *ret,
		    struct err *err);

/* The file of a run that was kept, by its id or "last", in mem; NULL with err. */
const char *profile_kept(const char *dir, const char *id, struct arena *mem, struct err *err);
/* The report of the run in this file. a: what profile_fit_make() is asked with, and conf. */
int profile_kept_print(const struct profile_after *a, const char *path, enum out_format f,
		       int width, struct str *out, struct err *err);
#endif
