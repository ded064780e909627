#include "CFerry.h"
#include "Library.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The stable ABI of zlib 1.x.
typedef struct {
    const uint8_t *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    uint8_t *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *zalloc;
    void *zfree;
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
} zlib_stream;

/// zstd's buffers for input and for output, whose bytes it only reads or only writes.
typedef struct {
    void *bytes;
    size_t size;
    size_t position;
} zstd_buffer;

static struct {
    int (*inflate_init)(zlib_stream *, int, const char *, int);
    int (*inflate)(zlib_stream *, int);
    int (*inflate_reset)(zlib_stream *, int);
    int (*inflate_reset_keep)(zlib_stream *);
    int (*inflate_end)(zlib_stream *);
    int (*deflate_init)(zlib_stream *, int, int, int, int, int, const char *, int);
    int (*deflate)(zlib_stream *, int);
    int (*deflate_end)(zlib_stream *);
    void *(*brotli_create)(void *, void *, void *);
    int (*brotli_run)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
    void (*brotli_free)(void *);
    void *(*zstd_decoder)(void);
    size_t (*zstd_decode)(void *, zstd_buffer *, zstd_buffer *);
    size_t (*zstd_set)(void *, int, int);
    unsigned long long (*zstd_content_size)(const void *, size_t);
    size_t (*zstd_free_decoder)(void *);
    void *(*zstd_encoder)(void);
    size_t (*zstd_encode)(void *, zstd_buffer *, zstd_buffer *, int);
    size_t (*zstd_free_encoder)(void *);
    unsigned (*zstd_is_error)(size_t);
} library;

static pthread_once_t library_once = PTHREAD_ONCE_INIT;

static void load(void) {
    *(void **)&library.inflate_init = FERRY_SYMBOL(inflateInit2_, "libz.so.1");
    *(void **)&library.inflate = FERRY_SYMBOL(inflate, "libz.so.1");
    *(void **)&library.inflate_reset = FERRY_SYMBOL(inflateReset2, "libz.so.1");
    *(void **)&library.inflate_reset_keep = FERRY_SYMBOL(inflateResetKeep, "libz.so.1");
    *(void **)&library.inflate_end = FERRY_SYMBOL(inflateEnd, "libz.so.1");
    *(void **)&library.deflate_init = FERRY_SYMBOL(deflateInit2_, "libz.so.1");
    *(void **)&library.deflate = FERRY_SYMBOL(deflate, "libz.so.1");
    *(void **)&library.deflate_end = FERRY_SYMBOL(deflateEnd, "libz.so.1");
    *(void **)&library.brotli_create = FERRY_SYMBOL(BrotliDecoderCreateInstance, "libbrotlidec.so.1");
    *(void **)&library.brotli_run = FERRY_SYMBOL(BrotliDecoderDecompressStream, "libbrotlidec.so.1");
    *(void **)&library.brotli_free = FERRY_SYMBOL(BrotliDecoderDestroyInstance, "libbrotlidec.so.1");
    *(void **)&library.zstd_decoder = FERRY_SYMBOL(ZSTD_createDStream, "libzstd.so.1");
    *(void **)&library.zstd_decode = FERRY_SYMBOL(ZSTD_decompressStream, "libzstd.so.1");
    *(void **)&library.zstd_set = FERRY_SYMBOL(ZSTD_DCtx_setParameter, "libzstd.so.1");
    *(void **)&library.zstd_content_size = FERRY_SYMBOL(ZSTD_getFrameContentSize, "libzstd.so.1");
    *(void **)&library.zstd_free_decoder = FERRY_SYMBOL(ZSTD_freeDStream, "libzstd.so.1");
    *(void **)&library.zstd_encoder = FERRY_SYMBOL(ZSTD_createCStream, "libzstd.so.1");
    *(void **)&library.zstd_encode = FERRY_SYMBOL(ZSTD_compressStream2, "libzstd.so.1");
    *(void **)&library.zstd_free_encoder = FERRY_SYMBOL(ZSTD_freeCStream, "libzstd.so.1");
    *(void **)&library.zstd_is_error = FERRY_SYMBOL(ZSTD_isError, "libzstd.so.1");
}

