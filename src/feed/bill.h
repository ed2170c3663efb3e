#ifndef TARE_FEED_BILL_H
#define TARE_FEED_BILL_H
/*
 * What all bill feeds share: from a line's evidence (service, usage type, meter, SKU, description, resource) to its
 * kind, instance type, GPU model and count, purchase. The catalogue is asked for names only.
 */
#include "model/model.h"

/*
 * Fill kind, instance_type (when empty), gpu_model, gpu_milli and purchase of a line. Texts set point to static storage or into
 * the catalogue. Rules in the .c, each with its source. Unknown evidence gives KIND_OTHER, never a guess at a GPU. Memoised by
 * (provider, service, usage type, sku, resource type, pricing category, ...): cheap per line.
 */
struct bill_classifier;
struct bill_classifier *bill_classifier_new(void);
void bill_classifier_free(struct bill_classifier *c);
void bill_classify(struct bill_classifier *c, struct bill_line *b);

#endif
