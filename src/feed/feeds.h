#ifndef TARE_FEED_FEEDS_H
#define TARE_FEED_FEEDS_H
/* One table row a format; each lives in the file of its name (samples to prices in native.c). */
#include "feed/feed.h"

#define FEED(name, kind) extern const struct feed feed_##name;
#include "feed/feeds.def"
#undef FEED

/* The error for more rejected rows than allowed; whole: the file was read to its end, so that their
 * number is known. For feed.c and report.c. */
int feed_too_many(struct feed_run *r, bool whole, struct err *err);
/* What to do with days that are written as 31.10.2026 or 10/31/2026 and not meant so. */
#define FEED_HINT_DAYS                                                                             \
	"The days are written as a spreadsheet shows them. Save them as 2026-10-31 00:00, or say " \
	"how they are meant in a map: time: dmy or time: mdy, with keep: true for the rest "       \
	"(docs/MAPS.md)."

/*
 * A table of no known kind, by its columns: the shipped map that they fit, else the kind of which
 * least is missing, in err's hint. false: neither, err is as it was. Reads the shipped maps.
 */
bool feed_suggest(const char *file, const struct tab *t, struct err *err);

#endif
