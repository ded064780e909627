// The lower bound: the same work with libcurl's multi interface alone, in C. Handles are reused, and configured again
// for each request, as by any client whose requests differ. Buffers are large for large bodies (512 KiB down, 1 MiB
// up), and libcurl's defaults for small ones. Options and output are those of the Swift clients.
#include <curl/curl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum work { REQUESTS, DISCARD, DOWNLOAD, UPLOAD, UPLOAD_DATA, IDLE };

static struct {
    enum work work;
    const char *url, *file, *authority;
    long count, in_flight, bytes, warm_up, connections;
} order;

// A handle and the exchange it performs.
struct transfer {
    CURL *easy;
    long received;   // bytes of the response
    long sent;       // bytes of the request
    char *body;     // the response, if it is collected
    size_t capacity;
    char answer[32]; // the response to an upload
    int file;
};

static const char *body;

static void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static double cpu(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

// Returns a number of kilobytes or a count from /proc/self/status.
static long status(const char *name) {
    FILE *file = fopen("/proc/self/status", "r");
    if (!file) return 0;
    char line[256];
    long value = 0;
    size_t length = strlen(name);
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, name, length) && line[length] == ':') value = atol(line + length + 1);
    fclose(file);
    return value;
}

// MARK: - Bodies

static size_t received(char *bytes, size_t size, size_t count, void *context) {
    struct transfer *transfer = context;
    size_t length = size * count;
    if (order.work == DOWNLOAD) {
        for (size_t done = 0; done < length;) {
            ssize_t written = write(transfer->file, bytes + done, length - done);
            if (written <= 0) return 0;
            done += written;
        }
    } else if (order.work == UPLOAD || order.work == UPLOAD_DATA) {
        if (transfer->received + length < sizeof transfer->answer)
            memcpy(transfer->answer + transfer->received, bytes, length);
    } else if (order.work == REQUESTS) {
        if (transfer->received + length > transfer->capacity) {
            transfer->capacity = (transfer->received + length) * 2;
            transfer->body = realloc(transfer->body, transfer->capacity);
            if (!transfer->body) return 0;
        }
        memcpy(transfer->body + transfer->received, bytes, length);
    }
    transfer->received += length;
    return length;
}

static size_t wanted(char *buffer, size_t size, size_t count, void *context) {
    struct transfer *transfer = context;
    size_t length = size * count;
    if (order.work == UPLOAD) {
        ssize_t got = pread(transfer->file, buffer, length, transfer->sent);
        if (got < 0) return CURL_READFUNC_ABORT;
        transfer->sent += got;
        return got;
    }
    if ((long)length > order.bytes - transfer->sent) length = order.bytes - transfer->sent;
    memcpy(buffer, body + transfer->sent, length);
    transfer->sent += length;
    return length;
}

static int rewound(void *context, curl_off_t offset, int origin) {
    struct transfer *transfer = context;
    if (origin != SEEK_SET) return CURL_SEEKFUNC_FAIL;
    transfer->sent = offset;
    return CURL_SEEKFUNC_OK;
}

// MARK: - Transfers

static void configure(struct transfer *transfer) {
    CURL *easy = transfer->easy;
    curl_easy_reset(easy);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_URL, order.url);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, received);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    // Busy connections must not be waited for.
    if (order.work != IDLE) curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    if (order.authority) curl_easy_setopt(easy, CURLOPT_CAINFO, order.authority);
    if (order.work == DOWNLOAD || order.work == DISCARD) curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 524288L);
    if (order.work == UPLOAD || order.work == UPLOAD_DATA) {
        curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, 1048576L);
        curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)order.bytes);
        curl_easy_setopt(easy, CURLOPT_READFUNCTION, wanted);
        curl_easy_setopt(easy, CURLOPT_READDATA, transfer);
        curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, rewound);
        curl_easy_setopt(easy, CURLOPT_SEEKDATA, transfer);
    }
}

static void begin(CURLM *multi, struct transfer *transfer) {
    configure(transfer);
    transfer->received = transfer->sent = 0;
    memset(transfer->answer, 0, sizeof transfer->answer);
    if (order.work == DOWNLOAD && ftruncate(transfer->file, 0) == 0) lseek(transfer->file, 0, SEEK_SET);
    if (curl_multi_add_handle(multi, transfer->easy)) fail("libcurl", "the request could not be added");
}

static void check(struct transfer *transfer, CURLcode code) {
    char text[128];
    if (code) fail("libcurl", curl_easy_strerror(code));
    long status = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    snprintf(text, sizeof text, "status %ld, %ld bytes, answer %s", status, transfer->received, transfer->answer);
    int is_upload = order.work == UPLOAD || order.work == UPLOAD_DATA;
    long bytes = is_upload ? atol(transfer->answer) : transfer->received;
    if (status != 200 || bytes != order.bytes) fail("the server's response is wrong", text);
}

static long threads;

