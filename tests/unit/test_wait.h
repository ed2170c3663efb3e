/* Waiting for what another process or thread does, half a minute at most. */
#ifndef TEST_WAIT_H
#define TEST_WAIT_H
#include <stdbool.h>
#include <unistd.h>

static bool appears(const char *path)
{
	for (int i = 0; i < 3000; i++) {
		if (access(path, F_OK) == 0)
			return true;
		usleep(10000);
	}
	return false;
}

#endif
