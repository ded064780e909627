// Ferry's own declarations of the libcurl functions it uses. They are looked up at run time in the libcurl that
// FoundationNetworking has loaded, or else in libcurl.so.4, so neither curl's headers nor a -dev package are needed.
#ifndef CFERRY_H
#define CFERRY_H

#ifndef __linux__
#error "Ferry supports Linux. On Apple's systems, use URLSession."
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: - Finding libcurl

/// Finds libcurl, once per process. Returns NULL on success, otherwise a sentence that names what was not found.
const char *ferry_load(void);

/// Makes a later call of `ferry_load` look libcurl's functions up with `find`, which simulates a network. See
/// `SystemClock` for the time.
void ferry_use_library(void *(*find)(const char *name));

/// libcurl's description of itself (`curl_version_info_data`), as libcurl 7.80 has it. The strings live as long as the
/// process.
typedef struct {
    int age;
    const char *version;
    unsigned int version_number;
    const char *host;
    int32_t features;
    const char *tls;
    long tls_number;
    const char *zlib;
    const char *const *protocols;
    const char *ares;
    int ares_number;
    const char *idn;
    int iconv_number;
    const char *ssh;
    unsigned int brotli_number;
    const char *brotli;
    unsigned int http2_number;
    const char *http2;
    const char *quic;
    /// The file and the folder where this libcurl looks for the system's certificate authorities, or NULL.
    const char *authority_file;
    const char *authority_folder;
} ferry_version;

/// Older versions of libcurl may fill only the fields up to `version_number`.
const ferry_version *ferry_version_info(void);

// MARK: - Callbacks

/// The address that a socket is opened for (`curl_sockaddr`).
typedef struct {
    int family;
    int type;
    int protocol;
} ferry_socket_address;

/// The callbacks of a transfer. Unless stated otherwise, `context` is the one given to `ferry_easy_set_callbacks`.
typedef struct {
    size_t (*write)(char *bytes, size_t size, size_t count, void *context);
    size_t (*header)(char *bytes, size_t size, size_t count, void *context);
    size_t (*read)(char *buffer, size_t size, size_t count, void *context);
    int (*seek)(void *context, int64_t offset, int origin);
    /// Opens a socket for a connection; returns -1 if the connection is refused or there is no socket.
    int (*open)(void *context, int purpose, ferry_socket_address *address);
    /// Closes a socket; `connections` is the object given to `ferry_easy_set_callbacks`.
    int (*close)(void *connections, int socket);
    /// Called at the end of a body in chunks, with a list for `ferry_add_trailer`; `context` is the one given to
    /// `ferry_easy_watch_trailers`. Returns 0 to continue, 1 to abort.
    int (*trailers)(void *list, void *context);
    /// Called when the connection is established, before the request is sent. Returns 0 to continue, 1 to abort.
    int (*prerequest)(void *context, char *remote, char *local, int remote_port, int local_port);
    /// Called when a name lookup starts. Returns 0 to continue.
    int (*resolve)(void *resolver, void *reserved, void *context);
    /// Called with lines of libcurl's verbose output; `context` is the one given to `ferry_easy_watch_text`.
    void (*text)(void *context, const char *text, size_t size);
    /// Called repeatedly during a transfer; `context` is the one given to `ferry_easy_watch_progress`. Returns 0 to go
    /// on, 1 to abort.
    int (*progress)(void *context, int64_t, int64_t, int64_t, int64_t);
    /// Called when a connection begins its TLS handshake, with OpenSSL's security level; `context` is the one given to
    /// `ferry_easy_watch_handshake`. Returns whether a certificate without a host in its subject alternative name is
    /// refused.
    bool (*handshake)(void *context, int security_level);
    /// Called for each certificate, in DER, of a chain that OpenSSL has refused: those that the server presented, then
    /// the one that caused the refusal. `owner` is the one given to `ferry_easy_watch_handshake`, and `easy` is the
    /// handle that opened the connection.
    void (*refused)(void *owner, void *easy, bool is_at_fault, const uint8_t *bytes, size_t length);
} ferry_callbacks;

