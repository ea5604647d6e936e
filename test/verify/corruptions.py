"""Changes one claim in a copy of a run folder, many times, and prints each change that bin/verify-run.py does not find.

Usage: python3 corruptions.py COUNT SEED FOLDER ...
"""
import importlib.util
import json
import os
import random
import shutil
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("verify_run", os.path.join(HERE, "..", "..", "bin", "verify-run.py"))
verify_run = importlib.util.module_from_spec(spec)
spec.loader.exec_module(verify_run)

# What a person may read and nothing is computed from: times, durations, words, names, and what the service or the throttle said.
NO_CLAIMS = {
    "time", "ms", "error", "name", "message", "hint", "found", "column", "field", "code", "issues", "notes", "firstNotes",
    "keys", "by", "afterMs", "giveUpMs", "concurrency", "next", "baseUrl", "variant", "sentBefore", "nextLine", "to",
    "batchId", "maybeProcessed", "run", "size", "of",
}
NO_EVENTS = {"throttle.changed", "source.spooled", "source.grown", "run.resumed", "run.handed_over"}


def leaves(value, path=()):
    if isinstance(value, dict):
        for key, each in value.items():
            if key not in NO_CLAIMS:
                yield from leaves(each, path + (key,))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from leaves(each, path + (index,))
    else:
        yield path, value


def changed(value, chance):
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + chance.choice((1, 2, 10)) if chance.random() < 0.5 or value == 0 else value - 1
    if value is None:
        return 1
    others = [each for each in ("delivered", "refused", "exhausted", "unknown") if each != value]
    return chance.choice(others) if value in ("delivered", "refused", "exhausted", "unknown") else value + "0"


def with_change(value, path, chance):
    copy = json.loads(json.dumps(value))
    at = copy
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = changed(at[path[-1]], chance)
    return copy


def line_of(event):
    body = json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode()[:-1]
    return body + b',"crc":"%08x"}' % zlib.crc32(body)


def corrupt_journal(folder, chance):
    path = os.path.join(folder, "journal.ndjson")
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")[:-1]
    events = [json.loads(line)["event"] for line in lines]
    # Once a run was resumed, nothing depends on how its earlier processes ended.
    claims = [n for n, name in enumerate(events) if name not in NO_EVENTS and (name != "run.ended" or n == len(lines) - 1)]
    number = chance.choice(claims)
    event = json.loads(lines[number])
    del event["crc"]
    way = chance.choice(("value", "value", "value", "byte", "lose", "twice"))
    told = "journal line %d (%s): %s" % (number + 1, event["event"], way)
    if way == "value":
        # The last attempt's status is compared with that of the batch.
        unknown = [("status",)] if event["event"] == "attempt.failed" else [("excluded", "skipped"), ("excluded", "invalid")]
        path_, value = chance.choice([one for one in leaves(event) if one[0][-2:] not in unknown])
        lines[number] = line_of(with_change(event, path_, chance))
        told += " %s of %s" % (".".join(map(str, path_)), value)
    elif way == "byte":
        line = bytearray(lines[number])
        line[chance.randrange(len(line))] ^= 1 << chance.randrange(8)
        lines[number] = bytes(line)
    elif way == "lose":
        del lines[number]
    else:
        lines.insert(number, lines[number])
    with open(path, "wb") as file:
        file.write(b"".join(line + b"\n" for line in lines))
    return told


def corrupt_summary(folder, chance):
    path = os.path.join(folder, "summary.json")
    with open(path) as file:
        summary = json.load(file)
    claims = ("rows", "batches", "service", "requests", "retries", "bytesSent", "state", "balanced", "type")
    path_, value = chance.choice([one for one in leaves({key: summary[key] for key in claims})])
    with open(path, "w") as file:
        json.dump(with_change(summary, path_, chance), file)
    return "summary.json %s of %s" % (".".join(map(str, path_)), value)


def corrupt_results(folder, chance):
    path = os.path.join(folder, "results.csv")
    with open(path, newline="") as file:
        lines = file.read().split("\r\n")
    if len(lines) < 3:
        return "has no line"
    number = chance.randrange(1, len(lines) - 1)
    if chance.random() < 0.3:
        del lines[number]
        told = "line %d lost" % number
    else:
        cells = lines[number].split(",")
        index = chance.choice([1, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14])
        if "'" in lines[number] or '"' in lines[number]:
            index = chance.choice([1])
        cells[index] += "1"
        lines[number] = ",".join(cells)
        told = "line %d cell %d" % (number, index)
    with open(path, "w", newline="") as file:
        file.write("\r\n".join(lines))
    return "results.csv " + told


def corrupt_undelivered(folder, chance):
    path = os.path.join(folder, "undelivered.ndjson")
    with open(path, "rb") as file:
        data = bytearray(file.read())
    at = data.index(b',"payload":') + 11
    at = chance.randrange(at, data.index(b"\n"))
    data[at] ^= 1
    with open(path, "wb") as file:
        file.write(bytes(data))
    return "undelivered.ndjson byte %d" % at


WAYS = (
    ("journal.ndjson", corrupt_journal),
    ("journal.ndjson", corrupt_journal),
    ("journal.ndjson", corrupt_journal),
    ("journal.ndjson", corrupt_journal),
    ("summary.json", corrupt_summary),
    ("results.csv", corrupt_results),
    ("undelivered.ndjson", corrupt_undelivered),
)


def is_found(folder):
    try:
        _told, notes = verify_run.verify(folder)
        return notes != []
    except (verify_run.Wrong, KeyError, TypeError, AttributeError, ValueError):
        return True


def main(count, seed, folders):
    chance = random.Random(seed)
    survivors = 0
    for folder in folders:
        if is_found(folder):
            print("%s is honest, and was found wrong" % folder)
            survivors += 1
    with tempfile.TemporaryDirectory() as top:
        copy = os.path.join(top, "run")
        for _ in range(count):
            folder = chance.choice(folders)
            name, corrupt = chance.choice([way for way in WAYS if os.path.exists(os.path.join(folder, way[0]))])
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(folder, copy)
            told = corrupt(copy, chance)
            with open(os.path.join(copy, name), "rb") as one, open(os.path.join(folder, name), "rb") as other:
                is_same = one.read() == other.read()
            if not is_same and not is_found(copy):
                survivors += 1
                print("not found in %s: %s" % (os.path.basename(folder), told))
    print("%d corruptions, %d not found" % (count, survivors))
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
