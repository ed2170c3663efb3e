/* Lines of actions: none without words, names quoted for where they go, undo is the way back. */
#include "unit/base/test.h"

#include <jansson.h>

#include "base/sh.h"
#include "base/tm.h"
#include "report/action/action_text.h"

/* Each field that is a name says this. */
static void fill(struct action *a, enum action_kind kind, const char *z)
{
	struct raw_name n = raw_name(z);
	static struct raw_name names[2];
	static const struct power_event on[] = { { 0, 8, true }, { 0, 18, false } };
	static const struct mig_part part[] = { { "3g.20gb", 2 } };
	struct machine_ref m = { n, n, n, n, n, n };

	names[0] = names[1] = n;
	*a = (struct action){ .kind = kind, .which = { n, n, n, n, n, n, n, n, n, n, 4 } };
	switch (kind) {
	case ACTION_SUBMIT:
		a->submit = (struct action_submit){ .change = SUBMIT_GPUS | SUBMIT_TYPE |
							      SUBMIT_LIMIT | SUBMIT_REGION |
							      SUBMIT_SPOT | SUBMIT_BEGIN,
						    .was = { 4, n, MS_DAY, n, false, -1 },
						    .now = { 1, n, MS_HOUR, n, true, 20 },
						    .to = TO_ANY,
						    .provider = n,
						    .checkpoint_min = 10,
						    .namespace_ = n };
		break;
	case ACTION_TRIAL: a->trial = (struct action_trial){ TRIAL_SPOT, n, n, true }; break;
	case ACTION_CHECKPOINTS:
	case ACTION_FEED: break;
	case ACTION_TECHNIQUE:
		a->technique = (struct action_technique){ .technique = TECHNIQUE_STOP_EARLY,
							  .patience = 3,
							  .metric = n,
							  .delta_frac = 0.001 };
		break;
	case ACTION_CULL: a->cull.idle_ms = MS_HOUR; break;
	case ACTION_SPREAD:
	case ACTION_ROLLOUT:
	case ACTION_REPLICAS: a->replicas = (struct action_replicas){ n, 4, 4, 2, n, n, n }; break;
	case ACTION_REPLICA_MOVE:
		a->replica_move = (struct action_replica_move){ .service = n,
								.beside = n,
								.node = n,
								.share = SHARE_MPS,
								.why = "as they fit",
								.first = true,
								.threads_pct = 50,
								.mem_mib = 8192,
								.limit_ms = 100,
								.namespace_ = n };
		break;
	case ACTION_MIG:
		a->mig = (struct action_mig){ m, "layout", TO_SLURM, 0, part, 1, names, 2 };
		break;
	case ACTION_TELL: a->tell = (struct action_tell){ TELL_STOP, n, n, 3, names, 2 }; break;
	case ACTION_STOP:
	case ACTION_CORDON:
	case ACTION_DRAIN: a->machine = m; break;
	case ACTION_POOL:
		a->pool = (struct action_pool){ .cluster = n,
						.provider = n,
						.region = n,
						.instance_type = n,
						.to = TO_ANY,
						.was = 0,
						.now = 3 };
		break;
	case ACTION_RELEASE:
		a->release = (struct action_release){ .cluster = n,
						      .pool = n,
						      .provider = n,
						      .idle_min = 15,
						      .boot_min = 5,
						      .machines = 3 };
		break;
	case ACTION_TIMETABLE:
		a->timetable =
			(struct action_timetable){ "id", n, n, n, n, names, 2, NULL, 0, on, 2 };
		break;
	case ACTION_PACK: a->pack = (struct action_pack){ n, n }; break;
	case ACTION_HOST_SHARE:
		a->host_share = (struct action_host_share){ n, true, 8, 0, true };
		break;
	case ACTION_ARCHIVE: a->archive = (struct action_archive){ n, n, n, n, 30 }; break;
	case ACTION_TAG_ALIAS:
		a->tag_alias = (struct action_tag_alias){ n, n, names, names, 2, 2 };
		break;
	case ACTION_EXPIRE: a->expire = (struct action_expire){ n, 30 }; break;
	case ACTION_COMMIT:
		a->commit = (struct action_commit){ .id = "id",
						    .provider = n,
						    .region = n,
						    .instance_type = n,
						    .currency = n,
						    .purchase = "reserved_1y",
						    .term = "1y",
						    .term_h = 8760,
						    .ends_ms = MS_DAY,
						    .gpus = 8,
						    .machines = 1,
						    .in_parts = true };
		break;
	case ACTION_N: fail();
	}
}

