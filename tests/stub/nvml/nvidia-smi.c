/*
 * nvidia-smi that only prints: --query-gpu=FIELD,... --format=csv[,noheader][,nounits] [-l SECONDS
 * | -lms MS] [-c COUNT]. What a polling script pays for the real one (loading the driver's library,
 * starting it, asking) is not in it, so that a comparison with it flatters the script.
 * TARE_STUB_SMI_CARDS: how many GPUs, 8 where it is not set.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now_s;
static int gpus = 8;

static double util(int gpu)
{
	return floor(70 + 20 * sin(now_s / 9.5 + gpu));
}

static void value(const char *field, int gpu, char *ret, size_t n, const char **unit)
{
	time_t t = (time_t)now_s;
	struct tm tm;

	*unit = "";
	if (!strcmp(field, "timestamp")) {
		gmtime_r(&t, &tm);
		strftime(ret, n, "%Y/%m/%d %H:%M:%S.000", &tm);
	} else if (!strcmp(field, "index"))
		snprintf(ret, n, "%d", gpu);
	else if (!strcmp(field, "count"))
		snprintf(ret, n, "%d", gpus);
	else if (!strcmp(field, "name") || !strcmp(field, "gpu_name"))
		snprintf(ret, n, "NVIDIA A100-SXM4-80GB");
	else if (!strcmp(field, "uuid") || !strcmp(field, "gpu_uuid"))
		snprintf(ret, n, "GPU-%08x-aaaa-bbbb-cccc-%012x", 0x57ab0000u + (unsigned)gpu,
			 (unsigned)gpu);
	else if (!strcmp(field, "pci.bus_id") || !strcmp(field, "gpu_bus_id"))
		snprintf(ret, n, "00000000:%02X:00.0", 0x10 + gpu);
	else if (!strcmp(field, "driver_version"))
		snprintf(ret, n, "550.54.15");
	else if (!strcmp(field, "utilization.gpu"))
		snprintf(ret, n, "%.0f", util(gpu)), *unit = " %";
	else if (!strcmp(field, "utilization.memory"))
		snprintf(ret, n, "%.0f", util(gpu) / 2), *unit = " %";
	else if (!strcmp(field, "memory.used"))
		snprintf(ret, n, "40960"), *unit = " MiB";
	else if (!strcmp(field, "memory.total"))
		snprintf(ret, n, "81920"), *unit = " MiB";
	else if (!strcmp(field, "memory.free"))
		snprintf(ret, n, "40460"), *unit = " MiB";
	else if (!strcmp(field, "power.draw"))
		snprintf(ret, n, "%.2f", 60 + 2.8 * util(gpu)), *unit = " W";
	else if (!strcmp(field, "power.limit") || !strcmp(field, "enforced.power.limit"))
		snprintf(ret, n, "400.00"), *unit = " W";
	else if (!strcmp(field, "temperature.gpu"))
		snprintf(ret, n, "%.0f", 30 + 0.4 * util(gpu));
	else if (!strcmp(field, "clocks.sm") || !strcmp(field, "clocks.current.sm"))
		snprintf(ret, n, "1410"), *unit = " MHz";
	else if (!strcmp(field, "clocks.mem") || !strcmp(field, "clocks.current.memory"))
		snprintf(ret, n, "1593"), *unit = " MHz";
	else if (!strcmp(field, "clocks_throttle_reasons.active") ||
		 !strcmp(field, "clocks_event_reasons.active"))
		snprintf(ret, n, "0x0000000000000000");
	else if (!strcmp(field, "mig.mode.current"))
		snprintf(ret, n, "Disabled");
	else if (!strcmp(field, "fan.speed"))
		snprintf(ret, n, "[N/A]");
	else
		ret[0] = 0;
}

static bool header(char *const *field, int nfield, bool units)
{
	for (int i = 0; i < nfield; i++) {
		char buf[128];
		const char *unit;
		value(field[i], 0, buf, sizeof buf, &unit);
		if (!buf[0]) {
			printf("Field \"%s\" is not a valid field to query.\n", field[i]);
			return false;
		}
		printf("%s%s", i ? ", " : "", field[i]);
		if (units && *unit)
			printf(" [%s]", unit + 1);
	}
	printf("\n");
	return true;
}

static void print(char *const *field, int nfield, bool units)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	now_s = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
	for (int c = 0; c < gpus; c++) {
		for (int i = 0; i < nfield; i++) {
			char buf[128];
			const char *unit;
			value(field[i], c, buf, sizeof buf, &unit);
			printf("%s%s%s", i ? ", " : "", buf, units ? unit : "");
		}
		printf("\n");
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char *field[64], *list = NULL;
	int nfield = 0;
	long loop_ms = 0, count = -1;
	bool units = true, head = true;

	if (getenv("TARE_STUB_SMI_CARDS"))
		gpus = atoi(getenv("TARE_STUB_SMI_CARDS"));
	for (int i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "--query-gpu=", 12))
			list = argv[i] + 12;
		else if (!strncmp(argv[i], "--format=", 9))
			units = !strstr(argv[i], "nounits"), head = !strstr(argv[i], "noheader");
		else if (!strncmp(argv[i], "-lms", 4) || !strncmp(argv[i], "--loop-ms=", 10))
			loop_ms = argv[i][1] == '-' ? atol(argv[i] + 10)
				  : argv[i][4]      ? atol(argv[i] + 4)
				  : i + 1 < argc    ? atol(argv[++i])
						    : 5000;
		else if (!strncmp(argv[i], "-l", 2) || !strncmp(argv[i], "--loop=", 7))
			loop_ms = 1000 * (argv[i][1] == '-' ? atol(argv[i] + 7)
					  : argv[i][2]      ? atol(argv[i] + 2)
					  : i + 1 < argc    ? atol(argv[++i])
							    : 5);
		else if (!strcmp(argv[i], "-c") && i + 1 < argc)
			count = atol(argv[++i]);
	}
	if (!list) {
		fprintf(stderr, "a stub that knows --query-gpu=... --format=csv alone\n");
		return 2;
	}
	for (char *p = strtok(list, ","); p && nfield < 64; p = strtok(NULL, ","))
		field[nfield++] = p;
	now_s = (double)time(NULL);
	if (head && !header(field, nfield, units))
		return 2;
	for (long k = 0;; k++) {
		print(field, nfield, units);
		if (!loop_ms || k + 1 == count)
			return 0;
		usleep((useconds_t)loop_ms * 1000);
	}
}
