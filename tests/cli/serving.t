What served requests cost. A machine of two GPUs, 4 an hour for 10 hours: chat holds one (20.00), the
ranker of project search the other (20.00). chat answered 900 requests of tenant a (10 ms each, 3 of 4
of the GPU time) and 100 of b (300 ms), 20 of them in vain: 980 well, 20.41 for 1,000.

  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour\nn1,aws,us-east-1,A100-SXM4-80GB,2,on_demand,2024-09-01T00:00:00Z,2024-09-01T10:00:00Z,main,4\n' > nodes.csv
  > printf 'job_id,name,team,project,workload,gpus,node,cluster,start,end\n1,chat,nlp,assist,inference,1,n1,main,2024-09-01T00:00:00Z,2024-09-01T10:00:00Z\n2,web,web,ranker,inference,1,n1,main,2024-09-01T00:00:00Z,2024-09-01T10:00:00Z\n' > jobs.csv
  > { echo time,service,tenant,count,latency_ms,latency_histogram,tokens_in,tokens_out,status,gpu_s
  > echo 2024-09-01T01:00:00Z,chat,a,900,10,,90000,45000,200,3
  > echo 2024-09-01T02:00:00Z,chat,b,80,300,,8000,4000,200,0.8
  > echo 2024-09-01T02:00:00Z,chat,b,20,300,,,,500,0.2
  > echo '2024-09-01T02:00:00Z,search/ranker,,1000,,10:900;100:90;+Inf:10,,,200,'
  > echo '2024-09-01T03:00:00Z,search/ranker,x,,5,,,,200,'
  > echo '2024-09-01T03:00:00Z,nobody,,7,,,,,200,'; } > requests.csv
  > tare import -q --db db nodes.csv jobs.csv requests.csv
  $ tare report --db db --by service --serving
  10 h to 2024-09-01 10:00 UTC · effective cost, USD
  
  service        requests     ok   p50   p95   p99  tok in  tok out   cost  /1,000      /M  /M in  /M out
  chat              1,000   98 %  10.0   303   303  98,000   49,000  20.00   20.41  136.05      -       -
  nobody                7  100 %     -     -     -       -        -      -       -       -      -       -
  search/ranker     1,001  100 %  5.55  59.7  99.9       -        -  20.00   19.98       -      -       -
  
  Latency in ms, within 1 % of what was logged (a server's own histogram: within
  its bin). /1,000: of successful requests; /M: of a million tokens, in and out
  together and apart.
  Nothing tells the cost of tokens in and out apart: vLLM's
  request_prefill_time_seconds and request_decode_time_seconds would
  (tare import --prometheus; columns prefill_s and decode_s of a log), or
  token_prices in the settings.
  Where the cost is '-', no job, run or project has the service's name.
  $ tare report --db db --serving -o csv
  service,tenant,currency,requests,successful,latency_p50_ms,latency_p95_ms,latency_p99_ms,tokens_in,tokens_out,gpu_seconds,cost,cost_per_1000_requests,cost_per_million_tokens,cost_from,split_by,prefill_seconds,decode_seconds,cost_tokens_in,cost_tokens_out,cost_per_million_tokens_in,cost_per_million_tokens_out,token_split_by
  chat,,USD,1000,980,10.044,302.796,302.796,98000,49000,4,20,20.408163265306,136.054421768707,service,,,,,,,,
  nobody,,USD,7,7,,,,,,,,,,,,,,,,,,
  search/ranker,,USD,1001,1001,5.545,59.695,99.894,,,,20,19.98001998002,,project,,,,,,,,
  $ tare report --db db --by service -o csv | cut -d, -f1-4
  service,currency,gpu_seconds,cost
  ,USD,36000,20
  chat,USD,36000,20
  $ tare report --db db --kpi | grep -E '^(chat|search)'
  chat: cost per 1,000 requests            20.41  USD, successful ones
  chat: cost per million tokens           136.05  USD, in and out together
  chat: time-to-value                          -  submit to first served request
  search/ranker: cost per 1,000 requests   19.98  USD, successful ones
  search/ranker: time-to-value                 -  submit to first served request
  $ tare report --db db --by service,tenant --serving
  10 h to 2024-09-01 10:00 UTC · effective cost, USD
  
  service        tenant  requests     ok   p50   p95   p99  tok in  tok out   cost  /1,000      /M  /M in  /M out
  chat           a            900  100 %  10.0  10.0  10.0  90,000   45,000  15.00   16.67  111.11      -       -
  chat           b            100   80 %   303   303   303   8,000    4,000   5.00   62.50  416.67      -       -
  nobody         -              7  100 %     -     -     -       -        -      -       -       -      -       -
  search/ranker  -          1,000  100 %  5.55  59.7  99.9       -        -  19.98   19.98       -      -       -
  search/ranker  x              1  100 %  5.02  5.02  5.02       -        -   0.02   19.98       -      -       -
  
  Latency in ms, within 1 % of what was logged (a server's own histogram: within
  its bin). /1,000: of successful requests; /M: of a million tokens, in and out
  together and apart.
  Nothing tells the cost of tokens in and out apart: vLLM's
  request_prefill_time_seconds and request_decode_time_seconds would
  (tare import --prometheus; columns prefill_s and decode_s of a log), or
  token_prices in the settings.
  Tenants share the cost of their service by measured GPU time where all of them
  have it, else by tokens, else by requests.
  Where the cost is '-', no job, run or project has the service's name.
  $ tare report --db db --by service,tenant --serving -o json
  {"schema":"tare.serving/1","window":{"since":"2024-09-01T00:00:00Z","until":"2024-09-01T10:00:00Z"},"basis":"effective","latency_error_frac":0.01,"rows":[{"service":"chat","tenant":"a","currency":"USD","requests":900,"successful":900,"latency_p50_ms":10.044,"latency_p95_ms":10.044,"latency_p99_ms":10.044,"tokens_in":90000,"tokens_out":45000,"gpu_seconds":"3","cost":"15","cost_per_1000_requests":"16.666666666667","cost_per_million_tokens":"111.111111111111","cost_from":"service","split_by":"gpu_seconds","prefill_seconds":null,"decode_seconds":null,"cost_tokens_in":null,"cost_tokens_out":null,"cost_per_million_tokens_in":null,"cost_per_million_tokens_out":null,"token_split_by":null},{"service":"chat","tenant":"b","currency":"USD","requests":100,"successful":80,"latency_p50_ms":302.796,"latency_p95_ms":302.796,"latency_p99_ms":302.796,"tokens_in":8000,"tokens_out":4000,"gpu_seconds":"1","cost":"5","cost_per_1000_requests":"62.5","cost_per_million_tokens":"416.666666666667","cost_from":"service","split_by":"gpu_seconds","prefill_seconds":null,"decode_seconds":null,"cost_tokens_in":null,"cost_tokens_out":null,"cost_per_million_tokens_in":null,"cost_per_million_tokens_out":null,"token_split_by":null},{"service":"nobody","tenant":null,"currency":"USD","requests":7,"successful":7,"latency_p50_ms":null,"latency_p95_ms":null,"latency_p99_ms":null,"tokens_in":null,"tokens_out":null,"gpu_seconds":null,"cost":null,"cost_per_1000_requests":null,"cost_per_million_tokens":null,"cost_from":null,"split_by":null,"prefill_seconds":null,"decode_seconds":null,"cost_tokens_in":null,"cost_tokens_out":null,"cost_per_million_tokens_in":null,"cost_per_million_tokens_out":null,"token_split_by":null},{"service":"search/ranker","tenant":null,"currency":"USD","requests":1000,"successful":1000,"latency_p50_ms":5.545,"latency_p95_ms":59.695,"latency_p99_ms":99.894,"tokens_in":null,"tokens_out":null,"gpu_seconds":null,"cost":"19.98001998","cost_per_1000_requests":"19.98001998","cost_per_million_tokens":null,"cost_from":"project","split_by":"requests","prefill_seconds":null,"decode_seconds":null,"cost_tokens_in":null,"cost_tokens_out":null,"cost_per_million_tokens_in":null,"cost_per_million_tokens_out":null,"token_split_by":null},{"service":"search/ranker","tenant":"x","currency":"USD","requests":1,"successful":1,"latency_p50_ms":5.022,"latency_p95_ms":5.022,"latency_p99_ms":5.022,"tokens_in":null,"tokens_out":null,"gpu_seconds":null,"cost":"0.01998002","cost_per_1000_requests":"19.98002","cost_per_million_tokens":null,"cost_from":"project","split_by":"requests","prefill_seconds":null,"decode_seconds":null,"cost_tokens_in":null,"cost_tokens_out":null,"cost_per_million_tokens_in":null,"cost_per_million_tokens_out":null,"token_split_by":null}]}
  $ tare report --db db --serving --since 2024-09-01T02:00:00Z --until 2024-09-01T03:00:00Z -o md
  1 h to 2024-09-01 03:00 UTC · effective cost, USD
  
  | service | requests | ok | p50 | p95 | p99 | tok in | tok out | cost | /1,000 | /M | /M in | /M out |
  | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
  | chat | 100 | 80 % | 303 | 303 | 303 | 8,000 | 4,000 | 2.00 | 25.00 | 166.67 | - | - |
  | search/ranker | 1,000 | 100 % | 5.55 | 59.7 | 99.9 | - | - | 2.00 | 2.00 | - | - | - |
  
  Latency in ms, within 1 % of what was logged (a server's own histogram: within its bin). /1,000: of successful requests; /M: of a million tokens, in and out together and apart.
  Nothing tells the cost of tokens in and out apart: vLLM's request_prefill_time_seconds and request_decode_time_seconds would (tare import --prometheus; columns prefill_s and decode_s of a log), or token_prices in the settings.

What input and output tokens cost apart. A GPU at 2 an hour for an hour; a's requests read their
input for 30 s and wrote for 90 s, b's for 60 s and 20 s. By the log's GPU time a has 1.50 of the 2.00:
a quarter of it for 30,000 tokens in is 12.50 a million; three quarters of b's 0.50 for 90,000 is 4.17.

  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour\nn1,aws,us-east-1,A100-SXM4-80GB,1,on_demand,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z,main,2\n' > pn.csv
  > printf 'job_id,name,team,workload,gpus,node,cluster,start,end\n1,llm,nlp,inference,1,n1,main,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z\n' > pj.csv
  > { echo time,service,tenant,count,tokens_in,tokens_out,gpu_s,prefill_s,decode_s
  > echo 2024-09-01T00:10:00Z,llm,a,60,20000,10000,2,20,60
  > echo 2024-09-01T00:11:00Z,llm,a,40,10000,5000,1,10,30
  > echo 2024-09-01T00:10:00Z,llm,b,10,90000,3000,1,60,20; } > pr.csv
  > tare import -q --db phases pn.csv pj.csv pr.csv
  $ tare report --db phases --by service,tenant --serving -o md | sed -n '3,6p'
  | service | tenant | requests | ok | p50 | p95 | p99 | tok in | tok out | cost | /1,000 | /M | /M in | /M out |
  | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
  | llm | a | 100 | 100 % | - | - | - | 30,000 | 15,000 | 1.50 | 15.00 | 33.33 | 12.50 | 75.00 |
  | llm | b | 10 | 100 % | - | - | - | 90,000 | 3,000 | 0.50 | 50.00 | 5.38 | 4.17 | 41.67 |
  $ tare report --db phases --serving -o csv | cut -d, -f1,12,14,17-
  service,cost,cost_per_million_tokens,prefill_seconds,decode_seconds,cost_tokens_in,cost_tokens_out,cost_per_million_tokens_in,cost_per_million_tokens_out,token_split_by
  llm,2,14.492753623188,90,110,0.9,1.1,7.5,61.111111111111,phase_time
  $ tare report --db phases --serving
  1 h to 2024-09-01 01:00 UTC · effective cost, USD
  
  service  requests     ok  p50  p95  p99   tok in  tok out  cost  /1,000     /M  /M in  /M out
  llm           110  100 %    -    -    -  120,000   18,000  2.00   18.18  14.49   7.50   61.11
  
  Latency in ms, within 1 % of what was logged (a server's own histogram: within
  its bin). /1,000: of successful requests; /M: of a million tokens, in and out
  together and apart.
  $ tare sql --db phases -o csv 'SELECT tenant, sum(prefill_seconds) p, sum(decode_seconds) d FROM request_minutes GROUP BY tenant ORDER BY tenant'
  tenant,p,d
  a,30,90
  b,60,20

A log without times, and the settings' prices of tokens: 5 and 15 a million, so that 98,000 in weigh
490 and 49,000 out 735. What none of them covers stays unknown.

  $ printf 'version: 1\ntoken_prices:\n  - service: ch*\n    input: 5\n    output: 15\n' > tp.yaml
  > tare report --config tp.yaml --db db --serving -o csv | cut -d, -f1,12,17-
  service,cost,prefill_seconds,decode_seconds,cost_tokens_in,cost_tokens_out,cost_per_million_tokens_in,cost_per_million_tokens_out,token_split_by
  chat,20,,,8,12,81.632653061224,244.897959183673,token_prices
  nobody,,,,,,,,
  search/ranker,20,,,,,,,
  $ printf 'version: 1\ntoken_prices:\n  - service: ch*\n    input: 5\n' > tp.yaml; tare report --config tp.yaml --db db --serving
  ! tare: 'tp.yaml' line 3: a price of tokens needs 'service' (a pattern), 'input' and 'output' (per million)
  [2]

The two tenants of chat add up to it. What does not go together.

  $ tare report --db db --by service,tenant --serving -o csv | awk -F, '$1 == "chat" { sum += $12; print $2, $12 } END { print sum }'
  a 15
  b 5
  20
  $ tare report --db db --by team --serving
  ! tare: --serving goes by service or by service,tenant, not by 'team'
  !       See: tare report --help
  [2]
  $ tare report --db db --serving --where team=nlp
  ! tare: --serving is of all requests of the window and takes no --where
  !       See: tare report --help
  [2]
  $ tare report --db db --serving --kpi
  ! tare: only one of --showback, --chargeback, --kpi, --tags, --energy, --serving, --hidden, --html and --focus at a time
  !       See: tare report --help
  [2]
  $ tare report --db db --serving --since 2024-10-01 --until 2024-10-02
  1 day to 2024-10-01 · effective cost, USD
  
  No requests in this window: tare import requests.csv (docs/REPORT.md)

Request logs alone: how fast, and no cost.

  $ tare import -q --db alone requests.csv; tare report --db alone --serving
  all requests · effective cost, USD
  
  service        requests     ok   p50   p95   p99  tok in  tok out  cost  /1,000  /M  /M in  /M out
  chat              1,000   98 %  10.0   303   303  98,000   49,000     -       -   -      -       -
  nobody                7  100 %     -     -     -       -        -     -       -   -      -       -
  search/ranker     1,001  100 %  5.55  59.7  99.9       -        -     -       -   -      -       -
  
  Latency in ms, within 1 % of what was logged (a server's own histogram: within
  its bin). /1,000: of successful requests; /M: of a million tokens, in and out
  together and apart.
  Where the cost is '-', no job, run or project has the service's name.