bool ferry_coder_available(ferry_coding coding, bool encodes) {
    pthread_once(&library_once, load);
    switch (coding) {
    case FERRY_GZIP:
    case FERRY_DEFLATE:
    case FERRY_RAW_DEFLATE:
        if (encodes) return library.deflate_init && library.deflate && library.deflate_end;
        return library.inflate_init && library.inflate && library.inflate_reset && library.inflate_reset_keep
            && library.inflate_end;
    case FERRY_BROTLI:
        return !encodes && library.brotli_create && library.brotli_run && library.brotli_free;
    case FERRY_ZSTD:
        if (!library.zstd_is_error) return false;
        if (encodes) return library.zstd_encoder && library.zstd_encode && library.zstd_free_encoder;
        return library.zstd_decoder && library.zstd_decode && library.zstd_set && library.zstd_content_size
            && library.zstd_free_decoder;
    }
    return false;
}

// The longest frame header (RFC 8878 section 3.1.1.1), including its magic number.
enum { ZSTD_HEADER_LENGTH = 18 };
// A frame may refer to at most the last 8 MiB of its content (RFC 9659).
enum { ZSTD_WINDOW_LOG_MAX = 100, ZSTD_WINDOW_LOG = 23 };

struct ferry_coder {
    ferry_coding coding;
    bool encodes;
    zlib_stream zlib;
    /// How zlib is told the size of the window, and the format around the compressed bytes.
    int window;
    void *state;
    // The rest is for decoders.
    bool started;
    bool ended;
    // The first bytes of the current zstd frame, and the number of bytes it has produced.
    uint8_t header[ZSTD_HEADER_LENGTH];
    size_t header_length;
    uint64_t content_length;
};

enum { ZLIB_OK = 0, ZLIB_STREAM_END = 1, ZLIB_BUFFER_ERROR = -5 };

static bool start_zlib(ferry_coder *coder, int window_bits) {
    enum { DEFAULT_LEVEL = -1, DEFLATED = 8, DEFAULT_MEMORY = 8, DEFAULT_STRATEGY = 0 };
    const int size = (int)sizeof coder->zlib;
    coder->window = coder->coding == FERRY_GZIP ? window_bits + 16
        : coder->coding == FERRY_DEFLATE        ? window_bits
                                                : -window_bits;
    if (!coder->encodes) return library.inflate_init(&coder->zlib, coder->window, "1.2.11", size) == ZLIB_OK;
    return library.deflate_init(
               &coder->zlib, DEFAULT_LEVEL, DEFLATED, coder->window, DEFAULT_MEMORY, DEFAULT_STRATEGY, "1.2.11", size)
        == ZLIB_OK;
}

static bool start(ferry_coder *coder, int window_bits) {
    switch (coder->coding) {
    case FERRY_GZIP:
    case FERRY_DEFLATE:
    case FERRY_RAW_DEFLATE:
        return start_zlib(coder, window_bits);
    case FERRY_BROTLI:
        coder->state = library.brotli_create(NULL, NULL, NULL);
        return coder->state != NULL;
    case FERRY_ZSTD:
        coder->state = coder->encodes ? library.zstd_encoder() : library.zstd_decoder();
        if (coder->state == NULL || coder->encodes) return coder->state != NULL;
        if (!library.zstd_is_error(library.zstd_set(coder->state, ZSTD_WINDOW_LOG_MAX, ZSTD_WINDOW_LOG))) return true;
        library.zstd_free_decoder(coder->state);
        return false;
    }
    return false;
}

ferry_coder *ferry_coder_create(ferry_coding coding, bool encodes, int window_bits) {
    if (!ferry_coder_available(coding, encodes)) return NULL;
    ferry_coder *coder = calloc(1, sizeof *coder);
    if (coder == NULL) return NULL;
    coder->coding = coding;
    coder->encodes = encodes;
    if (start(coder, window_bits)) return coder;
    free(coder);
    return NULL;
}

