"""Writes expected.json of a case in fixtures/decode, by Python's csv module and codecs: a second opinion.

    python3 test/input/expected.py CASE ENCODING DELIMITER SAID [OPTIONS as JSON] [first line of the table]

Rows, lines and byte offsets are computed here from the decoded text and from nothing of the program. What the
program says (SAID) and how it is asked (OPTIONS) are written down by hand.
"""
import csv
import io
import json
import pathlib
import sys

case, encoding, delimiter, description = sys.argv[1:5]
options = json.loads(sys.argv[5]) if len(sys.argv) > 5 else {}
first = int(sys.argv[6]) if len(sys.argv) > 6 else 1
folder = pathlib.Path(__file__).parent / "../../fixtures/decode" / case
source = next(folder.glob("input.*")).read_bytes()
mark = 3 if encoding == "utf-8-sig" else 0
text = source.decode(encoding)

# A line ends at a line feed; where there is none outside quotes, at a carriage return.
end = "\r" if "lines ended by carriage returns" in description else "\n"
lines = [piece + end for piece in text.split(end)]
lines[-1] = lines[-1][:-1]
if lines[-1] == "":
    lines.pop()
offsets = [mark]
for line in lines:
    offsets.append(offsets[-1] + len(line.encode("utf-8")))

rows = []
done = first - 1
# The reader takes "\r" for a line end of its own, so its lines are put together here, one row at a time.
while done < len(lines):
    taken = done + 1
    while "".join(lines[done:taken]).count('"') % 2 == 1 and taken < len(lines):
        taken += 1
    whole = "".join(lines[done:taken])
    body = whole[: -len(end)] if whole.endswith(end) else whole
    body = body[:-1] if end == "\n" and body.endswith("\r") else body
    if body.strip(" \t") != "" or (delimiter in body and delimiter.isspace()):
        parsed = list(csv.reader(io.StringIO(body, newline=""), delimiter=delimiter))
        if len(parsed) != 1:
            raise SystemExit(f"{case}: the row at line {done + 1} is not one row for Python")
        rows.append((parsed[0], done, taken))
    done = taken

header = rows.pop(0)
names = header[0]
expected = {
    **({"options": options} if options else {}),
    "columns": [name.strip() for name in names],
    "body": {"byte": offsets[header[2]], "line": header[2] + 1},
    "description": description,
    "rows": [
        {
            "row": number,
            "line": begin + 1,
            "nextLine": behind + 1,
            "start": offsets[begin],
            "end": offsets[behind],
            "content": cells,
        }
        for number, (cells, begin, behind) in enumerate(rows, 1)
    ],
    "cursor": {"rows": len(rows), "line": len(lines) + 1, "byte": offsets[-1]},
}
(folder / "expected.json").write_text(json.dumps(expected, indent=2, ensure_ascii=False) + "\n", "utf-8")
