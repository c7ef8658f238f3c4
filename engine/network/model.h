/* model.h: a loaded model: checked configuration, weights on a backend, tokenizer.
 * May use: base, kernels/backend.h, tokenizer, safetensors.h, config.h. */
#ifndef DRT_NETWORK_MODEL_H
#define DRT_NETWORK_MODEL_H

#include "engine/base/context.h"
#include "kernels/backend.h"
#include "tokenizer/tokenizer.h"

/* A device is a backend with its names. */
struct drt_device {
    struct drt_backend *backend;
    char name[32];
    char description[256];
    int threads; /* of the host, for work beside the device's */
};

/* Weights of SwiGLU: down(silu(gate(x)) * up(x)). */
typedef struct {
    drt_matrix gate, up; /* (d_ff, d) */
    drt_matrix down;     /* (d, d_ff) */
} drt_mlp_weights;

/* One layer. The lower layers and the encoder have no gca_*. */
typedef struct {
    float *attn_norm, *mlp_norm; /* (d), backend memory */
    float *gca_norm;             /* (d) or NULL */
    drt_matrix qkv;              /* (3d, d) */
    drt_matrix out;              /* (d, d) */
    drt_matrix gca_q, gca_out;   /* (d, d) */
    drt_mlp_weights mlp;
} drt_layer_weights;

typedef struct drt_parameter drt_parameter; /* parameters.h */

struct drt_model {
    drt_config config;
    drt_device *device;
    drt_tokenizer *tokenizer; /* NULL in models without one (tests) */
    char *name, *directory;
    uint8_t fingerprint[DRT_FINGERPRINT_SIZE];

    drt_matrix embed;                          /* (vocab, d), also the output head */
    drt_layer_weights *lower;                  /* lower_layers */
    float *encoder_in_norm, *encoder_out_norm; /* (d) */
    drt_layer_weights *encoder;                /* encoder_layers */
    drt_matrix chunk_k, chunk_v;               /* (d, d), shared by every upper layer */
    float *query_norm[DRT_MAX_GROUPS];         /* (d) each */
    drt_layer_weights *upper[DRT_MAX_GROUPS];  /* group_layers[g] each */
    float *final_norm;                         /* (d) */

    drt_parameter *parameters; /* all of the above by name */
    size_t n_parameters;
};

#endif
