/* Where on the bill an amount stands: of a line, and of what several lines pay together. */
#include "book/in.h"

static struct sv common_text(struct sv a, struct sv b)
{
	if (sv_eq(a, b))
		return a;
	return SV_NULL;
}

struct billed_as charge_of_line(const struct bill_line *l)
{
	return (struct billed_as){ .cloud_service = l->service_name,
				   .account = sv_or(l->sub_account, l->account),
				   .invoice = l->invoice,
				   .billing_account = l->account,
				   .charge_category = l->charge_category,
				   .instance_type = l->instance_type,
				   .commitment = l->commitment_id };
}

struct billed_as charge_or(const struct billed_as *a, const struct billed_as *b)
{
	return (struct billed_as){ .cloud_service = sv_or(a->cloud_service, b->cloud_service),
				   .account = sv_or(a->account, b->account),
				   .invoice = sv_or(a->invoice, b->invoice),
				   .billing_account = sv_or(a->billing_account, b->billing_account),
				   .charge_category = sv_or(a->charge_category, b->charge_category),
				   .instance_type = sv_or(a->instance_type, b->instance_type),
				   .commitment = sv_or(a->commitment, b->commitment) };
}

struct billed_as charge_common(const struct billed_as *a, const struct billed_as *b)
{
	return (struct billed_as){
		.cloud_service = common_text(a->cloud_service, b->cloud_service),
		.account = common_text(a->account, b->account),
		.invoice = common_text(a->invoice, b->invoice),
		.billing_account = common_text(a->billing_account, b->billing_account),
		.charge_category = common_text(a->charge_category, b->charge_category),
		.instance_type = common_text(a->instance_type, b->instance_type),
		.commitment = common_text(a->commitment, b->commitment)
	};
}

struct payer payer_of_line(const struct bill_line *l)
{
	return (struct payer){ .account = l->account,
			       .sub_account = l->sub_account,
			       .sub_account_name = l->sub_account_name,
			       .service = l->service_name };
}

struct payer payer_or(const struct payer *a, const struct payer *b)
{
	return (struct payer){ .account = sv_or(a->account, b->account),
			       .sub_account = sv_or(a->sub_account, b->sub_account),
			       .sub_account_name = sv_or(a->sub_account_name, b->sub_account_name),
			       .service = sv_or(a->service, b->service) };
}

struct payer payer_common(const struct payer *a, const struct payer *b)
{
	return (struct payer){ .account = common_text(a->account, b->account),
			       .sub_account = common_text(a->sub_account, b->sub_account),
			       .sub_account_name = common_text(a->sub_account_name,
							       b->sub_account_name),
			       .service = common_text(a->service, b->service) };
}

bool charge_same_place(const struct billed_as *a, const struct billed_as *b)
{
	bool accounts = sv_eq(a->account, b->account) &&
			sv_eq(a->billing_account, b->billing_account);

	if (!accounts || !sv_eq(a->invoice, b->invoice))
		return false;
	return sv_eq(a->charge_category, b->charge_category) &&
	       sv_eq(a->cloud_service, b->cloud_service);
}

struct billed_as charge_placed(const struct billed_as *a, const struct billed_as *b)
{
	struct billed_as ret = *b;

	ret.instance_type = a->instance_type;
	ret.commitment = a->commitment;
	return ret;
}

bool payer_eq(const struct payer *a, const struct payer *b)
{
	if (!sv_eq(a->account, b->account) || !sv_eq(a->sub_account, b->sub_account))
		return false;
	return sv_eq(a->sub_account_name, b->sub_account_name) && sv_eq(a->service, b->service);
}

int charge_cmp(const struct billed_as *a, const struct billed_as *b)
{
	const struct sv x[] = { a->cloud_service,  a->account, a->instance_type,
				a->commitment,     a->invoice, a->billing_account,
				a->charge_category },
			y[] = { b->cloud_service,  b->account, b->instance_type,
				b->commitment,     b->invoice, b->billing_account,
				b->charge_category };
	int c = 0;

	for (size_t i = 0; !c && i < sizeof x / sizeof *x; i++)
		c = sv_cmp(x[i], y[i]);
	return c;
}
