"""Writes the cases of fixtures/parquet with PyArrow: Parquet files, and beside them the rows as NDJSON as they must be read.

    pip install pyarrow numpy && python3 test/support/parquet.py

Expected rows are made here, from the Python values, and from nothing of the program.
"""
import datetime as dt
import decimal
import json
import math
import pathlib
import struct

import numpy
import pyarrow as pa
import pyarrow.parquet as pq

root = pathlib.Path(__file__).parent / "../../fixtures/parquet"
root.mkdir(parents=True, exist_ok=True)
D = decimal.Decimal
EPOCH = dt.datetime(1970, 1, 1)


def integer(value):
    return value if abs(value) < 2**53 else str(value)


def single(value):
    """The shortest decimal that is this number of 32 bits."""
    for digits in range(6, 9):
        short = float(f"%.{digits - 1}e" % value)
        if struct.unpack("f", struct.pack("f", short))[0] == value:
            return short
    return value


def number(value):
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return int(value) if value == int(value) and abs(value) < 1e21 else value


def exact(value):
    text = format(value, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    digits = text.replace("-", "").replace(".", "").lstrip("0")
    return json.loads(text) if len(digits) <= 15 else text


def instant(unit, zone=""):
    digits = {"s": 0, "ms": 3, "us": 6, "ns": 9}[unit]

    def write(value):
        seconds, fraction = divmod(value, 10**digits)
        text = (EPOCH + dt.timedelta(seconds=seconds)).isoformat()
        decimals = str(fraction).rjust(digits, "0").rstrip("0") if digits else ""
        return text + (f".{decimals}" if decimals else "") + zone

    return write


def binary(value):
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"binary": f"{value[:32].hex()} ({len(value)} bytes)"}


same = lambda value: value
COLUMNS = [
    ("int8", pa.int8(), [1, -128, None, 127, 0], integer),
    ("uint8", pa.uint8(), [1, 255, None, 127, 0], integer),
    ("int32", pa.int32(), [1, -(2**31), None, 2**31 - 1, 0], integer),
    ("uint32", pa.uint32(), [1, 2**32 - 1, None, 2**31, 0], integer),
    ("int64", pa.int64(), [1, -(2**63), None, 2**63 - 1, 2**53 - 1], integer),
    ("uint64", pa.uint64(), [1, 2**64 - 1, None, 2**63, 0], integer),
    ("float32", pa.float32(), [0.1, -1.5, None, math.nan, 16777216.0], lambda v: number(single(struct.unpack("f", struct.pack("f", v))[0]))),
    ("float64", pa.float64(), [0.1, 1e300, None, math.inf, 24000000.0], number),
    ("bool", pa.bool_(), [True, False, None, True, False], same),
    ("text", pa.string(), ["Müller", 'a"b\n\\', None, "", "日本 \u2028 😀"], same),
    ("large", pa.large_string(), ["x", "y", None, "", "z"], same),
    ("dictionary", pa.dictionary(pa.int32(), pa.string()), ["a", "b", None, "a", "b"], same),
    ("binary", pa.binary(), [b"abc", b"\xff\xd8\xff", None, b"", bytes(range(128, 168))], binary),
    ("fixed", pa.binary(4), [b"abcd", b"\xff\xd8\xff\x00", None, b"efgh", b"ijkl"], binary),
    ("date", pa.date32(), [20777, -1, None, -719162, 2932896], lambda v: (dt.date(1970, 1, 1) + dt.timedelta(days=v)).isoformat()),
    ("seconds", pa.timestamp("s"), [0, 1, None, -1, 1795166100], instant("s")),
    ("millis", pa.timestamp("ms"), [0, 1, None, -1, 1795166100500], instant("ms")),
    ("micros_utc", pa.timestamp("us", "UTC"), [0, 1, None, -1, 1795166100500000], instant("us", "Z")),
    ("micros_berlin", pa.timestamp("us", "Europe/Berlin"), [0, 1, None, -1, 1795166100500000], instant("us", "Z")),
    ("nanos", pa.timestamp("ns"), [0, 1, None, -1, 1795166100500000001], instant("ns")),
    ("time_millis", pa.time32("ms"), [0, 1, None, 86399999, 1000], lambda v: instant("ms")(v)[11:]),
    ("time_micros", pa.time64("us"), [0, 1, None, 86399999999, 1000], lambda v: instant("us")(v)[11:]),
    ("decimal5", pa.decimal128(5, 2), [D("1.10"), D("-999.99"), None, D("0.00"), D("0.01")], exact),
    ("decimal15", pa.decimal128(15, 2), [D("24000000.00"), D("-1234567890123.45"), None, D("0"), D("0.01")], exact),
    ("decimal38", pa.decimal128(38, 10), [D("1234567890123456789012345678.0123456789"), D("-0.5"), None, D("0"), D("5")], exact),
    ("list", pa.list_(pa.string()), [["a", "b"], [], None, ["c", None], [""]], same),
    ("lists", pa.list_(pa.list_(pa.int64())), [[[1, 2**60], []], [], None, [None, [3]], [[]]], lambda v: [each if each is None else [integer(n) for n in each] for each in v]),
    ("struct", pa.struct([("name", pa.string()), ("n", pa.int64())]), [{"name": "A", "n": 2**60}, {"name": None, "n": None}, None, {"name": "B", "n": 1}, {"name": "", "n": 0}], lambda v: {"name": v["name"], "n": None if v["n"] is None else integer(v["n"])}),
    ("structs", pa.list_(pa.struct([("k", pa.string()), ("d", pa.decimal128(20, 2))])), [[{"k": "a", "d": D("123456789012345678.12")}], [], None, [{"k": "b", "d": None}, {"k": None, "d": D("1.50")}], [None]], lambda v: [each and {"k": each["k"], "d": each["d"] and exact(each["d"])} for each in v]),
    ("map", pa.map_(pa.string(), pa.int64()), [[("a", 1), ("b", 2**60)], [], None, [("c", None)], [("d", 0)]], lambda v: {k: None if n is None else integer(n) for k, n in v}),
]


def case(name, columns, **options):
    table = pa.table({column: pa.array(values, kind) for column, kind, values, _ in columns})
    pq.write_table(table, root / f"{name}.parquet", **options)
    rows = [
        {column: None if values[at] is None else write(values[at]) for column, _, values, write in columns}
        for at in range(5)
    ]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (root / f"{name}.ndjson").write_text(text, encoding="utf-8")


FLAT = [column for column in COLUMNS if not isinstance(column[1], (pa.ListType, pa.StructType, pa.MapType))]
case("groups-of-two-snappy", COLUMNS, row_group_size=2, compression="snappy")
case("flat-zstd-pages-v2", FLAT, data_page_version="2.0", compression="zstd")
ENCODINGS = {"int64": "DELTA_BINARY_PACKED", "text": "DELTA_BYTE_ARRAY", "large": "DELTA_LENGTH_BYTE_ARRAY", "float64": "BYTE_STREAM_SPLIT"}
case("flat-delta-gzip", FLAT, use_dictionary=False, column_encoding=ENCODINGS, compression="gzip")
# The old timestamps of Impala and Spark do not say whether they are in UTC.
OLD = [(name, kind, values, instant(kind.unit) if pa.types.is_timestamp(kind) else write) for name, kind, values, write in FLAT if name != "nanos"]
case("flat-int96-brotli", OLD, use_deprecated_int96_timestamps=True, compression="brotli")
