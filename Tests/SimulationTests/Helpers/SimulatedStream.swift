import FerrySession

/// An `InputStream` that blocks for simulated times between its bytes.
final class SimulatedStream: InputStream {
    private var pieces: ArraySlice<Data>
    private let pause: Double
    private var isFirst = true

    init(_ pieces: [Data], pause: Double) {
        (self.pieces, self.pause) = (pieces[...], pause)
        super.init(data: Data())
    }

    override func open() {}
    override func close() {}
    override var hasBytesAvailable: Bool { true }
    override var streamStatus: Stream.Status { .open }
    override var streamError: (any Error)? { nil }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength count: Int) -> Int {
        guard let piece = pieces.popFirst() else { return 0 }
        if !isFirst {
            let isOver = DispatchSemaphore(value: 0)
            Simulation.shared.after(pause) { isOver.signal() }
            isOver.wait()
        }
        isFirst = false
        piece.copyBytes(to: buffer, count: piece.count)
        return piece.count
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length: UnsafeMutablePointer<Int>
    ) -> Bool {
        false
    }
}
