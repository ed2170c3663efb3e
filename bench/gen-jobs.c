/*
 * A list of jobs to standard output: gen-jobs csv|sacct JOBS MACHINES. Equal arguments give equal
 * bytes.
 *
 *   csv    as tare's own kind of list has it: 12 columns; MACHINES 0: jobs name none, and are those
 *          of four clusters
 *   sacct  as `TZ=UTC sacct -X -P --format=JobID,User,...` prints the same, with its AllocTRES
 *
 * Jobs come in over 300 days, of 200 users and 3,000 names, on 1 to 8 GPUs of a machine, for
 * minutes to days (median 11 minutes), one in three for nothing.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"

#define FIRST_S 1741305600LL /* 2025-03-07 */
#define DAYS    300
#define DAY_S   86400

static int below(uint64_t *state, int n)
{
	return (int)(random_next(state) % (uint64_t)n);
}

/* In (0, 1). */
static double uniform(uint64_t *state)
{
	return ((double)(random_next(state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
	double r = sqrt(-2 * log(uniform(state)));

	return r * cos(6.283185307179586 * uniform(state));
}

static const char *at(char buf[32], int64_t s, const char *zone)
{
	time_t t = (time_t)s;
	struct tm tm;
	size_t n = strftime(buf, 24, "%Y-%m-%dT%H:%M:%S", gmtime_r(&t, &tm));

	snprintf(buf + n, 32 - n, "%s", zone);
	return buf;
}

int main(int argc, char **argv)
{
	static const char *const team[] = { "nlp", "vision", "speech", "robotics",
					    "rl",  "infra",  "search", "ads" };
	static const char *const state[] = { "COMPLETED", "COMPLETED", "COMPLETED",
					     "COMPLETED", "COMPLETED", "COMPLETED",
					     "FAILED",    "CANCELLED", "TIMEOUT" };
	static const int gpus[] = { 1, 1, 1, 1, 2, 4, 8 };
	static char out[1 << 20];
	uint64_t seed = 11;

	if (argc != 4 || (strcmp(argv[1], "csv") != 0 && strcmp(argv[1], "sacct") != 0)) {
		fprintf(stderr, "usage: gen-jobs csv|sacct JOBS MACHINES\n");
		return 2;
	}
	int sacct = !strcmp(argv[1], "sacct"), machines = atoi(argv[3]);
	int64_t n = atoll(argv[2]);
	setvbuf(stdout, out, _IOFBF, sizeof out);
	if (sacct)
		puts("JobID|User|Account|JobName|Cluster|Partition|State|Submit|Start|End|NodeList|AllocTRES");
	else
		printf("job_id,user,team,name,cluster,queue,%sgpus,submit,start,end,state\n",
		       machines ? "node," : "");
	for (int64_t i = 0; i < n; i++) {
		int64_t submit = FIRST_S + i * DAYS * DAY_S / n;
		int64_t start = submit + (int64_t)(-300 * log(uniform(&seed)));
		double length = exp(6.5 + 1.8 * normal(&seed));
		int64_t end = start + (int64_t)fmin(length, 5.0 * DAY_S);
		int user = below(&seed, 200), name = below(&seed, 3000);
		int g = gpus[below(&seed, 7)], s = below(&seed, 9);
		char node[32] = "", t[3][32];
		if (machines)
			snprintf(node, sizeof node, "gpu-%04d", below(&seed, machines));
		const char *zone = sacct ? "" : "Z", *queue = user % 3 ? "batch" : "debug";
		at(t[0], submit, zone);
		at(t[1], start, zone);
		at(t[2], end, zone);
		if (sacct)
			printf("%lld|user%03d|%s|train-%d|c%d|%s|%s|%s|%s|%s|%s|billing=%d,cpu=%d,gres/gpu=%d,mem=%dG,node=1\n",
			       (long long)(1000000 + i), user, team[user % 8], name, user % 4,
			       queue, state[s], t[0], t[1], t[2], machines ? node : "None assigned",
			       g, 8 * g, g, 64 * g);
		else
			printf("%lld,user%03d,%s,train-%d,c%d,%s,%s%s%d,%s,%s,%s,%s\n",
			       (long long)(1000000 + i), user, team[user % 8], name, user % 4,
			       queue, node, machines ? "," : "", g, t[0], t[1], t[2], state[s]);
	}
	if (ferror(stdout) | fclose(stdout)) {
		perror("gen-jobs");
		return 1;
	}
	return 0;
}
