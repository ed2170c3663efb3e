What clusters print of themselves is named, with the way to what the ledger needs: kubectl, scontrol.

  $ printf '{"apiVersion": "v1", "kind": "List", "items": []}' > pods.json; printf 'apiVersion: v1\nkind: Node\n' > node.yaml
  > printf 'NodeName=gpu01 Arch=x86_64 CoresPerSocket=48\n   CPUAlloc=96\n   Gres=gpu:h100:8(S:0-1)\n' > scontrol.txt; printf 'JobId=1 JobName=a\n' > job.txt
  > for f in pods.json node.yaml scontrol.txt job.txt; do tare import $f; done
  ! tare: 'pods.json' is of no kind that can be told from its columns
  !       Nothing was imported. It is what kubectl prints, which has no history and no cost. Pods: tare import --prometheus URL (kube-state-metrics, DCGM), or OpenCost: curl 'http://opencost:9003/allocation?window=30d&aggregate=pod' | tare import --as opencost -. Machines: a cloud bill, or a nodes.csv of node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour
  ! tare: 'node.yaml' is of no kind that can be told from its first bytes
  !       Nothing was imported. It is what kubectl prints, which has no history and no cost. Pods: tare import --prometheus URL (kube-state-metrics, DCGM), or OpenCost: curl 'http://opencost:9003/allocation?window=30d&aggregate=pod' | tare import --as opencost -. Machines: a cloud bill, or a nodes.csv of node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour
  ! tare: 'scontrol.txt' is of no kind that can be told from its first bytes
  !       Nothing was imported. It is scontrol show node, which does not say since when machines are paid and at what price. With a day for FROM (and a price, or owned: in the settings) this makes a list to import: (echo node,gpu_model,gpu_count,from,provider,region,purchase,usd_hour; scontrol show node -o | sed -nE 's/^NodeName=([^ ]+).* Gres=gpu:(([^:, ]+):)?([0-9]+).*/\1,\3,\4,FROM,onprem,local,owned,/p') > nodes.csv
  ! tare: 'job.txt' is of no kind that can be told from its first bytes
  !       Nothing was imported. It is scontrol show job, which forgets: bring what sacct has, TZ=UTC sacct -a -X -D -P --format=ALL | tare import --as sacct -
  [2]

The line for scontrol makes a list of machines that is read as it is (here a line as scontrol -o prints it stands for the cluster).

  $ scontrol() { printf 'NodeName=gpu01 Arch=x86_64 Gres=gpu:h100:8(S:0-1) NodeAddr=gpu01\nNodeName=gpu02 Gres=gpu:4 NodeAddr=gpu02\nNodeName=cpu01 Gres=(null) NodeAddr=cpu01\n'; }
  > tare import scontrol.txt 2>&1 | tr -d '\n' | sed 's/.*list to import: //; s/FROM/2026-01-01/' > line; eval "$(cat line)"; cat nodes.csv
  > tare import -q nodes.csv; tare sql 'SELECT node, gpus, gpu_model, from_utc FROM nodes ORDER BY node' -o csv
  node,gpu_model,gpu_count,from,provider,region,purchase,usd_hour
  gpu01,h100,8,2026-01-01,onprem,local,owned,
  gpu02,,4,2026-01-01,onprem,local,owned,
  node,gpus,gpu_model,from_utc
  gpu01,8,h100,2026-01-01T00:00:00Z
  gpu02,4,,2026-01-01T00:00:00Z
