#!/usr/bin/env python3
"""Who we are to an object store: roles by way of other profiles, logins of IAM Identity Center, Google's key files, keys of Azure's storage accounts. Against
strict servers of our own (tests/peers/cred_servers.py, s3_server.py), with the same files read by the AWS CLI where it is there, and Azurite where it is."""
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from cred_servers import Google, Sso, Sts, sharedkey
from s3_server import KEYS, Fault, Server

loader = importlib.machinery.SourceFileLoader("t_object", str(HERE / "t-object.py"))
common = importlib.util.module_from_spec(importlib.util.spec_from_loader("t_object", loader))
loader.exec_module(common)  # takes the build folder from the arguments
MIB = common.MIB
ACCOUNT_KEY = "dGhlIGtleSBvZiBhbiBhY2NvdW50LCA2NCBieXRlcyBvZiBpdCwgYXMgQXp1cmUgaGFzIHRoZW0gLi4uLi4uLg=="
SECRETS = ["secret", "geheim", "token/", "refresh-", "access-", "PRIVATE KEY", ACCOUNT_KEY[:20]]


def env_of(server, **more):
    env = common.env_of(server, **more)
    for k in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AZURE_STORAGE_SAS_TOKEN"):
        if k not in more:
            env.pop(k, None)
    return env


class Base(common.Base):
    def refused(self, env, url, told, hint=None):
        r = self.bad(env, "list", url)
        self.assertRegex(r.err, told)
        if hint:
            self.assertRegex(r.err, f"hint: .*{hint}")
        for s in SECRETS:
            self.assertNotIn(s, r.err.replace("client_secret", "").replace("AWS_SECRET_ACCESS_KEY", "").replace("the secret", ""))
        return r


def aws_list(test, s, env):
    p = subprocess.run(["aws", "--endpoint-url", s.url, "s3api", "list-objects-v2", "--bucket", "bkt"], env=env, capture_output=True, text=True, timeout=120)
    test.assertEqual(p.returncode, 0, p.stderr)