/// Sets the callbacks of all transfers of the process. Call it once, before the first transfer is configured.
void ferry_install_callbacks(ferry_callbacks callbacks);

// MARK: - Easy handles

void *ferry_easy_init(void);
/// Frees a handle, unless the process ends.
void ferry_easy_cleanup(void *easy);
void ferry_easy_reset(void *easy);
int ferry_easy_pause(void *easy, int mask);
const char *ferry_easy_strerror(int code);
/// Makes libcurl call the callbacks for a handle; `connections` must outlive each connection that the handle opens.
void ferry_easy_set_callbacks(void *easy, void *context, void *connections);
int ferry_easy_set_long(void *easy, int option, long value);
int ferry_easy_set_offset(void *easy, int option, int64_t value);
int ferry_easy_set_pointer(void *easy, int option, const void *value);
/// Sets an option to bytes that the caller keeps alive for as long as the handle uses them.
int ferry_easy_set_blob(void *easy, int option, const void *bytes, size_t length);
/// Makes libcurl call `trailers` with `context`.
void ferry_easy_watch_trailers(void *easy, void *context);
/// Adds a line such as "Name: value" to the trailers. Returns false if there is no memory.
bool ferry_add_trailer(void *list, const char *line);
/// Makes libcurl call `text` for lines that may be about streams of HTTP/2.
void ferry_easy_watch_text(void *easy, void *context);
/// Makes libcurl call `progress`, even while it discards bytes internally.
void ferry_easy_watch_progress(void *easy, void *context);
int ferry_easy_get_long(void *easy, int info, long *value);
int ferry_easy_get_offset(void *easy, int info, int64_t *value);
int ferry_easy_get_string(void *easy, int info, const char **value);

/// Returns the number of certificates that the server has presented to this handle: 0 on a connection that another
/// handle opened.
int ferry_easy_certificate_count(void *easy);
/// Returns a field of a certificate, such as "Cert" for its PEM text or "Subject", or NULL if there is none. It belongs
/// to libcurl.
const char *ferry_easy_certificate_field(void *easy, int index, const char *name);

/// Makes libcurl call `handshake` when a handshake begins, and OpenSSL report a refused chain to `refused`, which
/// libcurl does not expose. `owner` must outlive every connection. Returns false if libcurl does not use OpenSSL.
bool ferry_easy_watch_handshake(void *easy, void *owner, void *context);

/// A line of a list of libcurl's (`struct curl_slist`).
typedef struct ferry_list_node {
    char *data;
    struct ferry_list_node *next;
} ferry_list_node;

/// Returns the number of bytes that the TLS library has read from the connection and not yet given to libcurl, or 0 if
/// that is unknown. Call it only for a handle that has a connection.
int ferry_easy_tls_pending(void *easy);

/// Whether the TLS handshake of the handle's connection has chosen HTTP/2; false if libcurl does not use OpenSSL.
bool ferry_easy_has_chosen_http2(void *easy);

// MARK: - Sockets

enum { FERRY_ADDRESS_SIZE = 46 };

/// Returns the local or remote port of an IP socket, and writes the address as text. Returns 0 if it has no local port
/// yet, -1 if it is not connected to a remote one, and -1 for other sockets.
int ferry_socket_port(int descriptor, bool is_remote, char text[FERRY_ADDRESS_SIZE]);

/// Returns the number of bytes that a TCP connection has received, or -1 if that is unknown.
int64_t ferry_socket_received(int descriptor);

/// Whether a TCP connection has sent something again without an acknowledgement: the request for the connection at
/// least once, or data or probes at least twice.
bool ferry_socket_is_unanswered(int descriptor);

/// Returns the number of bytes that the peer of a TCP connection has acknowledged, or -1 if that is unknown; and how
/// long ago its last acknowledgement of data came, in milliseconds, and how many bytes it has not acknowledged.
int64_t ferry_socket_acknowledged(int descriptor, uint32_t *milliseconds, int *waiting);

