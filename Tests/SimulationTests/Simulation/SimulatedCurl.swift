import CSimulation
import Foundation

@testable import FerryCurl

/// Replaces libcurl's functions, and the wait for its sockets, with simulated ones.
func installSimulatedCurl() {
    MultiHandle.waitReplacement = { multi, descriptor, milliseconds in
        handle(multi).wait(for: descriptor, milliseconds: milliseconds)
    }
    simulation_install(
        simulated_curl(
            easy_init: { Unmanaged.passRetained(SimulatedTransfer()).toOpaque() },
            easy_cleanup: { easy in
                guard let easy else { return }
                transfer(easy).remove()
                Unmanaged<SimulatedTransfer>.fromOpaque(easy).release()
            },
            easy_reset: { easy in easy.map { transfer($0).options = SimulatedTransfer.Options() } },
            easy_pause: { easy, mask in easy.map { transfer($0).pause(mask) } ?? 43 },
            set_integer: { easy, option, value in easy.map { transfer($0).options.integers[option] = Int(value) } },
            set_pointer: { easy, option, value in easy.map { transfer($0).options.set(option, value) } },
            get: { easy, info in easy.map { transfer($0).value(of: info) } ?? 0 },
            multi_init: { (try? SimulatedMulti()).map { Unmanaged.passRetained($0).toOpaque() } },
            multi_cleanup: { multi in
                guard let multi = multi.map({ Unmanaged<SimulatedMulti>.fromOpaque($0) }) else { return }
                multi.takeUnretainedValue().end()
                multi.release()
            },
            multi_set: { multi, option, value in multi.map { handle($0).set(option, value) } },
            multi_add: { multi, easy in
                guard let multi, let easy else { return 1 }
                transfer(easy).start(in: handle(multi))
                return 0
            },
            multi_remove: { _, easy in easy.map { transfer($0).remove() } },
            multi_perform: { multi in multi.map { handle($0).perform() } },
            multi_next_finished: { multi, code in
                guard let multi, let next = handle(multi).nextFinished() else { return nil }
                code?.pointee = next.code
                return Unmanaged.passUnretained(next.transfer).toOpaque()
            }
        )
    )
}

private func transfer(_ easy: UnsafeMutableRawPointer) -> SimulatedTransfer {
    Unmanaged<SimulatedTransfer>.fromOpaque(easy).takeUnretainedValue()
}

private func handle(_ multi: UnsafeMutableRawPointer) -> SimulatedMulti {
    Unmanaged<SimulatedMulti>.fromOpaque(multi).takeUnretainedValue()
}

extension SimulatedTransfer {
    /// The options of an easy handle, by their numbers.
    struct Options {
        var integers: [Int32: Int] = [:]
        private var texts: [Int32: String] = [:]
        private var pointers: [Int32: UnsafeMutableRawPointer] = [:]

        /// The options whose values are text, which libcurl copies.
        private static let textual: Set<Int32> = [
            CurlOption.url, CurlOption.customRequest, CurlOption.userName, CurlOption.password,
            CurlOption.requestTarget,
        ]

        mutating func set(_ option: Int32, _ value: UnsafeMutableRawPointer?) {
            guard Self.textual.contains(option) else {
                pointers[option] = value
                return
            }
            texts[option] = value.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
        }

        func isOn(_ option: Int32) -> Bool { (integers[option] ?? 0) != 0 }
        func text(_ option: Int32) -> String? { texts[option] }
        func pointer(_ option: Int32) -> UnsafeMutableRawPointer? { pointers[option] }

        /// The method of the request.
        var method: String {
            if isOn(CurlOption.noBody) { return "HEAD" }
            return texts[CurlOption.customRequest] ?? (isOn(CurlOption.upload) ? "PUT" : "GET")
        }

        /// The header fields: those of the list, and the credential's.
        var fields: [(name: String, value: String)] {
            var fields: [(name: String, value: String)] = []
            var next = pointers[CurlOption.httpHeader]?.assumingMemoryBound(to: ListNode.self)
            while let node = next {
                let line = String(cString: node.pointee.data)
                // A field without a value ends with a semicolon; one with a colon and nothing else is not sent.
                if let colon = line.firstIndex(of: ":") {
                    let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                    if !value.isEmpty { fields.append((String(line[..<colon]), value)) }
                } else if line.hasSuffix(";") {
                    fields.append((String(line.dropLast()), ""))
                }
                next = node.pointee.next
            }
            if let user = text(CurlOption.userName) {
                let pair = Data("\(user):\(text(CurlOption.password) ?? "")".utf8).base64EncodedString()
                fields.append(("Authorization", "Basic \(pair)"))
            }
            return fields
        }
    }

    private struct ListNode {
        var data: UnsafeMutablePointer<CChar>
        var next: UnsafeMutablePointer<ListNode>?
    }

    /// The numbers of the callbacks' options.
    enum Callback {
        static let write: Int32 = 20_011, writeContext: Int32 = 10_001
        static let read: Int32 = 20_012, readContext: Int32 = 10_009
        static let header: Int32 = 20_079, headerContext: Int32 = 10_029
        static let seek: Int32 = 20_167, seekContext: Int32 = 10_168
        static let openSocket: Int32 = 20_163, openSocketContext: Int32 = 10_164
        static let closeSocket: Int32 = 20_208, closeSocketContext: Int32 = 10_209
        static let resolve: Int32 = 20_272, resolveContext: Int32 = 10_273
        static let prerequest: Int32 = 20_312, prerequestContext: Int32 = 10_313
    }
}
