#ifndef TARE_REPORT_INVOICE_FOCUS_OUT_H
#define TARE_REPORT_INVOICE_FOCUS_OUT_H
/* FOCUS rows go out as answer_focus() brings what they are made of, in pieces of about a MiB, so
 * that memory does not grow with the window. */
#include "answer/focus.h"
#include "report/invoice/focus.h"

struct focus_out {
	/* where the text goes; set by the caller, the rest zero */
	int (*put)(void *ctx, struct sv text, struct err *err);
	void *ctx;

	struct focus *f;
	struct str text;     /* not put yet */
	int64_t unpriced_ms; /* of the days; lines of longer periods see their entries again */
};

/* Begin with the header; what is to be given to answer_focus(). */
struct focus_sink focus_out_begin(struct focus_out *x);
/* Put what was not put yet. 0, or what put() returned. */
int focus_out_flush(struct focus_out *x, struct err *err);
void focus_out_free(struct focus_out *x);

#endif
