Slurm's accounts as teams: one rule takes the value from the field; a field that no rule can see is an error.

  $ printf 'JobID|User|Account|State|Start|End|AllocTRES\n1|ana|nlp|COMPLETED|2026-11-01T08:00:00|2026-11-01T10:00:00|gres/gpu=2\n2|ben|vision|COMPLETED|2026-11-01T08:00:00|2026-11-01T09:00:00|gres/gpu=1\n' > s.txt
  $ printf 'version: 1\nvirtual_tags: [{when: {account: "*"}, set: {team: "{account}"}}]\n' > c.yaml; sed 's/{account}/{acount}/' c.yaml > wrong.yaml
  $ tare import --db a --config wrong.yaml s.txt; tare import --db a --config c.yaml s.txt | grep team; tare report --db a | grep -E '^(nlp|vision|\(nobody)'
  You see   GPU time by team, user and job; failed work:
            tare report --by team --db a --config c.yaml
            a cloud bill (FOCUS, CUR, Azure, GCP): cost by team and job
  nlp     4.000     -     -          -     -   0 %    100 %
  vision  1.000     -     -          -     -   0 %    100 %
  ! tare: 'wrong.yaml' line 2: 'acount' is not a field a rule can use here
  !       Did you mean 'account'?

Without such a rule a report by team says why its rows have none.

  $ tare import -q --db bare s.txt; for by in team user; do tare report --db bare --by $by; done | grep -A2 'have accounts'; tare report --db a --config c.yaml | grep -c 'have accounts'
  Jobs here have accounts and no team; a rule of the settings makes them teams
  (docs/CONFIG.md, virtual_tags), for what is imported after it, and for the rest
  after tare import --repost.
  0
  [1]

Where idle time is split, the next step says so too.

  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour\nllm1,aws,us-east-1,A10G,4,on_demand,2026-11-20T08:00:00Z,2026-11-20T10:00:00Z,5.672\n' > nodes.csv; printf 'job_id,user,team,gpus,start,end,node,name,service\nchat-0,svc,search,2,2026-11-20T08:00:00Z,2026-11-20T10:00:00Z,llm1,chat,chat\ntr-1,ana,vision,1,2026-11-20T08:00:00Z,2026-11-20T09:00:00Z,llm1,train,\n' > jobs.csv
  $ tare import -q --db b nodes.csv jobs.csv; tare report --db b --by user --split-idle proportional | grep -A3 Idle
  Idle alone costs 4.25 USD in these 2 h. Most of it: svc, 3.40, paid for and held
  by nobody
  (tare report --db b --by user,job --split-idle proportional --sort waste).

Readings that name no machine say how one is given.

  $ printf 'time,step_s,gpu,gpu_util_pct\n2026-09-07T08:00:00Z,3600,0,50\n' > r.csv; tare import -q --db r r.csv; tare report --db r --by node | grep -A3 'name no'
  1.000 GPU·h name no node: pools whose jobs say no machine, with all machines
  they may be on, readings that name none (tare import --set node=NAME), or bill
  lines without a resource id (docs/LEDGER.md, GPUs without names).
