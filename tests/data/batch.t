Replicas of a batched service, against a simulator that shares nothing with tare's: Poisson arrivals, bursts of three kinds, days, the public traces of
LLM requests (Azure 2023) and of image requests (GenTD26), services as the published profiles have them. Every fifth of 60 traces here; all of them
with batch-check alone (two minutes).

  needs: $TARE_SHARED/data/llm_azure_2023/AzureLLMInferenceTrace_code.csv.gz
  needs: $TARE_SHARED/data/telemetry_alibaba_gentd26/lora_request_trace.csv.gz
  needs: $TARE_SHARED/data/perf_mig_parvagpu/prof_data/bert.csv

  $ $FILES/batch-check 2 5 | tail -1
  12 traces (0 of one replica): too few on 0, one fewer would do on 0, staggered batch breaks its bound on 0; by the mean rate alone too few on 6, more on 3

A trace as it is, one at another rate, and what the rate alone would need.

  $ tare plan batch --slo-ms 400 --profile $TARE_SHARED/data/perf_mig_parvagpu/prof_data/bert.csv --requests $TARE_SHARED/data/llm_azure_2023/AzureLLMInferenceTrace_code.csv.gz | tail -4
  Capacity       278.1 requests/s a replica at batch 55; at full load never wait
  Replicas       1 for 2.566 requests/s, each at 1 %; a safe batch fills in 2.143e+04 ms
  Replayed       p99 52.86 ms of 400
                 8819 requests, as the file has them; one queue, and given out in turn
  $ tare plan batch --slo-ms 400 --profile $TARE_SHARED/data/perf_mig_parvagpu/prof_data/bert.csv --requests $TARE_SHARED/data/llm_azure_2023/AzureLLMInferenceTrace_code.csv.gz --qps 500 | tail -4
  Replicas       6 for 500 requests/s, each at 30 %; a safe batch fills in 660 ms
  Replayed       p99 346.7 ms of 400; with 5 it would be 415.6 ms
                 8819 requests, as the file has them; one queue, and given out in turn
                 p99 392 ms with batches of up to 101
  $ tare plan batch --slo-ms 400 --profile $TARE_SHARED/data/perf_mig_parvagpu/prof_data/bert.csv --qps 500 | tail -4
  Replayed       p99 154.3 ms of 400; with 2 it would be 1.369e+04 ms
                 800000 requests, independent, and in bursts of 0.7 to 1.3 times the rate; one queue, and given out in turn
                 p99 154.3 ms with batches of up to 87
                 2 would do if they never came in bursts (--arrivals poisson); --requests replays yours
