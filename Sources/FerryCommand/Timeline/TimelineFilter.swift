/// The controls of a timeline's page that select the transfers to show, and the text that they search.
///
/// Without JavaScript the controls are hidden, and all rows are shown.
enum TimelineFilter {
    /// The controls: a text field, a checkbox and the number of requests shown.
    static let controls = """
        <div id="f-filter" role="search" hidden="">
        <label>Filter <input type="search" size="34" placeholder="URL, status, method or failure" autocomplete="off" \
        spellcheck="false"/></label>
        <label><input type="checkbox" autocomplete="off"/> failed only</label>
        <output></output>
        </div>
        """

    /// The controls are as wide as the window, and stay in view while a narrow one is scrolled sideways.
    static let style = """
        #f-filter { position: sticky; left: 0; box-sizing: border-box; width: min(100vw, \(width)px); \
        padding: 12px \(margin)px 0; display: flex; flex-wrap: wrap; align-items: center; gap: 6px 18px; }
        #f-filter input { font: inherit; }
        #f-filter label:last-of-type { display: flex; align-items: center; gap: 5px; }
        #f-filter output { font-variant-numeric: tabular-nums; }
        """

    /// Returns the attribute with the text that the words of the filter are searched in.
    static func words(of request: RequestTiming) -> String {
        let parts = [request.method, request.status.map(String.init), request.url, request.failure]
        return "data-text=\"\(XMLText.escaped(parts.compactMap(\.self).joined(separator: " ")))\""
    }

    /// Returns the attribute of a transfer that has a failed request.
    static func mark(of requests: [RequestTiming]) -> String {
        requests.contains(where: \.isFailed) ? " data-failed=\"\"" : ""
    }

    /// The script, which reads attributes of the page and sets only `hidden` and the text of the number.
    ///
    /// A transfer is shown if one of its requests has all words, so that its requests stay together.
    static let script = """

        "use strict";
        {
          const bar = document.getElementById("f-filter");
          const [words, failedOnly] = bar.querySelectorAll("input");
          const count = bar.querySelector("output");
          const transfers = Array.from(document.querySelectorAll("li"), item => ({
            item,
            texts: Array.from(item.querySelectorAll("[data-text]"), row => row.dataset.text.toLowerCase()),
            isFailed: "failed" in item.dataset,
          }));
          const total = transfers.reduce((sum, transfer) => sum + transfer.texts.length, 0);
          const update = () => {
            const wanted = words.value.toLowerCase().split(/\\s+/);
            let shown = 0;
            for (const { item, texts, isFailed } of transfers) {
              const matches = texts.some(text => wanted.every(word => text.includes(word)));
              item.hidden = !matches || failedOnly.checked && !isFailed;
              if (!item.hidden) shown += texts.length;
            }
            count.value = `${shown} of ${total} request${total === 1 ? "" : "s"}`;
          };
          bar.addEventListener("input", update);
          bar.hidden = false;
          update();
        }

        """

    private static let width = XMLText.number(TimelineLayout.width)
    private static let margin = XMLText.number(TimelineLayout.margin)
}