// MARK: - Watching sockets

/// The sockets that a multi handle waits for, and a descriptor by which any thread ends the wait.
///
/// The system keeps the set (`epoll`), so that a wait takes the same time however many sockets there are. Only the
/// thread that has the engine uses it, unless stated otherwise.
typedef struct ferry_socket_watch ferry_socket_watch;

/// Returns a watch without sockets, or NULL, with `errno`, if there is no memory or no descriptor for it.
ferry_socket_watch *ferry_watch_create(void);
void ferry_watch_free(ferry_socket_watch *watch);

/// Returns the descriptor of the set, which is readable when a wait would end.
int ferry_watch_descriptor(const ferry_socket_watch *watch);

/// The function by which libcurl reports that it waits for something else of a socket; see `CURLMOPT_SOCKETFUNCTION`.
int ferry_watch_change(void *easy, int socket, int what, void *watch, void *unused);

/// Whether libcurl waits for anything of a socket.
bool ferry_watch_waits_for(const ferry_socket_watch *watch, int socket);

/// Makes `ferry_watch_next_quiet` return a socket, once, when libcurl waits for nothing of it any more.
void ferry_watch_mark(ferry_socket_watch *watch, int socket);
/// Returns the next marked socket that libcurl has stopped waiting for, which may be closed already, or -1 for none.
int ferry_watch_next_quiet(ferry_socket_watch *watch);

/// Whether the system did not allow a socket to be watched, so that all transfers must be examined often.
bool ferry_watch_is_incomplete(const ferry_socket_watch *watch);

/// Waits for the sockets and for `ferry_watch_wake`, without a limit if the timeout is -1. Returns whether anything but
/// the time has ended the wait.
bool ferry_watch_wait(ferry_socket_watch *watch, int timeout_milliseconds);

/// Sets the next socket that the last wait has found, and returns what it is ready for; 0 if there is no other.
int ferry_watch_next(ferry_socket_watch *watch, int *socket);

/// Waits like `ferry_watch_wait`, but changes nothing, so that another thread may have the engine.
bool ferry_watch_listen(const ferry_socket_watch *watch, int timeout_milliseconds);

/// Waits like `ferry_watch_listen`, for the thread that has the engine; a socket that the last wait has reported as
/// only writable ends the wait only when it is readable.
bool ferry_watch_listen_for_input(ferry_socket_watch *watch, int timeout_milliseconds);

/// Waits only for `ferry_watch_wake`; another thread may have the engine.
bool ferry_watch_sleep(const ferry_socket_watch *watch, int timeout_milliseconds);

/// Ends the wait of the engine's thread, from any thread.
void ferry_watch_wake(const ferry_socket_watch *watch);

// MARK: - Multi handles

/// Returns a new multi handle.
///
/// A program started by a bare `posix_spawn` or `fork` may inherit the socket pair by which libcurl wakes it, and those
/// of name lookups; Foundation's `Process` closes all descriptors but the standard ones. Connections are never
/// inherited.
void *ferry_multi_init(void);
/// Closes the connections of a handle and frees it, unless the process ends.
void ferry_multi_cleanup(void *multi);
int ferry_multi_set_long(void *multi, int option, long value);
int ferry_multi_add(void *multi, void *easy);
int ferry_multi_remove(void *multi, void *easy);
/// Makes libcurl report to a watch which sockets it waits for. The watch must outlive the handle.
int ferry_multi_watch(void *multi, ferry_socket_watch *watch);

/// Continues the transfers whose sockets `ferry_watch_wait` has found ready, and those whose timers have ended; or all
/// transfers.
void ferry_multi_perform(void *multi, ferry_socket_watch *watch, bool examines_all);

/// Like `ferry_multi_perform`, for use on a caller's thread: discards the `SIGPIPE` that older TLS connections may
/// raise.
void ferry_multi_perform_quietly(void *multi, ferry_socket_watch *watch);

/// Returns the milliseconds until the next of libcurl's timers ends, or -1 if there is none.
int64_t ferry_multi_timeout(void *multi);

