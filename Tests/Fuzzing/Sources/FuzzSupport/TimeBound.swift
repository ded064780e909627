import Foundation

/// Ends the process if `body` takes more than `seconds` of this thread's processor time.
///
/// Processor time is independent of the load of the machine. Inputs have at most a megabyte, for which linear work
/// takes a fraction of a second.
public func bounded<Result>(
    seconds: Double = 4,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: () throws -> Result
) rethrows -> Result {
    let start = processorTime()
    defer {
        let spent = processorTime() - start
        expect(spent < seconds, "took \(spent) s of processor time", file: file, line: line)
    }
    return try body()
}

private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
