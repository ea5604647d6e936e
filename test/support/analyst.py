"""Writes the cases of fixtures/analyst: files as an analyst has them, and what `check` must say of them.

    python3 test/support/analyst.py

Files are made by Python's codecs, csv, json, gzip and zipfile and by the program iconv; the numbers are
counted here, from the same tables and from nothing of the program. A key of `expected` that is not there is not judged.
"""
import csv
import gzip
import io
import json
import pathlib
import shutil
import subprocess
import zipfile

root = pathlib.Path(__file__).parent / "../../fixtures/analyst"
HEADER = ["company_name", "company_domain", "signal_title", "signal_source", "detected_at"]
TABLE = [
    ["Müller & Söhne", "mueller.example", "Opens a plant, in Ohio", "news", "2026-11-03"],
    ["Brightleaf", "brightleaf.example", 'Hires a "CFO"', "job_posting", "2026-11-04"],
    ["Cobalt", "", "Raises money", "funding", "2026-11-05"],
    ["", "nobody.example", "Moves", "news", "2026-11-06"],
    ["Brightleaf", "brightleaf.example", 'Hires a "CFO"', "job_posting", "2026-11-04"],
    ["Dune", "dune.example", "Buys a rival", "newspaper", "2026-11-07"],
]


def text(rows, delimiter=",", end="\n"):
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator=end).writerows(rows)
    return out.getvalue()


