#include "report/cost/spark.h"

#include <math.h>

#include "base/num.h"
#include "model/known.h"

size_t spark_each(size_t n, size_t chars)
{
	if (chars)
		return (n + chars - 1) / chars;
	return n;
}

/* Mean of what is known of v [n]; NAN: nothing is. */
static double mean_of(const double *v, size_t n)
{
	double sum = 0;
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(v[i])) {
			sum += v[i];
			known++;
		}
	return num_if(known, sum / (double)known);
}

static const char *spark_level(double v, double highest, bool ascii)
{
	static const char *const full[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const plain[] = { "_", ".", "-", "~", "=", "+", "*", "#" };
	const char *const *of = full;

	if (ascii)
		of = plain;
	if (!isfinite(v)) {
		if (ascii)
			return " ";
		return "·";
	}
	if (v <= 0)
		return of[0];
	int i = 1 + (int)(v / highest * 7);
	return of[min_int(i, 7)];
}

const char *spark_text(struct arena *a, const double *v, size_t n, size_t chars, bool ascii)
{
	size_t each = spark_each(n, chars), count = each ? (n + each - 1) / each : 0;
	size_t first = each ? n - (count - 1) * each : 0; /* what does not come out even */
	double highest = 0, *mean = arena_alloc(a, (count + 1) * sizeof *mean);
	struct str s = { 0 };

	for (size_t i = 0; i < count; i++) {
		mean[i] = i ? mean_of(v + first + (i - 1) * each, each) : mean_of(v, first);
		highest = max_double(mean[i], highest);
	}
	for (size_t i = 0; i < count; i++)
		str_addz(&s, spark_level(mean[i], highest, ascii));
	const char *ret = arena_printf(a, "%s", str_z(&s));
	str_free(&s);
	return ret;
}
