/* Three hours of one machine with four GPUs: its bill, its record, two jobs and their requests. */
#ifndef TEST_FLEET_H
#define TEST_FLEET_H
#include "asked.h"

#define FLEET_BILL                                                                           \
	"BilledCost,EffectiveCost,ListCost,ContractedCost,BillingCurrency,"                  \
	"BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,"                 \
	"BillingPeriodStart,BillingPeriodEnd,ProviderName,ServiceName,ServiceCategory,"      \
	"ResourceId,RegionId,ConsumedQuantity,ConsumedUnit,SkuPriceDetails,Tags\n"           \
	"17.016,17.016,17.016,17.016,USD,1,Usage,2024-10-01T00:00:00Z,2024-10-01T03:00:00Z," \
	"2024-10-01T00:00:00Z,2024-11-01T00:00:00Z,AWS,Amazon Elastic Compute Cloud,"        \
	"Compute,i-0a1,us-east-1,3,Hours,\"{\"\"InstanceType\"\":\"\"g5.12xlarge\"\"}\","    \
	"\"{\"\"Name\"\":\"\"gpu-9\"\"}\"\n"                                                 \
	"0.100000000001,0.100000000001,0.1,0.1,USD,1,Usage,2024-10-01T00:00:00Z,"            \
	"2024-10-01T03:00:00Z,2024-10-01T00:00:00Z,2024-11-01T00:00:00Z,AWS,"                \
	"Amazon Elastic Block Store,Storage,vol-7,us-east-1,3,GB-Hours,,"                    \
	"\"{\"\"Name\"\":\"\"gpu-9\"\"}\"\n"
#define FLEET_JOBS                                                                        \
	"job_id,user,team,project,workload,gpus,submit,start,end,state,node\n"            \
	"41,ann,vision,detector,training,2,2024-09-30T23:00:00Z,2024-10-01T00:00:00Z,"    \
	"2024-10-01T02:00:00Z,COMPLETED,gpu-9\n"                                          \
	"ranker,svc,search,ranker,inference,1,2024-10-01T00:00:00Z,2024-10-01T00:30:00Z," \
	"2024-10-01T03:00:00Z,COMPLETED,gpu-9\n"
#define FLEET_REQUESTS                                         \
	"time,service,count,latency_ms,tokens_in,tokens_out\n" \
	"2024-10-01T00:40:00Z,ranker,1000,12,50000,30000\n"    \
	"2024-10-01T02:10:00Z,ranker,500,15,10000,10000\n"
#define FLEET_NODES                                                                \
	"node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to," \
	"resource_id\n"                                                            \
	"gpu-9,aws,us-east-1,g5.12xlarge,A10G,4,on_demand,2024-10-01T00:00:00Z,"   \
	"2024-10-01T03:00:00Z,i-0a1\n"

static int fleet_open(void **state)
{
	static const struct asked_file file[] = { { "bill.csv", FLEET_BILL },
						  { "nodes.csv", FLEET_NODES },
						  { "jobs.csv", FLEET_JOBS },
						  { "requests.csv", FLEET_REQUESTS } };

	(void)state;
	return asked_open("version: 1\n", sizeof file / sizeof *file, file);
}

#endif
