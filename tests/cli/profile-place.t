Where nobody gives a price, the cloud says what machine this is (here a small server that answers as Google's does), and the catalogue what it costs.
  $ cat > meta.py <<EOF
  > import http.server, sys
  > class H(http.server.BaseHTTPRequestHandler):
  >     def do_GET(s):
  >         ok = s.headers.get("Metadata-Flavor") == "Google" and s.path.startswith("/computeMetadata/v1/")
  >         body = b'{"id":4711,"zone":"projects/1/zones/us-central1-a","machineType":"projects/1/machineTypes/a2-highgpu-1g","name":"n","scheduling":{"preemptible":"FALSE"}}'
  >         s.send_response(200 if ok else 404); s.send_header("Metadata-Flavor", "Google"); s.end_headers()
  >         s.wfile.write(b"proj" if s.path.endswith("project-id") else body if ok else b"")
  >     do_PUT = do_GET
  >     def log_message(s, *a): pass
  > h = http.server.HTTPServer(("127.0.0.1", 0), H)
  > open("port", "w").write(str(h.server_port))
  > h.timeout = 60
  > [h.handle_request() for i in range(12)]
  > EOF
  $ (timeout 90 python3 meta.py > /dev/null 2>&1 &) ; while [ ! -s port ]; do sleep 0.1; done
  $ export TARE_NVML=$BIN/../../tests/stub/nvml/libnvidia-ml.so.1 TARE_STUB_NVML=$PWD/cards TARE_METADATA=http://127.0.0.1:$(cat port)
  > echo 'card * procs=1 pidfile='$PWD'/pid name="NVIDIA A100-SXM4-40GB" arch=7 mem_gib=40 mem_gib_used=9' > cards; sed -i '1i cards 1' cards
  > tare profile -q --no-keep -o json --report r.json -- sh -c 'echo $$ > pid; sleep 1'; python3 -c "
  > import json
  > r = json.load(open('r.json'))
  > print(r['provider'], r['region'], r['instance_type'], r['purchase'], r['usd_gpu_hour'], r['price_from'])"
  gcp us-central1 a2-highgpu-1g on_demand 3.673385 catalogue
