"""Seeds for fuzz_config: seeds_config.py FOLDER."""
import json
import os
import sys

FULL = {
    "name": "seed", "tokenizer": "tokenizer.model", "vocab_size": 131, "d_model": 64, "n_heads": 4, "d_ff": 96,
    "lower_layers": 2, "group_layers": [1, 2], "encoder_layers": 2, "chunk_size": 64, "window": 160, "top_k": 3,
    "rms_eps": 1e-05, "rope_theta": 10000.0, "landmark_reads_own_retrieval": True, "gca_in_residual": False,
    "qk_norm": True,
}
SEEDS = {
    "full": json.dumps(FULL, indent=1),
    "empty": "{}",
    "unknown": json.dumps({"training": {"steps": 1, "sets": ["a", "b"]}, "d_model": 128, "note": "\u00e9\u2581"}),
    "groups": json.dumps({"group_layers": [256] * 16, "d_model": 8, "n_heads": 4, "d_ff": 1}),
    "twice": '{"d_model": 64, "d_model": 128}',
    "deep": '{"x": ' + "[" * 200 + "]" * 200 + "}",
    "largest": json.dumps({"vocab_size": 1 << 20, "d_model": 1 << 14, "n_heads": 1 << 10}),
}

for name, text in SEEDS.items():
    with open(os.path.join(sys.argv[1], name), "w", encoding="utf-8") as f:
        f.write(text)
