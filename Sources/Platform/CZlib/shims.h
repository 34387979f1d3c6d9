#pragma once

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

// Whole buffers at once; the calls that begin a stream are macros.

/// Deflates bytes, RFC 1951 without a header. Returns the number of bytes written, or -1 where they do not fit.
static inline ptrdiff_t shim_deflate(const uint8_t *input, size_t count, uint8_t *output, size_t room) {
    z_stream stream = {0};
    if (count > UINT_MAX || room > UINT_MAX) return -1;
    if (deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK) return -1;
    stream.next_in = (z_const Bytef *)input;
    stream.avail_in = (uInt)count;
    stream.next_out = output;
    stream.avail_out = (uInt)room;
    ptrdiff_t written = deflate(&stream, Z_FINISH) == Z_STREAM_END ? (ptrdiff_t)stream.total_out : -1;
    deflateEnd(&stream);
    return written;
}

/// Inflates bytes, RFC 1951 without a header. Returns the number of bytes written, or -1 where they are damaged, do not end with the
/// input or do not fit.
static inline ptrdiff_t shim_inflate(const uint8_t *input, size_t count, uint8_t *output, size_t room) {
    z_stream stream = {0};
    if (count > UINT_MAX || room > UINT_MAX) return -1;
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return -1;
    stream.next_in = (z_const Bytef *)input;
    stream.avail_in = (uInt)count;
    stream.next_out = output;
    stream.avail_out = (uInt)room;
    int ended = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0;
    ptrdiff_t written = ended ? (ptrdiff_t)stream.total_out : -1;
    inflateEnd(&stream);
    return written;
}

/// Inflates bytes with a header and a checksum, RFC 1950, and throws them away. Returns their number, or -1 where they are damaged, do
/// not end with the input or are more than a limit.
static inline ptrdiff_t shim_inflated_count(const uint8_t *input, size_t count, size_t limit) {
    z_stream stream = {0};
    uint8_t scratch[16384];
    if (count > UINT_MAX || inflateInit2(&stream, MAX_WBITS) != Z_OK) return -1;
    stream.next_in = (z_const Bytef *)input;
    stream.avail_in = (uInt)count;
    int result = Z_OK;
    while (result == Z_OK && stream.total_out <= limit) {
        stream.next_out = scratch;
        stream.avail_out = sizeof scratch;
        result = inflate(&stream, Z_NO_FLUSH);
    }
    int ended = result == Z_STREAM_END && stream.avail_in == 0 && stream.total_out <= limit;
    ptrdiff_t written = ended ? (ptrdiff_t)stream.total_out : -1;
    inflateEnd(&stream);
    return written;
}