void ferry_coder_free(ferry_coder *coder) {
    switch (coder->coding) {
    case FERRY_GZIP:
    case FERRY_DEFLATE:
    case FERRY_RAW_DEFLATE:
        if (coder->encodes) library.deflate_end(&coder->zlib);
        else library.inflate_end(&coder->zlib);
        break;
    case FERRY_BROTLI:
        library.brotli_free(coder->state);
        break;
    case FERRY_ZSTD:
        if (coder->encodes) library.zstd_free_encoder(coder->state);
        else library.zstd_free_decoder(coder->state);
        break;
    }
    free(coder);
}

/// Prepares zlib for the first bytes of a body, or for those after an end; returns whether they may follow.
static bool begin_inflating(ferry_coder *coder, const uint8_t *input) {
    if (!coder->started) {
        coder->started = true;
        // Some servers send "deflate" without its zlib wrapper (noted in RFC 9110 section 8.4.1.2). A wrapper's first
        // byte names method 8 with a window of at most 32 KiB.
        bool wrapped = (input[0] & 0x0F) == 8 && (input[0] >> 4) <= 7;
        if (coder->coding != FERRY_DEFLATE || wrapped) return true;
        return library.inflate_reset(&coder->zlib, -coder->window) == ZLIB_OK;
    }
    if (!coder->ended) return true;
    coder->ended = false;
    // A gzip body may have several members (RFC 1952 section 2.2). Raw deflate continues with the same window (RFC 7692
    // section 7.2.3.4). Anything after the end of deflate is an error.
    if (coder->coding == FERRY_GZIP) return library.inflate_reset(&coder->zlib, coder->window) == ZLIB_OK;
    return coder->coding == FERRY_RAW_DEFLATE && library.inflate_reset_keep(&coder->zlib) == ZLIB_OK;
}

static ferry_coder_status run_zlib(
    ferry_coder *coder, ferry_coder_step step, const uint8_t *input, size_t input_length, size_t *consumed,
    uint8_t *output, size_t output_length, size_t *produced) {
    enum { NO_FLUSH = 0, SYNC_FLUSH = 2, FINISH = 4 };
    static const int modes[] = {NO_FLUSH, SYNC_FLUSH, FINISH};
    if (!coder->encodes) {
        if (input_length == 0 && (!coder->started || coder->ended)) return FERRY_CODER_MORE;
        if (!begin_inflating(coder, input)) return FERRY_CODER_ERROR;
    }
    zlib_stream *stream = &coder->zlib;
    stream->next_in = input;
    stream->avail_in = (unsigned int)input_length;
    stream->next_out = output;
    stream->avail_out = (unsigned int)output_length;
    int code = coder->encodes ? library.deflate(stream, modes[step]) : library.inflate(stream, NO_FLUSH);
    *consumed = input_length - stream->avail_in;
    *produced = output_length - stream->avail_out;
    coder->ended = code == ZLIB_STREAM_END;
    if (coder->ended) return FERRY_CODER_END;
    if (code != ZLIB_OK && code != ZLIB_BUFFER_ERROR) return FERRY_CODER_ERROR;
    bool is_done = coder->encodes && step != FERRY_CODER_FINISH && stream->avail_in == 0 && stream->avail_out > 0;
    return is_done ? FERRY_CODER_END : FERRY_CODER_MORE;
}

static ferry_coder_status decode_brotli(
    ferry_coder *coder, const uint8_t *input, size_t input_length, size_t *consumed,
    uint8_t *output, size_t output_length, size_t *produced) {
    enum { FAILED = 0, SUCCEEDED = 1 };
    if (coder->ended) return input_length == 0 ? FERRY_CODER_END : FERRY_CODER_ERROR;
    size_t left_in = input_length;
    size_t left_out = output_length;
    int code = library.brotli_run(coder->state, &left_in, &input, &left_out, &output, NULL);
    *consumed = input_length - left_in;
    *produced = output_length - left_out;
    coder->ended = code == SUCCEEDED;
    if (code == FAILED) return FERRY_CODER_ERROR;
    return coder->ended ? FERRY_CODER_END : FERRY_CODER_MORE;
}

