import TestSupport

@testable import FerryCore

/// Hosts that respond in random ways, on a network that loses connections, with checks of each request.
final class RandomNetwork: Sendable {
    /// The content of a path on a host at some time.
    struct Entity: Sendable {
        let number: Int
        let bytes: [UInt8]
    }

    private struct State {
        var generator: SeededGenerator
        var entities: [Entity] = []
        /// The number of the current entity of a URL.
        var current: [String: Int] = [:]
        /// How often a request that must not be repeated was received.
        var receipts: [String: Int] = [:]
        var violations: [String] = []
        var log: [String] = []
    }

    static let origins = ["https://a.test", "http://b.test", "https://c.test"]

    private let state: Watched<State>

    init(_ generator: SeededGenerator) {
        state = Watched(State(generator: generator))
        for origin in Self.origins {
            let name = String(origin.split(separator: "/").last ?? "")
            let host = SimulatedHost(
                path: { self.state.change { Self.path(&$0.generator) } },
                uploadTime: { _ in
                    self.state.change { state in
                        Self.chance(5, &state.generator) ? nil : .random(in: 0.001..<3, using: &state.generator)
                    }
                },
                respond: { request in self.state.change { Self.respond(to: request, &$0) } }
            )
            Simulation.shared.add(host, named: name)
        }
    }

    var violations: [String] { state.current.violations }
    var log: [String] { state.current.log }

    func note(_ text: String) { state.change { $0.log.append("\(Simulation.shared.seconds): \(text)") } }
    func fail(_ text: String) { state.change { $0.violations.append(text) } }

    /// Returns the body that the head of a response announces, if there is one.
    func body(of response: HTTPURLResponse) -> [UInt8]? {
        guard let text = response.value(forHTTPHeaderField: "X-Entity"), let number = Int(text) else { return nil }
        return state.change { $0.entities.indices.contains(number) ? $0.entities[number].bytes : nil }
    }

    // MARK: - Randomness

    static func chance(_ percent: Int, _ generator: inout SeededGenerator) -> Bool {
        Int.random(in: 0..<100, using: &generator) < percent
    }

    private static func path(_ generator: inout SeededGenerator) -> SimulatedPath {
        let outcome: SimulatedPath.Outcome
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<4: outcome = .refused
        case 4..<6: outcome = .nameNotFound
        case 6..<8: outcome = .silent
        default: outcome = .opens
        }
        return SimulatedPath(
            outcome: outcome,
            lookupTime: .random(in: 0.001..<1, using: &generator),
            connectTime: .random(in: 0.001..<(chance(10, &generator) ? 30 : 1), using: &generator)
        )
    }

    // MARK: - The hosts

    private static func respond(to request: SimulatedRequest, _ state: inout State) -> SimulatedResponse {
        check(request, &state)
        let time = Simulation.shared.seconds
        var response = answer(to: request, &state)
        response.fields.append(("Set-Cookie", "id=\(request.host); Path=/"))
        response.delay = .random(in: 0.01..<(chance(5, &state.generator) ? 120 : 5), using: &state.generator)
        response.pieceSize = max(500, response.body.count / 8)
        response.pieceDelay = .random(in: 0.01..<3, using: &state.generator)
        response.hasLength = chance(80, &state.generator)
        let within = Int.random(in: 0...max(1, response.body.count), using: &state.generator)
        switch Int.random(in: 0..<100, using: &state.generator) {
        case 0..<4: response.end = .close(after: -1)
        case 4..<8: response.end = .reset(after: within)
        case 8..<14: response.end = .close(after: within)
        case 14..<18: response.end = .stall(after: within)
        case 18..<20: response.end = .stall(after: -1)
        case 20..<30: response.end = .closes
        default: break
        }
        state.log.append("\(time): \(request.method) \(request.host)\(request.target) \(request.fields)")
        state.log.append("    \(response.status) \(response.fields) \(response.body.count) bytes \(response.end)")
        return response
    }

    private static func answer(to request: SimulatedRequest, _ state: inout State) -> SimulatedResponse {
        switch Int.random(in: 0..<100, using: &state.generator) {
        case 0..<6: return SimulatedResponse(503, Array("busy".utf8))
        case 6..<9:
            let delay = Int.random(in: 0..<40, using: &state.generator)
            return SimulatedResponse(429, fields: [("Retry-After", "\(delay)")])
        case 9..<12: return SimulatedResponse(404, Array("nothing".utf8))
        case 12..<19:
            let origin = origins.randomElement(using: &state.generator) ?? origins[0]
            let status = [301, 302, 303, 307, 308].randomElement(using: &state.generator) ?? 302
            let number = Int.random(in: 0..<1_000_000, using: &state.generator)
            return SimulatedResponse(status, fields: [("Location", "\(origin)/redirected/\(number)")])
        default: return entity(for: request, &state)
        }
    }

    private static func entity(for request: SimulatedRequest, _ state: inout State) -> SimulatedResponse {
        let url = "\(request.host)\(request.target)"
        let old = state.current[url].map { state.entities[$0].bytes.count }
        if old == nil || chance(20, &state.generator) {
            let sizes = [0, 1, 500, 5_000, 5_000, 40_000, 100_000]
            // Entities of one length can be mistaken for each other.
            let keepsSize = old != nil && chance(70, &state.generator)
            let size = keepsSize ? old ?? 0 : sizes.randomElement(using: &state.generator) ?? 0
            let number = state.entities.count
            state.entities.append(Entity(number: number, bytes: Simulated.pattern(size, seed: number)))
            state.current[url] = number
        }
        let entity = state.entities[state.current[url] ?? 0]
        let tag = "\"\(entity.number)\""
        var response = SimulatedResponse(200, entity.bytes, fields: [("X-Entity", "\(entity.number)"), ("ETag", tag)])
        if let start = request.field("Range").flatMap({ Int($0.dropFirst(6).dropLast()) }),
            request.field("If-Range") == tag || chance(30, &state.generator), start < entity.bytes.count
        {
            // Some servers ignore the validator, or send another range.
            let start = chance(10, &state.generator) ? start / 2 : start
            response.status = 206
            response.body = Array(entity.bytes[start...])
            let range = "bytes \(start)-\(entity.bytes.count - 1)/\(entity.bytes.count)"
            response.fields.append(("Content-Range", range))
        }
        return response
    }

    /// Checks each request that is received.
    private static func check(_ request: SimulatedRequest, _ state: inout State) {
        let task = request.field("X-Task") ?? "?"
        if let secret = request.field("Authorization"), secret != "Bearer \(request.host)" {
            state.violations.append("task \(task): \(secret) was sent to \(request.host)")
        }
        if let cookie = request.field("Cookie"), cookie != "id=\(request.host)" {
            state.violations.append("task \(task): the cookie \(cookie) was sent to \(request.host)")
        }
        if request.method == "POST" || request.method == "PUT" {
            let expected = Simulated.pattern(Int(request.field("X-Length") ?? "") ?? 0, seed: Int(task) ?? 0)
            if Data(request.body) != Data(expected) {
                state.violations.append("task \(task): \(request.body.count) bytes of the body are wrong")
            }
        }
        if request.method == "POST" {
            let key = "\(task) \(request.host)\(request.target)"
            state.receipts[key, default: 0] += 1
            if state.receipts[key] != 1 { state.violations.append("task \(key): POST was received twice") }
        }
    }
}
