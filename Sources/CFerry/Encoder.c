#include "CFerry.h"
#include "Library.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct {
    const void *bytes;
    size_t size;
    size_t position;
} zstd_input;

typedef struct {
    void *bytes;
    size_t size;
    size_t position;
} zstd_output;

static struct {
    int (*deflate_init)(ferry_zlib_stream *, int, int, int, int, int, const char *, int);
    int (*deflate)(ferry_zlib_stream *, int);
    int (*deflate_end)(ferry_zlib_stream *);
    void *(*zstd_create)(void);
    size_t (*zstd_run)(void *, zstd_output *, zstd_input *, int);
    unsigned (*zstd_is_error)(size_t);
    size_t (*zstd_free)(void *);
} library;

static pthread_once_t library_once = PTHREAD_ONCE_INIT;

static void load(void) {
    *(void **)&library.deflate_init = FERRY_SYMBOL(deflateInit2_, "libz.so.1");
    *(void **)&library.deflate = FERRY_SYMBOL(deflate, "libz.so.1");
    *(void **)&library.deflate_end = FERRY_SYMBOL(deflateEnd, "libz.so.1");
    *(void **)&library.zstd_create = FERRY_SYMBOL(ZSTD_createCStream, "libzstd.so.1");
    *(void **)&library.zstd_run = FERRY_SYMBOL(ZSTD_compressStream2, "libzstd.so.1");
    *(void **)&library.zstd_is_error = FERRY_SYMBOL(ZSTD_isError, "libzstd.so.1");
    *(void **)&library.zstd_free = FERRY_SYMBOL(ZSTD_freeCStream, "libzstd.so.1");
}

bool ferry_encoder_available(ferry_coding coding) {
    pthread_once(&library_once, load);
    switch (coding) {
    case FERRY_GZIP:
    case FERRY_DEFLATE:
        return library.deflate_init && library.deflate && library.deflate_end;
    case FERRY_ZSTD:
        return library.zstd_create && library.zstd_run && library.zstd_is_error && library.zstd_free;
    case FERRY_BROTLI:
        return false;
    }
    return false;
}

struct ferry_encoder {
    ferry_coding coding;
    ferry_zlib_stream zlib;
    void *state;
};

ferry_encoder *ferry_encoder_create(ferry_coding coding) {
    if (!ferry_encoder_available(coding)) return NULL;
    ferry_encoder *encoder = calloc(1, sizeof *encoder);
    if (encoder == NULL) return NULL;
    encoder->coding = coding;
    bool made = false;
    if (coding == FERRY_ZSTD) {
        encoder->state = library.zstd_create();
        made = encoder->state != NULL;
    } else {
        enum { DEFAULT_LEVEL = -1, DEFLATED = 8, GZIP = 15 + 16, WRAPPED = 15, DEFAULT_MEMORY = 8, DEFAULT_STRATEGY = 0 };
        int window = coding == FERRY_GZIP ? GZIP : WRAPPED;
        made = library.deflate_init(
            &encoder->zlib, DEFAULT_LEVEL, DEFLATED, window, DEFAULT_MEMORY, DEFAULT_STRATEGY, "1.2.11",
            (int)sizeof encoder->zlib) == 0;
    }
    if (made) return encoder;
    free(encoder);
    return NULL;
}

void ferry_encoder_free(ferry_encoder *encoder) {
    if (encoder == NULL) return;
    if (encoder->coding == FERRY_ZSTD) {
        library.zstd_free(encoder->state);
    } else {
        library.deflate_end(&encoder->zlib);
    }
    free(encoder);
}

static ferry_encode_status run_zlib(
    ferry_encoder *encoder, ferry_encode_step step, const uint8_t *input, size_t input_length, size_t *consumed,
    uint8_t *output, size_t output_length, size_t *produced) {
    enum { NO_FLUSH = 0, SYNC_FLUSH = 2, FINISH = 4, STREAM_END = 1, OK = 0, BUFFER_ERROR = -5 };
    static const int modes[] = {NO_FLUSH, SYNC_FLUSH, FINISH};
    ferry_zlib_stream *stream = &encoder->zlib;
    stream->next_in = input;
    stream->avail_in = (unsigned int)input_length;
    stream->next_out = output;
    stream->avail_out = (unsigned int)output_length;
    int code = library.deflate(stream, modes[step]);
    *consumed = input_length - stream->avail_in;
    *produced = output_length - stream->avail_out;
    if (code == STREAM_END) return FERRY_ENCODE_DONE;
    if (code != OK && code != BUFFER_ERROR) return FERRY_ENCODE_ERROR;
    bool is_done = step != FERRY_ENCODE_FINISH && stream->avail_in == 0 && stream->avail_out > 0;
    return is_done ? FERRY_ENCODE_DONE : FERRY_ENCODE_MORE;
}

ferry_encode_status ferry_encoder_run(
    ferry_encoder *encoder, ferry_encode_step step, const uint8_t *input, size_t input_length, size_t *consumed,
    uint8_t *output, size_t output_length, size_t *produced) {
    if (encoder->coding != FERRY_ZSTD) {
        return run_zlib(encoder, step, input, input_length, consumed, output, output_length, produced);
    }
    // The numbers of the steps are those of ZSTD_EndDirective.
    zstd_input in = {input, input_length, 0};
    zstd_output out = {output, output_length, 0};
    size_t left = library.zstd_run(encoder->state, &out, &in, (int)step);
    *consumed = in.position;
    *produced = out.position;
    if (library.zstd_is_error(left)) return FERRY_ENCODE_ERROR;
    bool is_done = in.position == in.size && (step == FERRY_ENCODE_CONTINUE || left == 0);
    return is_done ? FERRY_ENCODE_DONE : FERRY_ENCODE_MORE;
}