/* The provider decides which words are used; the rest of the names stay hostile. */
static void set_provider(struct action *a, const char *z)
{
	struct raw_name n = raw_name(z);

	a->submit.provider = a->kind == ACTION_SUBMIT ? n : a->submit.provider;
	if (a->kind == ACTION_STOP)
		a->machine.provider = n;
	if (a->kind == ACTION_TIMETABLE)
		a->timetable.provider = n;
	if (a->kind == ACTION_RELEASE)
		a->release.provider = n;
	if (a->kind == ACTION_ARCHIVE)
		a->archive.provider = n;
	if (a->kind == ACTION_COMMIT)
		a->commit.provider = n;
}

static const char *const providers[] = { "aws", "gcp", "azure", "elsewhere" };
#define EACH_PROVIDER for (size_t p = 0; p < sizeof providers / sizeof *providers; p++)
#define EACH_KIND     for (enum action_kind k = 0; k < ACTION_N; k++)

static void no_kind_without_words(void **state)
{
	EACH_KIND EACH_PROVIDER
	{
		struct action a;
		struct action_text t;
		enum action_kind by;
		fill(&a, k, "n1");
		set_provider(&a, providers[p]);
		action_text_make(&a, 1, &t);
		assert_true(t.apply.n > 0);
		assert_int_equal(t.undo.n > 0, action_has_undo(k, &by));
		if (!t.undo.n && by != ACTION_N) /* what undoes it has lines to do so */
			assert_true(action_has_undo(by, &by));
		assert_true(*action_name(k));
		action_text_free(&t);
	}
}

/* Nothing told: words of ours to be filled in, never "(null)" or an empty argument. */
static void nothing_told(void **state)
{
	static const char *const none[] = { NULL, "" };

	for (size_t e = 0; e < 2; e++)
		EACH_KIND EACH_PROVIDER
		{
			struct action a;
			struct action_text t;
			fill(&a, k, none[e]);
			set_provider(&a, providers[p]);
			action_text_make(&a, 1, &t);
			for (size_t i = 0; i < t.apply.n; i++) {
				assert_null(strstr(t.apply.v[i], "(null)"));
				if (t.apply.v[i][0] != '#')
					assert_null(strstr(t.apply.v[i], "  --"));
			}
			action_text_free(&t);
		}
}

/* No line but a comment has it, and no line a character that hides or ends one. */
static void check_line(const char *line, const char *name)
{
	if (*line != '#' && strstr(line, name))
		fail_msg("'%s' stands in '%s'", name, line);
	if (*line == '#' && strpbrk(line, "`;|&"))
		fail_msg("a comment with a command in it: '%s'", line);
	for (const char *c = line; *c; c++)
		if ((unsigned char)*c < ' ')
			fail_msg("a character 0x%02x in '%s'", *c, line);
}

