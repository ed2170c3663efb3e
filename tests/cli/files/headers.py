#!/usr/bin/env python3
"""What `--as KIND` reads, detection finds too: headers.py SEED [FILE...]. Small files of every tabular kind, and those named, with their headers in
another case and spelling, columns and rows shuffled, optional columns left out; tare is in PATH. Each variant must be found to be of the kind, and give
what --as gives; where nothing was left out, what the original gives."""
import csv
import gzip
import io
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

rnd = random.Random(int(sys.argv[1]))
tmp = pathlib.Path(tempfile.mkdtemp())
(tmp / "aws").mkdir()


def table(text, sep=","):
    rows = list(csv.reader(io.StringIO(text), delimiter=sep))
    return rows[0], rows[1:]


def snake(name):
    return re.sub(r"[^A-Za-z0-9]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)).lower()


# (kind, needed columns, marks of which one must stay, table, separator)
FOCUS = """BilledCost,EffectiveCost,ListCost,ContractedCost,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,BillingPeriodEnd,BillingCurrency,%s,BillingAccountId,SubAccountId,ChargeCategory,ServiceName,ServiceCategory,RegionId,ResourceId,ConsumedQuantity,ConsumedUnit,ChargeDescription,Tags%s
1.25,1.2,2,1.5,2026-10-01T00:00:00Z,2026-10-01T01:00:00Z,2026-10-01T00:00:00Z,2026-11-01T00:00:00Z,USD,AWS,111,222,Usage,Amazon EC2,Compute,us-east-1,i-1,1,Hours,p3.2xlarge,"{""team"":""nlp""}"%s
0.75,0.5,1,1,2026-10-02T00:00:00Z,2026-10-02T01:00:00Z,2026-10-01T00:00:00Z,2026-11-01T00:00:00Z,USD,AWS,111,222,Usage,Amazon S3,Storage,us-east-1,b,3,GB,disk,%s
-0.25,-0.25,,,2026-10-31T23:00:00Z,2026-11-01T00:00:00Z,2026-10-01T00:00:00Z,2026-11-01T00:00:00Z,USD,AWS,111,222,Credit,Amazon EC2,Compute,us-east-1,,,,credit,%s
"""
CUR = """lineItem/LineItemType,lineItem/UnblendedCost,lineItem/UsageStartDate,lineItem/UsageEndDate,lineItem/CurrencyCode,bill/BillingPeriodStartDate,bill/PayerAccountId,lineItem/UsageAccountId,lineItem/ProductCode,lineItem/UsageType,lineItem/ResourceId,lineItem/UsageAmount,pricing/unit,pricing/publicOnDemandCost,product/instanceType,product/region,reservation/ReservationARN,reservation/EffectiveCost,savingsPlan/SavingsPlanARN,savingsPlan/SavingsPlanEffectiveCost
Usage,32.77,2026-10-01T00:00:00Z,2026-10-01T01:00:00Z,USD,2026-10-01T00:00:00Z,111,222,AmazonEC2,BoxUsage:p4d.24xlarge,i-1,1,Hrs,32.77,p4d.24xlarge,us-east-1,,,,
DiscountedUsage,0,2026-10-01T01:00:00Z,2026-10-01T02:00:00Z,USD,2026-10-01T00:00:00Z,111,222,AmazonEC2,BoxUsage:p4d.24xlarge,i-1,1,Hrs,32.77,p4d.24xlarge,us-east-1,arn:r,20.5,,
SavingsPlanCoveredUsage,32.77,2026-10-01T02:00:00Z,2026-10-01T03:00:00Z,USD,2026-10-01T00:00:00Z,111,222,AmazonEC2,BoxUsage:p4d.24xlarge,i-1,1,Hrs,32.77,p4d.24xlarge,us-east-1,,,arn:s,22.25
Tax,1.5,2026-10-01T00:00:00Z,2026-11-01T00:00:00Z,USD,2026-10-01T00:00:00Z,111,222,AmazonEC2,,,,,,,,,,,
"""
AZURE = """%s,%s,%s,BillingAccountId,SubscriptionId,SubscriptionName,ResourceGroup,ResourceLocation,ChargeType,MeterCategory,MeterSubCategory,MeterId,MeterName,ConsumedService,ResourceId,Quantity,UnitOfMeasure,AdditionalInfo,Tags
98.32,10/01/2026,USD,acc,sub,Sub,rg,eastus,Usage,Virtual Machines,NDv5,m1,ND96,Microsoft.Compute,/subscriptions/s/vm1,1,1 Hour,"{""ServiceType"":""Standard_ND96isr_H100_v5""}","{""team"":""nlp""}"
0.5,10/02/2026,USD,acc,sub,Sub,rg,eastus,Usage,Storage,Disk,m2,P10,Microsoft.Compute,/subscriptions/s/d1,3,1 GB,,
"""
GCP = """cost,usage_start_time,usage_end_time,currency,billing_account_id,cost_type,cost_at_list,credits.amount,service.description,sku.id,sku.description,project.id,location.region,location.zone,resource.global_name,usage.amount_in_pricing_units,usage.pricing_unit,invoice.month
23.47,2026-10-01 00:00:00 UTC,2026-10-01 01:00:00 UTC,USD,A-1,regular,25,-3.2,Compute Engine,S1,Nvidia Tesla A100 GPU running in Americas,p1,us-central1,us-central1-a,//c/7,8,hour,202610
3.03,2026-10-01 01:00:00 UTC,2026-10-01 02:00:00 UTC,USD,A-1,regular,3.03,,Compute Engine,S2,A2 Instance Core running in Americas,p1,us-central1,us-central1-a,//c/7,96,hour,202610
"""
files = []
for provider, more in (
    ("ProviderName", ""),
    ("ProviderName", "SkuMeter"),
    ("ProviderName", "InvoiceId"),
    ("ServiceProviderName", "AllocatedMethodId"),
):
    text = FOCUS % (provider, "," + more if more else "", *[",x" if more else ""] * 3)
    files.append(
        (
            "focus",
            "BilledCost ChargePeriodStart ChargePeriodEnd BillingCurrency".split(),
            [],
            table(text),
            ",",
        )
    )
need = "lineItem/LineItemType lineItem/UnblendedCost lineItem/UsageStartDate lineItem/CurrencyCode".split()
head, rows = table(CUR)
files.append(("aws-cur", need, [], (head, rows), ","))
files.append(("aws-cur", [snake(n) for n in need], [], ([snake(n) for n in head], rows), ","))
for cost in ("CostInBillingCurrency", "Cost", "PreTaxCost"):
    for date in ("Date", "UsageDateTime", "UsageDate"):
        t = table(AZURE % (cost, date, "BillingCurrency" if cost != "PreTaxCost" else "Currency"))
        files.append(
            (
                "azure-cost",
                [cost, date],
                ["MeterCategory", "MeterId", "ConsumedService", "AdditionalInfo"],
                t,
                ",",
            )
        )
files.append(("gcp-billing", ["cost", "usage_start_time", "currency"], [], table(GCP), ","))
files.append(
    (
        "gcp-billing",
        ["cost", "usage_start_time", "currency"],
        [],
        ([n.replace(".", "_") for n in table(GCP)[0]], table(GCP)[1]),
        ",",
    )
)
NATIVE = {
    "nodes": (
        "node provider region gpu_model gpu_count purchase from",
        """node,provider,region,zone,instance_type,gpu_model,gpu_count,gpu_ids,purchase,from,to,cluster,usd_hour,resource_id
n1,aws,us-east-1,us-east-1a,p3.8xlarge,V100,4,,on_demand,2026-09-01T00:00:00Z,2026-09-02T00:00:00Z,c,12.24,i-1
n2,aws,us-east-1,us-east-1a,p3.2xlarge,V100,1,0,spot,2026-09-01T00:00:00Z,,c,1,i-2
""",
    ),
    "allocations": (
        "job_id gpus start",
        """job_id,user,team,project,name,gpu_model,gpus,gpu_ids,share_kind,gpu_share,submit,start,end,state,limit_s,node,cluster,tags,tag:app
1,ann,nlp,p,train,V100,2,0;1,whole,,,2026-09-01T00:00:00Z,2026-09-01T02:00:00Z,COMPLETED,3600,n1,c,a=b,x
2,bob,nlp,p,train,V100,1,,fraction,0.5,2026-09-01T00:00:00Z,2026-09-01T01:00:00Z,,RUNNING,,n1,c,,y
""",
    ),
    "samples": (
        "time gpu gpu_util_pct",
        """time,node,gpu,gpu_util_pct,mem_used_bytes,power_w,step_s,job_id
2026-09-01T00:00:00Z,n1,0,80,1000000000,200,60,1
2026-09-01T00:01:00Z,n1,0,0,1000000000,60,60,1
""",
    ),
    "requests": (
        "time service",
        """time,service,tenant,count,latency_ms,tokens_in,tokens_out,status,gpu_s
2026-09-01T00:00:00Z,chat,t,3,20,100,30,200,1.5
2026-09-01T00:01:00Z,chat,t,1,25,10,3,500,0.5
""",
    ),
    "prices": (
        "provider region purchase usd_hour from gpu_model",
        """provider,region,instance_type,gpu_model,gpu_count,purchase,usd_hour,currency,from,to,source
aws,us-east-1,p3.8xlarge,V100,4,on_demand,12.24,USD,2026-01-01,,x
aws,us-east-1,p3.2xlarge,V100,1,spot,1.1,USD,2026-01-01,2026-06-01,x
""",
    ),
    "skypilot": (
        "InstanceType AcceleratorName AcceleratorCount Price Region",
        """InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone
p3.8xlarge,V100,4,32,244,,12.24,4.1,us-east-1,us-east-1a
p3.2xlarge,V100,1,8,61,,3.06,1,us-east-1,us-east-1b
""",
    ),
}
for kind, (need, text) in NATIVE.items():
    files.append((kind, need.split(), [], table(text), ","))
files.append(
    (
        "sacct",
        "JobID Start End AllocTRES".split(),
        [],
        table(
            """JobID|User|Account|State|Submit|Start|End|AllocTRES|NodeList|Cluster
7|ann|ml|COMPLETED|2026-10-01T00:00:00|2026-10-01T00:00:00|2026-10-01T02:00:00|gres/gpu=2,node=1|n1|c
8|ann|ml|COMPLETED|2026-10-01T00:00:00|2026-10-01T01:00:00|2026-10-01T02:00:00|gres/gpu=1,node=1|n1|c
""",
            "|",
        ),
        "|",
    )
)
BILLS = ("focus", "aws-cur", "azure-cost", "gcp-billing")
ALL = (
    "focus",
    "aws-cur",
    "azure-cost",
    "gcp-billing",
    "nodes",
    "allocations",
    "samples",
    "requests",
    "prices",
    "skypilot",
    "sacct",
)
variants, seen, n = [], {}, 0  # (path, kind, path of the original or None)


def squeezed(name):
    """Without what stands between the words, where it is not the key of a tag: that is the user's own."""
    m = re.match(r"(resourceTags/|tag:)(.*)", name)
    return name if m else re.sub(r"[ _/.-]", "", name)


def camel(name):
    if name.startswith("tag:"):
        return name
    parts = re.split(r"[ _/.-]", name)
    return parts[0] + "".join(p[:1].upper() + p[1:] for p in parts[1:])


def put(kind, head, rows, sep, origin, bom=False, crlf=False, quote=False):
    global n
    # whose prices SkyPilot's are, the folder says
    path = tmp / ("aws" if kind == "skypilot" else "") / f"{n}.csv"
    n += 1
    out = io.StringIO()
    w = csv.writer(
        out,
        delimiter=sep,
        lineterminator="\r\n" if crlf else "\n",
        quoting=csv.QUOTE_ALL if quote else csv.QUOTE_MINIMAL,
    )
    w.writerow(head)
    w.writerows(rows)
    text = (b"\xef\xbb\xbf" if bom else b"") + out.getvalue().encode()
    path.write_bytes(text)
    if text not in seen:  # the same bytes twice in a call are one file
        seen[text] = path
        variants.append((path, kind, origin))
    return seen[text]


def vary(kind, need, marks, head, rows, sep):
    origin = put(kind, head, rows, sep, None)
    spell = [str.lower, str.upper, str.title]
    if kind != "sacct":
        spell.append(lambda s: f" {s}  ")
    if kind in BILLS:
        spell += [squeezed, lambda s: squeezed(s).lower(), lambda s: squeezed(s).upper(), camel]
    elif kind not in ("sacct", "skypilot"):
        spell += [camel, lambda s: s.replace("_", "-"), lambda s: s.replace("_", " ").title()]
    for f in spell:
        put(kind, [f(c) for c in head], rows, sep, origin)
    # a byte order mark and quotes: a program that reads sacct's own lines has neither
    if kind != "sacct":
        put(kind, head, rows, sep, origin, bom=True, crlf=True, quote=True)
        put(kind, head, rows, ";", origin, bom=True)
        put(kind, [c.lower() for c in head], rows, "\t", origin)
    for _ in range(3):
        order = rnd.sample(range(len(head)), len(head))
        f = rnd.choice(spell)
        put(
            kind,
            [f(head[c]) for c in order],
            [[r[c] for c in order] for r in rnd.sample(rows, len(rows))],
            sep,
            origin,
        )
    optional = [i for i, c in enumerate(head) if c not in need]
    for share in (0, 0.2, 0.5, 0.8):
        keep = [i for i in range(len(head)) if head[i] in need or rnd.random() < share]
        there = [head[i] for i in keep]
        if marks and not any(m in there for m in marks):
            keep.append(head.index(rnd.choice([m for m in marks if m in head])))
        rnd.shuffle(keep)
        f = rnd.choice(spell)
        put(kind, [f(head[c]) for c in keep], [[r[c] for c in keep] for r in rows], sep, None)


for kind, need, marks, (head, rows), sep in files:
    vary(kind, need, marks, head, rows, sep)

# Google's export as JSON lines: nested, what is null left out, keys and rows in any order
head, rows = table(GCP)
nested = []
for r in rows:
    o = {}
    for name, v in zip(head, r):
        group, _, key = name.partition(".")
        if v and group != "credits":
            o.update({group: {**o.get(group, {}), key: v}} if key else {group: v})
    if r[head.index("credits.amount")]:
        o["credits"] = [{"amount": float(r[head.index("credits.amount")]), "type": "PROMOTION"}]
    nested.append(o)
first = None
for case in (str, str.lower, str.upper):
    for _ in range(3):
        lines = [
            json.dumps({case(k): o[k] for k in rnd.sample(list(o), len(o))})
            for o in rnd.sample(nested, len(nested))
        ]
        path = tmp / f"{n}.jsonl"
        n += 1
        path.write_text("\n".join(lines) + "\n")
        variants.append((path, "gcp-billing", first))
        first = first or path
# the first row says nothing of the usage: the next ones do
path = tmp / f"{n}.jsonl"
path.write_text(
    json.dumps(
        {
            "billing_account_id": "A-1",
            "cost": 1,
            "currency": "USD",
            "usage_start_time": "2026-10-01 00:00:00 UTC",
        }
    )
    + "\n"
    + json.dumps(nested[0])
    + "\n"
)
variants.append((path, "gcp-billing", None))


def ask(paths, *options):
    p = subprocess.run(
        [
            "tare",
            "import",
            "--dry-run",
            "-o",
            "json",
            "--max-rejects",
            "5",
            *options,
            *map(str, paths),
        ],
        capture_output=True,
        text=True,
    )
    return {f["file"]: f for f in json.loads(p.stdout)["files"]} if p.returncode == 0 else p.stderr


def one(path, *options):
    got = ask([path], *options)
    return got if isinstance(got, str) else got[str(path)]


def what(report, notes):
    keys = [
        "kind",
        "rows_read",
        "rows_kept",
        "rows_rejected",
        "rows_skipped",
        "sums",
        "gpu_seconds",
        "from",
        "to",
    ] + (["notes"] if notes else [])
    told = {k: report.get(k) for k in keys}
    if notes:  # which other files are in the call is no matter of this one
        told["notes"] = [n for n in told["notes"] or [] if "of this call ha" not in n]
    return told


for arg in sys.argv[2:]:  # real files of these kinds, by what is found of them as they are
    report = one(arg)
    if isinstance(report, str) or report["kind"] not in ALL:
        continue
    data = (
        gzip.open(arg, "rt", encoding="utf-8-sig").read()
        if arg.endswith(".gz")
        else open(arg, encoding="utf-8-sig").read()
    )
    sep = max(",;\t|", key=data.split("\n", 1)[0].count)
    head, rows = table(data, sep)
    rows = [(r + [""] * len(head))[: len(head)] for r in rows if r]
    plain = [re.sub(r".*\((\w+)\)$", r"\1", c) for c in head]  # localised headers of Azure
    always = [
        c
        for c, p in zip(head, plain)
        if p.lower()
        in (
            "billedcost",
            "chargeperiodstart",
            "chargeperiodend",
            "billingcurrency",
            "costinbillingcurrency",
            "pretaxcost",
            "usagedatetime",
            "date",
            "metercategory",
            "endtimestamp",
            "marketpricehourly",
            "assetclass",
        )
        # a price list of the clouds says of what and of when a price is
        or report["kind"] == "prices" and snake(p) in ("provider", "region", "purchase", "usd_hour", "as_of", "gpu_model", "instance_type")
    ]
    if report["rows_read"] == len(rows):
        vary(report["kind"], always, [], head, rows, sep)

original, bad = {}, 0
# all in one call; one by one where one of them fails
found = ask([v[0] for v in variants])
named = {
    kind: ask([v[0] for v in variants if v[1] == kind], "--as", kind)
    for kind in {v[1] for v in variants}
}
for path, kind, origin in variants:
    got = found[str(path)] if isinstance(found, dict) else one(path)
    as_is = named[kind][str(path)] if isinstance(named[kind], dict) else one(path, "--as", kind)
    if isinstance(got, str) and isinstance(as_is, str):
        why = f"neither found nor read: {as_is.splitlines()[0]}"
    elif isinstance(got, str):
        why = f"not found: {got.splitlines()[0]}"
    elif isinstance(as_is, str):
        why = f"found and not read: {as_is.splitlines()[0]}"
    elif what(got, True) != what(as_is, True):
        why = "--as gives something else"
    elif got["kind"] != kind:
        why = f"found to be {got['kind']}"
    elif origin and what(got, False) != what(original[origin], False):
        why = (
            f"gives something else than it did: {what(got, False)} {what(original[origin], False)}"
        )
    else:
        why = None
    original[path] = got
    if why:
        bad += 1
        if bad <= 20:
            print(
                kind, path.read_text(encoding="utf-8-sig").split("\n", 1)[0][:300], why, sep="\n  "
            )
kinds = {v[1] for v in variants}
shutil.rmtree(tmp)
print(
    f"{len(variants)} files of {len(kinds)} kinds, {bad} off"
    if not bad
    else f"{bad} of {len(variants)} files off"
)
sys.exit(bad > 0)
