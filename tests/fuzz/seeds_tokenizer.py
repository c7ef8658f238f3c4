"""Seeds for fuzz_tokenizer: seeds_tokenizer.py FOLDER.

Small sentencepiece models, cut from the sample model: its first pieces and, in place of its character
map, one written here that makes "b" of "A" and "xyz" of "!".
"""
import os
import struct
import sys

MODEL = os.path.join(os.path.dirname(__file__), "..", "..", "samples", "model", "tokenizer.model")
CONTROLS_AND_BYTES = 9 + 256


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def encode_varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def fields(data):
    """(number, wire type, bytes of the whole field, contents of a length-delimited one)"""
    at = 0
    while at < len(data):
        start = at
        key, at = varint(data, at)
        contents = None
        if key & 7 == 0:
            _, at = varint(data, at)
        elif key & 7 == 2:
            n, at = varint(data, at)
            contents, at = data[at:at + n], at + n
        else:
            at += 4 if key & 7 == 5 else 8
        yield key >> 3, data[start:at], contents


def delimited(number, contents):
    return encode_varint(number << 3 | 2) + encode_varint(len(contents)) + contents


def character_map(strings):
    """{one ASCII character: string} -> double array in blocks of 256 units, then the strings."""
    units, blob = [0] * 768, b""
    units[0] = 256 << 10                                  # children of the root stand at 256 ^ label
    for i, (character, string) in enumerate(strings.items()):
        at, leaf = 256 ^ ord(character), 512 + i
        units[at] = (at ^ leaf) << 10 | 1 << 8 | ord(character)
        units[leaf] = 1 << 31 | len(blob)
        blob += string.encode() + b"\0"
    trie = struct.pack("<768I", *units)
    return struct.pack("<I", len(trie)) + trie + blob


def small_model(data, n_pieces, map_bytes):
    out, pieces = b"", 0
    for number, whole, contents in fields(data):
        if number == 1:
            pieces += 1
            out += whole if pieces <= n_pieces else b""
        elif number == 3:
            spec = b"".join(w for n, w, _ in fields(contents) if n != 2)
            out += delimited(3, spec + (delimited(2, map_bytes) if map_bytes else b""))
        else:
            out += whole
    return out


with open(MODEL, "rb") as f:
    model = f.read()
small_map = character_map({"A": "b", "!": "xyz"})
SEEDS = {
    "small": small_model(model, CONTROLS_AND_BYTES + 60, small_map),
    "no_map": small_model(model, CONTROLS_AND_BYTES + 5, b""),
    "denormalizer": small_model(model, CONTROLS_AND_BYTES + 5, small_map) + delimited(5, delimited(2, small_map)),
    "no_bytes": small_model(model, 9, small_map),
}
for name, data in SEEDS.items():
    with open(os.path.join(sys.argv[1], name), "wb") as f:
        f.write(data)
