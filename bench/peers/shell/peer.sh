#!/bin/sh
# The best line of shell that we found, as a peer: sh peer.sh MLR URL FILE FOLDER, a CSV file.
# Miller makes JSON lines of it, awk writes a body of 100 records to a file each and the list of requests for curl,
# and one curl sends them over eight connections. FOLDER holds the bodies until the end.
set -eu
mlr=$1 url=$2 file=$3 folder=$4

"$mlr" --icsv --ojsonl cat "$file" | awk -v folder="$folder" -v url="$url" '
  NR % 100 == 1 {
    if (NR > 1) { printf "]}" > body; close(body) }
    body = folder "/" int(NR / 100) ".json"
    printf "next\nurl = \"%s/v1/signals/ingest\"\nrequest = POST\nupload-file = \"%s\"\n", url, body
    printf "header = \"Expect:\"\nheader = \"Content-Type: application/json\"\nheader = \"Authorization: Bearer key\"\noutput = \"/dev/null\"\n"
    printf "{\"signals\":[%s", $0 > body
    next
  }
  { printf ",%s", $0 > body }
  END { if (NR > 0) printf "]}" > body }
' > "$folder/requests"
curl --silent --show-error --fail --parallel --parallel-max 8 --config "$folder/requests"
