import CFuzzer
import Foundation

/// A fuzz target: its name, and the function that processes an input.
public struct FuzzTarget: Sendable {
    public let name: String
    let body: @Sendable (inout FuzzInput) throws -> Void

    public init(_ name: String, _ body: @escaping @Sendable (inout FuzzInput) throws -> Void) {
        self.name = name
        self.body = body
    }
}

/// Runs the target named by `FERRY_FUZZ_TARGET` with libFuzzer, which reads the command line.
///
/// `--list` prints the names of the targets instead.
public enum FuzzDriver {
    /// The target to run, static because libFuzzer calls a C function, which cannot capture anything.
    ///
    /// Set before libFuzzer starts, and only read afterwards.
    nonisolated(unsafe) private static var target: FuzzTarget?

    public static func run(_ targets: [FuzzTarget]) -> Int32 {
        if CommandLine.arguments.dropFirst().first == "--list" {
            for target in targets { print(target.name) }
            return 0
        }
        let name = ProcessInfo.processInfo.environment["FERRY_FUZZ_TARGET"] ?? ""
        guard let found = targets.first(where: { $0.name == name }) else {
            FileHandle.standardError.write(Data("no fuzz target is named \"\(name)\"\n".utf8))
            return 64
        }
        target = found
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        return LLVMFuzzerRunDriver(&count, &arguments) { bytes, size in
            FuzzDriver.runOnce(UnsafeRawBufferPointer(start: bytes, count: size))
            return 0
        }
    }

    private static func runOnce(_ bytes: UnsafeRawBufferPointer) {
        guard let target else { return }
        var input = FuzzInput(bytes)
        do {
            try target.body(&input)
        } catch {
            fail("\(error)")
        }
    }
}

/// Ends the process if `condition` is false, so that libFuzzer saves the input as a finding.
public func expect(
    _ condition: Bool,
    _ message: @autoclosure () -> String,
    file: StaticString = #fileID,
    line: UInt = #line
) {
    if !condition { fail(message(), file: file, line: line) }
}

/// Ends the process with a message, as a finding.
public func fail(_ message: String, file: StaticString = #fileID, line: UInt = #line) -> Never {
    FileHandle.standardError.write(Data("\(file):\(line): \(message)\n".utf8))
    abort()
}
