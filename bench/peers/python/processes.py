"""As threads.py, but eight processes post: `python3 processes.py HOST:PORT FILE`, a CSV file."""
import csv
import http.client
import json
import multiprocessing
import sys

HEADERS = {"Authorization": "Bearer key", "Content-Type": "application/json"}


def batches(file):
    with open(file, encoding="utf-8", newline="") as lines:
        reader = csv.reader(lines)
        columns = next(reader)
        rows = []
        for row in reader:
            rows.append(row)
            if len(rows) == 100:
                yield columns, rows
                rows = []
        if rows:
            yield columns, rows


def connect(address):
    global connection
    connection = http.client.HTTPConnection(address)


def post(batch):
    columns, rows = batch
    body = json.dumps({"signals": [dict(zip(columns, row)) for row in rows]})
    connection.request("POST", "/v1/signals/ingest", body, HEADERS)
    response = connection.getresponse()
    receipt = json.loads(response.read())
    return response.status == 200 and receipt["stats"]["accepted"] == len(rows)


if __name__ == "__main__":
    address, file = sys.argv[1:3]
    with multiprocessing.Pool(8, connect, (address,)) as pool:
        sys.exit(0 if all(pool.imap_unordered(post, batches(file), chunksize=8)) else 1)
