How a notebook, a shell or a service ends says nothing of its time: scancel and the time limit are their ends. Work that ends so is lost.

Four machines of one GPU for two hours, each held all the time; it works in the first quarter of an hour. The fifth, a notebook, loses its machine.

  $ python3 - << 'P'
  > n = ['jupyter', 'bash', 'vllm-chat', 'train', 'notebook-b']
  > open('nodes.csv', 'w').write('node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour,cluster\n' + ''.join(
  >     f'n{i},lambda,us-east-1,A100-SXM4-80GB,1,on_demand,2026-11-02T00:00:00Z,2026-11-02T02:00:00Z,1,c1\n' for i in range(5)))
  > open('s.csv', 'w').write('time,node,gpu,gpu_util_pct,mem_used_bytes,step_s\n' + ''.join(
  >     f'2026-11-02T{m // 60:02}:{m % 60:02}:00Z,n{i},0,{92 if m < 15 else 0},20e9,60\n' for m in range(120) for i in range(5)))
  > for s in ('TIMEOUT', 'CANCELLED by 1003'):
  >     open(s[:4] + '.txt', 'w').write('JobID|JobName|User|Cluster|State|Submit|Start|End|NodeList|AllocTRES\n' + ''.join(
  >         f'{i}|{w}|u{i}|c1|{s if i < 4 else "NODE_FAIL"}|2026-11-02T00:00:00|2026-11-02T00:00:00|2026-11-02T02:00:00|n{i}|gres/gpu=1\n' for i, w in enumerate(n)))
  > P
  $ for s in TIME CANC; do tare import -q --db $s --as sacct $s.txt && tare import -q --db $s nodes.csv s.csv && tare report --db $s --by job,state,cause -o csv | cut -d, -f1-3,6 | sort; done
  0,busy,,0.25
  0,idle_held,notebook,1.75
  1,busy,,0.25
  1,idle_held,finished,1.75
  2,busy,,0.25
  2,idle_held,warm_server,1.75
  3,lost,failed,2
  4,lost,node_failure,2
  job,state,cause,cost
  0,busy,,0.25
  0,idle_held,notebook,1.75
  1,busy,,0.25
  1,idle_held,finished,1.75
  2,busy,,0.25
  2,idle_held,warm_server,1.75
  3,lost,cancelled,2
  4,lost,node_failure,2
  job,state,cause,cost

The job list alone: a notebook that reached its limit is none that failed.

  $ tare import -q --db alone --as sacct TIME.txt && tare plan --db alone | grep failed
        1,460  2 of 5 jobs failed or ran into their limit: 4.00 GPU·h in 2 h, 40 %
