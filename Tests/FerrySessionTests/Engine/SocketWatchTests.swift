import CFerry
import Foundation
import TestSupport
import Testing

/// The sockets that an engine waits for.
@Suite
struct SocketWatchTests {
    /// libcurl's numbers.
    private static let (readable, writable, removed): (Int32, Int32, Int32) = (1, 2, 4)

    private struct Ready: Hashable {
        var socket: Int32
        var what: Int32
    }

    /// A watch, and pairs of connected sockets that end with it.
    private final class Sockets {
        let watch: OpaquePointer
        private(set) var pairs: [(own: Int32, peer: Int32)] = []

        init(pairs count: Int = 1) throws {
            watch = try #require(ferry_watch_create())
            for _ in 0..<count {
                var pair: [Int32] = [-1, -1]
                try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
                pairs.append((pair[0], pair[1]))
            }
        }

        deinit {
            for pair in pairs {
                close(pair.own)
                close(pair.peer)
            }
            ferry_watch_free(watch)
        }

        func change(_ socket: Int32, _ what: Int32) {
            _ = ferry_watch_change(nil, socket, what, UnsafeMutableRawPointer(watch), nil)
        }

        /// Returns what is ready now.
        func ready() -> Set<Ready> {
            var found: Set<Ready> = []
            _ = ferry_watch_wait(watch, 0)
            var socket: Int32 = -1
            while case let what = ferry_watch_next(watch, &socket), what != 0 {
                found.insert(Ready(socket: socket, what: what))
            }
            return found
        }
    }

    @Test("A socket is reported for what libcurl waits for, until that changes") func changes() throws {
        let sockets = try Sockets()
        let (own, peer) = sockets.pairs[0]
        #expect(sockets.ready().isEmpty)
        sockets.change(own, Self.readable)
        #expect(sockets.ready().isEmpty)
        #expect(write(peer, "x", 1) == 1)
        #expect(sockets.ready() == [Ready(socket: own, what: Self.readable)])
        #expect(sockets.ready() == [Ready(socket: own, what: Self.readable)], "It has not been read")
        sockets.change(own, Self.readable | Self.writable)
        #expect(sockets.ready() == [Ready(socket: own, what: Self.readable | Self.writable)])
        sockets.change(own, Self.writable)
        #expect(sockets.ready() == [Ready(socket: own, what: Self.writable)])
        sockets.change(own, Self.removed)
        #expect(sockets.ready().isEmpty)
        sockets.change(own, Self.removed)
        sockets.change(own, Self.readable)
        #expect(sockets.ready() == [Ready(socket: own, what: Self.readable)])
        #expect(!ferry_watch_is_incomplete(sockets.watch))
    }

    @Test("The end of a connection is reported as what libcurl waits for", arguments: [1, 2, 3])
    func end(_ what: Int32) throws {
        let sockets = try Sockets()
        let (own, peer) = sockets.pairs[0]
        sockets.change(own, what)
        shutdown(peer, Int32(SHUT_RDWR))
        #expect(sockets.ready() == [Ready(socket: own, what: what)])
    }

    @Test("More sockets than are reported at once are all reported") func many() throws {
        let sockets = try Sockets(pairs: 300)
        for pair in sockets.pairs {
            sockets.change(pair.own, Self.readable)
            #expect(write(pair.peer, "x", 1) == 1)
        }
        var found: Set<Int32> = []
        for _ in 0..<5 { found.formUnion(sockets.ready().map(\.socket)) }
        #expect(found == Set(sockets.pairs.map(\.own)))
    }

    @Test("A number that another socket has after the first one was closed is watched again") func reuse() throws {
        let sockets = try Sockets(pairs: 2)
        let own = sockets.pairs[0].own
        sockets.change(own, Self.readable)
        sockets.change(own, Self.removed)
        #expect(dup2(sockets.pairs[1].own, own) == own)
        sockets.change(own, Self.readable)
        #expect(sockets.ready().isEmpty)
        #expect(write(sockets.pairs[1].peer, "x", 1) == 1)
        #expect(sockets.ready() == [Ready(socket: own, what: Self.readable)])
    }

