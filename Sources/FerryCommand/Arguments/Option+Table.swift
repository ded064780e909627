extension Option {
    private struct Entry {
        let short: Character?
        let valueName: String?
        let group: Group
        let help: String
    }

    /// The letter of the short name, if there is one.
    var short: Character? { Self.entries[self]?.short }
    /// The name of the option's value in the help text; `nil` for an option without a value.
    var valueName: String? { Self.entries[self]?.valueName }
    var group: Group? { Self.entries[self]?.group }
    /// The description of the option in the help text and the manual.
    var help: String { Self.entries[self]?.help ?? "" }

    private static let entries: [Option: Entry] = {
        var entries: [Option: Entry] = [:]
        var group = Group.request
        for line in table.split(separator: "\n") {
            if let next = Group(rawValue: String(line)) { group = next }
            guard let mark = line.firstRange(of: "  ") else { continue }
            var names = line[..<mark.lowerBound]
            let short = names.hasPrefix("--") ? nil : names.dropFirst().first
            if short != nil { names = names.dropFirst("-x, ".count) }
            let words = names.dropFirst("--".count).split(separator: " ", maxSplits: 1).map(String.init)
            guard let option = words.first.flatMap(Option.init(rawValue:)) else { continue }
            let (value, help) = (words.count > 1 ? words[1] : nil, String(line[mark.upperBound...]))
            entries[option] = Entry(short: short, valueName: value, group: group, help: help)
        }
        return entries
    }()

    /// The groups with their options: the names, the name of the value and, after two blanks, the description.
    private static let table = """
        Requests
        --url URL  transfer this URL, which may also be written without the option
        -X, --request METHOD  the request method; by default GET, or POST with -d, --json, -F or items, PUT with -T, \
        HEAD with -I
        -H, --header 'NAME: VALUE'  add a header field, or replace a default one; may be repeated; 'NAME:' leaves a \
        field out, and 'NAME;' sends it empty
        -A, --user-agent TEXT  send this User-Agent; none if TEXT is empty
        -e, --referer URL  send this Referer; with ;auto at its end, also the previous URL after a redirect
        -r, --range RANGE  request only this part, such as 0-499, 500- or -500
        --compressed  ask for a compressed body also where it goes to a file, which is decoded
        -d, --data DATA|@FILE  send DATA, or the contents of FILE without line breaks (- for standard input), as the \
        body; several values are joined with &
        --data-raw DATA  like -d, but an @ has no meaning
        --data-binary DATA|@FILE  like -d, but the contents of FILE are sent unchanged
        --data-urlencode DATA  like -d, percent-encoded: TEXT, =TEXT, NAME=TEXT, @FILE or NAME@FILE; names are sent \
        as they are
        -G, --get  append the data of -d to the URL as a query, and send no body
        --json DATA|@FILE  like --data-binary, with Content-Type and Accept set to application/json; several values \
        are concatenated
        -F, --form NAME=VALUE  add a part to a multipart form: NAME=TEXT, NAME=@FILE to send a file, or NAME=<FILE to \
        send a file's contents as text (- for standard input); each may be followed by ;type=TYPE and ;filename=NAME
        --as-form  send the items key=value as a form, not as JSON
        -T, --upload-file FILE  send FILE as the body (- for standard input); its name is appended to a URL that ends \
        in /
        -I, --head  request only the response head, and write it
        -z, --time-cond DATE|FILE  request the body only if it has changed after DATE, or after FILE was changed; \
        with a hyphen in front of either, only if it has not
        -u, --user NAME:PASSWORD  send this name and password with HTTP Basic, only to the origin of the URL
        --digest  send the name and password of -u only with HTTP Digest, if the server asks
        --oauth2-bearer TOKEN  send this token with the Bearer scheme, only to the origin of the URL
        -n, --netrc  send the name and password that ~/.netrc has for the host, as with -u
        --netrc-file FILE  like --netrc, with FILE instead of ~/.netrc
        -b, --cookie NAME=VALUE|FILE  send these cookies to the origin of the URL, or those of a Netscape cookie FILE \
        to their hosts; a value without = is a FILE
        -c, --cookie-jar FILE  at the end, write all cookies to FILE (- for standard output)
        Where the body goes
        -o, --output FILE  write to FILE (- for standard output); the n-th -o or -O belongs to the n-th URL
        -O, --remote-name  write to a file with the name the server suggests, or the last part of the URL
        -J, --remote-header-name  with -O, use the name that the server suggests (the default)
        -R, --remote-time  give a file the time of the response's Last-Modified
        --output-dir FOLDER  write the files of -o and -O to this folder
        --create-dirs  create the missing folders of output files
        -C, --continue  continue the FILE.part that an interrupted run left
        --connections COUNT  fetch a file over up to COUNT connections at a time, and continue what an interrupted \
        run left
        --mirror URL  also fetch parts of the file from this URL; may be repeated
        --checksum sha-256=HEX  check the file's SHA-256 or SHA-512 (sha-512=HEX) before it gets its name; another \
        one is status 1
        -N, --no-buffer  write the body as it arrives (the default)
        --sse  write the data of each server-sent event and a line feed as it comes, and open the stream again when \
        it ends, until a 204; --retry says how often in a row
        --lines  write the body line by line as it comes, each with a line feed
        -i, --include  write the response head before the body
        -D, --dump-header FILE  write the heads of redirects and responses to FILE (- for standard output)
        -f, --fail  do not write the body of an HTTP error to standard output
        --fail-with-body  write the body of an HTTP error also to a file
        Redirects, timeouts and connections
        -L, --location  follow redirects (the default)
        --no-redirect  do not follow redirects: a redirect is the response
        --max-redirs COUNT  follow at most COUNT redirects; 20 by default, -1 for no limit
        --timeout SECONDS  give up when no byte has moved for SECONDS; 60 by default, 0 for no limit
        -m, --max-time SECONDS  give up when a transfer has taken SECONDS in total, retries included, without the \
        time in which the output is not read
        --connect-timeout SECONDS  give up connecting after SECONDS
        --deadline SECONDS  give up SECONDS after the start of a transfer, whatever it waits for
        --cacert FILE  trust the certificate authorities in this PEM file instead of the system's
        -k, --insecure  accept any certificate: everyone on the way can read and change everything
        --pin sha256//BASE64  accept only servers whose own public key has this SHA-256 hash; may be repeated, for \
        example for the next key
        -E, --cert FILE[:PASSPHRASE]  present this client certificate, in PEM or in PKCS#12 (*.p12, *.pfx), to the \
        origin of the URL; a colon in FILE is written as \\:
        --key FILE  the private key of --cert, in PEM; by default in the file of the certificate
        -x, --proxy URL  use this proxy (http, https, socks4, socks4a, socks5, socks5h); by default the environment's
        --resolve HOST:PORT:ADDRESS  connect to this numeric address for a host and port, instead of looking it up; \
        several ones are separated by commas; may be repeated
        --doh-url URL  look names up with this resolver over HTTPS (RFC 8484), not with the system's; its own name is \
        looked up by the system, unless --resolve has it
        -4, --ipv4  connect only to IPv4 addresses
        -6, --ipv6  connect only to IPv6 addresses
        --interface NAME|ADDRESS  connect from this network interface, or from this address of this machine
        --http1.1  use HTTP/1.1 also over TLS
        --http2  use HTTP/2 over TLS where the server has it (the default)
        --http2-prior-knowledge  use HTTP/2, also without TLS, and nothing else
        --http3  try HTTP/3 over TLS first; fails if this libcurl lacks it
        --http3-only  use HTTP/3 and nothing else; fails if this libcurl lacks it
        --unix-socket PATH  connect to this Unix-domain socket instead of the host of the URL
        --limit-rate RATE  receive, and send, at most RATE bytes per second in all transfers together, such as 500k \
        or 2M
        --ping SECONDS  with ferry ws, send a ping each SECONDS, and end if it is not answered before the next one
        --binary  with ferry ws, send what is read as binary messages, and write those unchanged
        Retries
        --retry COUNT  try a transfer up to COUNT more times after a temporary failure: no connection, a lost one, or \
        status 408, 425, 429, 500, 502, 503 or 504; none by default. The rest of a body is requested; a POST or PATCH \
        is sent again only if no byte of it was sent
        --retry-delay SECONDS  wait SECONDS before each retry, unless the server asks for another time; 0 for the \
        default
        --retry-max-time SECONDS  begin no further retry once a transfer has taken SECONDS
        --retry-all-errors  with --retry, also try again after any HTTP error or inactivity timeout, and with every \
        method, although the server may then do the work twice
        Several URLs
        -Z, --parallel  run up to 50 transfers at a time, or as many as --parallel-max allows
        -P, --parallel-max COUNT  run COUNT transfers at a time; 1 by default, and always 1 on standard output
        --batch FILE  also transfer the URLs in FILE (- for standard input), one per line; an indented line out=NAME \
        after a URL names its file
        --dir FOLDER  with ferry queue, the folder that keeps the transfers
        --next  begin a new set of URLs and options; -s, -S, -v, -Z and -P also apply to it, other options do not
        -g, --globoff  take braces and brackets in URLs literally (the default)
        Reports
        -w, --write-out FORMAT|@FILE  after each transfer, write FORMAT or the contents of FILE to standard output, \
        with curl's variables: %{http_code}, %{time_total}, %{size_download}, %{json} and others; escapes: \\n \\t %%
        --timings  at the end, print a table of each request's timings on standard error
        --json-log FILE  write events as JSON, one object per line (- for standard error, which then carries nothing \
        else)
        --timeline FILE.svg|FILE.html  at the end, draw all requests as a waterfall
        -v, --verbose  print requests as they are sent, responses and timings on standard error
        -s, --silent  print no progress and no notes; errors are still printed
        -S, --show-error  print errors (the default, also with -s)
        General
        -K, --config FILE  read options from FILE (- for standard input), in the syntax of curl's
        -q, --disable  read no default config file (there is none)
        --completion bash|zsh|fish  print completions for a shell; load them with eval "$(ferry --completion bash)" \
        in ~/.bashrc, likewise for zsh in ~/.zshrc after compinit, and with ferry --completion fish | source in \
        ~/.config/fish/config.fish
        -V, --version  print the versions of Ferry and libcurl
        -h, --help  print this text
        """
}
