enum HelpText {
    /// The output without arguments.
    static let usage = """
        Usage: ferry [options] [METHOD] URL... [ITEM...]
               ferry ws [options] URL    send lines as messages of a WebSocket, and write those received
               ferry queue --dir FOLDER add|list|run|pause|resume|remove     keep transfers, and run them
               ferry demo                demonstrate the library against a built-in test server
        """

    static var text: String {
        """
        \(usage)

        Transfers URLs over HTTP. The body goes to standard output, or to a file with -o or -O. The options are
        curl's where curl has them; a METHOD in capital letters and ITEMs after the URL are HTTPie's:

          name=text     a string of a JSON object, or a field of a form     name=@FILE    the text of a file
          name:=json    any JSON value                                      name:=@FILE   the JSON in a file
          name==text    a parameter of the query                            name@FILE     a file, in a form
          name:text     a header field

        An operand whose name has a slash, or is a host with a port, is another URL. :8080/path is a URL of this
        machine.

        \(options)

        ferry queue add keeps downloads, or an upload with -T; run ends with 0 when all are done, and may be killed
        and run again. list writes number, state, bytes, size, URL and file of each; pause, resume and remove take
        numbers, the first two also none, for all, and remove also the word finished.

        A download is written to FILE.part and renamed when it is complete. FILE.part.ferry holds what is needed
        to continue it; an interrupted run prints the command that does so. The body of an HTTP error goes to
        standard output; with -o and -O it is written only if --fail-with-body is given. JSON is indented on a
        terminal and written unchanged elsewhere. A URL without a scheme is https, or http on this machine. Empty
        lines in a batch file and lines that begin with # are ignored.

        Exit status (with several URLs, that of the first one that failed):
        \(statuses)

        Environment: http_proxy, https_proxy, all_proxy and no_proxy set proxies; NO_COLOR turns colours off.
        The manual, Docs/ferry.1, lists all variables of --write-out.

        Examples:
          ferry https://example.com/
          ferry -O -C https://example.com/big.iso            download, or continue a download
          ferry -O -C --retry 10 https://example.com/big.iso     over a link that breaks
          ferry -P 4 -O https://example.com/{1,2,3,4}.zip    four at a time
          ferry -P 4 -O --batch urls.txt                     the URLs in a file, four at a time
          ferry --json '{"name":"Ada"}' https://example.com/users
          ferry PUT :8080/users/1 name=Ada age:=36 X-Trace:1     the same with items
          ferry -sSL -b jar -c jar https://example.com/      keep cookies from one run to the next
          ferry -F title=Ada -F 'photo=@ada.jpg;type=image/jpeg' https://example.com/photos
          ferry -T photo.jpg https://example.com/photos/     PUT /photos/photo.jpg
          ferry -so /dev/null -w '%{http_code} %{time_total}\\n' https://example.com/
          ferry -P 4 -O --timings --timeline run.svg --batch urls.txt

        """
    }

    private static var options: String {
        Option.Group.allCases.map { group in
            "\(group.rawValue):\n" + group.options.map(line).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private static func line(_ option: Option) -> String {
        let margin = String(repeating: " ", count: 30)
        let short = option.short.map { "-\($0), " } ?? "    "
        let long = "  \(short)--\(option.rawValue)" + (option.valueName.map { " " + $0 } ?? "")
        let lines = wrapped(option.help).joined(separator: "\n" + margin)
        return long.count < margin.count - 1
            ? long + String(repeating: " ", count: margin.count - long.count) + lines
            : long + "\n" + margin + lines
    }

    /// Returns lines of at most 80 columns.
    private static func wrapped(_ text: String) -> [String] {
        text.split(separator: " ").reduce(into: [""]) { lines, word in
            let line = lines.removeLast()
            let isFull = line.count + word.count >= 80
            lines += line.isEmpty ? [String(word)] : isFull ? [line, String(word)] : [line + " " + word]
        }
    }

    private static var statuses: String {
        ExitStatus.allCases.map { status in
            String(status.rawValue).padded(to: 5) + "  " + status.meaning
        }.joined(separator: "\n")
    }
}
