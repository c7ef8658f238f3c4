/* landmarks.h: how a set of landmarks shares its budget of device memory; what a backend with memory of its own and a
 * plan made beforehand both count by. May use: libc. */
#ifndef DRT_KERNELS_LANDMARKS_H
#define DRT_KERNELS_LANDMARKS_H

#include <stddef.h>
#include <stdint.h>

#define DRT_SCAN_QUERIES 8   /* that read the landmarks together */
#define DRT_SCAN_TILE 512    /* chunks whose best are chosen at once */
#define DRT_SCAN_KEPT 64     /* best of a tile and query, at most, that one pass keeps */
#define DRT_SCAN_WINDOW 8192 /* chunks of each of the two windows through which others stream; whole tiles */

/* What a scan keeps of each tile: keys of 8 bytes and a range of two floats for each query. */
#define DRT_SCAN_TILE_BYTES ((size_t)DRT_SCAN_QUERIES * (DRT_SCAN_KEPT + 1) * 8)

static inline size_t drt_landmarks_tiles(int64_t n) {
    return (size_t)((n + DRT_SCAN_TILE - 1) / DRT_SCAN_TILE);
}

/* Bytes of both windows, on the device and once more on the host. */
static inline size_t drt_landmarks_windows_bytes(int d) {
    return 2 * (size_t)DRT_SCAN_WINDOW * (size_t)d * sizeof(uint16_t);
}

/* Device bytes of n landmarks (d) fp16 of which the first `resident` stay there. */
static inline size_t drt_landmarks_bytes(int64_t n, int64_t resident, int d) {
    size_t row = (size_t)d * sizeof(uint16_t);
    return drt_landmarks_tiles(n) * DRT_SCAN_TILE_BYTES + (size_t)resident * row +
           (resident < n ? drt_landmarks_windows_bytes(d) : 0);
}

/* How many of n landmarks stay in `budget` device bytes: all, or whole tiles of them; -1: it is too small for any scan. */
static inline int64_t drt_landmarks_resident(size_t budget, int64_t n, int d) {
    size_t least = drt_landmarks_bytes(n, 0, d), tile = (size_t)DRT_SCAN_TILE * (size_t)d * sizeof(uint16_t);
    if (drt_landmarks_bytes(n, n, d) <= budget)
        return n;
    return least <= budget ? (int64_t)((budget - least) / tile) * DRT_SCAN_TILE : -1;
}

#endif
