#ifndef TARE_AGENT_ALERTS_CONF_IN_H
#define TARE_AGENT_ALERTS_CONF_IN_H
/* Inside of the reader of `alerts:`: what alerts_conf.c and alerts_receiver.c share. All errors
 * name file and line. */
#include "agent/alerts_conf.h"
#include "base/yaml.h"

struct alerts_loader {
	struct alerts_conf *c;
	const struct yaml_doc *d;
	struct err *err;
};

int conf_wrong(const struct alerts_loader *l, const struct yaml *y, const char *what);
const char *conf_keep(const struct alerts_loader *l, const char *z);
/* Absent: *ret stays. */
int conf_text(const struct alerts_loader *l, const struct yaml *map, const char *key,
	      const char **ret);
int conf_word(const struct alerts_loader *l, const struct yaml *map, const char *key,
	      const char *const *list, int n, int *ret);
int conf_span(const struct alerts_loader *l, const struct yaml *map, const char *key, int64_t *ret);
int conf_each(const struct alerts_loader *l, const struct yaml *map, const char *key,
	      int (*item)(const struct alerts_loader *, const struct yaml *));
int conf_receiver(const struct alerts_loader *l, const struct yaml *y); /* an item of receivers: */
#endif
