"""Seeds for fuzz_safetensors: seeds_safetensors.py FOLDER."""
import json
import os
import struct
import sys

SIZES = {"F32": 4, "BF16": 2, "I8": 1, "I64": 8, "BOOL": 1}


def tensors(items, metadata=None):
    header, at = {}, 0
    if metadata:
        header["__metadata__"] = metadata
    for name, dtype, shape in items:
        size = SIZES[dtype]
        for n in shape:
            size *= n
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + bytes(i % 251 for i in range(at))


SEEDS = {
    "model": tensors([("norm.weight", "F32", [4]), ("m.weight.scale", "F32", [2]), ("m.weight", "I8", [2, 4])]),
    "types": tensors([(t, t, [2, 3]) for t in SIZES], {"format": "pt"}),
    "scalar": tensors([("loss", "F32", [])]),
    "empty_tensor": tensors([("a", "F32", [0, 3]), ("b", "BF16", [1])]),
    "axes": tensors([("a", "I8", [1] * 8)]),
    "none": tensors([]),
    "short": b"\x02\0\0\0\0\0\0\0{",
}

for name, data in SEEDS.items():
    with open(os.path.join(sys.argv[1], name), "wb") as f:
        f.write(data)
