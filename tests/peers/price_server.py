#!/usr/bin/env python3
"""A stand-in for the providers' price interfaces on loopback: price_server.py PORTFILE

Answers have the recorded shapes, cut down to a few machines. /aws, /ec2, /advisor.json, /azure and /gcp answer; the same under /flaky answer 429
once before; under /broken 500 always; /cut/aws ends its price list halfway. Writes its port to PORTFILE and stops after a minute.
"""
import http.server
import json
import os
import sys
import threading
import urllib.parse


def product(sku, itype, os_="Linux", tenancy="Shared", sw="NA", gpu="8"):
    return {"sku": sku, "productFamily": "Compute Instance", "attributes": {
        "regionCode": "us-east-1", "instanceType": itype, "operatingSystem": os_, "tenancy": tenancy, "preInstalledSw": sw,
        "capacitystatus": "Used", "marketoption": "OnDemand", "gpu": gpu}}


def hourly(sku, offer, usd, upfront=None, **attrs):
    dims = {f"{sku}.{offer}.6YS6EN2CT7": {"unit": "Hrs", "pricePerUnit": {"USD": usd}}}
    if upfront:
        dims[f"{sku}.{offer}.2TG2D8R56U"] = {"unit": "Quantity", "pricePerUnit": {"USD": upfront}}
    return {f"{sku}.{offer}": {"priceDimensions": dims, "sku": sku, "effectiveDate": "2024-10-01T00:00:00Z", "termAttributes": attrs}}


AWS_LIST = {
    "formatVersion": "v1.0",
    "products": {"P5": product("P5", "p5.48xlarge"), "P5W": product("P5W", "p5.48xlarge", os_="Windows"),
                 "G5": product("G5", "g5.xlarge", gpu="1"), "M5": product("M5", "m5.large", gpu="")},
    "terms": {
        "OnDemand": {"P5": hourly("P5", "JRTCKXETXF", "97.1200000000"), "P5W": hourly("P5W", "JRTCKXETXF", "105.0"),
                     "G5": hourly("G5", "JRTCKXETXF", "1.0060000000"), "M5": hourly("M5", "JRTCKXETXF", "0.0960000000")},
        "Reserved": {"P5": hourly("P5", "NQ3QZPMQV9", "0.0000000000", "525600", LeaseContractLength="3yr", OfferingClass="standard",
                                  PurchaseOption="All Upfront")},
    },
}
INDEX = {"regions": {"us-east-1": {"regionCode": "us-east-1", "currentVersionUrl": "/offers/v1.0/aws/AmazonEC2/1/us-east-1/index.json"}}}
ADVISOR = {"ranges": [], "instance_types": {}, "spot_advisor": {"us-east-1": {"Linux": {"g5.xlarge": {"s": 60, "r": 3}}}}}


def spot_page(price, time, token):
    return (f'<?xml version="1.0"?><DescribeSpotPriceHistoryResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><spotPriceHistorySet><item>'
            f"<instanceType>g5.xlarge</instanceType><productDescription>Linux/UNIX</productDescription><spotPrice>{price}</spotPrice>"
            f"<timestamp>{time}</timestamp><availabilityZone>us-east-1a</availabilityZone></item></spotPriceHistorySet>"
            f"<nextToken>{token}</nextToken></DescribeSpotPriceHistoryResponse>").encode()


def azure_item(size, sku, price, kind="Consumption", **more):
    return {"currencyCode": "USD", "retailPrice": price, "unitPrice": price, "armRegionName": "eastus", "skuName": sku, "productName": "Virtual Machines",
            "effectiveStartDate": "2024-10-01T00:00:00Z", "serviceName": "Virtual Machines", "unitOfMeasure": "1 Hour", "type": kind,
            "isPrimaryMeterRegion": True, "armSkuName": size, **more}


H100 = "Standard_ND96isr_H100_v5"


