"""archives.py: writers of archives and compressed files that Python's standard library does not write, nothing packed in
them: what a reader looks at are the structures. Members: [(name, bytes)]; each returns the file's bytes."""
import hashlib
import lzma
import struct
import zlib


def pad(data, unit):
    return data + b"\0" * (-len(data) % unit)


# -------------------------------------------------------------------------------------------- cpio, ar, xar


def cpio_new(members):
    out = b""
    for name, data in members + [("TRAILER!!!", b"")]:
        raw = name.encode() + b"\0"
        fields = (1, 0o100644 if data else 0, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(raw), 0)
        out += pad(b"070701" + b"".join(b"%08X" % f for f in fields) + raw, 4) + pad(data, 4)
    return out


def cpio_old(members):
    out = b""
    for name, data in members + [("TRAILER!!!", b"")]:
        raw = name.encode() + b"\0"
        out += b"070707" + b"".join(b"%06o" % f for f in (1, 1, 0o100644, 0, 0, 1, 0)) + b"%011o%06o%011o" % (0, len(raw), len(data)) + raw + data
    return out


def ar(members):
    """With a table of long names, as ar(1) of GNU writes it."""
    table = b"".join(name.encode() + b"/\n" for name, _ in members if len(name) > 15)
    out, at = b"!<arch>\n", 0
    if table:
        out += pad(b"%-48s%-10d`\n" % (b"//", len(table)) + table, 2)
    for name, data in members:
        raw = b"%s/" % name.encode()
        if len(name) > 15:
            raw, at = b"/%d" % at, at + len(name) + 2
        out += pad(b"%-16s%-12d%-6d%-6d%-8o%-10d`\n" % (raw, 0, 0, 0, 0o100644, len(data)) + data, 2)
    return out


def xar(members):
    toc, heap = "", b"\0" * 20
    for i, (name, data) in enumerate(members):
        digest = hashlib.sha1(data).hexdigest()
        toc += ('<file id="%d"><name>%s</name><type>file</type><data><length>%d</length><offset>%d</offset><size>%d</size><encoding style='
                '"application/octet-stream"/><extracted-checksum style="sha1">%s</extracted-checksum><archived-checksum style="sha1">%s'
                '</archived-checksum></data></file>' % (i + 1, name, len(data), len(heap), len(data), digest, digest))
        heap += data
    toc = ('<?xml version="1.0"?><xar><toc><checksum style="sha1"><offset>0</offset><size>20</size></checksum>%s</toc></xar>' % toc).encode()
    packed = zlib.compress(toc)
    return b"xar!" + struct.pack(">HHQQI", 28, 1, len(packed), len(toc), 1) + packed + hashlib.sha1(packed).digest() + heap[20:]


# ------------------------------------------------------------------------------------------------------ 7z


def number(value):
    """7z's numbers: how many ones the first byte begins with says how many bytes follow."""
    for n in range(8):
        if value < 1 << 7 * (n + 1):
            return bytes([(0xFF00 >> n & 0xFF) | value >> 8 * n]) + (value & (1 << 8 * n) - 1).to_bytes(n, "little")
    return b"\xff" + value.to_bytes(8, "little")


def seven_zip(members, lzma_header=False):
    body = b"".join(data for _, data in members)
    files = [(name, data) for name, data in members if data]
    streams = b"\x06" + number(0) + number(1) + b"\x09" + number(len(body)) + b"\0"
    folder = b"\x07\x0b" + number(1) + b"\0" + number(1) + b"\x01\0" + b"\x0c" + number(len(body)) + b"\0"
    substreams = b"\x08\x0d" + number(len(files)) + b"\x09" + b"".join(number(len(data)) for _, data in files[:-1])
    substreams += b"\x0a\x01" + b"".join(struct.pack("<I", zlib.crc32(data)) for _, data in files) + b"\0"
    names = b"\0" + b"".join(name.encode("utf-16-le") + b"\0\0" for name, _ in members)
    info = b"\x05" + number(len(members))
    if len(files) < len(members):
        bits = "".join("0" if data else "1" for _, data in members)
        bits += "0" * (-len(bits) % 8)
        empty = bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))
        info += b"\x0e" + number(len(empty)) + empty
    info += b"\x11" + number(len(names)) + names + b"\0"
    header = b"\x01" + (b"\x04" + streams + folder + substreams + b"\0" if files else b"") + info + b"\0"
    if lzma_header:
        packed = lzma.compress(header, lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA1, "dict_size": 1 << 16}])
        properties = b"\x5d" + struct.pack("<I", 1 << 16)
        encoded = b"\x17\x06" + number(len(body)) + number(1) + b"\x09" + number(len(packed)) + b"\0"
        encoded += b"\x07\x0b" + number(1) + b"\0" + number(1) + b"\x23\x03\x01\x01" + number(5) + properties
        encoded += b"\x0c" + number(len(header)) + b"\x0a\x01" + struct.pack("<I", zlib.crc32(header)) + b"\0\0"
        body, header = body + packed, encoded
    start = struct.pack("<QQI", len(body), len(header), zlib.crc32(header))
    return b"7z\xbc\xaf\x27\x1c\0\4" + struct.pack("<I", zlib.crc32(start)) + start + body + header


