Rows that cannot be read are named by line, field and reason; nothing is imported unless they are allowed.

  $ sed '3s/2024-10-01T01:00:00Z/soon/' $FILES/files/jobs.csv > bad.csv
  > tare import bad.csv

  $ tare report

  $ tare import --max-rejects 1 bad.csv

  $ tare import --max-rejects 1 -o json bad.csv | python3 -c 'import json,sys; f=json.load(sys.stdin)["files"][0]; print(f["rows_read"],f["rows_kept"],f["rows_rejected"],f["rejects"])'

Nothing of a call is in when one of its files cannot be read.

  $ TARE_DB=db2 tare import $FILES/files/nodes.csv bad.csv; TARE_DB=db2 tare report

A dry run reads everything and keeps nothing.

  $ TARE_DB=db3 tare import --dry-run $FILES/files/nodes.csv; ls db3 2>/dev/null | wc -l

What is not a table, not there, cut off, doubled or in another country's numbers:

  $ tare import nowhere.csv

  $ tare import .

  $ head -c 5000 /dev/zero | tr '\0' '\377' > rubbish.bin; tare import rubbish.bin

  $ gzip -c $FILES/files/samples.csv | head -c 600 > cut.csv.gz; tare import cut.csv.gz

  $ zstd -q -c $FILES/files/samples.csv | head -c 300 > cut.csv.zst; tare import cut.csv.zst

  $ sed '1s/,user,/,job_id,/' $FILES/files/jobs.csv > double.csv; tare import --as allocations double.csv

  $ sed '2s/4.00/"4,00"/' $FILES/files/nodes.csv > comma.csv; tare import comma.csv

  $ sed '1s/gpu_count/cards/' $FILES/files/nodes.csv > lacks.csv; tare import --as nodes lacks.csv

  $ : > empty.csv; tare import empty.csv

  $ tare import --as elsewhere $FILES/files/nodes.csv

  $ tare import

  $ tare import --map no-such-map $FILES/files/nodes.csv

