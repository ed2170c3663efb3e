#include "store/duck/duck.h"

#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/str.h"

struct duck_api duck;

static pthread_mutex_t duck_lock = PTHREAD_MUTEX_INITIALIZER;
static void *duck_handle;
static char duck_file[PATH_MAX];

/* Returns 1 when loaded, 0 when the file is not there, negative when it is there and cannot be
 * used. */
static int try_load(const char *path, bool must_exist, struct err *err)
{
	if (must_exist && access(path, R_OK))
		return 0;
	void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!h) {
		const char *why = dlerror();
		if (must_exist)
			return err_set(err, -ELIBACC, "cannot load '%s': %s", path,
				       text_or(why, "unknown reason"));
		return 0;
	}
	struct duck_api api;
	const char *missing = NULL;
#define X(name)                                          \
	*(void **)&api.name = dlsym(h, "duckdb_" #name); \
	if (!api.name)                                   \
		missing = "duckdb_" #name;
	DUCK_FUNCTIONS(X)
#undef X
	if (missing) {
		dlclose(h);
		return err_set(err, -ELIBACC,
			       "'%s' is not a DuckDB library this program can use: it lacks %s",
			       path, missing);
	}
	duck = api;
	duck_handle = h;
	snprintf(duck_file, sizeof duck_file, "%s", path);
	return 1;
}

static int search_library(struct err *err)
{
	const char *env = getenv("TARE_LIBDUCKDB");
	if (env && *env) {
		int r = try_load(env, true, err);
		if (r)
			return r;
		return err_set(err, -ENOENT,
			       "the DuckDB library '%s' named by TARE_LIBDUCKDB is not there", env);
	}
	char exe[PATH_MAX], path[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	if (n > 0) {
		exe[n] = 0;
		const char *dir = dirname(exe);
		for (int i = 0; i < 2; i++) {
			snprintf(path, sizeof path, "%s%s/libduckdb.so", dir,
				 text_if(i == 0, "/../lib/tare"));
			int r = try_load(path, true, err);
			if (r)
				return r;
		}
	}
#ifdef TARE_DEPS_LIB
	int built = try_load(TARE_DEPS_LIB "/libduckdb.so", true, err);
	if (built)
		return built;
#endif
	return try_load("libduckdb.so", false, err);
}

int duck_load(struct err *err)
{
	pthread_mutex_lock(&duck_lock);
	int r = 1;
	if (!duck_handle)
		r = search_library(err);
	pthread_mutex_unlock(&duck_lock);
	if (r == 0) {
		err_set(err, -ENOENT,
			"cannot find the DuckDB library (libduckdb.so), which the store needs");
		r = -ENOENT;
	}
	if (r < 0) {
		err_hint(err, "run tools/setup, or name the file in TARE_LIBDUCKDB");
		return r;
	}
	return 0;
}

const char *duck_path(void)
{
	return duck_file;
}
