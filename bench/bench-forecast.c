/*
 * bench-forecast [SERIES] [HOURS] [HORIZON]: forecasts of made-up hourly series (a day's wave,
 * weekends, steps, noise), one after the other on one core. Prints series, hours, horizon and
 * seconds. Default: 200 series of 8760 h, 24 h ahead.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/random.h"
#include "opt/forecast/forecast.h"

static double uniform(uint64_t *x)
{
	return random_frac(random_next(x));
}

static void make(double *y, size_t n, uint64_t seed)
{
	double level = 20 + 80 * uniform(&seed);

	for (size_t i = 0; i < n; i++) {
		if (uniform(&seed) < 0.002)
			level *= 0.5 + 1.2 * uniform(&seed);
		double v = level * (1 + 0.4 * sin((double)(i % 24) / 24 * 6.283185307179586)) *
				   (i / 24 % 7 >= 5 ? 0.6 : 1) +
			   0.2 * level * (uniform(&seed) - 0.5);
		y[i] = v > 0 ? floor(v) : 0;
	}
}

int main(int argc, char **argv)
{
	size_t series = argc > 1 ? strtoul(argv[1], NULL, 10) : 200,
	       n = argc > 2 ? strtoul(argv[2], NULL, 10) : 8760;
	struct forecast_opt o = { .horizon = argc > 3 ? strtoul(argv[3], NULL, 10) : 24 };
	double *y = malloc((n + 1) * sizeof *y), cpu_s = 0, mase = 0;
	struct err err = { 0 };

	for (size_t k = 0; k < series && y; k++) {
		struct forecast f;
		make(y, n, k + 1);
		clock_t t = clock();
		if (forecast_run(&o, n, y, &f, &err) < 0) {
			fprintf(stderr, "%s\n", err.msg);
			return 2;
		}
		cpu_s += (double)(clock() - t) / CLOCKS_PER_SEC;
		mase += f.mase_combined / (double)series;
		forecast_free(&f);
	}
	printf("series %zu hours %zu horizon %zu cpu_s %.3f ms_per_series %.3f mase %.3f\n", series,
	       n, o.horizon, cpu_s, 1000 * cpu_s / (double)series, mase);
	free(y);
	return 0;
}