    @Test("A wait for input is not ended by the sockets that were writable before") func input() throws {
        let sockets = try Sockets(pairs: 2)
        for pair in sockets.pairs { sockets.change(pair.own, Self.readable | Self.writable) }
        #expect(ferry_watch_listen_for_input(sockets.watch, 0), "Nothing has been found yet")
        let writable = Set(sockets.pairs.map { Ready(socket: $0.own, what: Self.writable) })
        #expect(sockets.ready() == writable)
        for _ in 0..<2 { #expect(!ferry_watch_listen_for_input(sockets.watch, 0)) }
        #expect(sockets.ready() == writable)
        ferry_watch_wake(sockets.watch)
        #expect(ferry_watch_listen_for_input(sockets.watch, 0))
        #expect(sockets.ready() == writable)
        #expect(write(sockets.pairs[1].peer, "x", 1) == 1)
        #expect(ferry_watch_listen_for_input(sockets.watch, 0))
        let (first, second) = (sockets.pairs[0].own, sockets.pairs[1].own)
        let both = Ready(socket: second, what: Self.readable | Self.writable)
        #expect(sockets.ready() == [Ready(socket: first, what: Self.writable), both])
        // The changes that libcurl has made since then remain.
        sockets.change(first, Self.removed)
        #expect(ferry_watch_listen_for_input(sockets.watch, 0))
        #expect(sockets.ready() == [both])
    }

    @Test("A marked socket is listed once when libcurl waits for nothing of it") func quiet() throws {
        let sockets = try Sockets(pairs: 3)
        for pair in sockets.pairs { sockets.change(pair.own, Self.readable) }
        for index in [0, 2] { ferry_watch_mark(sockets.watch, sockets.pairs[index].own) }
        #expect(ferry_watch_next_quiet(sockets.watch) == -1)
        for pair in sockets.pairs {
            sockets.change(pair.own, Self.writable)
            #expect(ferry_watch_waits_for(sockets.watch, pair.own))
            sockets.change(pair.own, Self.removed)
            #expect(!ferry_watch_waits_for(sockets.watch, pair.own))
        }
        let found = [ferry_watch_next_quiet(sockets.watch), ferry_watch_next_quiet(sockets.watch)]
        #expect(Set(found) == [sockets.pairs[0].own, sockets.pairs[2].own])
        #expect(ferry_watch_next_quiet(sockets.watch) == -1)
        sockets.change(sockets.pairs[0].own, Self.readable)
        sockets.change(sockets.pairs[0].own, Self.removed)
        #expect(ferry_watch_next_quiet(sockets.watch) == -1)
    }

    @Test("A socket that is marked again before the list was read is listed once") func quietAgain() throws {
        let sockets = try Sockets()
        let own = sockets.pairs[0].own
        for _ in 0..<2 {
            sockets.change(own, Self.readable)
            ferry_watch_mark(sockets.watch, own)
            sockets.change(own, Self.removed)
        }
        #expect(ferry_watch_next_quiet(sockets.watch) == own)
        #expect(ferry_watch_next_quiet(sockets.watch) == -1)
    }

    @Test("Waking ends one wait, and is not reported as a socket") func wake() throws {
        let sockets = try Sockets()
        for _ in 0..<3 { ferry_watch_wake(sockets.watch) }
        #expect(ferry_watch_listen(sockets.watch, 0))
        #expect(ferry_watch_wait(sockets.watch, 0))
        var socket: Int32 = -1
        #expect(ferry_watch_next(sockets.watch, &socket) == 0)
        #expect(!ferry_watch_listen(sockets.watch, 0))
        #expect(!ferry_watch_wait(sockets.watch, 0))
        ferry_watch_wake(sockets.watch)
        #expect(ferry_watch_sleep(sockets.watch, 0))
        #expect(!ferry_watch_sleep(sockets.watch, 0))
    }

    @Test("A watch that lacks a descriptor says so, as long as libcurl waits for it") func incomplete() throws {
        let sockets = try Sockets()
        // The system does not let files be watched.
        let file = try #require(fopen("/proc/self/exe", "r"))
        defer { fclose(file) }
        for what in [Self.readable, Self.writable] { sockets.change(fileno(file), what) }
        #expect(ferry_watch_is_incomplete(sockets.watch))
        sockets.change(sockets.pairs[0].own, Self.readable)
        #expect(ferry_watch_is_incomplete(sockets.watch))
        sockets.change(fileno(file), Self.removed)
        #expect(!ferry_watch_is_incomplete(sockets.watch))
    }
}
