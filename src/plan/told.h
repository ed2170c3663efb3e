#ifndef TARE_PLAN_TOLD_H
#define TARE_PLAN_TOLD_H
/* What the files <input>_alone.c share in writing down advice of advice.h. Texts in in->mem. */
#include "plan/lever/lever.h"

/* Advice without actions yet: in no sum, of no lever. id_tail: "bill-no-team". */
struct rec *told_new(const struct lever_in *in, struct rec_list *out, enum advice_kind kind,
		     const char *id_tail);
/* What it is about costs so much a month. */
void told_cost(struct rec *r, dec month);
/* What it may save, of a month, from and to. */
void told_may_save(const struct lever_in *in, struct rec *r, dec low, dec high);
/* "12,345 $", "14.98 EUR", "<0.01 $": for people, no sign is lost. */
const char *told_money(const struct lever_in *in, dec v);
const char *told_sign(const struct lever_in *in);             /* "$", "EUR" */
const char *told_amount(const struct lever_in *in, dec v);    /* "14.98", for evidence */
const char *told_count(const struct lever_in *in, int64_t n); /* "1,000" */
const char *told_percent(const struct lever_in *in, dec part, dec whole); /* "12 %", "-" */
#endif
