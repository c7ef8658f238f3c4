/* conformance.h: runs one and the same case on two backends and compares what comes out.
 *
 * A case draws its inputs from the run's random numbers, calls operations and emits results. It is run once for each
 * backend with the same seed, so both see the same inputs. Outputs start out poisoned, with a poisoned guard behind
 * them. Stand-alone: may use kernels/ and libc only. */
#ifndef DRT_TESTS_CONFORMANCE_H
#define DRT_TESTS_CONFORMANCE_H

#include "kernels/backend.h"

#define CASE_NUMBERS 10
#define MOST_BUFFERS 2048
#define MOST_MATRICES 128

/* One run of a case on one backend. After a failure (out of memory, an operation that errs) `failure` holds a sentence
 * and every further call does nothing. */
typedef struct {
    drt_backend *backend;
    uint64_t random;
    const int *at; /* the case's numbers, see its function */
    char failure[600];
    struct {
        void *data;
        size_t floats; /* of an output, else 0: guarded */
    } buffers[MOST_BUFFERS];
    int n_buffers;
    drt_matrix matrices[MOST_MATRICES];
    int n_matrices;
    double *results;
    size_t n_results, room_results;
} run;

typedef struct {
    const char *operation, *what, *type; /* for people */
    double bound;                        /* of |a - b| / |b|; 0: equal to the bit */
    void (*body)(run *r);
    int at[CASE_NUMBERS];
    bool small; /* part of the reduced set, which is quick under a sanitizer */
} conformance_case;

extern const conformance_case dense_cases[], attention_cases[], retrieval_cases[], encode_cases[], read_cases[];
extern const size_t n_dense_cases, n_attention_cases, n_retrieval_cases, n_encode_cases, n_read_cases;

/* Random numbers: uniform bits, an integer 0..below-1, a float of about normal distribution. */
uint64_t draw(run *r);
int draw_below(run *r, int below);
float draw_normal(run *r);

/* Host memory that lives as long as the run; NULL after a failure. */
void *host_room(run *r, size_t bytes);
/* Backend memory: as it comes; an output of n poisoned floats; an input of n random ones, times scale; a copy of host memory. */
void *backend_room(run *r, size_t bytes);
float *output(run *r, size_t n);
float *input(run *r, size_t n, float scale);
void *copied(run *r, const void *host, size_t bytes);
/* A random matrix, loaded from a file's type. */
const drt_matrix *matrix(run *r, drt_weight_type type, int rows, int cols);

/* Notes the failure of an operation, status not 0. Returns whether the run may go on. */
bool did(run *r, int status);
bool going(const run *r);
/* Adds n floats of backend memory, or one number, to the results. */
void emit(run *r, const float *values, size_t n);
void emit_number(run *r, double value);

/* Checks the guards, releases everything but the results. */
void finish(run *r);

/* Prints what the operations, or one of timing.h's `only`, take on a backend (timing.c). Returns the exit code. */
int print_timings(drt_backend *b, bool gpu, const char *only);

#endif
