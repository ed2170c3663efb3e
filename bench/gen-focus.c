/*
 * Writes a made-up FOCUS bill of N rows and 40 columns as CSV to stdout, about 620 bytes a row:
 * gen-focus N [SEED]. Hourly charges of a month over 2,000 resources in 20 accounts; one row in
 * fifty is a GPU machine. Equal arguments give equal bytes.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state;

static uint32_t rnd(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % n);
}

static const char *const services[][5] = {
	/* service, category, usage type, unit, description */
	{ "Amazon Elastic Compute Cloud", "Compute", "BoxUsage:m5.xlarge", "Hours",
	  "$0.192 per On Demand Linux m5.xlarge Instance Hour" },
	{ "Amazon Simple Storage Service", "Storage", "TimedStorage-ByteHrs", "GB-Mo",
	  "$0.023 per GB - first 50 TB / month of storage used" },
	{ "Amazon Elastic Compute Cloud", "Storage", "EBS:VolumeUsage.gp3", "GB-Mo",
	  "$0.08 per GB-month of General Purpose (gp3) provisioned storage" },
	{ "AWS Data Transfer", "Networking", "DataTransfer-Regional-Bytes", "GB",
	  "$0.010 per GB - regional data transfer - in/out/between EC2 AZs" },
	{ "AWS Lambda", "Compute", "Lambda-GB-Second", "Second",
	  "AWS Lambda - Compute Free Tier - 400,000 GB-Seconds" },
	{ "Amazon CloudWatch", "Management and Governance", "CW:Requests", "Requests",
	  "$0.01 per 1,000 GetMetricData requests, US East" },
	{ "AWS Key Management Service", "Security", "KMS-Requests", "Requests",
	  "$0.03 per 10000 KMS requests" },
	{ "Amazon Simple Queue Service", "Integration", "Requests-Tier1", "Requests",
	  "$0.40 per million Amazon SQS standard requests in Tier1" },
};
static const char *const regions[][2] = { { "us-east-1", "US East (N. Virginia)" },
					  { "us-west-2", "US West (Oregon)" },
					  { "eu-central-1", "EU (Frankfurt)" } };
static const char *const teams[] = { "vision", "nlp",    "search",   "platform",
				     "data",   "mobile", "payments", "growth" };

static void row(void)
{
	uint32_t resource = rnd(2000), account = resource % 20, hour = rnd(720),
		 gpu = resource % 50 == 0;
	const char *const *s = services[gpu ? 0 : 1 + resource % 7];
	const char *const *r = regions[resource % 3];
	uint32_t whole = gpu ? 3 + rnd(20) : 0, frac = rnd(1000000000);
	unsigned day = hour / 24 + 1, from = hour % 24, to_day = (hour + 1) / 24 + 1,
		 to = (hour + 1) % 24;

	printf("%s%c,%u.%011" PRIu64
	       ",%u,\"Example, Inc. %u\",USD,2024-10-01T00:00:00Z,2024-09-01T00:00:00Z,Usage,\"%s\",Usage-Based,",
	       r[0], 'a' + resource % 3, whole, (uint64_t)frac * 97 % 100000000000u,
	       210987654u + account, account / 4, s[4]);
	if (to_day > 30)
		printf("2024-10-01T00:00:00Z,");
	else
		printf("2024-09-%02uT%02u:00:00Z,", to_day, to);
	printf("2024-09-%02uT%02u:00:00Z,", day, from);
	if (resource % 10 == 3)
		printf("arn:aws:savingsplans::961082193871:savingsplan/%08x,Used,Savings Plan,",
		       resource * 2654435761u);
	else
		printf(",,,");
	printf("%u.%06u,%s,%u.%09u,%u.%04u,%u.%09u,%u.%09u,%u.%04u,%s,", 1 + rnd(9), frac % 1000000,
	       s[3], whole, frac, whole, frac % 10000, whole, frac, whole, frac, whole,
	       frac % 10000, resource % 10 == 3 ? "Committed" : "Standard");
	printf("%u.%06u,%s,AWS,\"Amazon Web Services, Inc.\",%s,%s,arn:aws:ec2:%s:%u:%s/i-%017x,%s-%04u,%s,%s,%s,",
	       1 + rnd(9), frac % 1000000, s[3], r[0], r[1], r[0], 310987654u + account,
	       gpu ? "instance" : "resource", resource * 2654435761u, teams[resource % 8], resource,
	       gpu ? "Instance" : "", s[1], s[0]);
	printf("SKU%08X,SKU%08X.JRTCKXETXF.6YS6EN2CT7,%u,team-%u,\"{\"\"team\"\": \"\"%s\"\", \"\"env\"\": \"\"%s\"\", \"\"app\"\": \"\"app-%u\"\"}\",%s\n",
	       resource * 40503u, resource * 40503u, 400000000u + account, account,
	       teams[resource % 8], resource % 4 ? "prod" : "dev", resource % 97,
	       gpu ? "BoxUsage:p3.2xlarge" : s[2]);
}

int main(int argc, char **argv)
{
	long long n = argc > 1 ? atoll(argv[1]) : 1000;
	static char buf[1 << 20];

	setvbuf(stdout, buf, _IOFBF, sizeof buf);
	state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	puts("AvailabilityZone,BilledCost,BillingAccountId,BillingAccountName,BillingCurrency,BillingPeriodEnd,BillingPeriodStart,ChargeCategory,"
	     "ChargeDescription,ChargeFrequency,ChargePeriodEnd,ChargePeriodStart,CommitmentDiscountId,CommitmentDiscountStatus,"
	     "CommitmentDiscountType,ConsumedQuantity,ConsumedUnit,ContractedCost,ContractedUnitPrice,EffectiveCost,ListCost,"
	     "ListUnitPrice,PricingCategory,PricingQuantity,PricingUnit,ProviderName,PublisherName,RegionId,RegionName,ResourceId,ResourceName,"
	     "ResourceType,ServiceCategory,ServiceName,SkuId,SkuPriceId,SubAccountId,SubAccountName,Tags,x_UsageType");
	while (n-- > 0)
		row();
	return fflush(stdout) ? 1 : 0;
}
