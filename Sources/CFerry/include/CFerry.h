// Ferry's own declarations of the libcurl functions it uses. They are found at run time in the libcurl
// that FoundationNetworking has loaded, so that neither curl's headers nor a -dev package are needed.
#ifndef CFERRY_H
#define CFERRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: - Finding libcurl

/// Finds libcurl once per process. Returns NULL on success, else a sentence that names what was looked for.
const char *ferry_load(void);

/// What `curl_version_info` tells, in a layout of Ferry's own. Strings live as long as the process.
typedef struct {
    const char *version;
    uint32_t version_number;
    int32_t features;
    const char *tls;
    const char *zlib;
    const char *brotli;
    const char *zstd;
    const char *http2;
    /// Where this libcurl looks for the system's certificate authorities: a file and a folder, or NULL.
    const char *authority_file;
    const char *authority_folder;
} ferry_version;

ferry_version ferry_version_info(void);

// MARK: - Callbacks

/// Every callback a transfer has; `context` is the one given to `ferry_easy_set_callbacks`.
typedef struct {
    size_t (*write)(char *bytes, size_t size, size_t count, void *context);
    size_t (*header)(char *bytes, size_t size, size_t count, void *context);
    size_t (*read)(char *buffer, size_t size, size_t count, void *context);
    int (*seek)(void *context, int64_t offset, int origin);
    /// Answers 0 to refuse the connection.
    int (*may_connect)(void *context);
    /// The connection stands; the request is sent after it. Answers 0 to go on, 1 to abort.
    int (*prerequest)(void *context, char *remote, char *local, int remote_port, int local_port);
    /// A name look-up starts. Answers 0 to go on.
    int (*resolve)(void *resolver, void *reserved, void *context);
    /// A socket has been opened for a connection of the transfer.
    void (*opened)(void *context, int descriptor);
    /// A socket is about to be closed; `context` is the one given to `ferry_easy_watch_closing`.
    void (*closed)(void *context, int descriptor);
    /// Called again and again while a transfer goes on; `context` is the one given to `ferry_easy_watch_progress`.
    /// Returns 0 to go on, 1 to abort.
    int (*progress)(void *context);
    /// A connection stands, and its TLS handshake begins; `context` is the one given to `ferry_easy_watch_handshake`.
    void (*handshake)(void *context);
    /// A certificate, in DER, of a chain that OpenSSL has refused: those that the server presented, then the one at fault.
    /// `owner` is the one given to `ferry_easy_watch_handshake`, and `easy` the handle that opened the connection.
    void (*refused)(void *owner, void *easy, bool is_at_fault, const uint8_t *bytes, size_t length);
} ferry_callbacks;

/// Sets the callbacks of every transfer of the process: once, before the first transfer is configured.
void ferry_install_callbacks(ferry_callbacks callbacks);

// MARK: - Easy handles

void *ferry_easy_init(void);
void ferry_easy_cleanup(void *easy);
void ferry_easy_reset(void *easy);
int ferry_easy_pause(void *easy, int mask);
const char *ferry_easy_strerror(int code);
int ferry_easy_set_callbacks(void *easy, void *context);
int ferry_easy_set_long(void *easy, int option, long value);
int ferry_easy_set_offset(void *easy, int option, int64_t value);
int ferry_easy_set_string(void *easy, int option, const char *value);
int ferry_easy_set_pointer(void *easy, int option, void *value);
/// Sets an option to bytes that the caller keeps alive for as long as the handle uses them.
int ferry_easy_set_blob(void *easy, int option, const void *bytes, size_t length);
/// Has `closed` called for each connection that this handle opens; the connection may outlive the handle.
int ferry_easy_watch_closing(void *easy, void *context);
/// Has `progress` called, also where libcurl discards bytes by itself.
int ferry_easy_watch_progress(void *easy, void *context);
int ferry_easy_get_long(void *easy, int info, long *value);
/// The socket of the connection that a transfer which is over has used; -1 where it is closed.
int ferry_easy_get_socket(void *easy);
int ferry_easy_get_offset(void *easy, int info, int64_t *value);
int ferry_easy_get_string(void *easy, int info, const char **value);

/// How many certificates the server has shown to this handle: none on a connection that another handle opened.
int ferry_easy_certificate_count(void *easy);
/// A field of a certificate, such as "Cert" for its PEM text or "Subject"; NULL where there is none. It belongs to libcurl.
const char *ferry_easy_certificate_field(void *easy, int index, const char *name);

/// Has `handshake` called when one begins, and `refused` for a chain that OpenSSL refuses, which libcurl shows to nobody.
/// The verdict stays OpenSSL's. `owner` outlives every connection. Answers false where libcurl has no OpenSSL.
bool ferry_easy_watch_handshake(void *easy, void *owner, void *context);

void *ferry_slist_append(void *list, const char *string);
void ferry_slist_free(void *list);

/// How many bytes the TLS library has read from the connection and not given to libcurl; 0 where that cannot be told.
/// Only for a handle that has a connection.
int ferry_easy_tls_pending(void *easy);

// MARK: - Sockets

enum { FERRY_ADDRESS_SIZE = 46 };

/// The local port of an IP socket, and its address as text; 0 for one that has no port yet, -1 for other sockets.
int ferry_socket_local_port(int descriptor, char text[FERRY_ADDRESS_SIZE]);

