import FerrySession
import TestSupport

/// An `InputStream` whose reads follow a script, and whose other properties are as unhelpful as those of real
/// subclasses.
final class ScriptedStream: InputStream {
    enum Step: Sendable {
        case bytes(Data)
        /// Blocks for a number of seconds, then continues.
        case wait(Double)
        /// Blocks until the gate is opened.
        case gate(Gate)
        case fail
    }

    struct Broken: Error {}

    private var steps: [Step]
    private let largestRead: Int
    private var hasFailed = false

    init(_ steps: [Step], largestRead: Int = .max) {
        self.steps = steps
        self.largestRead = largestRead
        super.init(data: Data())
    }

    convenience init(_ data: Data, largestRead: Int = .max) {
        self.init([.bytes(data)], largestRead: largestRead)
    }

    override func open() {}

    override func close() {}

    /// Always `false`: a client that takes this for the end would lose the body.
    override var hasBytesAvailable: Bool { false }

    override var streamStatus: Stream.Status { hasFailed ? .error : .open }

    override var streamError: (any Error)? { hasFailed ? Broken() : nil }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength count: Int) -> Int {
        while let step = steps.first {
            switch step {
            case .wait(let seconds):
                steps.removeFirst()
                Thread.sleep(forTimeInterval: seconds)
            case .gate(let gate):
                steps.removeFirst()
                gate.wait()
            case .fail:
                hasFailed = true
                return -1
            case .bytes(let data):
                let taken = min(count, data.count, largestRead)
                guard taken > 0 else {
                    steps.removeFirst()
                    continue
                }
                data.prefix(taken).copyBytes(to: buffer, count: taken)
                steps[0] = .bytes(Data(data.dropFirst(taken)))
                return taken
            }
        }
        return 0
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length: UnsafeMutablePointer<Int>
    ) -> Bool {
        false
    }
}
