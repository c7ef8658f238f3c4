// tokenizer.cc: sentencepiece behind tokenizer.h. The only file that includes sentencepiece.
//
// sentencepiece reports errors by status and the standard library by exceptions; here both become a
// return value and a sentence. May use: sentencepiece, the C++ standard library.
#include "tokenizer/tokenizer.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <sentencepiece_processor.h>

#include "tokenizer/model_check.h"

struct drt_tokenizer {
    sentencepiece::SentencePieceProcessor processor;
};

namespace {

// A tokenizer of a million pieces is some 30 MB; more is no tokenizer.
constexpr size_t kMaxModelBytes = size_t{256} << 20;
// sentencepiece counts bytes in 32 bits.
constexpr size_t kMaxTextBytes = std::numeric_limits<int32_t>::max();

constexpr const char *kControls[DRT_TOKEN_CONTROLS] = {"<pad>", "<unk>", "<s>",   "</s>", "<lmk>",
                                                       "<q>",   "<a>",   "<doc>", "<par>"};

void require(const sentencepiece::util::Status &status, const char *what) {
    if (!status.ok())
        throw std::runtime_error(std::string(what) + ": " + status.message());
}

// Runs `work`; what it throws becomes -1 and a sentence.
template <typename Work> int guarded(char *error, size_t error_size, const Work &work) noexcept {
    try {
        work();
        return 0;
    } catch (const std::bad_alloc &) {
        std::snprintf(error, error_size, "out of memory in the tokenizer");
    } catch (const std::exception &e) {
        std::snprintf(error, error_size, "%s", e.what());
    } catch (...) {
        std::snprintf(error, error_size, "the tokenizer failed without saying why");
    }
    return -1;
}

// A malloc'd copy with a NUL behind it, for callers in C.
char *duplicate(const void *data, size_t bytes) {
    char *copy = static_cast<char *>(std::malloc(bytes + 1));
    if (!copy)
        throw std::bad_alloc();
    if (bytes)
        std::memcpy(copy, data, bytes);
    copy[bytes] = 0;
    return copy;
}

std::string read_file(const char *path) {
    struct Closer {
        void operator()(std::FILE *file) const {
            std::fclose(file);
        }
    };
    std::unique_ptr<std::FILE, Closer> file(std::fopen(path, "rb"));
    if (!file)
        throw std::runtime_error(std::string("cannot open ") + path + ": " + std::strerror(errno));
    std::string data;
    char block[65536];
    size_t n;
    while ((n = std::fread(block, 1, sizeof block, file.get())) > 0) {
        data.append(block, n);
        if (data.size() > kMaxModelBytes)
            throw std::runtime_error(std::string(path) + " is too large to be a tokenizer");
    }
    if (std::ferror(file.get()))
        throw std::runtime_error(std::string("cannot read ") + path + ": " + std::strerror(errno));
    return data;
}

// The ids that the network was trained with are fixed; a model with others would answer nonsense.
void check_controls(const sentencepiece::SentencePieceProcessor &processor) {
    if (processor.GetPieceSize() <= DRT_TOKEN_CONTROLS)
        throw std::runtime_error("the tokenizer has only " + std::to_string(processor.GetPieceSize()) + " pieces");
    for (int id = 0; id < DRT_TOKEN_CONTROLS; id++) {
        bool kind = id == DRT_TOKEN_UNKNOWN ? processor.IsUnknown(id) : processor.IsControl(id);
        if (!kind || processor.IdToPiece(id) != kControls[id])
            throw std::runtime_error("the tokenizer's piece " + std::to_string(id) + " is not the control symbol " +
                                     kControls[id] + " of this model format");
    }
}

bool is_utf8(const std::string &text) {
    // First bytes in their classes: the continuation bytes that follow, and the range of the first of them.
    struct Class {
        unsigned char first, last;
        size_t more;
        unsigned char low, high;
    };
    static constexpr Class classes[] = {
        {0x00, 0x7F, 0, 0, 0},       {0xC2, 0xDF, 1, 0x80, 0xBF}, {0xE0, 0xE0, 2, 0xA0, 0xBF},
        {0xE1, 0xEC, 2, 0x80, 0xBF}, {0xED, 0xED, 2, 0x80, 0x9F}, {0xEE, 0xEF, 2, 0x80, 0xBF},
        {0xF0, 0xF0, 3, 0x90, 0xBF}, {0xF1, 0xF3, 3, 0x80, 0xBF}, {0xF4, 0xF4, 3, 0x80, 0x8F},
    };
    for (size_t at = 0; at < text.size();) {
        const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
        const auto *found = std::find_if(std::begin(classes), std::end(classes),
                                         [&](const Class &c) { return byte(at) >= c.first && byte(at) <= c.last; });
        if (found == std::end(classes) || text.size() - at <= found->more)
            return false;
        for (size_t i = 1; i <= found->more; i++)
            if (byte(at + i) < (i == 1 ? found->low : 0x80) || byte(at + i) > (i == 1 ? found->high : 0xBF))
                return false;
        at += found->more + 1;
    }
    return true;
}

// Any text has pieces (bytes, if need be) and any pieces make UTF-8.
void check_pieces(const sentencepiece::SentencePieceProcessor &processor) {
    int bytes = 0;
    for (int id = 0; id < processor.GetPieceSize(); id++) {
        bytes += processor.IsByte(id);
        if (!is_utf8(processor.IdToPiece(id)))
            throw std::runtime_error("the tokenizer's piece " + std::to_string(id) + " is not valid UTF-8");
        if (!std::isfinite(processor.GetScore(id)))
            throw std::runtime_error("the tokenizer's piece " + std::to_string(id) + " has no score");
    }
    if (bytes != 256)
        throw std::runtime_error("the tokenizer has no pieces for single bytes (byte fallback)");
}

// Ranges never run backwards and never leave the text.
std::vector<drt_piece> pieces_of(const sentencepiece::ImmutableSentencePieceText &result, size_t length) {
    std::vector<drt_piece> found;
    found.reserve(result.pieces_size());
    size_t at = 0;
    for (const auto &piece : result.pieces()) {
        size_t start = std::clamp<size_t>(piece.begin(), at, length);
        size_t end = std::clamp<size_t>(piece.end(), start, length);
        found.push_back({static_cast<int32_t>(piece.id()), start, end});
        at = start;
    }
    return found;
}

// sentencepiece gives a character's bytes to the last of its pieces and an empty range to those before:
// give it to all of them. The space put in front of a text stands for nothing and stays empty.
void share_ranges(const sentencepiece::SentencePieceProcessor &processor, std::vector<drt_piece> &pieces) {
    const int space = processor.PieceToId("\u2581");
    for (size_t i = pieces.size(); i-- > 1;) {
        drt_piece &before = pieces[i - 1];
        if (before.start == before.end && before.start == pieces[i].start && before.id != space)
            before.end = pieces[i].end;
    }
}

std::unique_ptr<drt_tokenizer> load(const void *data, size_t size) {
    if (size == 0 || size > kMaxModelBytes)
        throw std::runtime_error(size ? "too large to be a tokenizer" : "the tokenizer is empty");
    if (const char *problem = drt_tokenizer_model_check(data, size))
        throw std::runtime_error(std::string("not a sentencepiece model: ") + problem);
    auto tokenizer = std::make_unique<drt_tokenizer>();
    require(tokenizer->processor.LoadFromSerializedProto({static_cast<const char *>(data), size}),
            "not a sentencepiece model");
    check_controls(tokenizer->processor);
    check_pieces(tokenizer->processor);
    return tokenizer;
}

} // namespace

