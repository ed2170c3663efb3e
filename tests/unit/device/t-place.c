/* The machine, from metadata services on loopback that answer as the providers' do. */
#include "../base/test.h"

#include "device/place.h"
#include "../loopback.h"

static const char *mode = "";

static void serve(void *ctx, const char *head, const char *body, struct answer *ret)
{
	ret->status = 404;
	if (!strcmp(mode, "aws") || !strcmp(mode, "aws-no-token")) {
		if (!strncmp(head, "PUT /latest/api/token ", 22) &&
		    strstr(head, "X-aws-ec2-metadata-token-ttl-seconds: ") &&
		    strcmp(mode, "aws-no-token"))
			*ret = (struct answer){ .status = 200, .body = SV("TOKEN==\n") };
		else if (!strstr(head, "X-aws-ec2-metadata-token: TOKEN=="))
			ret->status = 401;
		else if (strstr(head, "/latest/dynamic/instance-identity/document"))
			*ret = (struct answer){
				.status = 200,
				.body = SV(
					"{\n  \"accountId\" : \"123456789012\",\n  \"availabilityZone\" : \"us-east-1a\",\n"
					"  \"instanceId\" : \"i-0abc\",\n  \"instanceType\" : \"p4d.24xlarge\",\n  \"region\" : \"us-east-1\",\n  \"marketplaceProductCodes\" : null\n}")
			};
		else if (strstr(head, "/latest/meta-data/instance-life-cycle"))
			*ret = (struct answer){ .status = 200, .body = SV("spot") };
	} else if (!strcmp(mode, "gcp") && strstr(head, "Metadata-Flavor: Google")) {
		if (strstr(head, "GET /computeMetadata/v1/instance/?recursive=true "))
			*ret = (struct answer){
				.status = 200,
				.body = SV(
					"{\"id\":4711,\"machineType\":\"projects/99/machineTypes/a2-highgpu-1g\",\"name\":\"n1\","
					"\"scheduling\":{\"automaticRestart\":\"TRUE\",\"preemptible\":\"FALSE\"},\"zone\":\"projects/99/zones/us-central1-a\"}")
			};
		else if (strstr(head, "/computeMetadata/v1/project/project-id"))
			*ret = (struct answer){ .status = 200, .body = SV("my-project") };
	} else if (!strcmp(mode, "azure") && strstr(head, "Metadata: true") &&
		   strstr(head, "GET /metadata/instance?api-version=")) {
		*ret = (struct answer){
			.status = 200,
			.body = SV(
				"{\"compute\":{\"location\":\"eastus\",\"zone\":\"1\",\"vmSize\":\"Standard_NC24ads_A100_v4\","
				"\"vmId\":\"02aab8a4\",\"priority\":\"Spot\",\"subscriptionId\":\"8d10da13\",\"resourceId\":\"/subscriptions/8d10da13/resourceGroups/g/providers/"
				"Microsoft.Compute/virtualMachines/vm1\"},\"network\":{}}")
		};
	} else if (!strcmp(mode, "rubbish")) {
		*ret = (struct answer){ .status = 200,
					.body = SV("<html>\033[2Jcaptive portal</html>") };
	} else if (!strcmp(mode, "hang")) {
		usleep(600000);
	}
}

static struct place find(const char *how)
{
	struct loopback l = { .serve = serve };
	struct place p;
	struct err err;
	char url[64];

	mode = how;
	assert_int_equal(loopback_start(&l), 0);
	snprintf(url, sizeof url, "http://127.0.0.1:%d/", l.port);
	struct place_opt o = {
		.aws = url, .gcp = url, .azure = url, .limit_ms = strcmp(how, "hang") ? 20000 : 200
	};
	assert_int_equal(place_find(&o, &p, &err), 0);
	loopback_stop(&l);
	return p;
}

static void clouds(void **state)
{
	struct place p = find("aws");

	assert_true(p.known);
	assert_string_equal(p.provider, "aws");
	assert_string_equal(p.region, "us-east-1");
	assert_string_equal(p.zone, "us-east-1a");
	assert_string_equal(p.instance_type, "p4d.24xlarge");
	assert_string_equal(p.purchase, "spot");
	assert_string_equal(p.resource_id, "i-0abc");
	assert_string_equal(p.account, "123456789012");
	p = find("gcp");
	assert_string_equal(p.provider, "gcp");
	assert_string_equal(p.region, "us-central1");
	assert_string_equal(p.zone, "us-central1-a");
	assert_string_equal(p.instance_type, "a2-highgpu-1g");
	assert_string_equal(p.purchase, "on_demand");
	assert_string_equal(
		p.resource_id,
		"//compute.googleapis.com/projects/my-project/zones/us-central1-a/instances/4711");
	p = find("azure");
	assert_string_equal(p.provider, "azure");
	assert_string_equal(p.region, "eastus");
	assert_string_equal(p.instance_type, "Standard_NC24ads_A100_v4");
	assert_string_equal(p.purchase, "spot");
	assert_has(p.resource_id, "/virtualMachines/vm1");
}

static void nobody(void **state)
{
	static const char *const modes[] = { "", "rubbish", "hang", "aws-no-token" };

	for (size_t i = 0; i < COUNT(modes); i++) {
		struct place p = find(modes[i]);
		assert_false(p.known);
		assert_string_equal(p.provider, "");
		assert_true(strlen(p.why) > 0);
		assert_null(strchr(p.why, '\033'));
	}
}

/* A machine whose maker is no cloud: nobody is asked. */
static void own_machine(void **state)
{
	char dir[] = "/tmp/t-place.XXXXXX", cmd[200];
	struct place p;
	struct err err;

	unsetenv("TARE_METADATA");
	assert_non_null(mkdtemp(dir));
	snprintf(cmd, sizeof cmd,
		 "mkdir -p %s/class/dmi/id && echo 'Supermicro' > %s/class/dmi/id/sys_vendor", dir,
		 dir);
	assert_int_equal(system(cmd), 0);
	assert_int_equal(place_find(&(struct place_opt){ .sysfs = dir }, &p, &err), 0);
	assert_false(p.known);
	assert_has(p.why, "Supermicro");
	setenv("TARE_METADATA", "off", 1);
	assert_int_equal(place_find(NULL, &p, &err), 0);
	assert_false(p.known);
	snprintf(cmd, sizeof cmd, "rm -rf %s", dir);
	assert_int_equal(system(cmd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(clouds), cmocka_unit_test(nobody),
					    cmocka_unit_test(own_machine) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
