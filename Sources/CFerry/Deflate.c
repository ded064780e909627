#include "CFerry.h"
#include "Library.h"

#include <pthread.h>
#include <stdlib.h>

static struct {
    int (*deflate_init)(ferry_zlib_stream *, int, int, int, int, int, const char *, int);
    int (*deflate)(ferry_zlib_stream *, int);
    int (*deflate_end)(ferry_zlib_stream *);
    int (*inflate_init)(ferry_zlib_stream *, int, const char *, int);
    int (*inflate)(ferry_zlib_stream *, int);
    int (*inflate_reset_keep)(ferry_zlib_stream *);
    int (*inflate_end)(ferry_zlib_stream *);
} library;

static pthread_once_t library_once = PTHREAD_ONCE_INIT;

static void load(void) {
    *(void **)&library.deflate_init = FERRY_SYMBOL(deflateInit2_, "libz.so.1");
    *(void **)&library.deflate = FERRY_SYMBOL(deflate, "libz.so.1");
    *(void **)&library.deflate_end = FERRY_SYMBOL(deflateEnd, "libz.so.1");
    *(void **)&library.inflate_init = FERRY_SYMBOL(inflateInit2_, "libz.so.1");
    *(void **)&library.inflate = FERRY_SYMBOL(inflate, "libz.so.1");
    *(void **)&library.inflate_reset_keep = FERRY_SYMBOL(inflateResetKeep, "libz.so.1");
    *(void **)&library.inflate_end = FERRY_SYMBOL(inflateEnd, "libz.so.1");
}

bool ferry_raw_deflate_available(void) {
    pthread_once(&library_once, load);
    return library.deflate_init && library.deflate && library.deflate_end && library.inflate_init && library.inflate
        && library.inflate_reset_keep && library.inflate_end;
}

struct ferry_raw_stream {
    ferry_zlib_stream zlib;
    bool deflates;
};

enum { ZLIB_OK = 0, ZLIB_STREAM_END = 1, ZLIB_BUFFER_ERROR = -5 };
enum { ZLIB_SYNC_FLUSH = 2, ZLIB_DEFLATED = 8, ZLIB_DEFAULT_LEVEL = -1, ZLIB_MEMORY_LEVEL = 8 };

ferry_raw_stream *ferry_raw_stream_create(bool deflates, int window_bits) {
    if (!ferry_raw_deflate_available() || window_bits < 9 || window_bits > 15) return NULL;
    ferry_raw_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) return NULL;
    stream->deflates = deflates;
    int size = (int)sizeof stream->zlib;
    int status = deflates ? library.deflate_init(&stream->zlib, ZLIB_DEFAULT_LEVEL, ZLIB_DEFLATED, -window_bits,
                                                 ZLIB_MEMORY_LEVEL, 0, "1.2.11", size)
                          : library.inflate_init(&stream->zlib, -window_bits, "1.2.11", size);
    if (status == ZLIB_OK) return stream;
    free(stream);
    return NULL;
}

void ferry_raw_stream_free(ferry_raw_stream *stream) {
    if (stream == NULL) return;
    if (stream->deflates) library.deflate_end(&stream->zlib);
    else library.inflate_end(&stream->zlib);
    free(stream);
}

bool ferry_raw_stream_begin_again(ferry_raw_stream *stream) {
    return library.inflate_reset_keep(&stream->zlib) == ZLIB_OK;
}

ferry_raw_status ferry_raw_stream_run(ferry_raw_stream *stream, const uint8_t *input, size_t input_length,
                                      size_t *consumed, uint8_t *output, size_t output_length, size_t *produced) {
    // Larger pieces are given in several calls.
    const size_t largest = 1u << 30;
    unsigned int in = (unsigned int)(input_length < largest ? input_length : largest);
    unsigned int out = (unsigned int)(output_length < largest ? output_length : largest);
    stream->zlib.next_in = input;
    stream->zlib.avail_in = in;
    stream->zlib.next_out = output;
    stream->zlib.avail_out = out;
    int status = stream->deflates ? library.deflate(&stream->zlib, ZLIB_SYNC_FLUSH)
                                  : library.inflate(&stream->zlib, ZLIB_SYNC_FLUSH);
    *consumed = in - stream->zlib.avail_in;
    *produced = out - stream->zlib.avail_out;
    switch (status) {
    case ZLIB_OK:
    case ZLIB_BUFFER_ERROR: return FERRY_RAW_MORE;
    case ZLIB_STREAM_END: return FERRY_RAW_END;
    default: return FERRY_RAW_DAMAGED;
    }
}
