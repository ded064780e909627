/// The state of one task of a ``WorkloadDelegate``.
///
/// `@unchecked Sendable`: it changes only on the session's serial delegate queue.
final class TaskRecord: @unchecked Sendable {
    /// What happens to the body.
    enum Body {
        case collected
        case counted
        case moved(to: URL)
    }

    /// Receives the record, with the body, when the task has ended.
    typealias Completion = @Sendable (TaskRecord, URLSessionTask, (any Error)?) -> Void

    private(set) var data = Data()
    private(set) var count = 0
    private let body: Body
    private let completed: Completion
    private var moveError: (any Error)?

    init(_ body: Body, completed: @escaping Completion) {
        self.body = body
        self.completed = completed
    }

    func receive(_ chunk: Data) {
        if case .collected = body { data.append(chunk) }
        count += chunk.count
    }

    func receive(fileAt url: URL) {
        guard case .moved(let destination) = body else { return }
        do {
            count = try Files.move(url, to: destination)
        } catch {
            moveError = error
        }
    }

    func complete(_ task: URLSessionTask, _ error: (any Error)?) {
        completed(self, task, error ?? moveError)
    }
}
