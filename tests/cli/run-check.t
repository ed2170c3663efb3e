The checkpoints of a folder: what is there, whether every hash holds, from which the next run goes on. A damaged one is passed over, as by the run itself.

  $ tare run -q -- python3 $SRC/examples/plain.py --steps 200 --dir checkpoints > /dev/null 2>&1; cp -r checkpoints cut
  $ tare run check | sed 's/20[-0-9]*T[0-9:.]*Z/TIME/; s/[0-9.]* KiB/SIZE/; s/  */ /g'
  checkpoint step saved size files state
  000000000200-0000000000000001 200 TIME SIZE 2 whole
  000000000150-0000000000000001 150 TIME SIZE 2 whole
  000000000100-0000000000000001 100 TIME SIZE 2 whole
  
  The next run resumes from 000000000200-0000000000000001.
  $ tare run check -o json | python3 -c 'import json,sys; d=json.load(sys.stdin); c=d["checkpoints"][0]; print(d["schema"], d["resume"] == c["id"], d["damaged"], c["step"], c["bytes"] > 0, c["files"] > 0, c["ranks"], c["whole"], c["why"])'
  tare.run-check/1 True 0 200 True True 1 True None

One byte of the newest one's data: it is named, and the one before is what the next run begins with.

  $ python3 - checkpoints/data/$(ls checkpoints/ckpt | tail -1).r0 <<'E'
  > import sys
  > f = open(sys.argv[1], "r+b"); b = f.read(1); f.seek(0); f.write(bytes([b[0] ^ 1]))
  > E
  > tare run check | sed 's/20[-0-9]*T[0-9:.]*Z/TIME/; s/[0-9.]* KiB/SIZE/; s/  */ /g'; tare run check > out; echo $?
  checkpoint step saved size files state
  000000000200-0000000000000001 200 TIME SIZE 2 damaged
  000000000150-0000000000000001 150 TIME SIZE 2 whole
  000000000100-0000000000000001 100 TIME SIZE 2 whole
  
  checkpoint '000000000200-0000000000000001' is damaged: the bytes of 'rank0/state.safetensors' are not those that were saved
  The next run resumes from 000000000150-0000000000000001 (1 of 3 damaged).
  1

Manifests that are empty; manifests that somebody took away, which `latest` knows of.

  $ for m in cut/ckpt/*; do : > $m; done; tare run check cut -o json | python3 -c 'import json,sys; d=json.load(sys.stdin); v=d["checkpoints"]; print(d["resume"], d["damaged"] == len(v), v[0]["step"], v[0]["whole"])'
  None True None False
  $ rm cut/ckpt/*; tare run check cut; echo $?
  The next run ends with 125: none of the 1 checkpoint in 'cut' can be used: checkpoint '000000000200-0000000000000001' is damaged: its manifest is missing in 'cut/ckpt'.
  1

None yet, no folder, a bucket.

  $ mkdir -p none; tare run check none; tare run check nothere
  ! tare: 'none' has no checkpoints
  ! tare: cannot open 'nothere': No such file or directory
  [2]
  $ tare run check s3://bucket/x
  ! tare: 's3://bucket/x' is an object store: its copy is checked in a folder
  !       It has the layout of the folder: copy it (aws s3 sync, gcloud storage rsync, azcopy), then check the copy
  [2]
