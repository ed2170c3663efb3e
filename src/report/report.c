#include "report/report.h"

#include <errno.h>

#include "report/cube.h"
#include "report/formats.h"
#include "report/text.h"

int report_print(const struct report_in *in, enum out_format f, struct str *out, struct err *err)
{
	static void (*const print[])(const struct report_in *, const struct cube *,
				     struct str *) = {
		[OUT_TABLE] = report_table, [OUT_JSON] = report_json, [OUT_CSV] = report_csv,
		[OUT_MD] = report_md,       [OUT_HTML] = report_html,
	};
	struct cube c;
	int r = cube_build(in, false, &c, err);

	if (r < 0)
		return r;
	print[f](in, &c, out);
	cube_free(&c);
	return 0;
}

void report_say_span(const struct report_in *in, int64_t from_ms, int64_t to_ms, struct str *out)
{
	struct arena a = { 0 };

	if (from_ms != UNKNOWN_MS)
		str_addf(out, "\nThe ledger holds %s.%s\n", text_window(&a, from_ms, to_ms),
			 in->where ? " Names that there are: tare report --by team" : "");
	arena_free(&a);
}
