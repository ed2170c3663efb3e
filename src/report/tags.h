#ifndef TARE_REPORT_TAGS_H
#define TARE_REPORT_TAGS_H
/* What part of the cost has each required tag, and who the largest owners without it are. */
#include "report/report.h"

struct tags_one {         /* a required tag */
	const char *name; /* "team", "tag:cost-center" */
	/* by the tag (dim[0]), team (dim[1]), user (dim[2]), node (dim[3]) */
	const struct report_cell *cell;
	size_t ncell;
};
struct tags_in {
	const struct tags_one *tag;
	size_t ntag;
	/* false: no tags.required in the configuration, these are the usual ones */
	bool configured;
	int64_t since_ms, until_ms;
	enum basis basis;
	const struct conf *conf;
	size_t limit; /* owners named per tag, 0 = 3 */
	bool colour;
	int width;
};
/* Table, JSON ("tare.tags/1"), CSV or Markdown. 0 or -EINVAL. */
int tags_print(const struct tags_in *in, enum out_format f, struct str *out, struct err *err);
#endif
