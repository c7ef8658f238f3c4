"""Seeds of fuzz_keys: ways through the front end as a terminal would send them."""
import pathlib, random, sys

folder = pathlib.Path(sys.argv[1])
size = b"\xff\x01\x24"
ways = {
    "panes": b"\x03\t\t\t" + size + b"1234zz" + size + b"\x1b[Z" + size,
    "ask": b"\x032aWho?\r" + b"\xff\x03\x80" + size + b"\xff\x03\x03" + size + b"\x1b" + size + b"][.,hlJKrt" + size,
    "filter": b"\x032\x1b" + size + b"f*.md\r" + size + b"1/caf\xc3\xa9\r" + size,
    "paste": b"\x002a\x1b[200~one\rtwo\x1b[31m \xe7\x81\xaf\x1b[201~" + size + b"\x17\x01\x05\x0b\x10\x0e" + size,
    "retrieval": b"\x033jjk\r][w++--pc" + size + b"C" + size + b"\x1b" + size,
    "passage": b"\x034..,,+-/the\rnN" + size,
    "overlays": b"\x03?" + size + b"\x1b" + size + b"s" + size + b"\x1b" + size + b"i/tmp\t" + size + b"\x1b" + size + b"e" + size + b"\x1b" + size + b":" + size,
    "mouse": b"\x03\x1b[<0;40;5M\x1b[<0;40;5m\x1b[<64;40;5M\x1b[<65;40;9M" + size,
    "ingest": b"\x01I\xff\x03\x40\xff\x03\x47\xff\x03\x52" + size + b"x" + size,
}
for name, keys in ways.items():
    (folder / name).write_bytes(keys)
r = random.Random(5)
pool = [bytes([b]) for b in range(1, 127)] + [b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\x1b[5~", b"\x1b[6~", b"\x1b[H", b"\x1b[F", b"\r", b"\t", "灯".encode()]
for i in range(20):
    out = b"\x03"
    for _ in range(150):
        out += r.choice(pool)
        if r.random() < .2:
            out += b"\xff" + bytes((r.randrange(8), r.randrange(256)))
    (folder / f"random{i}").write_bytes(out)
