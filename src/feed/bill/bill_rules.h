#ifndef TARE_FEED_BILL_BILL_RULES_H
#define TARE_FEED_BILL_BILL_RULES_H
/* Inside of the classifier: the rules without their memory. */
#include "catalog/catalog.h"
#include "feed/bill/bill.h"

/* what the quantity of a GPU line counts hours of */
enum counts { COUNTS_OTHER, COUNTS_INSTANCE, COUNTS_GPU };

struct verdict {
	enum kind kind;
	bool of_gpu; /* GPU time, or a credit for it */
	bool told;   /* by gpu_model or gpu_count of the evidence */
	enum counts counts;
	struct sv instance_type, gpu_model, purchase;
	int64_t gpu_milli; /* 0 with COUNTS_GPU: as many as the quantity says */
};

/* Pure; texts point into the line, the evidence, the catalogue or are static. */
void bill_judge(const struct catalog *c, const struct bill_line *b, const struct bill_evidence *e,
		struct verdict *ret);

#endif
