/* A GPU feed over the stub library, with a script and a clock of its own. */
#ifndef T_FEED_STUB_H
#define T_FEED_STUB_H
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "device/gpu.h"

struct fix {
	char script[64];
	void *so;
	void (*time)(double);
	struct gpu_feed *feed;
	const struct gpu_view *view;
};

static inline void fix_open_lib(struct fix *f, const char *lib, const char *script,
				const struct gpu_feed_opt *opt)
{
	struct gpu_feed_opt o = opt ? *opt
				    : (struct gpu_feed_opt){ .want_gpm = true, .want_procs = true };
	struct err err;

	*f = (struct fix){ 0 };
	unsetenv("TARE_STUB_NVML");
	if (script) {
		FILE *out;
		snprintf(f->script, sizeof f->script, "/tmp/t-feed-stub-%ld", (long)getpid());
		assert_non_null(out = fopen(f->script, "w"));
		fputs(script, out);
		fclose(out);
		setenv("TARE_STUB_NVML", f->script, 1);
	}
	f->so = dlopen(lib, RTLD_NOW | RTLD_LOCAL);
	if (f->so) {
		void *p = dlsym(f->so, "stub_nvml_time");
		memcpy(&f->time, &p, sizeof p);
		f->time(1e9);
		f->time(0); /* a step back begins again, with this script */
	}
	o.nvml = lib;
	o.sysfs = o.sysfs ? o.sysfs : "/nowhere";
	/* none of these GPUs hangs: what takes long is the machine */
	o.patience_ms = o.patience_ms ? o.patience_ms : 60000;
	assert_int_equal(gpu_feed_open(&o, &f->feed, &err), 0);
}

static inline void fix_open(struct fix *f, const char *script, const struct gpu_feed_opt *opt)
{
	if (!getenv("TARE_STUB")) {
		print_message("skipped: TARE_STUB does not name the stub library (meson does)\n");
		skip();
	}
	fix_open_lib(f, getenv("TARE_STUB"), script, opt);
}

static inline void fix_poll(struct fix *f, double s)
{
	struct err err;

	if (f->so)
		f->time(s);
	assert_int_equal(gpu_feed_poll(f->feed, 1795000000000 + (int64_t)(s * 1000),
				       (int64_t)(s * 1000 + 0.5), &f->view, &err),
			 0);
}

static inline void fix_close(struct fix *f)
{
	gpu_feed_close(f->feed);
	if (f->so)
		dlclose(f->so);
	if (f->script[0])
		unlink(f->script);
}

#endif
