/// The style sheet of a timeline; class names begin with `f-`, so that they do not clash with those of a page.
enum TimelineStyle {
    static let text = """
        .ferry { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
        .ferry text { fill: #1c2127; white-space: pre; }
        .ferry .f-title { font-size: 17px; font-weight: 600; }
        .ferry .f-url { font: 12px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; \
        clip-path: url(#f-url); }
        .ferry .f-note { font-size: 11px; clip-path: url(#f-note); }
        .ferry .f-soft { fill: #5b6672; }
        .ferry .f-bad { fill: #c02020; font-weight: 600; }
        .ferry .f-note { font-weight: 400; }
        .ferry .f-end { text-anchor: end; }
        .ferry .f-middle { text-anchor: middle; }
        .ferry .f-cell { font-variant-numeric: tabular-nums; }
        .f-page { fill: #ffffff; }
        .f-stripe { fill: #f3f5f7; }
        .f-grid { stroke: #d9dee3; stroke-width: 1; }
        .f-cross { stroke: #c02020; stroke-width: 2; fill: none; }
        .f-elbow { stroke: #7a8590; stroke-width: 1; fill: none; }
        .f-queued { fill: #b4bcc5; }
        .f-dns { fill: #12908e; }
        .f-connect { fill: #e8912d; }
        .f-tls { fill: #9a55d4; }
        .f-wait { fill: #57a639; }
        .f-receive { fill: #2f78d6; }
        @media (prefers-color-scheme: dark) {
        .ferry text { fill: #e6e9ec; }
        .ferry .f-soft { fill: #9aa5b1; }
        .ferry .f-bad { fill: #ff7b72; }
        .f-page { fill: #14181d; }
        .f-stripe { fill: #1c2229; }
        .f-grid { stroke: #313a44; }
        .f-cross { stroke: #ff7b72; }
        .f-elbow { stroke: #8b96a2; }
        .f-queued { fill: #5d6874; }
        .f-dns { fill: #35bdb9; }
        .f-connect { fill: #f0a44b; }
        .f-tls { fill: #b884e8; }
        .f-wait { fill: #74c15a; }
        .f-receive { fill: #5b9df0; }
        }

        """
}

extension RequestPhase {
    /// The name of the phase's style class.
    var style: String { "f-" + rawValue.lowercased() }
}
