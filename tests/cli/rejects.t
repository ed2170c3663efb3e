Rows that cannot be read are named by line, field and reason; nothing is imported unless they are allowed.

  $ sed '3s/2024-10-01T01:00:00Z/soon/' $FILES/files/jobs.csv > bad.csv
  > tare import bad.csv
  ! tare: 'bad.csv': 1 row cannot be read: line 3, start: 'soon' is not a time; write 2026-11-21T10:00:00Z
  !       Nothing was imported. Correct the rows, or leave out up to N of them with --max-rejects N.
  [2]

  $ tare report
  ! tare: there is no store in '$TMP/db' yet
  !       Bring something in with `tare import FILE`, or try `tare demo`
  [2]

  $ tare import --max-rejects 1 bad.csv
  bad.csv: allocations, 2 rows kept, 1 rejected, 10.00 GPU·h
      rejected: line 3, start: 'soon' is not a time; write 2026-11-21T10:00:00Z
  You see   GPU time by team, user and job; failed work: tare report --by team
  Add       telemetry (DCGM, Prometheus, nvidia-smi, any CSV): idle time of each
            job; right size, booked time
            a cloud bill (FOCUS, CUR, Azure, GCP): cost by team and job

  $ tare import --max-rejects 1 -o json bad.csv | python3 -c 'import json,sys; f=json.load(sys.stdin)["files"][0]; print(f["rows_read"],f["rows_kept"],f["rows_rejected"],f["rejects"])'
  3 2 1 [{'line': 3, 'field': 'start', 'reason': "'soon' is not a time; write 2026-11-21T10:00:00Z"}]

Nothing of a call is in when one of its files cannot be read.

  $ TARE_DB=db2 tare import $FILES/files/nodes.csv bad.csv; TARE_DB=db2 tare report
  ! tare: 'bad.csv': 1 row cannot be read: line 3, start: 'soon' is not a time; write 2026-11-21T10:00:00Z
  !       Nothing was imported. Correct the rows, or leave out up to N of them with --max-rejects N.
  ! tare: there is no store in 'db2' yet
  !       Bring something in with `tare import FILE`, or try `tare demo`
  [2]

A dry run reads everything and keeps nothing.

  $ TARE_DB=db3 tare import --dry-run $FILES/files/nodes.csv; ls db3 2>/dev/null | wc -l
  $FILES/files/nodes.csv: nodes, 2 rows would be kept, 24.00 GPU·h
  0

What is not a table, not there, cut off, doubled or in another country's numbers:

  $ tare import nowhere.csv
  ! tare: cannot open 'nowhere.csv': No such file or directory
  !       Nothing was imported. Check the name; '-' reads standard input
  [2]

  $ tare import .
  ! tare: cannot open '.': Is a directory
  !       Nothing was imported. Name the files in it: ./*
  [2]

  $ head -c 5000 /dev/zero | tr '\0' '\377' > rubbish.bin; tare import rubbish.bin
  ! tare: 'rubbish.bin' is of no kind that can be told from its first bytes
  !       Nothing was imported. Name the kind with --as (focus, aws-cur, azure-cost, gcp-billing, opencost, sacct, nvidia-smi, dcgm, skypilot, samples, allocations, nodes, requests, prices, rates, agent, curves, mlflow, wandb, tensorboard), or the columns with --map. The columns of each: man tare-import.
  [2]

  $ gzip -c $FILES/files/samples.csv | head -c 600 > cut.csv.gz; tare import cut.csv.gz
  ! tare: 'cut.csv.gz' is truncated: its gzip data ends after 600 bytes in the middle of a stream
  !       Nothing was imported. Fetch the file again
  [2]

  $ zstd -q -c $FILES/files/samples.csv | head -c 300 > cut.csv.zst; tare import cut.csv.zst
  ! tare: 'cut.csv.zst' is truncated: its zstd data ends after 300 bytes in the middle of a stream
  !       Nothing was imported. Fetch the file again
  [2]

  $ sed '1s/,user,/,job_id,/' $FILES/files/jobs.csv > double.csv; tare import --as allocations double.csv
  ! tare: 'double.csv' line 1: the header names the column 'job_id' twice
  !       Nothing was imported.
  [2]

  $ sed '2s/4.00/"4,00"/' $FILES/files/nodes.csv > comma.csv; tare import comma.csv
  ! tare: 'comma.csv': 1 row cannot be read: line 2, usd_hour: '4,00' is not a decimal such as 12.24
  !       Nothing was imported. The numbers have decimal commas, as a spreadsheet saves them. Take the file as the provider wrote it; or a FOCUS bill with --map focus-comma, an Azure bill with --map azure-comma, other tables with a map that says number: comma (docs/MAPS.md).
  [2]

  $ sed '1s/gpu_count/cards/' $FILES/files/nodes.csv > lacks.csv; tare import --as nodes lacks.csv
  ! tare: 'lacks.csv' has no column gpu_count, which nodes needs
  !       Nothing was imported. Give a constant with --set NAME=VALUE, or the columns' names with --map (docs/MAPS.md).
  [2]

  $ : > empty.csv; tare import empty.csv
  ! tare: 'empty.csv' is empty
  !       Nothing was imported.
  [2]

  $ tare import --as elsewhere $FILES/files/nodes.csv
  ! tare: --as does not know 'elsewhere': it takes focus|aws-cur|azure-cost|gcp-billing|opencost|sacct|nvidia-smi|dcgm|skypilot|samples|allocations|nodes|requests|prices|rates|agent|curves|mlflow|wandb|tensorboard
  !       See: tare import --help
  [2]

  $ tare import
  ! tare: name the files to import, or - for standard input
  !       See: tare import --help
  [2]

  $ tare import --map no-such-map $FILES/files/nodes.csv
  ! tare: there is no map 'no-such-map'
  !       Nothing was imported. Shipped are: acme, alibaba-dlrm, alibaba-gentd26-duty, alibaba-gentd26-memory, alibaba-openb-nodes, alibaba-openb-pods, alibaba-pai-100k, alibaba-pai-2020, alibaba-spot26-jobs, alibaba-spot26-nodes, azure-comma, azure-llm, focus-comma, focus-spec-examples, philly, prices-azure, prices-gcp, prices-neocloud; others are given by the path of a YAML file (docs/MAPS.md)
  [2]


A column that the file has stays; --set fills only its empty cells, and says so:

  $ printf 'time,node,gpu,gpu_util_pct,step_s\n2026-10-05T00:00:00Z,n1,0,50,600\n2026-10-05T00:00:00Z,,1,50,600\n' > set.csv
  > tare import --db set --set node=n2 set.csv | head -2
  > tare report --db set --by node -o csv | cut -d, -f1,2 | head -3
  set.csv: samples, 2 rows kept, 0.33 GPU·h
      note: --set node: used only where the file's own column node is empty; what it says stays
  node,currency
  n1,USD
  n2,USD
