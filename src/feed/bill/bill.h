#ifndef TARE_FEED_BILL_BILL_H
#define TARE_FEED_BILL_BILL_H
/*
 * What all bill feeds share: from a line's evidence (service, usage type, meter, SKU, description,
 * resource) to its kind, instance type, GPU model and count, purchase. The catalogue is asked for
 * names only.
 */
#include "base/err.h"
#include "model/model.h"

/* Evidence that struct bill_line has no place for; all may be {NULL,0}. */
struct bill_evidence {
	struct sv details; /* JSON object with keys such as InstanceType, GpuCount, ServiceType */
	struct sv term;    /* "1yr", "36" (months), "3 Years": of the commitment */
	/* a split charge: tags of whom it was allocated to, over those of the resource; or
	 * {NULL,0} */
	struct sv owner_tags;
	bool is_fee; /* of a commitment, or taken off one: never GPU time, whatever type it names */
	/* of columns of their own, or said by the user: of machines of which nothing says more */
	struct sv gpu_model, gpu_count;
};

struct bill_classifier;
/* Reads the shipped catalogue. */
int bill_classifier_new(struct bill_classifier **ret, struct err *err);
void bill_classifier_free(struct bill_classifier *c);

/*
 * Fill kind, instance_type (when empty), gpu_model, gpu_milli and purchase of a line. Texts set
 * live until the next call. Rules in bill.c, each with its source. Unknown evidence gives
 * KIND_OTHER, never a guess at a GPU. The quantity of a GPU line becomes hours of the resource: a
 * line that counts GPU-hours is divided by its number of GPUs, one that counts something else of
 * the same machine (cores, GiB), or is no usage, loses its quantity. Memoised by the evidence:
 * cheap per line. Says whether it needed gpu_model or gpu_count of the evidence.
 */
bool bill_classify(struct bill_classifier *c, struct bill_line *b, const struct bill_evidence *e);

/*
 * A line classified as KIND_OTHER may be the time of the machine that its resource id names: it is
 * of a compute service and counts neither data nor calls, nor is it one of the fees beside a
 * machine (credits of the processor, its monitoring). It names no type that the catalogue has with
 * a GPU: only who knows the machine can say whether it has one. Pure; by the texts of the line
 * alone.
 */
bool bill_is_compute(const struct bill_line *b);

/*
 * A line of usage of a machine of which nothing says whether it has GPUs: its provider's types are
 * not all in the catalogue, as those of AWS, Azure and Google with GPUs are. Its GPU time is not
 * known, which is not 0. Pure.
 */
bool bill_is_unknown_machine(const struct bill_line *b);

/*
 * Money given back or put right, and no price of what it names: credits, refunds, adjustments. It
 * is of the machine that it names, of KIND_OTHER, and gpu_milli says that the machine has GPUs. A
 * discount of a contract is a price: AWS's adjustments, which are taken off line by line; so is the
 * part of a commitment's fee that use has. Pure.
 */
bool bill_is_credit(const struct bill_line *b);

/* The fee of a commitment, or what is taken off it: never GPU time, whatever type it names. By what
 * the store keeps of a line; of the rest its feed says it (struct bill_evidence). Pure. */
bool bill_is_fee(const struct bill_line *b);

/* Fees of AWS and what is taken off them name the commitment itself, not a machine it covers. */
bool bill_is_commitment(struct sv arn);

/* A reservation of capacity: machines are held for its owner and paid for, used or not. It is no
 * discount, and says nothing of how they are paid. By its id. */
bool bill_is_capacity(struct sv id);
/* AWS's usage type of what of one was not used ("UnusedBox:p4d.24xlarge"). */
bool bill_is_empty_capacity(struct sv usage_type);
/* Fills the reservation that the line is of, and how, where only its other texts say it:
 * docs/design/0053-capacity-reservations.md. */
void bill_find_capacity(struct bill_line *b);

/* Azure's ServiceType is a size of a machine ("Standard_ND96isr_H100_v5") only for machines;
 * "DataAnalysis" is none. */
bool bill_is_azure_size(struct sv service_type);

/* "AWS", "Amazon Web Services" -> "aws": as the catalogue writes it; lives as long as the
 * classifier. */
struct sv bill_provider(struct bill_classifier *c, struct sv name);

#endif
