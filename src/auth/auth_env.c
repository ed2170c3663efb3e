/* See auth_env.h. */
#include "auth/auth_env.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/str.h"

const char *auth_env(const char *name)
{
	const char *v = getenv(name);

	return filled_or(v, NULL);
}

const char *auth_ca_file(void)
{
	static const char *const names[] = { "AWS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE" };
	const char *v = NULL;

	for (size_t i = 0; i < sizeof names / sizeof *names && !v; i++)
		v = auth_env(names[i]);
	return v;
}

const char *aws_domain(const char *region)
{
	if (strncmp(region, "cn-", 3))
		return "amazonaws.com";
	return "amazonaws.com.cn";
}

void auth_sleep_ms(int64_t ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	while (ms > 0 && clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &t) == EINTR)
		;
}
