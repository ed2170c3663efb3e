#ifndef TARE_CLI_DEMO_STORE_H
#define TARE_CLI_DEMO_STORE_H
/* The store of the invented fleet, for who has none of his own yet. */
#include "cli/cli.h"

/* Where `tare demo` writes unless told: $XDG_DATA_HOME/tare-demo, ~/.local/share/tare-demo. */
const char *demo_store_dir(struct cli *c);

/*
 * Let a command that takes --demo read the demo's store and settings: where that option is given,
 * and on a terminal where no store was named and there is none at the usual place. Sets c->demo,
 * c->db and, where none was named, c->config. 0, or an exit code after its message: --demo beside
 * --db, or without a demo.
 */
int demo_store_choose(struct cli *c);

/* Is there a store of one's own at the usual place, so that the demo is only found by --demo? */
bool demo_store_needs_word(struct cli *c);

/* The first line of what such a command prints for people; nothing for programs. */
void demo_store_say(const struct cli *c);

/* There is no store, but there is a demo: what to do next, in err. */
void demo_store_hint(struct cli *c, struct err *err);

#endif