extern "C" int drt_tokenizer_load(const char *path, drt_tokenizer **tokenizer, char *error, size_t error_size) {
    *tokenizer = nullptr;
    std::string data;
    int failed = guarded(error, error_size, [&] { data = read_file(path); });
    if (failed)
        return failed;
    return guarded(error, error_size, [&] {
        try {
            *tokenizer = load(data.data(), data.size()).release();
        } catch (const std::runtime_error &e) {
            throw std::runtime_error(std::string(path) + ": " + e.what());
        }
    });
}

extern "C" int drt_tokenizer_load_memory(const void *data, size_t size, drt_tokenizer **tokenizer, char *error,
                                         size_t error_size) {
    *tokenizer = nullptr;
    return guarded(error, error_size, [&] { *tokenizer = load(data, size).release(); });
}

extern "C" void drt_tokenizer_free(drt_tokenizer *tokenizer) {
    delete tokenizer;
}

extern "C" int drt_tokenizer_size(const drt_tokenizer *tokenizer) {
    return tokenizer->processor.GetPieceSize();
}

extern "C" int drt_tokenizer_encode(const drt_tokenizer *tokenizer, const char *text, size_t length, drt_piece **pieces,
                                    size_t *count, char *error, size_t error_size) {
    *pieces = nullptr;
    *count = 0;
    if (length == 0)
        return 0;
    return guarded(error, error_size, [&] {
        if (length > kMaxTextBytes)
            throw std::runtime_error("a text of more than 2 GiB cannot be encoded at once");
        sentencepiece::ImmutableSentencePieceText result;
        require(tokenizer->processor.Encode({text, length}, result.mutable_proto()), "cannot encode a text");
        std::vector<drt_piece> found = pieces_of(result, length);
        share_ranges(tokenizer->processor, found);
        if (found.empty())
            return;
        *pieces = reinterpret_cast<drt_piece *>(duplicate(found.data(), found.size() * sizeof(drt_piece)));
        *count = found.size();
    });
}

extern "C" int drt_tokenizer_decode(const drt_tokenizer *tokenizer, const int32_t *ids, size_t count, char **text,
                                    size_t *length, char *error, size_t error_size) {
    *text = nullptr;
    *length = 0;
    return guarded(error, error_size, [&] {
        const auto &processor = tokenizer->processor;
        const int size = processor.GetPieceSize();
        std::string out;
        std::vector<int> line; // decoded by the line, so that each starts without a space
        auto flush = [&] {
            std::string decoded;
            require(processor.Decode(line, &decoded), "cannot decode tokens");
            out += decoded;
            line.clear();
        };
        for (size_t i = 0; i < count; i++) {
            if (ids[i] < 0 || ids[i] >= size)
                throw std::runtime_error("token " + std::to_string(ids[i]) +
                                         " is not in the tokenizer's vocabulary of " + std::to_string(size));
            if (ids[i] == DRT_TOKEN_PARAGRAPH) {
                flush();
                out += '\n';
            } else if (ids[i] >= DRT_TOKEN_CONTROLS) {
                line.push_back(ids[i]);
            }
        }
        flush();
        *text = duplicate(out.data(), out.size());
        *length = out.size();
    });
}