class AzureKeys(Base):
    def env(self, s, **more):
        return env_of(s, **{"AZURE_STORAGE_KEY": ACCOUNT_KEY, **more})

    def server(self, **more):
        return Server(azure=True, accounts={"acct": ACCOUNT_KEY}, **more)

    def test_store(self):
        """All that a store is asked, each request's signature checked."""
        for more in ({}, {"page": 1}):
            with self.server(**more) as s:
                common.Stores.all_of(self, self.env(s), "azblob://acct/bkt/p q")
                self.assertTrue(all(h["Authorization"].startswith("SharedKey acct:") for h in s.heads))

    def test_checkpoints(self):
        with self.server() as s:
            self.save("a", 1, 24)
            self.ok(self.env(s), "push", "azblob://acct/bkt/run", self.dir / "a")
            self.ok(self.env(s), "pull", "azblob://acct/bkt/run", self.dir / "b")
            self.assertEqual(self.sum("a"), self.sum("b"))

    def test_connection_string(self):
        with self.server() as s:
            env = self.env(s)
            del env["AZURE_STORAGE_KEY"], env["OT_ENDPOINT"]
            f = self.file("f", 6 * MIB)
            for text in (f"DefaultEndpointsProtocol=https;AccountName=acct;AccountKey={ACCOUNT_KEY};BlobEndpoint={s.url}/;EndpointSuffix=core.windows.net", f" blobendpoint={s.url};ACCOUNTNAME=acct; accountkey={ACCOUNT_KEY};",
                         f"BlobEndpoint={s.url};SharedAccessSignature={s.sas}"):
                self.ok(env | {"AZURE_STORAGE_CONNECTION_STRING": text}, "put", "azblob://acct/bkt", "k", f)
            for text, told in (("geheim", "has neither"), (f"AccountName=acct;AccountKey=geheim;BlobEndpoint={s.url}", "AccountKey cannot"), (f"AccountName=ac/ct;AccountKey={ACCOUNT_KEY}", "AccountName cannot"),
                               (f"AccountName=acct;AccountKey={ACCOUNT_KEY};BlobEndpoint=ftp://x", "makes no address"), (f"AccountName=acct;AccountKey={ACCOUNT_KEY};EndpointSuffix=x@evil", "makes no address"),
                               ("SharedAccessSignature=a b;BlobEndpoint=http://x", "SharedAccessSignature cannot"), ("AccountKey=" * 5000, "has neither|AccountKey cannot")):
                self.refused(env | {"AZURE_STORAGE_CONNECTION_STRING": text}, "azblob://acct/bkt", f"AZURE_STORAGE_CONNECTION_STRING: .*{told}", "az storage account show-connection-string --name acct")

    def test_order(self):
        """Connection string, key, SAS; what is of another account is passed over."""
        with self.server() as s:
            other = f"AccountName=other;AccountKey={ACCOUNT_KEY}"
            self.ok(self.env(s, AZURE_STORAGE_CONNECTION_STRING=other), "list", "azblob://acct/bkt")
            self.ok(self.env(s, AZURE_STORAGE_SAS_TOKEN="sig=no"), "list", "azblob://acct/bkt")
            self.ok(self.env(s, AZURE_STORAGE_ACCOUNT="other", AZURE_STORAGE_SAS_TOKEN=s.sas), "list", "azblob://acct/bkt")
            self.assertIn("sig=", s.log[-1][1])
            env = self.env(s, AZURE_STORAGE_ACCOUNT="other", AZURE_POD_IDENTITY_AUTHORITY_HOST="http://127.0.0.1:9")
            self.refused(env, "azblob://acct/bkt", "no credentials", "AZURE_STORAGE_ACCOUNT is of another account than the address, 'acct'")
            env = self.env(s, AZURE_STORAGE_ACCOUNT_KEY=ACCOUNT_KEY, AZURE_STORAGE_ACCOUNT_NAME="acct")
            del env["AZURE_STORAGE_KEY"]
            self.ok(env, "list", "azblob://acct/bkt")

    def test_refused(self):
        with self.server() as s:
            wrong = ACCOUNT_KEY.replace("dGhl", "dGhM")
            self.refused(self.env(s, AZURE_STORAGE_KEY=wrong), "azblob://acct/bkt", "status 403: AuthenticationFailed", "the key of the account 'acct' .from AZURE_STORAGE_KEY. is wrong or was renewed")
            self.refused(self.env(s, AZURE_STORAGE_KEY="geheim!"), "azblob://acct/bkt", "not Base64", "az storage account keys list")
            s.faults = [Fault("status", None, "", None, status=403, code="KeyBasedAuthenticationNotPermitted")]
            self.refused(self.env(s), "azblob://acct/bkt", "KeyBasedAuthenticationNotPermitted", "takes no keys .*managed or a workload identity")

    def test_clock(self):
        with self.server(skew=3000) as s:
            self.ok(self.env(s), "put", "azblob://acct/bkt", "k", self.file("f", 12 * MIB))

    def test_faults(self):
        big = self.file("big", 17 * MIB)
        with self.server() as s:
            s.faults = [Fault("status", "PUT", "comp=block&"), Fault("cut", "PUT", "comp=block&", skip=2, after=MIB), Fault("status", "PUT", "blocklist", status=500, code="InternalError")]
            self.ok(self.env(s), "put", "azblob://acct/bkt", "big", big, "tag=x", "new")
            self.assertEqual(s.objects["bkt", "big"].body, big.read_bytes())

    def test_azurite(self):
        """Microsoft's own emulator, which checks signatures; its container is made by a request that this file signed."""
        main = common.DEPS / "azurite/node_modules/azurite/dist/src/blob/main.js"
        if not main.exists() or not shutil.which("node"):
            self.skipTest("azurite is not there (tools/setup --test fetches it where npm is)")
        p = subprocess.Popen(["node", str(main), "--blobHost", "127.0.0.1", "--blobPort", "0", "-l", str(self.dir), "--skipApiVersionCheck"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            line = next((x for x in p.stdout if "successfully listens" in x), "")
            threading.Thread(target=lambda: p.stdout.read(), daemon=True).start()
            self.assertIn("http://", line)
            url, name = line.split()[-1] + "/devstoreaccount1", "devstoreaccount1"
            key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
            head = {"x-ms-date": time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime()), "x-ms-version": "2021-12-02"}
            head["Authorization"] = f"SharedKey {name}:" + sharedkey(name, key, "PUT", f"/{name}/bkt", "restype=container", head, 0)
            self.assertEqual(urllib.request.urlopen(urllib.request.Request(url + "/bkt?restype=container", method="PUT", headers=head), timeout=20).status, 201)
            env = self.env(None, AZURE_STORAGE_KEY=key, AZURE_STORAGE_ENDPOINT=url)
            common.Stores.all_of(self, env, f"azblob://{name}/bkt/p q")
            env = self.env(None, AZURE_STORAGE_CONNECTION_STRING=f"DefaultEndpointsProtocol=http;AccountName={name};AccountKey={key};BlobEndpoint={url};")
            self.save("a", 1, 24)
            self.ok(env, "push", f"azblob://{name}/bkt/run", self.dir / "a")
            self.ok(env, "pull", f"azblob://{name}/bkt/run", self.dir / "b")
            self.assertEqual(self.sum("a"), self.sum("b"))
            self.refused(env | {"AZURE_STORAGE_CONNECTION_STRING": "", "AZURE_STORAGE_KEY": ACCOUNT_KEY, "AZURE_STORAGE_ENDPOINT": url}, f"azblob://{name}/bkt", "status 403", "the key of the account")
        finally:
            p.kill()
            p.wait()
            p.stdout.close()


ROLE = "arn:aws:iam::123456789012:role/"


class Profiles(Base):
    """role_arn with source_profile or credential_source."""

    def files(self, config, credentials=""):
        (self.dir / "config").write_text(config)
        (self.dir / "credentials").write_text(credentials)
        return {"AWS_CONFIG_FILE": self.dir / "config", "AWS_SHARED_CREDENTIALS_FILE": self.dir / "credentials"}

    def sts(self, **more):
        roles = {ROLE + "first": ("AKIABASE", None, "ASIAFIRST"), ROLE + "second": ("ASIAFIRST", "ext-1/=+", "ASIASECOND")}
        sts = Sts({"AKIABASE": "base-secret/+"}, roles, **more)
        self.addCleanup(sts.__exit__)
        return sts.__enter__()

    def server(self, sts, **more):
        return Server(keys=sts.keys, tokens=sts.tokens, **more)

    BASE = "[base]\naws_access_key_id = AKIABASE\naws_secret_access_key = base-secret/+\n"
    CHAIN = f"""[profile one]
role_arn = {ROLE}first
source_profile = base
role_session_name = job-7
duration_seconds = 1800
[profile two]
source_profile = one
role_arn = {ROLE}second
external_id = ext-1/=+
"""

    def env(self, s, sts, profile, files, **more):
        return env_of(s, AWS_PROFILE=profile, AWS_ENDPOINT_URL_STS=sts.url, **files, **more)

    def test_chain(self):
        sts = self.sts()
        with self.server(sts) as s:
            files = self.files(self.CHAIN, self.BASE)
            self.ok(self.env(s, sts, "one", files), "put", "s3://bkt", "k", self.file("f", 6 * MIB))
            self.assertEqual([(c["RoleArn"][-5:], c["RoleSessionName"], c.get("DurationSeconds")) for c in sts.calls], [("first", "job-7", "1800")])
            self.ok(self.env(s, sts, "two", files), "list", "s3://bkt")
            self.assertEqual([c["RoleArn"][-5:] for c in sts.calls[1:]], ["first", "econd"])
            self.assertRegex(sts.calls[-1]["RoleSessionName"], r"^tare-\d+$")
            self.assertTrue(all("Credential=ASIASECOND1/" in h["Authorization"] for h in s.heads[-1:]))
            env = self.env(s, sts, "two", files)
            del env["AWS_PROFILE"]
            self.ok(env, "list", "s3://bkt?profile=two")

    def test_region(self):
        """Signed for the region of the profile that was asked for."""
        sts = self.sts(region="eu-west-3")
        with self.server(sts, region="eu-west-3") as s:
            files = self.files(self.CHAIN.replace("[profile two]", "[profile two]\nregion = eu-west-3"), self.BASE)
            self.ok(self.env(s, sts, "two", files), "list", "s3://bkt")
            env = self.env(s, sts, "two", self.files(self.CHAIN.replace("[profile two]", "[profile two]\nregion = x.evil/"), self.BASE))
            self.assertRegex(self.bad(env, "list", "s3://bkt").err, "not a name of a region")

    def test_itself(self):
        """A profile may name itself, where it has keys."""
        sts = self.sts()
        with self.server(sts) as s:
            files = self.files(f"[profile me]\nrole_arn = {ROLE}first\nsource_profile = me\n", self.BASE.replace("[base]", "[me]"))
            self.ok(self.env(s, sts, "me", files), "list", "s3://bkt")
            self.assertEqual(len(sts.calls), 1)

    def test_credential_source(self):
        sts = self.sts()
        roles = common.Roles.metadata
        answer = json.dumps({"AccessKeyId": "AKIABASE", "SecretAccessKey": "base-secret/+", "Expiration": "2099-01-01T00:00:00Z"})
        place, _ = roles(self, lambda m, p, h: (200, "t" if p.endswith("/token") else "r" if p.endswith("-credentials/") else answer))
        with self.server(sts) as s:
            files = self.files("".join(f"[profile {n}]\nrole_arn = {ROLE}first\ncredential_source = {n}\n" for n in ("Environment", "Ec2InstanceMetadata", "EcsContainer", "Elsewhere")))
            keys = {"AWS_ACCESS_KEY_ID": "AKIABASE", "AWS_SECRET_ACCESS_KEY": "base-secret/+"}
            env = self.env(s, sts, "x", files)
            del env["AWS_PROFILE"]
            self.ok(env | keys, "list", "s3://bkt?profile=Environment")
            self.assertEqual(len(sts.calls), 1)
            self.ok(env | {"AWS_EC2_METADATA_SERVICE_ENDPOINT": place, "AWS_EC2_METADATA_DISABLED": "false"}, "list", "s3://bkt?profile=Ec2InstanceMetadata")
            self.ok(env | {"AWS_CONTAINER_CREDENTIALS_FULL_URI": place + "/c"}, "list", "s3://bkt?profile=EcsContainer")
            for name, hint in (("Environment", "set AWS_ACCESS_KEY_ID"), ("Ec2InstanceMetadata", "instance profile"), ("EcsContainer", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")):
                self.refused(env, f"s3://bkt?profile={name}", f"credential_source '{name}', where there are no credentials", hint)
            self.refused(env, "s3://bkt?profile=Elsewhere", "'Elsewhere' of the profile 'Elsewhere' is none of")

    def test_mistakes(self):
        sts = self.sts()
        with self.server(sts) as s:
            files = self.files(self.CHAIN + f"""[profile mfa]
role_arn = {ROLE}first
source_profile = base
mfa_serial = arn:aws:iam::1:mfa/me
[profile both]
role_arn = {ROLE}first
source_profile = base
credential_source = Environment
[profile neither]
role_arn = {ROLE}first
[profile a]
role_arn = {ROLE}first
source_profile = b
[profile b]
role_arn = {ROLE}first
source_profile = a
[profile own]
role_arn = {ROLE}first
source_profile = own
[profile lost]
role_arn = {ROLE}first
source_profile = nobody
[profile bare]
region = us-east-1
[profile onbare]
role_arn = {ROLE}first
source_profile = bare
[profile long]
role_arn = {ROLE}first
source_profile = base
duration_seconds = soon
[profile noext]
role_arn = {ROLE}second
source_profile = one
[profile wrong]
role_arn = {ROLE}first
source_profile = wrongkey
[profile wrongkey]
aws_access_key_id = AKIABASE
aws_secret_access_key = geheim
[profile toolong]
role_arn = {ROLE}second
source_profile = one
external_id = ext-1/=+
duration_seconds = 7200
""" + "".join(f"[profile c{i}]\nrole_arn = {ROLE}first\nsource_profile = c{i + 1}\n" for i in range(12)), self.BASE)
            for profile, told, hint in (("mfa", "'mfa' wants a second factor", r"aws configure export-credentials --profile mfa --format env"), ("both", "both of source_profile and credential_source", None),
                                        ("neither", "neither of source_profile", None), ("a", "'b' has source_profile 'a', which leads back", "must have keys"), ("own", "which leads back", None),
                                        ("lost", "source_profile 'nobody', which neither", "aws configure --profile nobody"), ("onbare", "'bare', which 'onbare' names as source_profile, has no credentials", None),
                                        ("long", "duration_seconds of the profile 'long' is not a number", None), ("noext", "AccessDenied: User: ASIAFIRST", "the profile 'one' must be allowed sts:AssumeRole .*external_id"),
                                        ("wrong", "SignatureDoesNotMatch", "the key or the secret of the profile 'wrongkey' is wrong"), ("toolong", "ValidationError: .*DurationSeconds", "than 3600"), ("c0", "longer than 8", None)):
                with self.subTest(profile):
                    self.refused(self.env(s, sts, profile, files), "s3://bkt", told, hint)
            self.assertEqual(s.log, [])

    def test_rubbish(self):
        """STS that answers with rubbish, slowly, or not at all."""
        sts = self.sts()
        with self.server(sts) as s:
            env = self.env(s, sts, "one", self.files(self.CHAIN, self.BASE))
            for bad in ((200, ""), (200, "<AssumeRoleResponse>"), (200, "\0\xff<" * 1000), (200, "<AccessKeyId>a b</AccessKeyId>"), (400, "{}"), (302, "", {"Location": "http://127.0.0.1:9/"}), (200, "x" * 100000)):
                sts.broken = [bad]
                self.assertRegex(self.bad(env, "list", "s3://bkt").err, "^error: -22|^error: -13|^error: -")
            sts.broken = [(503, ""), (400, "<Error><Code>Throttling</Code><Message>Rate exceeded</Message></Error>")]
            self.ok(env, "list", "s3://bkt")
            sts.delay_s = 1
            self.ok(env, "list", "s3://bkt")

    def test_clock(self):
        """The clock of this machine is wrong: the role is asked for once more by that of STS, and so is the store."""
        for skew in (3600, -3600):
            sts = self.sts(skew=skew)
            with self.server(sts, skew=skew) as s:
                self.ok(self.env(s, sts, "two", self.files(self.CHAIN, self.BASE)), "list", "s3://bkt")

    def test_renewed_in_an_upload(self):
        """Keys that end in the middle of an upload: parts are refused, new keys are taken, once for all that were under way, and the upload goes on."""
        sts, big = self.sts(), self.file("big", 60 * MIB)
        with self.server(sts) as s:
            s.faults = [Fault("slow", "PUT", "partNumber", None, value=6 * MIB)]

            def end_first():
                while not any("partNumber" in x[1] for x in list(s.log)):
                    time.sleep(0.02)
                s.ends["ASIAFIRST1"] = 0

            thread = threading.Thread(target=end_first, daemon=True)
            thread.start()
            self.ok(self.env(s, sts, "one", self.files(self.CHAIN, self.BASE), OT_STREAMS=4), "put", "s3://bkt", "big", big, "tag=t")
            thread.join(5)
            self.assertEqual(s.objects["bkt", "big"].body, big.read_bytes())
            self.assertEqual(sts.given[ROLE + "first"], 2, "asked once, not for each part that was refused")

    def test_soon_over(self):
        """Keys that end in four minutes are renewed before they are over, and not for every part."""
        sts = self.sts(life_s=240)
        with self.server(sts) as s:
            start = time.time()
            self.ok(self.env(s, sts, "one", self.files(self.CHAIN, self.BASE)), "put", "s3://bkt", "k", self.file("f", 40 * MIB))
            self.assertTrue(2 <= len(sts.calls) <= 2 + (time.time() - start) // 20, len(sts.calls))

    def test_as_the_aws_cli(self):
        """The same files, read by the AWS CLI: the same questions to STS, but for the name of the session."""
        if not shutil.which("aws"):
            self.skipTest("awscli is not there")
        sts = self.sts()
        files = self.files(self.CHAIN, self.BASE)
        keep = {k: os.environ[k] for k in ("PATH", "PYENV_VERSION", "PYENV_ROOT") if k in os.environ}
        env = {**keep, "HOME": str(self.dir), "AWS_PROFILE": "two", "AWS_ENDPOINT_URL_STS": sts.url, "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true", **{k: str(v) for k, v in files.items()}}
        with self.server(sts) as s:
            aws_list(self, s, env)
            theirs, sts.calls[:] = list(sts.calls), []
            self.assertEqual(len(theirs), 2)
            self.ok(self.env(s, sts, "two", files), "list", "s3://bkt")
        for c in theirs + sts.calls:
            if re.match("tare-|botocore-session-", c["RoleSessionName"]):
                c["RoleSessionName"] = "*"
        self.assertEqual(theirs, sts.calls)


class Logins(Base):
    """aws sso login."""

    CONFIG = """[profile ml]
sso_session = corp
sso_account_id = 123456789012
sso_role_name = Train Role
[sso-session corp]
sso_start_url = https://corp.awsapps.com/start
sso_region = eu-west-1
sso_registration_scopes = sso:account:access
[profile old]
sso_start_url = https://corp.awsapps.com/start
sso_region = eu-west-1
sso_account_id = 123456789012
sso_role_name = Train Role
[profile other]
sso_session = corp
sso_account_id = 1
sso_role_name = Train Role
[profile half]
sso_session = corp
sso_account_id = 1
[profile lost]
sso_session = nocorp
sso_account_id = 1
sso_role_name = x
[profile byrole]
role_arn = %sfirst
source_profile = ml
""" % ROLE

    def iso(self, seconds):
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))

    def token(self, of="corp", seconds=3600, **more):
        p = self.dir / ".aws/sso/cache" / (hashlib.sha1(of.encode()).hexdigest() + ".json")
        p.parent.mkdir(parents=True, exist_ok=True)
        p.write_text(json.dumps({"startUrl": "https://corp.awsapps.com/start", "region": "eu-west-1", "accessToken": "access-0", "expiresAt": self.iso(seconds), **more}))
        return p

    def refreshable(self):
        return {"clientId": "client-1", "clientSecret": "client-secret", "registrationExpiresAt": self.iso(86400), "refreshToken": "refresh-0"}

    def setUp(self):
        super().setUp()
        self.sso = Sso({"access-0"}, "AKIATEST", KEYS["AKIATEST"], "session-of-sso")
        self.sso.refresh = "refresh-0"
        self.sso.__enter__()
        self.addCleanup(self.sso.__exit__)
        (self.dir / ".aws").mkdir()
        (self.dir / ".aws/config").write_text(self.CONFIG)

    def env(self, s, profile):
        return env_of(s, AWS_PROFILE=profile, HOME=self.dir, AWS_ENDPOINT_URL_SSO=self.sso.url, AWS_ENDPOINT_URL_SSO_OIDC=self.sso.url + "/")

    def server(self):
        return Server(token="session-of-sso")

    def test_login(self):
        with self.server() as s:
            self.token()
            self.ok(self.env(s, "ml"), "put", "s3://bkt", "k", self.file("f", 12 * MIB))
            self.assertEqual([c[:2] for c in self.sso.calls], [("GET", "/federation/credentials")])
            self.token("https://corp.awsapps.com/start", expiresAt=self.iso(3600).replace("Z", "UTC"))
            self.ok(self.env(s, "old"), "list", "s3://bkt")

    def test_source_of_a_role(self):
        with Sts({"AKIATEST": KEYS["AKIATEST"]}, {ROLE + "first": ("AKIATEST", None, "ASIAFIRST")}) as sts:
            sts.tokens["AKIATEST"] = "session-of-sso"
            with Server(keys=sts.keys, tokens=sts.tokens) as s:
                self.token()
                self.ok(self.env(s, "byrole") | {"AWS_ENDPOINT_URL_STS": sts.url}, "list", "s3://bkt")

    def test_refresh(self):
        """Over, or nearly: a new token by the refresh token, kept for the next and for the AWS CLI; only who owns it may read it."""
        with self.server() as s:
            for seconds, count in ((-100, 1), (300, 2)):
                p = self.token(seconds=seconds, **self.refreshable() | {"refreshToken": self.sso.refresh})
                self.ok(self.env(s, "ml"), "list", "s3://bkt")
                self.assertEqual(self.sso.count, count)
                kept = json.loads(p.read_text())
                self.assertEqual((kept["accessToken"], kept["refreshToken"], kept["clientId"], p.stat().st_mode & 0o777), (f"access-{count}", f"refresh-{count}", "client-1", 0o600))
            self.ok(self.env(s, "ml"), "list", "s3://bkt")
            self.assertEqual(self.sso.count, 2, "the kept one is used")

    def test_refresh_beside_others(self):
        """The new login is written under a name that nobody else has: what another writes, or left for all to read, is not used, and nothing is left behind."""
        with self.server() as s:
            p = self.token(seconds=300, **self.refreshable())
            other = p.with_name(p.name + ".new")
            other.touch()
            other.chmod(0o666)
            self.ok(self.env(s, "ml"), "list", "s3://bkt")
            self.assertEqual(json.loads(p.read_text())["accessToken"], "access-1")
            self.assertEqual((p.stat().st_mode & 0o777, sorted(p.parent.iterdir()), other.stat().st_size), (0o600, sorted([p, other]), 0))

    def test_in_the_clear(self):
        """A login goes to nobody over plain HTTP: AWS_ENDPOINT_URL may be an object store's."""
        with self.server() as s:
            self.token(seconds=300, **self.refreshable())
            env = self.env(s, "ml")
            self.refused(env | {"AWS_ENDPOINT_URL_SSO": "http://store.example:9000"}, "s3://bkt", "AWS_ENDPOINT_URL_SSO 'http://store.example:9000' is not https", "name an https address there")
            del env["AWS_ENDPOINT_URL_SSO"], env["AWS_ENDPOINT_URL_SSO_OIDC"]
            self.refused(env | {"AWS_ENDPOINT_URL": "http://store.example:9000"}, "s3://bkt", "AWS_ENDPOINT_URL 'http://store.example:9000' is not https", "AWS_ENDPOINT_URL_S3")

    def test_refreshed_by_another(self):
        """Two start at once when the login is over: the refresh token is good once, and who comes second takes what the first has written."""
        with self.server() as s:
            p, answer = self.token(seconds=-100, **self.refreshable()), self.sso.answer

            def first(method, path, headers, body):
                if path == "/token":
                    self.token(seconds=3600, accessToken="access-0", **self.refreshable())
                    return 400, json.dumps({"error": "invalid_grant", "error_description": "Invalid refresh token provided"})
                return answer(method, path, headers, body)

            self.sso.answer = first
            self.ok(self.env(s, "ml"), "list", "s3://bkt")
            self.assertEqual(json.loads(p.read_text())["accessToken"], "access-0")

    def test_refresh_that_fails(self):
        with self.server() as s:
            self.token(seconds=300, **self.refreshable() | {"refreshToken": "used"})
            self.ok(self.env(s, "ml"), "list", "s3://bkt")
            for more in ({"refreshToken": "used"}, {"clientSecret": "x"}, {"registrationExpiresAt": self.iso(-1)}, {"refreshToken": None}):
                self.token(seconds=-1, **self.refreshable() | more)
                self.refused(self.env(s, "ml"), "s3://bkt", "the login of the sso_session 'corp' is over", "run: aws sso login --sso-session corp")

    def test_over(self):
        with self.server() as s:
            self.refused(self.env(s, "ml"), "s3://bkt", "was not made yet", "run: aws sso login --sso-session corp")
            self.token("https://corp.awsapps.com/start", -5, **self.refreshable())
            self.refused(self.env(s, "old"), "s3://bkt", "the login of the profile 'old' is over", "run: aws sso login --profile old")
            self.assertEqual(self.sso.count, 0, "the older form is not renewed")
            self.token(accessToken="access-9")
            self.refused(self.env(s, "ml"), "s3://bkt", "is over", "run: aws sso login --sso-session corp")
            self.token()
            self.refused(self.env(s, "other"), "s3://bkt", "role 'Train Role' of the account '1': No access", "look at sso_account_id")
            self.refused(self.env(s, "half"), "s3://bkt", "has no sso_role_name", "aws configure sso --profile half")
            self.refused(self.env(s, "lost"), "s3://bkt", "names the sso_session 'nocorp'")

    def test_rubbish(self):
        with self.server() as s:
            for text in ("", "{", "[]", '{"accessToken": 1}', '{"accessToken":"a b","expiresAt":"2099-01-01T00:00:00Z"}', '{"accessToken":"a\\r\\nX: 1","expiresAt":"2099-01-01T00:00:00Z"}', "\0" * 3000):
                self.token().write_text(text)
                self.refused(self.env(s, "ml"), "s3://bkt", "cannot be read|is over|status 401", "aws sso login")
            self.token()
            for bad in ((200, "{}"), (200, '{"roleCredentials":{"accessKeyId":"a b"}}'), (200, '{"roleCredentials":[]}'), (302, "", {"Location": s.url}), (500, "x"), (200, "y" * 100000)):
                self.sso.broken = [bad] * 3
                self.bad(self.env(s, "ml"), "list", "s3://bkt")
            self.assertEqual(s.log, [], "the token is not carried to where a redirection points")
            self.sso.broken = [(429, "{}"), (503, "")]
            self.ok(self.env(s, "ml"), "list", "s3://bkt")

    def test_as_the_aws_cli(self):
        if not shutil.which("aws"):
            self.skipTest("awscli is not there")
        self.token()
        keep = {k: os.environ[k] for k in ("PATH", "PYENV_VERSION", "PYENV_ROOT") if k in os.environ}
        env = {**keep, "HOME": str(self.dir), "AWS_PROFILE": "ml", "AWS_ENDPOINT_URL_SSO": self.sso.url, "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true"}
        with self.server() as s:
            aws_list(self, s, env)
            self.ok(self.env(s, "ml"), "list", "s3://bkt")
        self.assertEqual(self.sso.calls[0], self.sso.calls[1])


class GoogleFiles(Base):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("openssl"):
            raise unittest.SkipTest("no openssl")
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="tare-google-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        for name, args in (("rsa", ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"]), ("other", ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"]), ("ec", ["EC", "-pkeyopt", "ec_paramgen_curve:prime256v1"]), ("small", ["RSA", "-pkeyopt", "rsa_keygen_bits:1024"]),
                           ("locked", ["RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-aes256", "-pass", "pass:x"])):
            subprocess.run(["openssl", "genpkey", "-algorithm", *args, "-out", str(cls.folder / name)], check=True, capture_output=True)
        subprocess.run(["openssl", "rsa", "-in", str(cls.folder / "rsa"), "-pubout", "-out", str(cls.folder / "public")], check=True, capture_output=True)
        subprocess.run(["openssl", "rsa", "-in", str(cls.folder / "rsa"), "-traditional", "-out", str(cls.folder / "pkcs1")], check=True, capture_output=True)

    def google(self, **more):
        g = Google(self.folder / "public", **more)
        self.addCleanup(g.__exit__)
        return g.__enter__()

    def account(self, g, key="rsa", **more):
        p = self.dir / "key.json"
        p.write_text(json.dumps({"type": "service_account", "project_id": "project", "private_key_id": "kid-1", "private_key": (self.folder / key).read_text(), "client_email": "train@project.iam.gserviceaccount.com",
                                 "client_id": "1", "auth_uri": "https://accounts.google.com/o/oauth2/auth", "token_uri": g.url + "/token", **more}, indent=2))
        return p

    def env(self, s, file=None, **more):
        return env_of(s, **({"GOOGLE_APPLICATION_CREDENTIALS": file} if file else {}), GCE_METADATA_HOST="127.0.0.1:9", **more)

    def login(self, g, **more):
        return json.dumps({"type": "authorized_user", "client_id": "id.apps.googleusercontent.com", "client_secret": "d-secret", "refresh_token": "1//refresh", "token_uri": g.url + "/token", **more})

    def test_service_account(self):
        g = self.google()
        with Server(bearers=g.bearers) as s:
            for key in ("rsa", "pkcs1"):
                g.count = 0
                g.bearers.clear()
                s.objects.clear()
                common.Stores.all_of(self, self.env(s, self.account(g, key)), "gs://bkt/p")
            self.assertTrue(all(h["Authorization"].startswith("Bearer ya29.") and "X-Amz-Date" not in h for h in s.heads))
            self.assertEqual(g.calls[0]["grant_type"], "urn:ietf:params:oauth:grant-type:jwt-bearer")

    def test_parts(self):
        """An upload in parts by a token, gone on with after a cut."""
        g, big = self.google(), self.file("big", 40 * MIB)
        with Server(bearers=g.bearers) as s:
            env = self.env(s, self.account(g), OT_TRIES=2, OT_STREAMS=1)
            s.faults = [Fault("cut", "PUT", "partNumber=8", None, after=5 * MIB - 40000)]
            self.bad(env, "put", "gs://bkt", "big", big, "tag=t")
            s.faults = []
            self.assertEqual(self.ok(env, "put", "gs://bkt", "big", big, "tag=t").number("sent"), 5 * MIB)
            self.assertEqual(s.objects["bkt", "big"].body, big.read_bytes())

    def test_checkpoints(self):
        g = self.google()
        with Server(bearers=g.bearers) as s:
            env = self.env(s, self.account(g))
            self.save("a", 1, 24)
            self.ok(env, "push", "gs://bkt/run", self.dir / "a")
            self.ok(env, "pull", "gs://bkt/run", self.dir / "b")
            self.assertEqual(self.sum("a"), self.sum("b"))

    def test_login(self):
        """What "gcloud auth application-default login" writes, in its place or where CLOUDSDK_CONFIG says."""
        g = self.google()
        with Server(bearers=g.bearers) as s:
            for folder, env in ((self.dir / ".config/gcloud", {"HOME": self.dir}), (self.dir / "sdk", {"CLOUDSDK_CONFIG": self.dir / "sdk"})):
                folder.mkdir(parents=True)
                (folder / "application_default_credentials.json").write_text(self.login(g, quota_project_id="x"))
                self.ok(self.env(s, **env), "put", "gs://bkt", "k", self.file("f", 100))
            g.refresh = "1//another"
            self.refused(self.env(s, HOME=self.dir), "gs://bkt", "invalid_grant: Token has been expired or revoked", "gcloud auth application-default login")

    def test_federated(self):
        """The token of another provider in a file, as such or as a member; then perhaps for a service account's."""
        g, token = self.google(), self.dir / "token"
        pool = {"type": "external_account", "audience": "//iam.googleapis.com/pool", "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "token_url": g.url + "/exchange"}
        with Server(bearers=g.bearers) as s:
            def use(source, **more):
                (self.dir / "pool.json").write_text(json.dumps({**pool, "credential_source": source, **more}))
                return self.env(s, self.dir / "pool.json")

            token.write_text("eyPool\n")
            self.ok(use({"file": str(token)}), "put", "gs://bkt", "k", self.file("f", 12 * MIB), "tag=t")
            self.assertEqual(s.heads[-1]["Authorization"], "Bearer pool-token")
            g.impersonated = True
            g.bearers.clear()
            self.ok(use({"file": str(token), "format": {"type": "text"}}, service_account_impersonation_url=g.url + "/impersonate"), "list", "gs://bkt")
            self.assertEqual(s.heads[-1]["Authorization"], "Bearer as-account")
            token.write_text(json.dumps({"id": "eyPool"}))
            env = use({"file": str(token), "format": {"type": "json", "subject_token_field_name": "id"}}, service_account_impersonation_url=g.url + "/impersonate")
            self.ok(env, "list", "gs://bkt")
            g.broken = [(200, '{"access_token":"other","expires_in":100}')]
            self.refused(env, "gs://bkt", "status 401", "Workload Identity User")
            for bad in ((200, "{}"), (200, '{"accessToken":"a b","expireTime":"2099-01-01T00:00:00Z"}'), (302, "", {"Location": s.url})):
                n = len(s.log)
                g.broken = [(200, '{"access_token":"pool-token","expires_in":100}'), bad]
                self.refused(env, "gs://bkt", "pool.json': ")
                self.assertEqual(len(s.log), n)
            token.write_text("eyOther")
            self.refused(use({"file": str(token)}), "gs://bkt", "Google gives no token for the identity of the pool .*does not match", "issuer and the audience of the token")
            token.write_text("a b")
            self.refused(use({"file": str(token)}), "gs://bkt", "no usable token")
            self.refused(use({"file": str(self.dir / "nothing"), "format": {"type": "json", "subject_token_field_name": "id"}}), "gs://bkt", "cannot read the token")
            self.refused(use({"url": "http://169.254.169.254/x"}), "gs://bkt", "not in a file, which alone is spoken", "credential-source-file")
            self.refused(use({"environment_id": "aws1"}), "gs://bkt", "not in a file")
            self.refused(use({"file": str(token)}, token_url="http://evil.example/"), "gs://bkt", "not an https address")

    def test_acting_as_an_account(self):
        """gcloud auth application-default login --impersonate-service-account"""
        g = self.google()
        key = self.dir / "as.json"
        with Server(bearers=g.bearers) as s:
            for source in (json.loads(self.login(g)), {**json.loads(self.account(g).read_text())}):
                g.impersonated, g.bearers_of_pool = True, {"ya29.1-._~+/"}
                g.count = 0
                g.bearers.clear()
                whole = {"type": "impersonated_service_account", "service_account_impersonation_url": g.url + "/impersonate", "delegates": [], "source_credentials": source}
                key.write_text(json.dumps(whole))
                self.ok(self.env(s, key), "list", "gs://bkt")
                self.assertEqual(s.heads[-1]["Authorization"], "Bearer as-account")
            for more, told in (({"delegates": ["x"]}, "delegates"), ({"source_credentials": whole}, "'impersonated_service_account', which is not"), ({"source_credentials": 1}, "no source_credentials"),
                               ({"service_account_impersonation_url": "http://evil.example/"}, "no https address")):
                key.write_text(json.dumps({**whole, **more}))
                self.refused(self.env(s, key), "gs://bkt", told)

    def test_order(self):
        """Google's own before keys that may be Amazon's; an HMAC key before a file; the file that is named before the one that gcloud wrote."""
        g, mine = self.google(), self.dir / ".config/gcloud"
        mine.mkdir(parents=True)
        (mine / "application_default_credentials.json").write_text("rubbish")
        with Server(bearers=g.bearers) as s:
            aws = {"AWS_ACCESS_KEY_ID": "AKIATEST", "AWS_SECRET_ACCESS_KEY": "wrong"}
            self.ok(self.env(s, self.account(g), HOME=self.dir, **aws), "list", "gs://bkt")
            self.assertTrue(s.heads[-1]["Authorization"].startswith("Bearer"))
            self.ok(self.env(s, self.dir / "nothing", GS_ACCESS_KEY_ID="AKIATEST", GS_SECRET_ACCESS_KEY=KEYS["AKIATEST"]), "list", "gs://bkt")
            self.ok(self.env(s, AWS_ACCESS_KEY_ID="AKIATEST", AWS_SECRET_ACCESS_KEY=KEYS["AKIATEST"]), "list", "gs://bkt")

    def test_refused(self):
        g = self.google()
        with Server(bearers=g.bearers) as s:
            self.refused(self.env(s, self.account(g, "other")), "gs://bkt", "invalid_grant: Invalid JWT Signature", "gcloud iam service-accounts keys list --iam-account=train@project")
            for key in ("ec", "small", "locked", "public"):
                self.refused(self.env(s, self.account(g, key)), "gs://bkt", "no RSA key of 2048 bits")
            self.refused(self.env(s, self.account(g, token_uri="http://evil.example/token")), "gs://bkt", "token_uri is not an https address")
            self.refused(self.env(s, self.account(g, token_uri="https://x@evil.example/token")), "gs://bkt", "token_uri is not an https address")
            self.refused(self.env(s, self.account(g, type="gdch_service_account")), "gs://bkt", "'gdch_service_account', which is not spoken", "gcloud auth application-default login")
            self.refused(self.env(s, self.dir / "nothing"), "gs://bkt", "cannot read .*nothing', which GOOGLE_APPLICATION_CREDENTIALS names", "name the key file")
            for text in ("", "{}", "[1]", "geheim", '{"type": "service_account"}', '{"type": "authorized_user", "client_secret": "geheim"}', '{"type":"service_account","client_email":"a","private_key":"geheim"}', "\0" * 100):
                (self.dir / "key.json").write_text(text)
                self.refused(self.env(s, self.dir / "key.json"), "gs://bkt", "key.json': ")
            clear = self.env(s, self.account(g)) | {"OT_ENDPOINT": "http://store.example:9000"}
            self.refused(clear, "gs://bkt", "a token .from the service account's key file. goes over https only", "name an https address")
            self.assertEqual(s.log, [])

    def test_rubbish(self):
        g = self.google()
        with Server(bearers=g.bearers) as s:
            env = self.env(s, self.account(g))
            for bad in ((200, ""), (200, "{}"), (200, '{"access_token": "a b"}'), (200, '{"access_token":"x","expires_in":-1}'), (302, "", {"Location": s.url}), (400, "<html>"), (200, "[" * 60000)):
                g.broken = [bad] * 2
                self.bad(env, "list", "gs://bkt")
            self.assertEqual(s.log, [])
            g.broken = [(503, "busy")]
            self.ok(env, "list", "gs://bkt")
            g.delay_s = 1
            self.ok(env, "list", "gs://bkt")

    def test_clock(self):
        """Signed once more by Google's clock, where ours is wrong."""
        for skew in (4000, -4000):
            g = self.google()
            g.skew = skew
            with Server(bearers=g.bearers) as s:
                self.ok(self.env(s, self.account(g)), "list", "gs://bkt")

    def test_renewed_in_an_upload(self):
        """Tokens that end twice in one upload: each time parts are refused, one new token is asked for, and the upload goes on."""
        g, big = self.google(), self.file("big", 60 * MIB)
        with Server(bearers=g.bearers) as s:
            s.faults = [Fault("slow", "PUT", "partNumber", None, value=10 * MIB)]

            def end_twice():
                for parts in (1, 7):
                    while sum("partNumber" in x[1] for x in list(s.log)) < parts:
                        time.sleep(0.02)
                    g.bearers.clear()

            thread = threading.Thread(target=end_twice, daemon=True)
            thread.start()
            self.ok(self.env(s, self.account(g), OT_STREAMS=2), "put", "gs://bkt", "big", big, "tag=t")
            thread.join(5)
            self.assertEqual(s.objects["bkt", "big"].body, big.read_bytes())
            self.assertEqual(g.count, 3)

    def test_soon_over(self):
        """A token of four minutes is renewed before it is over, and not for every part."""
        g = self.google(life_s=240)
        with Server(bearers=g.bearers) as s:
            start = time.time()
            self.ok(self.env(s, self.account(g)), "put", "gs://bkt", "k", self.file("f", 40 * MIB))
            self.assertTrue(2 <= g.count <= 2 + (time.time() - start) // 20, g.count)


if __name__ == "__main__":
    unittest.main(verbosity=2)