/// Whether bytes, the end or an error wait to be read.
bool ferry_socket_has_input(int descriptor);

/// Ends both directions, so that everything that uses the socket fails.
void ferry_socket_end(int descriptor);

/// How many bytes the peer of a TCP connection has acknowledged; -1 where that cannot be told.
int64_t ferry_socket_acknowledged(int descriptor);

// MARK: - Multi handles

/// A new multi handle, whose own descriptors are not inherited by child processes.
void *ferry_multi_init(void);

/// The number that the next descriptor gets if no other thread opens or closes one; -1 where there is none left.
int ferry_lowest_free_descriptor(void);

/// Keeps the descriptors of a multi handle of FoundationNetworking's from child processes, where it is of the same
/// libcurl. `lowest` was the lowest free descriptor before it was made; it has no transfers, and nobody uses it meanwhile.
void ferry_multi_close_on_exec(void *multi, int lowest);

int ferry_multi_cleanup(void *multi);
int ferry_multi_set_long(void *multi, int option, long value);
int ferry_multi_add(void *multi, void *easy);
int ferry_multi_remove(void *multi, void *easy);
int ferry_multi_perform(void *multi, int *running);

/// The same on a thread of somebody else's: no `SIGPIPE` is left behind, which older TLS connections may raise.
int ferry_multi_perform_quietly(void *multi, int *running);

/// Waits for `ferry_multi_wake` with this descriptor or, unless it is -1, until there is something to read from a socket.
///
/// A time-out of -1 is none. True says that it was the socket, or that it could not be waited for.
bool ferry_wait(int wake_descriptor, int socket, int timeout_milliseconds);

/// Whether libcurl waits for bytes from this socket and for nothing else until so many milliseconds have passed.
bool ferry_multi_waits_only_for(void *multi, int socket, int milliseconds);

/// Waits for the handle's connections, and for `ferry_multi_wake` with the same descriptor.
///
/// False says that time has passed, and nothing else.
bool ferry_multi_poll(void *multi, int wake_descriptor, int timeout_milliseconds);

/// Ends a wait, from any thread. Without a descriptor, -1, it takes libcurl's own way, which costs more.
void ferry_multi_wake(void *multi, int wake_descriptor);

/// A descriptor to wake with, or -1 where there is none to be had; `close` ends it.
int ferry_open_wake_descriptor(void);
/// Takes one finished transfer. Returns false when there is none.
bool ferry_multi_next_finished(void *multi, void **easy, int *code);

// MARK: - Cookies

/// Whether a host may set a cookie for a domain by the list of public suffixes: 1 yes, 0 no, -1 where there is no list.
int ferry_cookie_domain_acceptable(const char *host, const char *domain);

// MARK: - Certificates

enum {
    FERRY_PATH_GOOD = 0,
    /// The process has no OpenSSL.
    FERRY_PATH_UNAVAILABLE = -1,
    /// One of the certificates cannot be read, or there are too many.
    FERRY_PATH_UNREADABLE = -2,
    FERRY_PATH_LONGEST = 64
};

/// Whether the process has an OpenSSL to follow paths with: the one that libcurl has loaded.
bool ferry_path_available(void);

/// Whether a chain, the server's own certificate first, leads to one of the anchors for a TLS server (RFC 5280, section
/// 6.1). `bytes` has the chain's certificates in DER one after another, and then the anchors'.
///
/// Answers FERRY_PATH_GOOD, one of the failures above, or the number of OpenSSL's `X509_V_ERR_`. `date` is in seconds
/// since 1970.
int ferry_path_verify(
    const uint8_t *bytes, const size_t *lengths, size_t chain_count, size_t anchor_count, bool checks_dates,
    int64_t date);

// MARK: - Threads

/// Blocks SIGPIPE for the calling thread: CURLOPT_NOSIGNAL keeps libcurl from doing it.
void ferry_block_sigpipe(void);

/// Names the calling thread; the name has 15 bytes at most.
void ferry_name_thread(const char *name);

/// The label of the dispatch queue that runs the current code; empty for none, or for a queue without one.
const char *ferry_current_queue_label(void);

// MARK: - Content decoding

/// The content codings of RFC 9110 section 8.4.1, and Zstandard (RFC 8878).
typedef enum { FERRY_GZIP = 0, FERRY_DEFLATE = 1, FERRY_BROTLI = 2, FERRY_ZSTD = 3 } ferry_coding;

typedef enum { FERRY_DECODE_MORE = 0, FERRY_DECODE_END = 1, FERRY_DECODE_ERROR = 2 } ferry_decode_status;

typedef struct ferry_decoder ferry_decoder;

/// Whether this process has a decoder for the coding: the libraries are those that libcurl has loaded.
bool ferry_decoder_available(ferry_coding coding);
ferry_decoder *ferry_decoder_create(ferry_coding coding);
void ferry_decoder_free(ferry_decoder *decoder);
/// Decodes as much as fits. `consumed` and `produced` say how far it came.
ferry_decode_status ferry_decoder_run(
    ferry_decoder *decoder, const uint8_t *input, size_t input_length, size_t *consumed,
    uint8_t *output, size_t output_length, size_t *produced);

#endif
