#include "CFerry.h"
#include "Library.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    void *bytes;
    size_t size;
    size_t position;
} zstd_buffer;

static struct {
    int (*inflate_init)(ferry_zlib_stream *, int, const char *, int);
    int (*inflate)(ferry_zlib_stream *, int);
    int (*inflate_reset)(ferry_zlib_stream *, int);
    int (*inflate_end)(ferry_zlib_stream *);
    void *(*brotli_create)(void *, void *, void *);
    int (*brotli_run)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
    void (*brotli_free)(void *);
    void *(*zstd_create)(void);
    size_t (*zstd_run)(void *, zstd_buffer *, zstd_buffer *);
    size_t (*zstd_set)(void *, int, int);
    unsigned long long (*zstd_content_size)(const void *, size_t);
    unsigned (*zstd_is_error)(size_t);
    size_t (*zstd_free)(void *);
} library;

static pthread_once_t library_once = PTHREAD_ONCE_INIT;

static void load(void) {
    *(void **)&library.inflate_init = FERRY_SYMBOL(inflateInit2_, "libz.so.1");
    *(void **)&library.inflate = FERRY_SYMBOL(inflate, "libz.so.1");
    *(void **)&library.inflate_reset = FERRY_SYMBOL(inflateReset2, "libz.so.1");
    *(void **)&library.inflate_end = FERRY_SYMBOL(inflateEnd, "libz.so.1");
    *(void **)&library.brotli_create = FERRY_SYMBOL(BrotliDecoderCreateInstance, "libbrotlidec.so.1");
    *(void **)&library.brotli_run = FERRY_SYMBOL(BrotliDecoderDecompressStream, "libbrotlidec.so.1");
    *(void **)&library.brotli_free = FERRY_SYMBOL(BrotliDecoderDestroyInstance, "libbrotlidec.so.1");
    *(void **)&library.zstd_create = FERRY_SYMBOL(ZSTD_createDStream, "libzstd.so.1");
    *(void **)&library.zstd_run = FERRY_SYMBOL(ZSTD_decompressStream, "libzstd.so.1");
    *(void **)&library.zstd_set = FERRY_SYMBOL(ZSTD_DCtx_setParameter, "libzstd.so.1");
    *(void **)&library.zstd_content_size = FERRY_SYMBOL(ZSTD_getFrameContentSize, "libzstd.so.1");
    *(void **)&library.zstd_is_error = FERRY_SYMBOL(ZSTD_isError, "libzstd.so.1");
    *(void **)&library.zstd_free = FERRY_SYMBOL(ZSTD_freeDStream, "libzstd.so.1");
}

bool ferry_decoder_available(ferry_coding coding) {
    pthread_once(&library_once, load);
    switch (coding) {
    case FERRY_GZIP:
    case FERRY_DEFLATE:
        return library.inflate_init && library.inflate && library.inflate_reset && library.inflate_end;
    case FERRY_BROTLI:
        return library.brotli_create && library.brotli_run && library.brotli_free;
    case FERRY_ZSTD:
        return library.zstd_create && library.zstd_run && library.zstd_set && library.zstd_content_size
            && library.zstd_is_error && library.zstd_free;
    }
    return false;
}

// The longest frame header (RFC 8878 section 3.1.1.1), including its magic number.
enum { ZSTD_HEADER_LENGTH = 18 };
// A frame may refer to at most the last 8 MiB of its content (RFC 9659).
enum { ZSTD_WINDOW_LOG_MAX = 100, ZSTD_WINDOW_LOG = 23 };

struct ferry_decoder {
    ferry_coding coding;
    ferry_zlib_stream zlib;
    void *state;
    bool started;
    bool ended;
    // The first bytes of the current zstd frame, and the number of bytes it has produced.
    uint8_t header[ZSTD_HEADER_LENGTH];
    size_t header_length;
    uint64_t content_length;
};

enum { ZLIB_GZIP = 15 + 16, ZLIB_WRAPPED = 15, ZLIB_RAW = -15 };
enum { ZLIB_OK = 0, ZLIB_STREAM_END = 1, ZLIB_BUFFER_ERROR = -5 };

ferry_decoder *ferry_decoder_create(ferry_coding coding) {
    if (!ferry_decoder_available(coding)) return NULL;
    ferry_decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder == NULL) return NULL;
    decoder->coding = coding;
    bool made = false;
    switch (coding) {
    case FERRY_GZIP:
        made = library.inflate_init(&decoder->zlib, ZLIB_GZIP, "1.2.11", (int)sizeof decoder->zlib) == ZLIB_OK;
        break;
    case FERRY_DEFLATE:
        made = library.inflate_init(&decoder->zlib, ZLIB_WRAPPED, "1.2.11", (int)sizeof decoder->zlib) == ZLIB_OK;
        break;
    case FERRY_BROTLI:
        decoder->state = library.brotli_create(NULL, NULL, NULL);
        made = decoder->state != NULL;
        break;
    case FERRY_ZSTD:
        decoder->state = library.zstd_create();
        made = decoder->state != NULL
            && !library.zstd_is_error(library.zstd_set(decoder->state, ZSTD_WINDOW_LOG_MAX, ZSTD_WINDOW_LOG));
        break;
    }
    if (made) return decoder;
    free(decoder);
    return NULL;
}

void ferry_decoder_free(ferry_decoder *decoder) {
    if (decoder == NULL) return;
    switch (decoder->coding) {
    case FERRY_GZIP:
    case FERRY_DEFLATE:
        library.inflate_end(&decoder->zlib);
        break;
    case FERRY_BROTLI:
        library.brotli_free(decoder->state);
        break;
    case FERRY_ZSTD:
        library.zstd_free(decoder->state);
        break;
    }
    free(decoder);
}