# ----------------------------------------------------------------------------------------------------- RAR


def rar(members):
    """Version 4, stored."""
    def block(kind, flags, rest, data=b""):
        head = struct.pack("<BHH", kind, flags, 7 + len(rest)) + rest
        return struct.pack("<H", zlib.crc32(head) & 0xFFFF) + head + data
    out = b"Rar!\x1a\x07\0" + block(0x73, 0, bytes(6))
    for name, data in members:
        raw = name.encode()
        rest = struct.pack("<IIBIIBBHI", len(data), len(data), 3, zlib.crc32(data), 0x58210000, 20, 0x30, len(raw), 0o100644) + raw
        out += block(0x74, 0x8000, rest, data)
    return out + block(0x7B, 0x4000, b"")


def vint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def rar5(members):
    def block(kind, flags, rest, data=None):
        head = vint(kind) + vint(flags) + (vint(len(data)) if data is not None else b"") + rest
        head = vint(len(head)) + head
        return struct.pack("<I", zlib.crc32(head)) + head + (data or b"")
    out = b"Rar!\x1a\x07\1\0" + block(1, 0, vint(0))
    for name, data in members:
        raw = name.encode()
        rest = vint(4) + vint(len(data)) + vint(0o100644) + struct.pack("<I", zlib.crc32(data)) + vint(0) + vint(1) + vint(len(raw)) + raw
        out += block(2, 2, rest, data)
    return out + block(5, 0, vint(0))


# ------------------------------------------------------------------------------------------------ cab, lha


def cab(members):
    body = b"".join(data for _, data in members)
    blocks = [body[i:i + 32768] for i in range(0, len(body), 32768)]
    files, at = b"", 0
    for name, data in members:
        files += struct.pack("<IIHHHH", len(data), at, 0, 0x2821, 0, 0xA0) + name.encode() + b"\0"  # A0: the name is UTF-8
        at += len(data)
    first = 36 + 8
    folder = struct.pack("<IHH", first + len(files), len(blocks), 0)
    data = b"".join(struct.pack("<IHH", 0, len(b), len(b)) + b for b in blocks)
    size = first + len(files) + len(data)
    return b"MSCF" + struct.pack("<IIIIIBBHHHHH", 0, size, 0, first, 0, 3, 1, 1, len(members), 0, 1, 0) + folder + files + data


def crc16(data):
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xA001 if crc & 1 else 0)
    return crc


def lha(members, level=0):
    out = b""
    for name, data in members:
        raw = name.encode()[:200]
        if level == 2:
            head = b"-lh0-" + struct.pack("<IIIBBHBH", len(data), len(data), 0, 0x20, 2, crc16(data), ord("U"), 5) + b"\0"
            tail = struct.pack("<H", 3 + len(raw)) + b"\1" + raw + b"\0\0"
            size = struct.pack("<H", 2 + len(head) + 2 + len(tail))
            out += size + head + struct.pack("<H", crc16(size + head + b"\0\0" + tail)) + tail + data
            continue
        head = b"-lh0-" + struct.pack("<IIIBB", len(data), len(data), 0x28210000, 0x20, 0) + bytes([len(raw)]) + raw + struct.pack("<H", crc16(data))
        out += bytes([len(head), sum(head) & 0xFF]) + head + data
    return out + b"\0"


