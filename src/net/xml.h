#ifndef TARE_NET_XML_H
#define TARE_NET_XML_H
/*
 * The XML that object stores answer with: elements with text, no mixed content of interest. A
 * scanner without a tree: it hands out where an element starts and ends, with the text right before
 * the end. Bounded: depth 32, no entities but the five and character numbers, no DTD.
 */
#include "base/mem.h"

enum xml_event { XML_DONE, XML_START, XML_END };
struct xml_scan { /* zero-initialise, set text */
	struct sv text;
	size_t at, from; /* from: where the text of the innermost element began */
	struct sv open[32];
	int depth;
	bool leaf, close_next;
};
/* Next event; name is a view without namespace prefix, *ret_text (of XML_END, of elements without
 * children) as it stands. -EBADMSG. */
int xml_next(struct xml_scan *x, struct sv *ret_name, struct sv *ret_text);
/* Copy with entities resolved; NULL where one is not known or the text has a NUL. */
char *xml_text(struct arena *a, struct sv raw);
/* Text of the first element of that name anywhere, unresolved; {NULL,0} none or bad. */
struct sv xml_find(struct sv doc, const char *name);
/* Append with <, >, & and quotes as entities. */
void xml_add(struct str *out, struct sv text);

#endif
