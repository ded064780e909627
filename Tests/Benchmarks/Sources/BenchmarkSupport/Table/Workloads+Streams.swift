extension Workload {
    /// Request bodies that are made while they are sent.
    static func streams(_ sizes: Sizes) -> [Workload] {
        let clients = ["ferry:async", "ahc:default"]
        let file = Workload("W16", "10 GB upload from a file", .upload, .sink, clients: clients).with {
            $0.unit = .milliseconds
            $0.bytes = sizes.giant
            $0.file = .input("giant.bin")
        }
        let writes = Workload(
            "W17",
            "50,000 writes of 100 bytes into one upload, 10,000 a second",
            .writes,
            .sink,
            clients: ["ferry:async", "ferry:writer", "ahc:default"]
        ).with {
            $0.unit = .milliseconds
            $0.bytes = sizes.count(50_000) * 100
        }
        return [
            file,
            file.with {
                $0.id = "W16-sequence"
                $0.title = "the same from a sequence that reads the file in pieces of 64 KiB, with a length"
                $0.work = .uploadSequence
                $0.clients = ["ferry:async"]
            },
            file.with {
                $0.id = "W16-chunks"
                $0.title = "the same without a length"
                $0.work = .uploadChunks
                $0.clients = ["ferry:async"]
            },
            file.with {
                $0.id = "W16-memory"
                $0.title = "10 GB upload from a sequence of 64 KiB in memory, with a length"
                $0.work = .uploadSequence
                $0.file = nil
            },
            writes,
            writes.with {
                $0.id = "W17-pace"
                $0.title = "only the waiting between the writes"
                $0.work = .pace
                $0.clients = ["ferry:pace"]
            },
        ]
    }

    /// WebSockets, with a server in C.
    static func webSockets(_ sizes: Sizes) -> [Workload] {
        let echo = Workload("W18", "125 bytes echoed by a WebSocket", .echo, .echo, clients: Clients.webSockets).with {
            $0.count = sizes.count(20_000)
            $0.warmUp = sizes.count(1000)
            $0.bytes = 125
        }
        return [
            echo,
            Workload("W19", "1 GB echoed in messages of 64 KiB", .echoStream, .echo, clients: Clients.webSockets).with {
                $0.count = sizes.huge / 65_536
                $0.warmUp = 20
                $0.bytes = 65_536
            },
            Workload(
                "W20",
                "1,000 idle connections: WebSockets, or libcurl's multi interface with as many GETs",
                .idle,
                .echo,
                clients: [Clients.libcurl, "ferry:socket", "websocket:python"]
            ).with {
                $0.count = sizes.count(1000)
                $0.inFlight = $0.count
                $0.connections = $0.count
            },
            echo.with {
                $0.id = "W21"
                $0.title = "the same as W18 beside 1,000 other WebSockets, which are idle"
                $0.clients = ["ferry:socket", "websocket:python"]
                $0.inFlight = sizes.count(1000)
            },
        ]
    }
}

extension Target {
    /// Targets for streams in both directions.
    static var streams: [Target] { sequences + writes + webSockets }

    private static var sequences: [Target] {
        ["W16-sequence", "W16-chunks", "W16-memory"].flatMap { id in
            let subject = Subject(id, "ferry:async", .wall)
            let file = Subject("W16", "ferry:async", .wall)
            let memory = Subject(id, "ferry:async", .peakMemory)
            return [
                Target("\(id): speed relative to the file", subject, .reached(file), .atLeast(0.9)),
                Target("peak memory of \(id)", memory, .itself, .atMost(50_331_648), unit: .megabytes),
            ]
        }
    }

    private static var writes: [Target] {
        ["ferry:async", "ferry:writer"].map { client in
            let peer = [Subject("W17", "ahc:default", .cpu)]
            return Target("W17 to AsyncHTTPClient, CPU", Subject("W17", client, .cpu), .dividedByBest(peer), .atMost(2))
        }
    }

    private static var webSockets: [Target] {
        let client = "ferry:socket"
        let idle = Subject("W20", client, .extra("memoryPerTask"))
        let libcurl = Subject("W20", Clients.libcurl, .extra("memoryPerTask"))
        return ["W18", "W19"].map { id in
            let python = Subject(id, "websocket:python", .wall)
            return Target("\(id) to Python, wall", Subject(id, client, .wall), .dividedByBest([python]), .atMost(2))
        } + [
            Target(
                "memory of an idle WebSocket beyond a connection of libcurl's",
                idle,
                .less([libcurl]),
                .atMost(20_480),
                unit: .kilobytes
            ),
            Target(
                "W21 to W18, CPU: with idle WebSockets and without",
                Subject("W21", client, .cpu),
                .dividedByBest([Subject("W18", client, .cpu)]),
                .atMost(1.5)
            ),
        ]
    }
}