# ------------------------------------------------------------------------------------------------ ISO 9660


def both(value, size=4):
    return value.to_bytes(size, "little") + value.to_bytes(size, "big")


def iso(members):
    """One folder of files with short names."""
    def record(name, at, size, flags):
        out = b"\0" + both(at) + both(size) + bytes(7) + bytes([flags, 0, 0]) + both(1, 2) + bytes([len(name)]) + name
        out += b"\0" * (len(out) % 2 == 0)
        return bytes([len(out) + 1]) + out
    root, at, rows, body = 18, 20, b"", b""
    for name, data in members:
        rows += record(name.upper().replace("/", "_").encode("ascii", "replace")[:28] + b";1", at, len(data), 0)
        body += pad(data, 2048)
        at += (len(data) + 2047) // 2048
    folder = pad(record(b"\0", root, 2048, 2) + record(b"\1", root, 2048, 2) + rows, 2048)[:2048]
    path = pad(b"\1\0" + struct.pack("<IH", root, 1) + b"\0\0", 2048)
    primary = b"\1CD001\1\0" + b" " * 64 + bytes(8) + both(at) + bytes(32) + both(1, 2) + both(1, 2) + both(2048, 2) + both(10)
    primary += struct.pack("<II", 19, 0) + struct.pack(">II", 19, 0) + record(b"\0", root, 2048, 2)
    primary += b" " * 623 + b"0" * 16 + b"\0" + (b"0" * 16 + b"\0") * 3 + b"\1\0"
    image = bytes(32768) + pad(primary, 2048)[:2048] + pad(b"\xffCD001\1", 2048) + folder + path + body
    return image.ljust(28 * 2048, b"\0")


# -------------------------------------------------------------------------------------------- single files


def zst(data):
    """A frame of raw blocks."""
    out = b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(data))
    blocks = [data[i:i + 100000] for i in range(0, len(data), 100000)] or [b""]
    for i, block in enumerate(blocks):
        out += (len(block) << 3 | (i + 1 == len(blocks))).to_bytes(3, "little") + block
    return out


def xxh32(data):
    """Of less than 16 bytes."""
    h = (374761393 + len(data)) & 0xFFFFFFFF
    for byte in data:
        h = h + byte * 374761393 & 0xFFFFFFFF
        h = (h << 11 | h >> 21) * 2654435761 & 0xFFFFFFFF
    h = (h ^ h >> 15) * 2246822519 & 0xFFFFFFFF
    h = (h ^ h >> 13) * 3266489917 & 0xFFFFFFFF
    return h ^ h >> 16


def lz4(data):
    descriptor = b"\x60\x40"
    return (b"\x04\x22\x4d\x18" + descriptor + bytes([xxh32(descriptor) >> 8 & 0xFF])
            + b"".join(struct.pack("<I", len(data[i:i + 65536]) | 1 << 31) + data[i:i + 65536] for i in range(0, len(data), 65536)) + bytes(4))


def lzip(data):
    packed = lzma.compress(data, lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA1, "dict_size": 1 << 16, "lc": 3, "lp": 0, "pb": 2}])
    return b"LZIP\1\x10" + packed + struct.pack("<IQQ", zlib.crc32(data), len(data), 26 + len(packed))


def compress(data):
    """compress(1)'s, the first letters alone: codes do not grow so soon."""
    codes = data[:240]
    bits = sum(code << 9 * i for i, code in enumerate(codes))
    return b"\x1f\x9d\x90" + bits.to_bytes((9 * len(codes) + 7) // 8, "little")


ARCHIVES = {"7z": seven_zip, "packed-header.7z": lambda members: seven_zip(members, True), "rar": rar, "5.rar": rar5, "cab": cab, "lha": lha,
            "2.lzh": lambda members: lha(members, 2), "iso": iso, "cpio": cpio_new, "old.cpio": cpio_old, "ar": ar, "xar": xar}
SINGLE = {"zst": zst, "lz4": lz4, "lz": lzip, "Z": compress, "lzma": lambda data: lzma.compress(data, lzma.FORMAT_ALONE)}
