#ifndef TARE_ALERTS_ALERTS_CONF_H
#define TARE_ALERTS_ALERTS_CONF_H
/* The section `alerts:` of the configuration file (docs/CONFIG.md): rules over the shipped ones,
 * receivers, who is notified of what, silences. */
#include "act/notify.h"
#include "base/mem.h"
#include "base/setting.h"
#include "opt/alert/alert.h"

/* to: receivers by number */
struct alerts_route {
	struct alert_match match[ALERT_MATCH_MAX];
	int nmatch;
	VEC(size_t) to;
	bool go_on;
};
struct alerts_conf {
	struct arena mem;
	VEC(struct alert_rule) rule; /* the shipped ones as changed, then further ones */
	VEC(struct notify_target) receiver;
	VEC(struct alerts_route) route;
	VEC(struct alert_silence) silence;
};
extern const struct setting alerts_section;
/* path NULL: the shipped rules, nobody to tell. Errors name file, line and key. */
int alerts_conf_load(const char *path, struct alerts_conf *ret, struct err *err);
/* The same from text in memory; name is what errors call it. */
int alerts_conf_parse(const char *name, struct sv text, struct alerts_conf *ret, struct err *err);
void alerts_conf_free(struct alerts_conf *c);

/*
 * The receivers of an alert: those of the first route that matches, and of the following ones where
 * it says `continue`. All receivers where no route matches: an alert is not lost because nobody
 * thought of it. ret has room for conf->receiver.n flags.
 */
void alerts_conf_route(const struct alerts_conf *c, const struct alert_rule *r,
		       const char *const field[ALERT_FIELD_N], bool *ret);
/* The number of a receiver, or -1. */
long alerts_conf_receiver(const struct alerts_conf *c, const char *name);
#endif