static ferry_coder_status decode_zstd(
    ferry_coder *coder, const uint8_t *input, size_t input_length, size_t *consumed,
    uint8_t *output, size_t output_length, size_t *produced) {
    if (!coder->started || coder->ended) {
        // Without input, the library would begin the next frame.
        if (input_length == 0) return FERRY_CODER_MORE;
        // Only the frames of RFC 8878, sections 3.1.1 and 3.1.2: the library may support older formats, whose decoders
        // are less well maintained.
        if (input[0] != 0x28 && (input[0] & 0xF0) != 0x50) return FERRY_CODER_ERROR;
        coder->started = true;
        coder->ended = false;
        coder->header_length = 0;
        coder->content_length = 0;
        // The library decodes a frame that is complete in one call with a different function, which makes different
        // checks. Passing only the first byte prevents that, so the result does not depend on how the network split the
        // body.
        input_length = 1;
    }
    zstd_buffer in = {(void *)(uintptr_t)input, input_length, 0};
    zstd_buffer out = {output, output_length, 0};
    size_t code = library.zstd_decode(coder->state, &out, &in);
    *consumed = in.position;
    *produced = out.position;
    if (library.zstd_is_error(code)) return FERRY_CODER_ERROR;

    size_t header = ZSTD_HEADER_LENGTH - coder->header_length;
    if (header > in.position) header = in.position;
    if (header > 0) memcpy(coder->header + coder->header_length, input, header);
    coder->header_length += header;
    coder->content_length += out.position;

    coder->ended = code == 0;
    if (!coder->ended) return FERRY_CODER_MORE;
    // The library does not check the size that the frame declares if the last block is empty.
    const unsigned long long unknown = -1ULL;
    unsigned long long declared = library.zstd_content_size(coder->header, coder->header_length);
    bool fits = declared == unknown || declared == coder->content_length;
    return fits ? FERRY_CODER_END : FERRY_CODER_ERROR;
}

static ferry_coder_status encode_zstd(
    ferry_coder *coder, ferry_coder_step step, const uint8_t *input, size_t input_length, size_t *consumed,
    uint8_t *output, size_t output_length, size_t *produced) {
    zstd_buffer in = {(void *)(uintptr_t)input, input_length, 0};
    zstd_buffer out = {output, output_length, 0};
    // The numbers of the steps are those of ZSTD_EndDirective.
    size_t left = library.zstd_encode(coder->state, &out, &in, (int)step);
    *consumed = in.position;
    *produced = out.position;
    if (library.zstd_is_error(left)) return FERRY_CODER_ERROR;
    bool is_done = in.position == in.size && (step == FERRY_CODER_CONTINUE || left == 0);
    return is_done ? FERRY_CODER_END : FERRY_CODER_MORE;
}

ferry_coder_status ferry_coder_run(
    ferry_coder *coder, ferry_coder_step step, const uint8_t *input, size_t input_length, size_t *consumed,
    uint8_t *output, size_t output_length, size_t *produced) {
    *consumed = 0;
    *produced = 0;
    switch (coder->coding) {
    case FERRY_GZIP:
    case FERRY_DEFLATE:
    case FERRY_RAW_DEFLATE:
        return run_zlib(coder, step, input, input_length, consumed, output, output_length, produced);
    case FERRY_BROTLI:
        return decode_brotli(coder, input, input_length, consumed, output, output_length, produced);
    case FERRY_ZSTD:
        if (!coder->encodes) return decode_zstd(coder, input, input_length, consumed, output, output_length, produced);
        return encode_zstd(coder, step, input, input_length, consumed, output, output_length, produced);
    }
    return FERRY_CODER_ERROR;
}
