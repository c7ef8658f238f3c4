/* parameters.h: the tensors of a model: their names in the file, shapes, and places in drt_model. The
 * one list that loading, quantising and inspecting walk. May use: base, model.h. */
#ifndef DRT_NETWORK_PARAMETERS_H
#define DRT_NETWORK_PARAMETERS_H

#include "engine/network/model.h"

struct drt_parameter {
    char name[64];
    int rows, cols;     /* cols 0: a vector of `rows` */
    drt_matrix *matrix; /* where it belongs in the model; the other one is NULL */
    float **vector;
};

/* A model of this shape with its layer arrays and its list of parameters: no device, no weights. */
drt_status drt_model_new_empty(drt_context *context, const drt_config *config, drt_model **model);

#endif
