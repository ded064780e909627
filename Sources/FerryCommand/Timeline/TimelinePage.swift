import Ferry

/// The picture as an HTML page, whose heading stays in view while the rows scroll.
extension Timeline {
    /// The rows of each transfer: a request, and those that follow from it.
    var transfers: [ArraySlice<Row>] {
        let starts = rows.indices.filter { !rows[$0].isFollowing }
        return zip(starts, starts.dropFirst() + [rows.endIndex]).map { rows[$0..<$1] }
    }

    var page: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="\(TimelinePage.policy)">
        <meta name="viewport" content="width=device-width">
        <meta name="color-scheme" content="light dark">
        <title>\(XMLText.escaped(title))</title>
        <style>\(TimelinePage.style)</style>
        </head>
        <body>
        <header>
        \(TimelineFilter.controls)
        <svg class="ferry" \(TimelinePage.place(top: 0, height: TimelineLayout.firstRow))>
        \(TimelineLayout.clips(height: height))
        \((heading + axisLabels).joined(separator: "\n"))
        </svg>
        </header>
        <main>
        <svg class="f-lines" aria-hidden="true">
        \(gridLines(from: "0", to: "100%").joined(separator: "\n"))
        </svg>
        <ol>
        \(transfers.map(item).joined(separator: "\n"))
        </ol>
        </main>
        <script>\(TimelineFilter.script)</script>
        </body>
        </html>

        """
    }

    /// Returns the list element of a transfer: a part of the picture, in the coordinates of the whole.
    private func item(_ rows: ArraySlice<Row>) -> String {
        let top = rows.first?.top ?? 0
        let height = rows.reduce(0) { $0 + $1.height }
        let contents = rows.flatMap { row in
            ["<g \(TimelineFilter.words(of: row.request))>"] + lines(row) + ["</g>"]
        }
        return """
            <li\(TimelineFilter.mark(of: rows.map(\.request)))>
            <svg class="ferry" \(TimelinePage.place(top: top, height: height))>
            \(contents.joined(separator: "\n"))
            </svg>
            </li>
            """
    }
}

/// The parts of a timeline's page that are the same in every page.
enum TimelinePage {
    /// The Content Security Policy: the browser loads nothing, and accepts only the page's own style and script.
    static let policy =
        "default-src 'none'; style-src \(source(style)); script-src \(source(TimelineFilter.script)); "
        + "base-uri 'none'; form-action 'none'"

    /// Returns the expression of a policy that accepts an inline style or script with this text.
    static func source(_ text: String) -> String {
        "'sha256-\(SHA256Hash.hash(Data(text.utf8)).base64EncodedString())'"
    }

    /// Returns the attributes of an `svg` element that shows a part of the picture.
    static func place(top: Double, height: Double) -> String {
        let width = XMLText.number(TimelineLayout.width)
        let (top, height) = (XMLText.number(top), XMLText.number(height))
        return "width=\"\(width)\" height=\"\(height)\" viewBox=\"0 \(top) \(width) \(height)\""
    }

    /// The style sheet; in a low window, such as an enlarged one, the heading scrolls to leave room for the rows.
    static let style = """

        \(TimelineStyle.text)\
        :root { --page: #ffffff; --text: #1c2127; --line: #d9dee3; --stripe: #f3f5f7; }
        @media (prefers-color-scheme: dark) {
        :root { --page: #14181d; --text: #e6e9ec; --line: #313a44; --stripe: #1c2229; }
        }
        html { scrollbar-gutter: stable; }
        body { margin: 0; min-width: \(width)px; background: var(--page); color: var(--text); \
        font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
        header { padding: 0 calc((100% - \(width)px) / 2); background: var(--page); \
        border-bottom: 1px solid var(--line); z-index: 1; }
        @media (min-height: 360px) { header { position: sticky; top: 0; } }
        header svg { display: block; }
        main { position: relative; width: \(width)px; margin: 0 auto \(XMLText.number(TimelineLayout.margin))px; }
        .f-lines { position: absolute; left: 0; top: 0; width: 100%; height: 100%; }
        ol { margin: 0; padding: 0; list-style: none; }
        li svg { display: block; position: relative; }
        li:nth-child(even of :not([hidden])) { background: var(--stripe); }
        [hidden] { display: none !important; }
        \(TimelineFilter.style)
        @media print { header { position: static; } }

        """

    private static let width = XMLText.number(TimelineLayout.width)
}