def case(name, about, files, expected, args=None, code=0):
    folder = root / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file, data in files.items():
        (folder / file).write_bytes(data)
    given = {"about": about, "args": args or list(files), "code": code, **expected}
    (folder / "expected.json").write_text(json.dumps(given, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def zipped(entries, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in entries.items():
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def refused(name, about, file, data, problem, *words):
    case(name, about, {file: data}, {"problem": problem, "words": list(words)}, code=2)


CSV = text([HEADER, *TABLE]).encode()

# What is no text that the program reads.
refused("utf-32-le", "UTF-32 with its mark, by iconv", "in.csv", subprocess.run(["iconv", "-f", "utf-8", "-t", "utf-32le"], input=b"\xef\xbb\xbf" + CSV, capture_output=True, check=True).stdout, "input.encoding", "UTF-32", "CSV UTF-8")
refused("utf-32-be-no-mark", "UTF-32 without a mark", "in.csv", CSV.decode().encode("utf-32-be"), "input.encoding", "UTF-32")
refused("old-excel", "an OLE file, by its first bytes", "in.xls", bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504), "input.binary", "old Excel workbook", "save it as an Excel workbook (.xlsx)")
refused("open-document", "a spreadsheet of LibreOffice", "in.ods", zipped({"mimetype": "application/vnd.oasis.opendocument.spreadsheet"}, zipfile.ZIP_STORED), "input.binary", "is a document", "save its table as CSV")
refused("word-document", "a document of Word with an embedded table", "in.docx", zipped({"[Content_Types].xml": "<Types/>", "_rels/.rels": "<Relationships/>", "word/document.xml": "<document/>", "word/embeddings/table.csv": CSV}), "input.binary", "is a document", "save its table as CSV")
refused("zip-in-zip", "an archive that contains only another one", "in.zip", zipped({"inner.zip": zipped({"export.csv": CSV}), "notes.md": b"x"}), "input.folder", "holds no supported file", "in.zip:inner.zip")
refused("pdf", "a PDF document, by its first line", "in.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "input.binary", "PDF")
refused("guessed-encoding", "Windows-1252, which nothing proves", "in.csv", CSV.decode().encode("cp1252"), "input.encoding", "Windows-1252", "Müller", "--encoding windows-1252")
refused("guessed-macintosh", "Mac OS Roman, which is not guessed, but named", "in.csv", CSV.decode().encode("mac-roman"), "input.encoding", "is not UTF-8", "macintosh")
refused("utf-32-damaged-mark", "UTF-32 whose byte order mark has lost its end", "in.csv", b"\xff\xfe" + CSV.decode().encode("utf-32-le"), "input.encoding", "does not read as UTF-16LE", "UTF-32")

# What is read, and counted. A row is valid where the required fields are there and the source is allowed.
VALID = [row for row in TABLE if row[0] and row[3] != "newspaper"]


def counted(rows=TABLE, read=None):
    return {
        "rows": {"read": len(rows) if read is None else read, "valid": len(VALID), "invalid": len(rows) - len(VALID)},
        "lines": {"company_name": [5], "signal_source": [7]},
    }


case("sheet", "counts, and reasons with their lines", {"in.csv": CSV}, counted(), code=3)
for name, encoding, mark, arguments in [
    ("utf-8-mark", "utf-8-sig", b"", []),
    ("utf-16-le-no-mark", "utf-16-le", b"", []),
    ("utf-16-be-mark", "utf-16-be", b"\xfe\xff", []),
    ("windows-1252", "cp1252", b"", ["--encoding", "windows-1252"]),
    ("iso-8859-15", "iso8859-15", b"", ["--encoding", "iso-8859-15"]),
    ("macintosh", "mac-roman", b"", ["--encoding", "macintosh"]),
]:
    data = mark + text([HEADER, *TABLE], ";", "\r\n").encode(encoding)
    case(f"sheet-{name}", f"the same table in {encoding}, semicolons, CRLF", {"in.csv": data}, counted(), ["in.csv", *arguments], 3)
half = CSV.index(b"\n", len(CSV) // 2) + 1
case("sheet-gzip", "the same in two gzip members", {"in.csv.gz": gzip.compress(CSV[:half], mtime=0) + gzip.compress(CSV[half:], mtime=0)}, counted(), code=3)

files = {f"part-{n}.csv": text([HEADER, *TABLE[2 * n : 2 * n + 2]]).encode() for n in range(3)}
case("sheet-many-files", "the same in three files, by a pattern that no shell expands", files, {**{k: v for k, v in counted().items() if k != "lines"}, "inputs": sorted(files)}, ["part-*.csv"], 3)
case("sheet-folder", "the same in a folder", files, {**{k: v for k, v in counted().items() if k != "lines"}, "inputs": sorted(files)}, ["."], 3)
archive = {"exports/part-0.csv": files["part-0.csv"], "exports/part-1.csv.gz": gzip.compress(files["part-1.csv"], mtime=0), "README.txt": b"About", "__MACOSX/._part-0.csv": b"x", "part-2.csv": files["part-2.csv"], "logo.png": b"x"}
case("sheet-zip", "the same in the files of an archive", {"in.zip": zipped(archive)}, {**{k: v for k, v in counted().items() if k != "lines"}, "inputs": [f"in.zip:{name}" for name in archive if "part" in name and "MACOSX" not in name], "words": ["Not read (subfolder, readme or unsupported type): 'in.zip:README.txt' and 'in.zip:logo.png'."]}, ["in.zip"], 3)
objects = [{k: v for k, v in zip(HEADER, row) if v} for row in TABLE]
lines = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects)
sheet = counted()
case("sheet-ndjson", "the same as NDJSON", {"in.ndjson": lines.encode()}, {**sheet, "lines": {"company_name": [4], "signal_source": [6]}}, code=3)
case("sheet-json-array", "the same as a JSON array", {"in.json": json.dumps(objects, ensure_ascii=False, indent=1).encode()}, {k: v for k, v in sheet.items() if k != "lines"}, code=3)

# Lines of JSON that mean harm, or nothing.
good = lambda title: json.dumps({"company": {"name": "Acme"}, "tags": ["news"], "title": title}, ensure_ascii=False)
hostile = [good("One\u2028and the same line"), "[" * 100_000, '{"company":{"name":"A"},"company":{"name":"B"},"tags":["news"],"title":"x y"}', '"a text"', "null", "{broken", "", good("Two"), good("Three")]
bad = [at + 1 for at, line in enumerate(hostile) if line and (line[0] != "{" or line in ("{broken",) or line.count('"company"') == 2)]
read = sum(1 for line in hostile if line)
case(
    "ndjson-hostile",
    "U+2028 in a text, 100 KB of brackets, a key twice, no objects, broken and blank lines",
    {"in.ndjson": ("\n".join(hostile) + "\n").encode()},
    {"rows": {"read": read, "valid": read - len(bad), "invalid": len(bad)}, "badLines": bad},
    ["in.ndjson", "-c", "company_name=company.name", "-c", "signal_source=tags.0", "-c", "signal_title=title"],
    3,
)

# A U+0000 is data, and told.
case("nul-in-a-cell", "U+0000 in two cells: sent as it is, and told", {"in.csv": CSV.replace(b"Raises ", b"Raises\0").replace(b"Opens a", b"Opens\0a")}, {"rows": {"read": 6, "valid": 4, "invalid": 2}, "words": ["signal_title: 2 values with the character U+0000 (NUL)"]}, code=3)

# One bad byte: its row alone, with its line and its character in the row.
broken = CSV.replace(b"Cobalt", b"Cob\xe4lt")
bad_at = broken.split(b"\n")[3].index(b"\xe4") + 1
case("bad-byte", "one byte that is no UTF-8: its row is invalid, and no other", {"in.csv": broken}, {"rows": {"read": 6, "valid": len(VALID) - 1, "invalid": 3}, "badLines": [4], "lines": {"company_name": [5], "signal_source": [7]}, "words": [f"an undecodable byte at character {bad_at}", "--encoding windows-1252"]}, code=3)
