/// What `--help` shows.
enum HelpText {
    static var text: String {
        """
        Usage: ferry [options] URL...
               ferry                     show the library at work on a server of its own

        Transfers URLs over HTTP. The body goes to standard output, or to a file with -o and -O.

        \(options)

        A file is written as FILE.part and takes its name when it is whole. What is needed to go on with it
        stands in FILE.part.ferry; an interrupted run says how to. The body of an HTTP error goes to standard
        output, never into a file. JSON is indented on a terminal, and elsewhere as it came. A URL without a
        scheme is https, on this machine http. Lines of a batch that are empty or begin with # do not count.

        Exit status, with several URLs that of the first one that failed:
        \(statuses)

        Environment: http_proxy, https_proxy, all_proxy and no_proxy name proxies; NO_COLOR turns colours off.
        The manual is Docs/ferry.1; it has all variables of --write-out.

        Examples:
          ferry https://example.com/
          ferry -O -C https://example.com/big.iso            download, or go on with it
          ferry -P 4 -O https://example.com/{1,2,3,4}.zip    four at once
          ferry -P 4 -O --batch urls.txt                     those in a file, four at once
          ferry --json '{"name":"Ada"}' https://example.com/users
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
        let lines = option.help.joined(separator: "\n" + margin)
        return long.count < margin.count - 1
            ? long + String(repeating: " ", count: margin.count - long.count) + lines
            : long + "\n" + margin + lines
    }

    private static var statuses: String {
        ExitStatus.allCases.map { status in
            let number = String(status.rawValue)
            return String(repeating: " ", count: 5 - number.count) + number + "  " + status.meaning
        }.joined(separator: "\n")
    }
}
