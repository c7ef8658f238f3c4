"""Seeds for fuzz_trace: seeds_trace.py FOLDER. Contents as engine/library/stored_trace.h has them."""
import os
import struct
import sys


def string(text):
    return struct.pack("<I", 0xFFFFFFFF) if text is None else struct.pack("<I", len(text)) + text


def trace(n_tokens, groups, top_k, chunk_size, hits):
    out = struct.pack("<IBBdd", 2, 0, 1, 1.5, 20.0) + string(b"learned") + string(b"cpu") + string(None)
    out += struct.pack("<I", n_tokens) + b"".join(struct.pack("<i", 9 + i) for i in range(n_tokens))
    out += b"".join(struct.pack("<q", 2 * i) for i in range(n_tokens)) + b"".join(struct.pack("<i", 0) for i in range(n_tokens))
    out += struct.pack("<III", groups, top_k, chunk_size) + struct.pack("<I", groups)
    for group in range(groups):
        out += struct.pack("<IIfff", 0, group, 0.25, -1.0, 1.0) + struct.pack("<64I", *range(64)) + struct.pack("<I", hits)
        for hit in range(hits):
            out += struct.pack("<qiffqqq", 3 + hit, 1 + hit, 0.5, 0.5, 1, 10, 14) + string(b"a.zip/b.txt") + string(None) + string(b"text")
            out += b"\1" + b"".join(struct.pack("<II", 0, min(4, i)) for i in range(chunk_size))
    out += struct.pack("<I", 1) + b"".join(struct.pack("<q", i) for i in range(top_k))
    return out + b"\1" + bytes(i & 255 for i in range(n_tokens * groups * top_k * chunk_size))


for name, arguments in ("small", (2, 1, 1, 4, 1)), ("groups", (3, 2, 2, 8, 2)), ("empty", (0, 0, 1, 4, 0)):
    with open(os.path.join(sys.argv[1], name), "wb") as f:
        f.write(trace(*arguments))
