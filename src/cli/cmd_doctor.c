/* tare doctor: what tare can and cannot see here. Reads only. */
#include <stdio.h>
#include <unistd.h>

#include "base/jw.h"
#include "catalog/catalog.h"
#include "cli/cli.h"
#include "cli/cmds.h"

struct finding {
	bool ok;
	const char *what, *is, *next; /* next: what to do, or "" */
};
typedef VEC(struct finding) findings;

static void add(findings *f, bool ok, const char *what, const char *is, const char *next)
{
	*vec_push(f) = (struct finding){ ok, what, is, next };
}

static void look_at_catalog(struct cli *c, findings *f)
{
	struct catalog *cat;
	struct err err = { 0 };
	size_t n = 0;

	if (catalog_open(NULL, &cat, &err) < 0) {
		add(f, false, "catalogue", arena_printf(&c->mem, "%s", err.msg), "set TARE_DATA to the folder of tables that came with tare");
		return;
	}
	while (catalog_gpu_at(cat, n))
		n++;
	add(f, n > 0, "catalogue", arena_printf(&c->mem, "%zu GPU models", n), "");
	catalog_free(cat);
}

static void look_at_store(struct cli *c, findings *f)
{
	struct store *s;
	struct store_fact *fact;
	struct err err = { 0 };
	size_t n;

	if (cli_open_store(c, STORE_READ, &s, &err) < 0) {
		add(f, false, "store", arena_printf(&c->mem, "%s", err.msg), arena_printf(&c->mem, "%s", err.hint));
		return;
	}
	add(f, true, "store", cli_db(c), "");
	if (!store_facts(s, &c->mem, &fact, &n, &err))
		for (size_t i = 0; i < n; i++)
			add(f, true, fact[i].key, fact[i].value, "");
	store_close(s);
}

static void print(struct cli *c, const findings *f, struct str *out)
{
	struct jw w;

	if (c->output != OUT_JSON) {
		for (size_t i = 0; i < f->n; i++) {
			str_addf(out, "%-4s %-22s %s\n", f->v[i].ok ? "ok" : "no", f->v[i].what, f->v[i].is);
			if (f->v[i].next[0])
				str_addf(out, "     %-22s -> %s\n", "", f->v[i].next);
		}
		return;
	}
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.doctor/1");
	jw_key(&w, "checks");
	jw_arr(&w);
	for (size_t i = 0; i < f->n; i++) {
		jw_obj(&w);
		jw_key(&w, "check");
		jw_str(&w, f->v[i].what);
		jw_key(&w, "ok");
		jw_bool(&w, f->v[i].ok);
		jw_key(&w, "is");
		jw_str(&w, f->v[i].is);
		jw_key(&w, "next");
		jw_str(&w, f->v[i].next[0] ? f->v[i].next : NULL);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static int run(struct cli *c)
{
	findings f = { 0 };
	struct str out = { 0 };
	int rc;

	add(&f, true, "version", TARE_VERSION, "");
	add(&f, true, "configuration", c->config ? c->config : "defaults (no file)", "");
	look_at_catalog(c, &f);
	look_at_store(c, &f);
	add(&f, access("/dev/nvidiactl", F_OK) == 0, "NVIDIA driver", access("/dev/nvidiactl", F_OK) == 0 ? "loaded" : "not loaded: no GPU is seen here",
	    "");
	print(c, &f, &out);
	rc = cli_write(&out);
	str_free(&out);
	vec_free(&f);
	return rc;
}

const struct cli_cmd cmd_doctor_def = {
	.name = "doctor",
	.group = "govern",
	.summary = "what tare can and cannot see here",
	.usage = "",
	.examples = "tare doctor\ntare doctor --db /srv/tare -o json",
	.common = CLI_STORE | CLI_OUTPUT,
	.run = run,
};