static void hostile_names(void **state)
{
	static const char *const names[] = {
		"--all",  "-rf",        "$(touch x)", "`touch x`", "a\ntouch x",    "'; touch x; '",
		";x",     "a;touch x;", "&& x",       "|touch x",  "a b; x",        "\x1b[2J",
		"!touch", "=touch",     "x\\",        "{a,b}",     "http://evil/x",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		EACH_KIND EACH_PROVIDER
		{
			struct action a;
			struct action_text t;
			fill(&a, k, names[i]);
			set_provider(&a, providers[p]);
			if (k == ACTION_TIMETABLE && i % 2) { /* machines by id, not by name */
				a.timetable.resource = a.timetable.node;
				a.timetable.nresource = a.timetable.nnode;
			}
			action_text_make(&a, 1, &t);
			for (size_t j = 0; j < t.apply.n; j++)
				check_line(t.apply.v[j], names[i]);
			for (size_t j = 0; j < t.undo.n; j++)
				check_line(t.undo.v[j], names[i]);
			action_text_free(&t);
		}
}

/* In Slurm ALL is every node: as one of a list it spoils the line. */
static void all_is_no_machine(void **state)
{
	static const char *const names[] = { "ALL", "all", "All" };

	for (size_t i = 0; i < 3; i++) {
		struct action a[2];
		struct action_text t;
		fill(&a[0], ACTION_TIMETABLE, names[i]);
		fill(&a[1], ACTION_MIG, names[i]);
		action_text_make(a, 2, &t);
		for (size_t j = 0; j < t.apply.n; j++)
			assert_true(t.apply.v[j][0] == '#' || !strstr(t.apply.v[j], "scontrol"));
		action_text_free(&t);
	}
}

static void good_names(void **state)
{
	struct action a[3];
	struct action_text t;

	fill(&a[0], ACTION_REPLICAS, "chat-api");
	a[0].replicas.spot = 0;
	a[0].replicas.now = 0;
	/* where a deployment of that name is in others too, both ways say which is meant */
	action_text_make(a, 1, &t);
	assert_string_equal(t.apply.v[0],
			    "# in cluster chat-api alone: kubectl config use-context ...");
	assert_string_equal(t.undo.v[0], t.apply.v[0]);
	assert_string_equal(t.undo.v[1],
			    "kubectl -n chat-api scale deployment chat-api --replicas=4");
	action_text_free(&t);
	a[0].replicas.cluster = raw_name("");
	fill(&a[1], ACTION_STOP, "/subscriptions/a_b/vm-1");
	set_provider(&a[1], "azure");
	fill(&a[2], ACTION_STOP, "n1; $(reboot)");
	set_provider(&a[2], "elsewhere");
	action_text_make(a, 3, &t);
	assert_string_equal(t.apply.v[0],
			    "kubectl -n chat-api scale deployment chat-api --replicas=0");
	/* the last thing done is undone first */
	assert_string_equal(t.undo.v[0], "# start n1_ __reboot_, n1_ __reboot_ n1_ __reboot_");
	assert_string_equal(t.undo.v[3],
			    "kubectl -n chat-api scale deployment chat-api --replicas=4");
	assert_string_equal(t.apply.v[2], "az vm deallocate --ids /subscriptions/a_b/vm-1");
	assert_string_equal(t.undo.v[2], "az vm start --ids /subscriptions/a_b/vm-1");
	assert_string_equal(t.apply.v[3], "# stop n1_ __reboot_, n1_ __reboot_ n1_ __reboot_");
	action_text_free(&t);
	fill(&a[0], ACTION_REPLICAS, "--all");
	a[0].replicas.spot = 0;
	a[0].replicas.cluster = raw_name("");
	action_text_make(a, 1, &t);
	assert_string_equal(
		t.apply.v[0],
		"# left out, as a name in it cannot be given to the command safely: kubectl -n --all scale deployment --all --replicas=4");
	action_text_free(&t);
}

/* What keeps the replicas decides the command. */
static void controllers(void **state)
{
	struct action a;
	struct action_text t;

	fill(&a, ACTION_REPLICAS, "api");
	a.replicas.spot = 0;
	a.replicas.cluster = raw_name("");
	a.replicas.controller = CONTROLLER_STATEFULSET;
	action_text_make(&a, 1, &t);
	assert_string_equal(t.apply.v[0], "kubectl -n api scale statefulset api --replicas=4");
	action_text_free(&t);
	a.kind = ACTION_ROLLOUT;
	action_text_make(&a, 1, &t);
	assert_string_equal(t.apply.v[0],
			    "kubectl -n api rollout status statefulset/api --timeout=15m");
	action_text_free(&t);
	a.kind = ACTION_SPREAD;
	action_text_make(&a, 1, &t);
	assert_true(t.apply.n == 1 && t.apply.v[0][0] == '#');
	action_text_free(&t);
	a.kind = ACTION_REPLICAS;
	a.replicas.controller = CONTROLLER_JOB;
	action_text_make(&a, 1, &t);
	assert_non_null(strstr(t.apply.v[0], "patch job api"));
	action_text_free(&t);
	a.replicas.controller = CONTROLLER_DAEMONSET;
	action_text_make(&a, 1, &t);
	assert_true(t.apply.n == 2 && t.apply.v[0][0] == '#');
	assert_non_null(strstr(t.apply.v[1], "{\"tare-on\":\"true\"}"));
	assert_non_null(strstr(t.undo.v[0], "\"tare-on\":null"));
	action_text_free(&t);
	a.replicas.spot = 1;
	action_text_make(&a, 1, &t);
	assert_true(t.apply.n == 1 && t.apply.v[0][0] == '#');
	action_text_free(&t);
}

static void azure_lines(void **state)
{
	struct action a;
	struct action_text t;

	fill(&a, ACTION_COMMIT, "NC24");
	set_provider(&a, "azure");
	a.commit.id = "commit-nc24.v4";
	a.commit.purchase = "reserved_1y";
	a.commit.in_parts = false;
	a.commit.machines = 2;
	a.commit.term_h = 365 * 24;
	action_text_make(&a, 1, &t);
	assert_int_equal(t.apply.n, 3);
	assert_string_equal(
		t.apply.v[2],
		"az reservations reservation-order purchase --reservation-order-id $ORDER --reserved-resource-type VirtualMachines --sku NC24 --location NC24 "
		"--quantity 2 --term P1Y --billing-plan Monthly --applied-scope-type Shared --billing-scope $(az account show --query id -o tsv) "
		"--display-name commit-nc24-v4");
	action_text_free(&t);

	struct raw_name node[] = { raw_name("n1"), raw_name("n2") };
	struct raw_name id[] = {
		raw_name("azure:///subscriptions/1/virtualMachineScaleSets/w/virtualMachines/0"),
		raw_name("/subscriptions/1/virtualMachineScaleSets/w/virtualMachines/4")
	};
	static const struct power_event on[] = { { 0, 8, true }, { 4, 18, false } };
	a = (struct action){ .kind = ACTION_TIMETABLE,
			     .timetable = { .id = "t",
					    .provider = raw_name("azure"),
					    .node = node,
					    .nnode = 2,
					    .resource = id,
					    .nresource = 2,
					    .event = on,
					    .nevent = 2 } };
	action_text_make(&a, 1, &t);
	assert_string_equal(
		t.apply.v[3],
		"0 18 * * 5 root az vmss deallocate --ids /subscriptions/1/virtualMachineScaleSets/w --instance-ids 0 4");
	action_text_free(&t);

	/* neither a cloud nor who runs the work: words, and no line that does something */
	a.timetable.provider = raw_name("");
	action_text_make(&a, 1, &t);
	for (size_t i = 0; i < t.apply.n; i++)
		assert_int_equal(t.apply.v[i][0], '#');
	assert_string_equal(t.apply.v[2], "# Fri 18:00 UTC: off");
	action_text_free(&t);
	a.timetable.to = TO_SLURM;
	action_text_make(&a, 1, &t);
	assert_string_equal(t.apply.v[2],
			    "0 8 * * 1 root scontrol update NodeName=n1,n2 State=POWER_UP");
	action_text_free(&t);
}

/* The sides swapped: undo of an action is what the opposite action does. */
static void undo_is_the_way_back(void **state)
{
	struct action there, back;
	struct action_text t, b;

	fill(&there, ACTION_SUBMIT, "p3.2xlarge");
	there.submit.change = SUBMIT_GPUS | SUBMIT_TYPE | SUBMIT_LIMIT;
	back = there;
	back.submit.was = there.submit.now;
	back.submit.now = there.submit.was;
	action_text_make(&there, 1, &t);
	action_text_make(&back, 1, &b);
	assert_int_equal(t.undo.n, b.apply.n);
	for (size_t i = 0; i < t.undo.n; i++)
		assert_string_equal(t.undo.v[i], b.apply.v[i]);
	assert_string_equal(t.apply.v[2], "#SBATCH --time=01:00:00");
	assert_string_equal(t.undo.v[2], "#SBATCH --time=1-00:00:00");
	action_text_free(&t);
	action_text_free(&b);
}

static void a_timetable(void **state)
{
	struct action a;
	struct action_text t;

	fill(&a, ACTION_TIMETABLE, "n1");
	set_provider(&a, "gcp");
	action_text_make(&a, 1, &t);
	assert_string_equal(t.apply.v[0], "cat > /etc/cron.d/tare-id <<'END'");
	assert_string_equal(t.apply.v[2],
			    "0 8 * * 1 root gcloud compute instances start --zone n1 n1 n1");
	assert_string_equal(t.apply.v[3],
			    "0 18 * * 1 root gcloud compute instances stop --zone n1 n1 n1");
	assert_string_equal(t.undo.v[0], "rm /etc/cron.d/tare-id");
	assert_string_equal(t.undo.v[1], "gcloud compute instances start --zone n1 n1 n1");
	action_text_free(&t);
}

/* The jobs in the way by name, and Slurm's way to a layout. */
static void mig_of_slurm(void **state)
{
	struct action a;
	struct action_text t;

	fill(&a, ACTION_MIG, "gpu-1");
	action_text_make(&a, 1, &t);
	assert_string_equal(t.apply.v[0], "cat > layout.yaml <<'END'");
	assert_string_equal(t.apply.v[7], "        \"3g.20gb\": 2");
	assert_string_equal(t.apply.v[8], "END");
	assert_non_null(strstr(t.apply.v[9], "nodename=gpu-1 state=drain"));
	assert_non_null(strstr(t.apply.v[10], "wait for gpu-1"));
	assert_non_null(strstr(t.apply.v[t.apply.n - 1], "state=resume"));
	action_text_free(&t);
}

/* What is printed is what was replayed: its metric, in its direction. */
static void early_stopping(void **state)
{
	struct action a;
	struct action_text t;
	struct str s = { 0 };
	struct jw w;

	fill(&a, ACTION_TECHNIQUE, "val/acc'); x");
	a.technique.higher = true;
	action_text_make(&a, 1, &t);
	assert_string_equal(
		t.apply.v[1],
		"# EarlyStopping(monitor='val/acc___ x', mode='max', patience=3, restore_best_weights=True)");
	assert_non_null(strstr(t.apply.v[2], "by more than 0.1 % of the best so far"));
	action_text_free(&t);
	fill(&a, ACTION_TECHNIQUE, "val_loss");
	a.technique.delta_frac = 0;
	action_text_make(&a, 1, &t);
	assert_non_null(strstr(t.apply.v[1], "monitor='val_loss', mode='min'"));
	assert_int_equal(t.apply.n, 2);
	action_text_free(&t);
	a.technique.higher = true;
	a.technique.delta_frac = 0.5;
	jw_init(&w, &s, 0);
	action_json(&a, 1, &w);
	assert_non_null(strstr(str_z(&s),
			       "\"metric\":\"val_loss\",\"better\":\"higher\",\"delta_frac\":0.5"));
	str_free(&s);
	a.technique = (struct action_technique){ .technique = TECHNIQUE_REUSE };
	jw_init(&w, &s, 0);
	action_json(&a, 1, &w);
	assert_null(strstr(str_z(&s), "better"));
	str_free(&s);
}

/* One object of JSON for each, with its kind first; what is not told is null or left out. */
static void as_json(void **state)
{
	static const char *const names[] = { "n1", "\"}, \x1b", "" };

	for (size_t i = 0; i < 3; i++)
		EACH_KIND
		{
			struct action a;
			struct str s = { 0 };
			struct arena mem = { 0 };
			struct jw w;
			fill(&a, k, names[i]);
			jw_init(&w, &s, 0);
			action_json(&a, 1, &w);
			const char *begin = arena_printf(&mem, "[{\"do\":\"%s\"", action_name(k));
			assert_int_equal(strncmp(str_z(&s), begin, strlen(begin)), 0);
			json_t *j = json_loads(str_z(&s), 0, NULL);
			assert_int_equal(json_array_size(j), 1);
			json_decref(j);
			arena_free(&mem);
			str_free(&s);
		}
}

/* Google's committed use has the host's numbers where they are known, and words of ours else; a
 * machine of a node pool never goes by a stop, and a hostile name of the pool is in no line. */
static void hosts_and_pools(void **state)
{
	struct action a;
	struct action_text t;

	fill(&a, ACTION_COMMIT, "n1");
	set_provider(&a, "gcp");
	a.commit.gpu_model = raw_name("L4");
	a.commit.cpus = 24;
	a.commit.ram_gib = 96;
	action_text_make(&a, 1, &t);
	assert_non_null(strstr(
		t.apply.v[t.apply.n - 2],
		"--resources=vcpu=24,memory=96GB --resources-accelerator=type=nvidia-l4,count=8"));
	action_text_free(&t);
	EACH_PROVIDER
	{
		fill(&a, ACTION_STOP, "n1");
		set_provider(&a, providers[p]);
		a.machine.node_pool = a.machine.pool_cluster = raw_name("x$(id)");
		action_text_make(&a, 1, &t);
		for (size_t i = 0; i < t.apply.n; i++)
			if (t.apply.v[i][0] != '#')
				assert_null(strstr(t.apply.v[i], "instances stop"));
		for (size_t i = 0; i < t.undo.n; i++)
			if (t.undo.v[i][0] != '#')
				assert_null(strstr(t.undo.v[i], "$(id)"));
		action_text_free(&t);
	}
}

/* An option of the autoscaler is none where the cloud runs it. */
static void release_by_cloud(void **state)
{
	static const char *const says[] = {
		"cluster-autoscaler --scale-down-unneeded-time=15m",
		"node-pools update l4 --cluster eu --enable-autoscaling",
		"--cluster-name eu --name l4 --enable-cluster-autoscaler",
		"cluster-autoscaler --scale-down-unneeded-time=15m"
	};

	EACH_PROVIDER
	{
		struct action a;
		struct action_text t;
		size_t n = 0;
		fill(&a, ACTION_RELEASE, "eu");
		a.release.pool = raw_name("l4");
		a.release.to = TO_KUBERNETES;
		set_provider(&a, providers[p]);
		action_text_make(&a, 1, &t);
		for (size_t i = 0; i < t.apply.n; i++)
			n += strstr(t.apply.v[i], says[p]) != NULL;
		assert_int_equal(n, 1);
		action_text_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(release_by_cloud),     cmocka_unit_test(no_kind_without_words),
		cmocka_unit_test(nothing_told),         cmocka_unit_test(hostile_names),
		cmocka_unit_test(all_is_no_machine),    cmocka_unit_test(good_names),
		cmocka_unit_test(controllers),          cmocka_unit_test(azure_lines),
		cmocka_unit_test(undo_is_the_way_back), cmocka_unit_test(a_timetable),
		cmocka_unit_test(mig_of_slurm),         cmocka_unit_test(early_stopping),
		cmocka_unit_test(hosts_and_pools),      cmocka_unit_test(as_json),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