static ferry_decode_status run_zlib(
    ferry_decoder *decoder, const uint8_t *input, size_t input_length, size_t *consumed,
    uint8_t *output, size_t output_length, size_t *produced) {
    ferry_zlib_stream *stream = &decoder->zlib;
    if (!decoder->started) {
        decoder->started = true;
        // Some servers send "deflate" without its zlib wrapper (noted in RFC 9110 section 8.4.1.2). A wrapper's first
        // byte names method 8 with a window of at most 32 KiB.
        bool wrapped = (input[0] & 0x0F) == 8 && (input[0] >> 4) <= 7;
        if (decoder->coding == FERRY_DEFLATE && !wrapped && library.inflate_reset(stream, ZLIB_RAW) != ZLIB_OK) {
            return FERRY_DECODE_ERROR;
        }
    } else if (decoder->ended) {
        // A gzip body may have several members (RFC 1952 section 2.2). Anything after the end of deflate is an error.
        if (decoder->coding == FERRY_DEFLATE) return FERRY_DECODE_ERROR;
        if (library.inflate_reset(stream, ZLIB_GZIP) != ZLIB_OK) return FERRY_DECODE_ERROR;
        decoder->ended = false;
    }
    stream->next_in = input;
    stream->avail_in = (unsigned int)input_length;
    stream->next_out = output;
    stream->avail_out = (unsigned int)output_length;
    int code = library.inflate(stream, 0);
    *consumed = input_length - stream->avail_in;
    *produced = output_length - stream->avail_out;
    if (code == ZLIB_STREAM_END) {
        decoder->ended = true;
        return FERRY_DECODE_END;
    }
    return code == ZLIB_OK || code == ZLIB_BUFFER_ERROR ? FERRY_DECODE_MORE : FERRY_DECODE_ERROR;
}

static ferry_decode_status run_zstd(
    ferry_decoder *decoder, const uint8_t *input, size_t input_length, size_t *consumed,
    uint8_t *output, size_t output_length, size_t *produced) {
    if (input_length > 0 && (!decoder->started || decoder->ended)) {
        // Only the frames of RFC 8878, sections 3.1.1 and 3.1.2: the library may support older formats, whose decoders
        // are less well maintained.
        if (input[0] != 0x28 && (input[0] & 0xF0) != 0x50) return FERRY_DECODE_ERROR;
        decoder->started = true;
        decoder->ended = false;
        decoder->header_length = 0;
        decoder->content_length = 0;
        // The library decodes a frame that is complete in one call with a different function, which makes different
        // checks. Passing only the first byte prevents that, so the result does not depend on how the network split the
        // body.
        input_length = 1;
    }
    zstd_buffer in = {(void *)(uintptr_t)input, input_length, 0};
    zstd_buffer out = {output, output_length, 0};
    size_t code = library.zstd_run(decoder->state, &out, &in);
    *consumed = in.position;
    *produced = out.position;
    if (library.zstd_is_error(code)) return FERRY_DECODE_ERROR;

    size_t header = ZSTD_HEADER_LENGTH - decoder->header_length;
    if (header > in.position) header = in.position;
    if (header > 0) memcpy(decoder->header + decoder->header_length, input, header);
    decoder->header_length += header;
    decoder->content_length += out.position;

    decoder->ended = code == 0;
    if (!decoder->ended) return FERRY_DECODE_MORE;
    // The library does not check the size that the frame declares if the last block is empty.
    const unsigned long long unknown = -1ULL;
    unsigned long long declared = library.zstd_content_size(decoder->header, decoder->header_length);
    bool fits = declared == unknown || declared == decoder->content_length;
    return fits ? FERRY_DECODE_END : FERRY_DECODE_ERROR;
}

ferry_decode_status ferry_decoder_run(
    ferry_decoder *decoder, const uint8_t *input, size_t input_length, size_t *consumed,
    uint8_t *output, size_t output_length, size_t *produced) {
    *consumed = 0;
    *produced = 0;
    switch (decoder->coding) {
    case FERRY_GZIP:
    case FERRY_DEFLATE:
        if (input_length == 0 && (!decoder->started || decoder->ended)) return FERRY_DECODE_MORE;
        return run_zlib(decoder, input, input_length, consumed, output, output_length, produced);
    case FERRY_BROTLI: {
        enum { FAILED = 0, SUCCEEDED = 1 };
        if (decoder->ended) return input_length == 0 ? FERRY_DECODE_END : FERRY_DECODE_ERROR;
        const uint8_t *next_in = input;
        uint8_t *next_out = output;
        size_t left_in = input_length;
        size_t left_out = output_length;
        int code = library.brotli_run(decoder->state, &left_in, &next_in, &left_out, &next_out, NULL);
        *consumed = input_length - left_in;
        *produced = output_length - left_out;
        decoder->ended = code == SUCCEEDED;
        if (code == FAILED) return FERRY_DECODE_ERROR;
        return decoder->ended ? FERRY_DECODE_END : FERRY_DECODE_MORE;
    }
    case FERRY_ZSTD:
        // Without input, the library would begin the next frame.
        if (input_length == 0 && (!decoder->started || decoder->ended)) return FERRY_DECODE_MORE;
        return run_zstd(decoder, input, input_length, consumed, output, output_length, produced);
    }
    return FERRY_DECODE_ERROR;
}
