import Ferry

/// Runs the transfers of a command line, a few at a time.
struct FetchQueue: Sendable {
    let options: FetchOptions
    let session: CurlSession
    let console: Console
    let board: ProgressBoard
    let recorder: RunRecorder
    let log: EventLog?

    /// Runs all transfers and returns the results in the order of the URLs.
    ///
    /// Results are missing for transfers that had not begun when the Swift task was cancelled, or when standard output
    /// was closed by its reader.
    func run(didEnd: @Sendable (FetchResult) -> Void) async -> [FetchResult] {
        let indices = options.urls.indices
        // Bodies on one standard output must not be mixed.
        let isMixed = indices.contains { options.destination(at: $0) == .standardOutput }
        let limit = isMixed ? 1 : options.parallel
        let ended = await withTaskGroup(of: FetchResult.self) { group in
            var results: [FetchResult] = []
            var waiting = indices.makeIterator()
            func beginNext() {
                guard !Task.isCancelled, let index = waiting.next() else { return }
                group.addTask { await fetch(index).run() }
            }
            for _ in 0..<limit { beginNext() }
            while let result = await group.next() {
                didEnd(result)
                results.append(result)
                if result.failure?.status != .brokenPipe { beginNext() }
            }
            return results
        }
        return ended.sorted { $0.index < $1.index }
    }

    private func fetch(_ index: Int) -> Fetch {
        Fetch(
            index: index,
            url: options.urls[index],
            destination: options.destination(at: index),
            options: options,
            session: session,
            console: console,
            board: board,
            recorder: recorder,
            log: log
        )
    }
}
