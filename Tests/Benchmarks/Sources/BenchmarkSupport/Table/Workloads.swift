extension Workload {
    /// Returns all workloads, in the order in which they run.
    public static func all(_ sizes: Sizes) -> [Workload] {
        [small, bulk, many, forms, slow, streams, webSockets, counts].flatMap { $0(sizes) }
    }

    private static func small(_ sizes: Sizes) -> [Workload] {
        let session = Clients.curlSession + Clients.urlSession + Clients.asyncHTTPClient + [Clients.hyper]
        return [
            Workload("W1", "1 KB GET, one at a time", .requests, .plain("small.json"), clients: Clients.all).with {
                $0.count = sizes.count(3000)
                $0.warmUp = sizes.count(200)
                $0.bytes = sizes.small
            },
            Workload("W2", "1 KB GET, 64 in flight", .requests, .plain("small.json"), clients: Clients.all).with {
                $0.count = sizes.count(6000)
                $0.inFlight = 64
                $0.warmUp = sizes.count(640)
                $0.connections = 64
                $0.bytes = sizes.small
            },
            Workload(
                "W8",
                "1 KB GET, HTTP/2 over TLS, 64 in flight",
                .requests,
                .http2("small.json"),
                clients: [Clients.libcurl] + session
            ).with {
                $0.count = sizes.count(6000)
                $0.inFlight = 64
                $0.warmUp = sizes.count(640)
                $0.bytes = sizes.small
            },
        ]
    }

    private static func bulk(_ sizes: Sizes) -> [Workload] {
        let peers = ["urlsession:delegate", "ahc:default", Clients.hyper]
        let common: (inout Workload) -> Void = {
            $0.unit = .milliseconds
            $0.bytes = sizes.huge
        }
        return [
            Workload(
                "W3",
                "1 GB to a file",
                .download,
                .plain("huge.bin"),
                clients: [Clients.libcurl] + Clients.curlSession + ["ferry:manager", "urlsession:handler"] + peers
            ).with(common).with { $0.file = .output },
            Workload(
                "W4",
                "1 GB, read and discarded",
                .discard,
                .plain("huge.bin"),
                clients: [Clients.libcurl, "ferry:delegate", "ferry:async", "ferry:manager"] + peers
            ).with(common),
            Workload(
                "W5",
                "1 GB upload from a file",
                .upload,
                .sink,
                clients: [Clients.libcurl, "ferry:delegate", "ferry:async", "ferry:manager"] + peers
            ).with(common).with { $0.file = .input("huge.bin") },
            Workload(
                "W6",
                "1,000 uploads of 1 MB, 4 in flight",
                .uploadData,
                .sink,
                clients: [Clients.libcurl, "ferry:delegate", "ferry:async", "ferry:manager"] + peers
            ).with {
                $0.count = sizes.count(1000)
                $0.inFlight = 4
                $0.bytes = 1_048_576
            },
            Workload(
                "W7",
                "a 256 MB body in memory",
                .requests,
                .plain("body.bin"),
                clients: Clients.curlSession + ["ferry:manager", "urlsession:delegate", "urlsession:handler"]
                    + ["ahc:default"]
            ).with(common).with { $0.bytes = sizes.body },
        ]
    }

    private static func many(_ sizes: Sizes) -> [Workload] {
        let outstanding = Workload(
            "W9",
            "10,000 outstanding requests, on 64 connections",
            .requests,
            .plain("small.json"),
            clients: ["ferry:delegate", "ferry:manager", "urlsession:delegate", "ahc:tuned"]
        ).with {
            $0.count = sizes.count(20_000)
            $0.inFlight = sizes.count(10_000)
            $0.connections = 64
            $0.bytes = sizes.small
        }
        return [
            outstanding,
            outstanding.with {
                $0.id = "W9-thousand"
                $0.title = "the same with 1,000 outstanding"
                $0.inFlight = sizes.count(1000)
            },
            Workload(
                "W9-suspended",
                "10,000 tasks that are never resumed",
                .suspended,
                .plain("small.json"),
                clients: ["ferry:delegate", "ferry:handler", "ferry:manager", "urlsession:delegate"]
            ).with { $0.count = sizes.count(10_000) },
            Workload(
                "W10",
                "100,000 requests of one session, 64 in flight",
                .endurance,
                .plain("small.json"),
                clients: ["ferry:delegate"]
            ).with {
                $0.count = sizes.count(100_000)
                $0.inFlight = 64
                $0.connections = 64
                $0.bytes = sizes.small
            },
        ]
    }

    private static func forms(_ sizes: Sizes) -> [Workload] {
        let small = Workload("W12", "1 KB of JSON, decoded", .json, .plain("small.json"), clients: ["ferry:json"])
        let json = small.with {
            $0.count = sizes.count(3000)
            $0.warmUp = sizes.count(200)
            $0.bytes = sizes.small
            $0.file = .input("small.json")
        }
        let large = json.with {
            $0.id = "W12-large"
            $0.title = "10 MB of JSON, decoded"
            $0.server = .plain("large.json")
            $0.count = 2
            $0.warmUp = 0
            $0.bytes = sizes.large
            $0.unit = .milliseconds
            $0.file = .input("large.json")
        }
        return [
            Workload(
                "W11",
                "a form of one 1 GB file",
                .multipart,
                .sink,
                clients: ["ferry:manager"]
            ).with {
                $0.unit = .milliseconds
                $0.bytes = sizes.huge
                $0.file = .input("huge.bin")
            },
            json, decoding(json), large, decoding(large),
        ]
    }

    private static func decoding(_ json: Workload) -> Workload {
        json.with {
            $0.id += "-decode"
            $0.title += ", only decoding"
            $0.work = .decode
        }
    }

    private static func slow(_ sizes: Sizes) -> [Workload] {
        let delegates = ["ferry:delegate", "urlsession:delegate"]
        let latency = Workload(
            "W15",
            "10 ms of latency, 64 in flight, 64 connections",
            .requests,
            .delay(10),
            clients: [Clients.libcurl] + delegates + ["ahc:tuned"]
        ).with {
            $0.count = sizes.count(3000)
            $0.inFlight = 64
            $0.connections = 64
            $0.bytes = 2
        }
        return [
            Workload(
                "W13",
                "responses that take 100 ms, 64 in flight",
                .requests,
                .delay(100),
                clients: [Clients.libcurl] + delegates + ["ahc:tuned"]
            ).with {
                $0.count = sizes.count(640)
                $0.inFlight = 64
                $0.connections = 64
                $0.bytes = 2
            },
            Workload(
                "W14",
                "one request that waits 2 s on a fresh connection",
                .requests,
                .delay(2000),
                clients: [Clients.libcurl] + delegates + ["ahc:default"]
            ).with {
                $0.bytes = 2
                $0.unit = .milliseconds
            },
            latency,
            latency.with {
                $0.id = "W15-defaults"
                $0.title = "10 ms of latency, 64 in flight, with the clients' defaults"
                $0.connections = nil
                $0.clients = delegates + ["ahc:default"]
            },
        ]
    }

    private static func counts(_ sizes: Sizes) -> [Workload] {
        let workload = Workload("", "", .requests, .plain("small.json"), clients: Clients.all).with {
            $0.count = 1000
            $0.bytes = sizes.small
        }
        return [
            workload.with {
                $0.id = Counter.allocations.rawValue
                $0.title = "heap allocations of a 1 KB GET"
                $0.counter = .allocations
            },
            workload.with {
                $0.id = Counter.instructions.rawValue
                $0.title = "instructions of a 1 KB GET"
                $0.counter = .instructions
                // Programs run forty times as long under valgrind.
                $0.count = 400
                $0.clients = [Clients.libcurl] + Clients.ferry
            },
        ]
    }
}
