#ifndef TARE_PLAN_ALONE_FINDING_KINDS_H
#define TARE_PLAN_ALONE_FINDING_KINDS_H
/* Every kind of finding: the lever that may act on it, and what people can do where none does. */
#include <stddef.h>

struct finding_kind {
	const char *cause; /* "fragmented", "idle_held/notebook" */
	/* in the table of levers, with something to propose; "": none acts on such money */
	const char *lever;
	const char *by_hand; /* one sentence, never empty */
};
extern const struct finding_kind finding_kinds[]; /* ends with cause NULL */
/* NULL: there is no such kind, which is a fault of whoever asks. */
const struct finding_kind *finding_kind_of(const char *cause);

#endif
