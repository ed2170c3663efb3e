/* A call that does not come back is told of while it lasts, once, and when it is over. */
#include "../base/test.h"

#include <pthread.h>
#include <time.h>

#include "agent/watchdog.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char said[4][256];
static int n;

static void say(void *ctx, const char *text)
{
	(void)ctx;
	pthread_mutex_lock(&lock);
	if (n < 4)
		snprintf(said[n], sizeof said[n], "%s", text);
	n++;
	pthread_mutex_unlock(&lock);
}

static int count(void)
{
	pthread_mutex_lock(&lock);
	int r = n;
	pthread_mutex_unlock(&lock);
	return r;
}

static void wait_ms(int ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
}

static void t_tells(void **state)
{
	struct watchdog *w = watchdog_new("the driver", 1000, say, NULL);
	(void)state;
	assert_non_null(w);
	for (int i = 0; i < 20; i++) { /* for longer than that, but not in one call */
		watchdog_in(w);
		wait_ms(10);
		watchdog_out(w);
		wait_ms(50);
	}
	assert_int_equal(count(), 0);
	watchdog_in(w);
	for (int i = 0; i < 3000 && !count(); i++)
		wait_ms(10);
	wait_ms(1100);
	assert_int_equal(count(), 1); /* once */
	assert_non_null(strstr(said[0], "the driver has not come back"));
	watchdog_out(w);
	assert_int_equal(count(), 2);
	assert_non_null(strstr(said[1], "came back after"));
	watchdog_in(w);
	watchdog_out(w);
	assert_int_equal(count(), 2);
	watchdog_free(w);
	watchdog_in(NULL);
	watchdog_out(NULL);
	watchdog_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(t_tells) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