static void run(CURLM *multi, struct transfer *transfers, long total) {
    long started = 0, completed = 0;
    for (; started < total && started < order.in_flight; started++) begin(multi, &transfers[started]);
    while (completed < total) {
        int running = 0, left = 0;
        if (curl_multi_perform(multi, &running)) fail("libcurl", "curl_multi_perform failed");
        int ended = 0;
        for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
            if (message->msg != CURLMSG_DONE) continue;
            struct transfer *transfer = NULL;
            CURLcode code = message->data.result;
            CURL *easy = message->easy_handle;
            curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
            check(transfer, code);
            curl_multi_remove_handle(multi, easy);
            ended = 1;
            if (++completed % (total / 4 + 1) == 0) threads = status("Threads");
            if (started < total) {
                begin(multi, transfer);
                started++;
            }
        }
        if (!ended && completed < total) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
}

// Opens connections that each get one byte and no end, and returns the growth of memory for each connection.
static double idle_memory(CURLM *multi, struct transfer *transfers) {
    long before = status("VmRSS"), open = 0;
    for (long index = 0; index < order.in_flight; index++) begin(multi, &transfers[index]);
    while (open < order.in_flight) {
        int running = 0;
        if (curl_multi_perform(multi, &running)) fail("libcurl", "curl_multi_perform failed");
        if (running < order.in_flight) fail("libcurl", "a connection has ended");
        open = 0;
        for (long index = 0; index < order.in_flight; index++) open += transfers[index].received > 0;
        if (open < order.in_flight) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    return (status("VmRSS") - before) * 1024.0 / order.in_flight;
}

// MARK: - The command line

static long number(const char *name, const char *value) {
    char *end;
    long result = strtol(value, &end, 10);
    if (*end || result < 0) fail(name, "not a number");
    return result;
}

static void read_order(int count, char **words) {
    order.count = order.in_flight = 1;
    for (int index = 1; index + 1 < count; index += 2) {
        const char *name = words[index], *value = words[index + 1];
        if (!strcmp(name, "--work")) {
            if (!strcmp(value, "requests")) order.work = REQUESTS;
            else if (!strcmp(value, "discard")) order.work = DISCARD;
            else if (!strcmp(value, "download")) order.work = DOWNLOAD;
            else if (!strcmp(value, "upload")) order.work = UPLOAD;
            else if (!strcmp(value, "upload-data")) order.work = UPLOAD_DATA;
            else if (!strcmp(value, "idle")) order.work = IDLE;
            else fail(value, "the libcurl client does not support this work");
        } else if (!strcmp(name, "--url")) order.url = value;
        else if (!strcmp(name, "--file")) order.file = value;
        else if (!strcmp(name, "--authority")) order.authority = value;
        else if (!strcmp(name, "--count")) order.count = number(name, value);
        else if (!strcmp(name, "--in-flight")) order.in_flight = number(name, value);
        else if (!strcmp(name, "--bytes")) order.bytes = number(name, value);
        else if (!strcmp(name, "--warm-up")) order.warm_up = number(name, value);
        else if (!strcmp(name, "--connections")) order.connections = number(name, value);
        else if (strcmp(name, "--face")) fail(name, "no such option");
    }
    if (!order.url) fail("--url", "missing");
    if ((order.work == DOWNLOAD || order.work == UPLOAD) && !order.file) fail("--file", "missing");
}

int main(int argument_count, char **arguments) {
    read_order(argument_count, arguments);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *multi = curl_multi_init();
    struct transfer *transfers = calloc(order.in_flight, sizeof *transfers);
    if (!multi || !transfers) fail("libcurl", "no memory");
    curl_multi_setopt(multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    if (order.connections) {
        curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, order.connections);
        curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, order.connections);
    }
    if (order.work == UPLOAD_DATA) {
        char *bytes = malloc(order.bytes);
        if (!bytes) fail("the body", "no memory");
        // Zeroed pages that were never written are all the same page, which is always in the processor's cache.
        body = memset(bytes, 'a', order.bytes);
    }
    for (long index = 0; index < order.in_flight; index++) {
        struct transfer *transfer = &transfers[index];
        if (order.work == DOWNLOAD) transfer->file = open(order.file, O_RDWR | O_CREAT | O_TRUNC, 0600);
        if (order.work == UPLOAD) transfer->file = open(order.file, O_RDONLY);
        if (transfer->file < 0) fail(order.file, "cannot be opened");
        if (!(transfer->easy = curl_easy_init())) fail("libcurl", "no memory");
    }
    run(multi, transfers, order.warm_up);
    long start_memory = status("VmRSS");
    double wall = now(), processor = cpu();
    double idle = 0;
    if (order.work == IDLE) idle = idle_memory(multi, transfers);
    else run(multi, transfers, order.count);
    wall = now() - wall;
    processor = cpu() - processor;
    long seen = status("Threads");
    printf("{\"count\":%ld,\"wall\":%.9f,\"cpu\":%.9f,\"peakMemory\":%ld,\"startMemory\":%ld,"
           "\"fileMemory\":%ld,\"threads\":%ld,\"extras\":{",
           order.count, wall, processor, status("VmHWM") * 1024, start_memory * 1024, status("RssFile") * 1024,
           seen > threads ? seen : threads);
    if (order.work == IDLE) printf("\"memoryPerTask\":%.0f", idle);
    printf("}}\n");
    return 0;
}
