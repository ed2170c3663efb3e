/* The command line again, for hints that print one to be typed. */
#include <string.h>

#include "base/sh.h"
#include "cli/cli.h"
#include "cli/demo_store.h"

static bool is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(name, *list))
			return true;
	return false;
}

/* The demo's own store and settings are found by themselves, and else by --demo. */
static bool is_of_demo(struct cli *c, const struct cli_given *g)
{
	const char *dir = demo_store_dir(c);
	bool place = !strcmp(g->opt->name, "db") || !strcmp(g->opt->name, "config");

	return place && !strncmp(g->value, dir, strlen(dir)) && g->value[strlen(dir)] == '/';
}

static void add_given(struct cli *c, const struct cli_given *g, struct str *out)
{
	if (is_of_demo(c, g)) {
		if (!strcmp(g->opt->name, "db") && demo_store_needs_word(c))
			str_addz(out, " --demo");
		return;
	}
	str_addf(out, " --%s", g->opt->name);
	if (g->opt->arg)
		str_addf(out, " %s", sh_show(&c->mem, g->value));
}

static const char *take_text(struct cli *c, struct str *s)
{
	const char *z = arena_strn(&c->mem, str_z(s), s->n);

	str_free(s);
	return z;
}

const char *cli_again(struct cli *c, const char *const *but)
{
	/* for whom it was printed, not what was asked */
	static const char *const form[] = { "output", "quiet", "no-color", "html",
					    "focus",  "wait",  "fail",     NULL };
	struct str s = { 0 };

	str_addf(&s, "tare %s", c->cmd->name);
	for (size_t i = 0; i < c->ngiven; i++)
		if (!is_one_of(c->given[i].opt->name, form) &&
		    !is_one_of(c->given[i].opt->name, but))
			add_given(c, &c->given[i], &s);
	return take_text(c, &s);
}

const char *cli_store_words(struct cli *c)
{
	static const char *const of_store[] = { "db", "config", "demo", NULL };
	struct str s = { 0 };

	for (size_t i = 0; i < c->ngiven; i++)
		if (is_one_of(c->given[i].opt->name, of_store))
			add_given(c, &c->given[i], &s);
	return take_text(c, &s);
}
