extension Target {
    /// Returns all targets for Ferry's speed and size.
    public static func all(_ sizes: Sizes) -> [Target] {
        small + bulk(sizes) + managers + many + slow + streams
    }

    private static let ferry = "ferry:delegate"

    // MARK: - Small requests

    private static var small: [Target] {
        let ahc = Clients.asyncHTTPClient
        return against([Clients.libcurl], "libcurl", in: "W1", .atMost(1.7))
            + againstURLSession(in: "W1", .atMost(0.3))
            + against(ahc, "AsyncHTTPClient", in: "W1", .atMost(0.6))
            + against([Clients.libcurl], "libcurl", in: "W2", .atMost(1.8))
            + againstURLSession(in: "W2", .atMost(0.2))
            + against(["ahc:default"], "AsyncHTTPClient's defaults", in: "W2", .atMost(0.75))
            + [
                ratio("W2 to AsyncHTTPClient tuned", "W2", ferry, Array(ahc.dropFirst()), .wall, .atMost(1.25)),
                ratio("W2 to AsyncHTTPClient tuned", "W2", ferry, Array(ahc.dropFirst()), .cpu, .below(1)),
            ]
            + against([Clients.libcurl], "libcurl", in: "W8", .atMost(1.3))
            + againstURLSession(in: "W8", .atMost(0.2))
            + against(ahc, "AsyncHTTPClient", in: "W8", .below(1))
            + [
                Target(
                    "heap allocations of a small GET",
                    Subject("allocations", ferry, .extra("allocations")),
                    .itself,
                    .atMost(110),
                    unit: .count
                )
            ]
    }

    // MARK: - Large bodies

    private static func bulk(_ sizes: Sizes) -> [Target] {
        let urlSession = ["urlsession:delegate", "urlsession:handler"]
        let ratios =
            against([Clients.libcurl], "libcurl", in: "W3", .atMost(1.25))
            + against(urlSession, "URLSession", in: "W3", .atMost(0.35))
            + against(["ahc:default"], "AsyncHTTPClient", in: "W3", .atMost(0.5))
            + against([Clients.libcurl], "libcurl", in: "W4", .atMost(1.3))
            + against([Clients.libcurl], "libcurl", in: "W5", .atMost(1.2))
            + against(urlSession, "URLSession", in: "W5", .atMost(0.1))
            + against(["ahc:default"], "AsyncHTTPClient", in: "W5", .atMost(0.9))
        let flat = [("W3", ferry), ("W4", ferry), ("W5", ferry), ("W11", "ferry:manager")].map {
            memory("peak memory of \($0)", $0, $1, limit: 33_554_432)
        }
        let collected = ["ferry:handler", "ferry:async", "ferry:manager"].map {
            memory("peak memory of W7, \($0)", "W7", $0, limit: sizes.body + 33_554_432)
        }
        return ratios + flat + collected
    }

    private static func memory(_ title: String, _ workload: String, _ client: String, limit: Int) -> Target {
        Target(
            title,
            Subject(workload, client, .peakMemory),
            .itself,
            .atMost(Double(limit)),
            unit: .megabytes
        )
    }

    // MARK: - Overhead of managers

    private static var managers: [Target] {
        [
            Target(
                "overhead of SessionManager over CurlSession's delegate, CPU",
                Subject("W1", "ferry:manager", .cpu),
                .less([Subject("W1", ferry, .cpu)]),
                .atMost(12e-6),
                unit: .microseconds
            ),
            Target(
                "overhead of HTTPSessionManager over CurlSession's async and decoding, CPU",
                Subject("W1", "ferry:json", .cpu),
                .less([Subject("W1", "ferry:async", .cpu), Subject("W12-decode", "ferry:json", .cpu)]),
                .atMost(25e-6),
                unit: .microseconds
            ),
        ]
    }

    // MARK: - Many tasks and long runs

    private static var many: [Target] {
        [
            Target(
                "memory of a task that is never resumed",
                Subject("W9-suspended", ferry, .extra("memoryPerTask")),
                .itself,
                .atMost(2048),
                unit: .kilobytes
            ),
            growth(.wall), growth(.cpu),
            endurance("wall", "lastWall", "firstWall"), endurance("CPU", "lastCPU", "firstCPU"),
        ]
    }

    private static func growth(_ measure: Measure) -> Target {
        Target(
            "\(name(measure)) per request with 10,000 outstanding relative to 1,000",
            Subject("W9", ferry, measure),
            .dividedByBest([Subject("W9-thousand", ferry, measure)]),
            .atMost(1.1)
        )
    }

    private static func endurance(_ name: String, _ last: String, _ first: String) -> Target {
        Target(
            "W10: \(name) of the last thousands relative to the first",
            Subject("W10", ferry, .extra(last)),
            .dividedByBest([Subject("W10", ferry, .extra(first))]),
            .atMost(1.1)
        )
    }

    // MARK: - Waiting

    private static var slow: [Target] {
        [
            Target(
                "threads of W13 minus those of W1",
                Subject("W13", ferry, .threads),
                .less([Subject("W1", ferry, .threads)]),
                .atMost(0),
                unit: .count
            ),
            Target("CPU of W14", Subject("W14", ferry, .cpu), .itself, .atMost(0.01), unit: .seconds),
            Target(
                "W15: speed with default connections relative to 64",
                Subject("W15-defaults", ferry, .wall),
                .reached(Subject("W15", ferry, .wall)),
                .atLeast(0.8)
            ),
        ]
    }

    // MARK: - Ratios

    private static func against(_ others: [String], _ name: String, in workload: String, _ bound: Bound) -> [Target] {
        [Measure.wall, .cpu].map { ratio("\(workload) to \(name)", workload, ferry, others, $0, bound) }
    }

    /// Compares each API of `CurlSession` with the same API of `URLSession`.
    private static func againstURLSession(in workload: String, _ bound: Bound) -> [Target] {
        zip(Clients.curlSession, Clients.urlSession).flatMap { own, other in
            [Measure.wall, .cpu].map { measure in
                ratio("\(workload) to \(other)", workload, own, [other], measure, bound)
            }
        }
    }

    private static func ratio(
        _ title: String,
        _ workload: String,
        _ client: String,
        _ others: [String],
        _ measure: Measure,
        _ bound: Bound
    ) -> Target {
        Target(
            "\(title), \(name(measure))",
            Subject(workload, client, measure),
            .dividedByBest(others.map { Subject(workload, $0, measure) }),
            bound
        )
    }

    private static func name(_ measure: Measure) -> String {
        measure == .cpu ? "CPU" : "wall"
    }
}
