/*
 * What tare profile keeps: the line about a run, then (behind a line with "%%") its samples, then
 * its host rows. Any bytes give an error with a sentence, or a run of which a report can be made:
 * shares within bounds, no control characters.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "profile/profile_file.h"
#include "base/input.h"

static struct sv part(struct sv *rest)
{
	for (size_t i = 0; i + 4 <= rest->n; i++)
		if (!memcmp(rest->p + i, "\n%%\n", 4)) {
			struct sv v = { rest->p, i + 1 };
			*rest = (struct sv){ rest->p + i + 4, rest->n - i - 4 };
			return v;
		}
	struct sv v = *rest;
	rest->p += rest->n;
	rest->n = 0;
	return v;
}

static void rows(struct sv v, struct profile *p,
		 int (*read)(struct input *, struct profile *, struct err *))
{
	struct input *in;
	struct err e = { 0 };
	if (input_from_memory("fuzz.csv", v.p, v.n, &in, &e))
		return;
	err_clear(&e);
	if (read(in, p, &e) < 0 && !e.msg[0])
		abort();
	input_close(in);
}

static void plain(const char *z)
{
	for (; z && *z; z++)
		if ((unsigned char)*z < ' ' || *z == 0x7f)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sv rest = { (const char *)data, size }, meta;
	struct profile p;
	struct profile_report r;
	struct conf c;
	struct err e = { 0 };

	if (!size)
		return 0;
	meta = part(&rest);
	if (profile_meta_parse("fuzz.json", meta, &p, &e) < 0) {
		if (!e.msg[0])
			abort();
		return 0;
	}
	if (!rest.p || conf_load(NULL, &c, &e) < 0)
		abort();
	rows(part(&rest), &p, profile_samples_read);
	rows(part(&rest), &p, profile_host_read);
	profile_report_make(&p, &c, &r);
	plain(p.command);
	plain(p.id);
	for (size_t i = 0; i < p.ndev; i++) {
		plain(p.dev[i].uuid);
		plain(p.dev[i].model);
		if (p.dev[i].step.n > PROFILE_MOST_STEPS)
			abort();
	}
	if (r.elapsed_ms < 0 || r.gpu_ms < 0 || r.before_ms < 0 || (r.has_cost && r.cost < 0))
		abort();
	conf_free(&c);
	profile_free(&p);
	return 0;
}