def azure_page(base, page):
    if page == "2":
        return {"Items": [azure_item("Standard_NP10s", "NP10s", 1.65), azure_item(H100, "ND96isr H100 v5", 525600, "Reservation", reservationTerm="1 Year")],
                "NextPageLink": None}
    return {"Items": [azure_item(H100, "ND96isr H100 v5", 98.32), azure_item(H100, "ND96isr H100 v5 Spot", 29.496)], "NextPageLink": f"{base}?page=2"}


def sku(description, nanos, units="0"):
    return {"description": description, "category": {"resourceFamily": "Compute", "resourceGroup": "GPU", "usageType": "OnDemand"},
            "serviceRegions": ["us-central1"], "pricingInfo": [{"effectiveTime": "2024-10-30T10:00:00Z", "pricingExpression": {
                "tieredRates": [{"startUsageAmount": 0, "unitPrice": {"currencyCode": "USD", "units": units, "nanos": nanos}}]}}]}


GCP = {"": {"skus": [sku("Nvidia L4 GPU running in Iowa", 560040000), sku("G2 Instance Core running in Iowa", 24988000)], "nextPageToken": "two"},
       "two": {"skus": [sku("G2 Instance Ram running in Iowa", 2927000)]}}


class Site(http.server.BaseHTTPRequestHandler):
    seen = set()

    def log_message(self, *args):
        pass

    def answer(self, body, status=200, promised=None, **headers):
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(promised or len(body)))
        for k, v in headers.items():
            self.send_header(k.replace("_", "-"), v)
        self.end_headers()
        self.wfile.write(body)

    def page(self, path, query, body):
        base = f"http://127.0.0.1:{self.server.server_address[1]}{self.prefix}"
        if path == "/aws/offers/v1.0/aws/AmazonEC2/current/region_index.json":
            return self.answer(INDEX)
        if path == "/aws/offers/v1.0/aws/AmazonEC2/1/us-east-1/index.json":
            text = json.dumps(AWS_LIST).encode()
            return self.answer(text[: len(text) // 2], promised=len(text)) if self.prefix == "/cut" else self.answer(text)
        if path == "/advisor.json":
            return self.answer(ADVISOR)
        if path == "/ec2/" and "Action=DescribeSpotPriceHistory" in body:
            if "Credential=AKIDEXAMPLE/" not in self.headers.get("Authorization", ""):
                return self.answer(b"<Response><Errors/></Response>", 401)
            second = "NextToken=more" in body
            return self.answer(spot_page("0.41", "2024-10-29T00:00:00.000Z", "") if second else spot_page("0.45", "2024-10-31T00:00:00.000Z", "more"))
        if path == "/azure":
            return self.answer(azure_page(base + "/azure", query.get("page", ["1"])[0]))
        if path == "/gcp/v1/services/6F81-5844-456A/skus" and query.get("key") == ["k"]:
            return self.answer(GCP[query.get("pageToken", [""])[0]])
        return self.answer({"error": "no such page"}, 404)

    def do_GET(self, body=""):
        url = urllib.parse.urlsplit(self.path)
        path, self.prefix = url.path, ""
        for p in ("/flaky", "/broken", "/cut"):
            if path.startswith(p + "/"):
                path, self.prefix = path[len(p):], p
        if self.prefix == "/broken":
            return self.answer(b"out of order", 500, Retry_After="0")
        if self.prefix == "/flaky" and self.path not in Site.seen:
            Site.seen.add(self.path)
            return self.answer(b"slow down", 429, Retry_After="0")
        self.page(path, urllib.parse.parse_qs(url.query), body)

    def do_POST(self):
        self.do_GET(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    part = sys.argv[1] + ".part"
    with open(part, "w", encoding="ascii") as f:
        f.write(f"{server.server_address[1]}\n")
    os.rename(part, sys.argv[1])
    threading.Timer(60, server.shutdown).start()
    threading.Thread(target=server.serve_forever).start()


if __name__ == "__main__":
    main()
