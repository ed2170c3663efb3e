/* tare report --serving. */
#include <errno.h>

#include "cli/report_views.h"
#include "report/cost/serving.h"

int report_serving_by(const char *by, bool *ret_tenant, struct err *err)
{
	if (!strcmp(by, "service") || !strcmp(by, "service,tenant")) {
		*ret_tenant = by[7] != 0;
		return 0;
	}
	err_set(err, -EINVAL, "--serving goes by service or by service,tenant, not by '%s'", by);
	return -EINVAL;
}

int report_view_serving(struct cli *c, const struct report_ask *q, bool by_tenant, struct str *out,
			struct err *err)
{
	struct serving_in in = {
		.since_ms = q->since_ms,
		.until_ms = q->until_ms,
		.data_until_ms = q->data_until_ms,
		.basis = q->basis,
		.conf = &c->conf,
		.colour = c->colour,
		.width = c->width,
	};
	int r = answer_serving(q, by_tenant, &in.of, err);

	if (r < 0)
		return r;
	return serving_print(&in, c->output, out, err);
}