/// Removes one finished transfer from the queue. Returns false if there is none.
bool ferry_multi_next_finished(void *multi, void **easy, int *code);

// MARK: - Cookies

/// Returns whether the list of public suffixes lets a host set a cookie for a domain: 1 yes, 0 no, -1 without a list.
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

/// Verifies that a chain, the server's own certificate first, leads to one of the anchors and is valid for a TLS server
/// (RFC 5280, section 6.1). `bytes` has the chain's certificates in DER one after another, then the anchors'.
///
/// Returns FERRY_PATH_GOOD, one of the failures above, or one of OpenSSL's `X509_V_ERR_` numbers. `date` is in seconds
/// since 1970. The keys and signatures must be as strong as OpenSSL's security level demands of them in a handshake.
int ferry_path_verify(
    const uint8_t *bytes, const size_t *lengths, size_t chain_count, size_t anchor_count, bool checks_dates,
    int64_t date, int security_level);

/// Whether a certificate says that it is an authority's (RFC 5280, section 4.2.1.9) and, with `is_self_signed`, is
/// signed with its own key by a signature that is strong enough for OpenSSL's security level.
bool ferry_certificate_is_authority(
    const uint8_t *bytes, size_t length, bool is_self_signed, int security_level);

// MARK: - The system

/// Reserves space for a range of bytes of a file, where its file system can; the size of the file does not change.
void ferry_reserve(int file, int64_t offset, int64_t count);

/// Makes a file in memory with the given bytes. Returns its descriptor, or -1 if the system cannot make it.
int ferry_memory_file(const void *bytes, size_t count);

/// Names the calling thread. The name has at most 15 bytes.
void ferry_name_thread(const char *name);

/// Returns the label of the dispatch queue that runs the current code, or an empty string if there is none.
const char *ferry_current_queue_label(void);

// MARK: - Content codings

/// The content codings of RFC 9110 section 8.4.1, Zstandard (RFC 8878), and deflate without a header (RFC 1951), as in
/// the messages of WebSockets (RFC 7692).
typedef enum {
    FERRY_GZIP = 0,
    FERRY_DEFLATE = 1,
    FERRY_BROTLI = 2,
    FERRY_ZSTD = 3,
    FERRY_RAW_DEFLATE = 4
} ferry_coding;

/// What an encoder does with its input; a decoder does the same in each step.
typedef enum {
    FERRY_CODER_CONTINUE = 0,
    /// All of the input so far can be decoded afterwards.
    FERRY_CODER_FLUSH = 1,
    /// The coding is complete afterwards.
    FERRY_CODER_FINISH = 2
} ferry_coder_step;

typedef enum {
    /// There is input left, or more output than has fit, or a decoder needs more input.
    FERRY_CODER_MORE = 0,
    /// An encoder's step is done, or the end of what a decoder has read may be the end of the coding.
    FERRY_CODER_END = 1,
    FERRY_CODER_ERROR = 2
} ferry_coder_status;

/// An encoder or a decoder.
typedef struct ferry_coder ferry_coder;

/// Whether there is an encoder or a decoder for the coding. Its library is the one that the process has loaded, or else
/// is loaded by name. There is no encoder for Brotli.
bool ferry_coder_available(ferry_coding coding, bool encodes);
/// Returns an encoder with the library's usual level, or a decoder; NULL if there is no memory or no library. zlib's
/// window has 2^9 to 2^15 bytes; what it encodes needs a window of this size.
ferry_coder *ferry_coder_create(ferry_coding coding, bool encodes, int window_bits);
void ferry_coder_free(ferry_coder *coder);
/// Codes as much as fits, of at most 2^31 bytes. `consumed` and `produced` are set to the number of bytes read and
/// written.
ferry_coder_status ferry_coder_run(
    ferry_coder *coder, ferry_coder_step step, const uint8_t *input, size_t input_length, size_t *consumed,
    uint8_t *output, size_t output_length, size_t *produced);

#endif
