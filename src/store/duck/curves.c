/* Metrics that training runs logged. */
#include <errno.h>

#include "store/duck/inside.h"

int facts_add_curve(struct facts *f, int64_t src, const struct curve_point *p, struct err *err)
{
	struct bulk *b = duck_bulk(f, T_CURVE, err);

	if (!b)
		return -EPERM;
	bulk_i64(b, src);
	bulk_text(b, p->run);
	bulk_text(b, p->job);
	bulk_sv(b, p->config);
	bulk_text(b, p->metric);
	bulk_i8(b, (int)p->better);
	bulk_i64(b, p->step);
	bulk_i64(b, p->t_ms);
	bulk_f64(b, p->value);
	return bulk_end_row(b, err);
}

int facts_curves(struct facts *f, facts_curve_fn *fn, void *ctx, struct err *err)
{
	struct answer r;
	struct str sql = { 0 };
	int e = duck_settle(f, T_CURVE, err);

	if (!e)
		e = duck_load_reversed(f, err);
	if (e)
		return e;
	str_addz(
		&sql,
		"SELECT run, job, config, metric, better, step, t_ms, value FROM curve WHERE true");
	duck_in_force(f, &sql);
	str_addz(
		&sql,
		" ORDER BY run, job, metric, step, src DESC, t_ms DESC, value DESC, config, better");
	e = answer_open(&r, &(struct sql_query){ f->con, sql.p, "read the curves", true }, err, "");
	str_free(&sql);
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0) {
		const struct curve_point p = { .run = answer_sv(&r, 0),
					       .job = answer_sv(&r, 1),
					       .config = answer_sv(&r, 2),
					       .metric = answer_sv(&r, 3),
					       .better = (enum better)answer_i64(&r, 4),
					       .step = answer_i64(&r, 5),
					       .t_ms = answer_i64(&r, 6),
					       .value = answer_f64(&r, 7) };
		e = fn(ctx, &p, err);
		if (e)
			break;
	}
	answer_close(&r);
	return e;
}
