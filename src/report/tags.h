#ifndef TARE_REPORT_TAGS_H
#define TARE_REPORT_TAGS_H
/* What part of the cost has each required tag, and who the largest owners without it are. */
#include "answer/tags.h"
#include "report/col.h"
#include "report/cost/report.h"

struct tags_in {
	struct tags_answer of;
	int64_t since_ms, until_ms;
	int64_t data_until_ms; /* as of struct report_ask */
	enum basis basis;
	const struct conf *conf;
	size_t limit; /* owners named per tag, 0 = 3 */
	bool colour;
	int width;
};
/* Table, JSON ("tare.tags/1"), CSV or Markdown. 0 or -EINVAL. */
int tags_print(const struct tags_in *in, enum out_format f, struct str *out, struct err *err);
extern const struct col_doc tags_doc;
#endif
