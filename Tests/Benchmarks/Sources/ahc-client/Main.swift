import AsyncHTTPClient
import BenchmarkSupport
import Foundation
import NIOSSL

/// AsyncHTTPClient, with its defaults and tuned.
@main
enum AsyncHTTPClientClient {
    static func main() async {
        await Client.run { order in
            guard ["default", "tuned", "futures"].contains(order.face) else {
                throw BenchmarkError("AsyncHTTPClient does not support --face \(order.face)")
            }
            let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration(order))
            let result: Result<Sample, any Error>
            do {
                result = .success(try await ClientWorkloads(order, client).run())
            } catch {
                result = .failure(error)
            }
            try await client.shutdown()
            return try result.get()
        }
    }

    /// Returns the client's configuration: its default of 8 connections per host, or as many as the other clients.
    private static func configuration(_ order: WorkOrder) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        if order.face != "default", let connections = order.connections {
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        }
        if let authority = order.authority {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(authority.path)
            configuration.tlsConfiguration = tls
        }
        return configuration
    }
}
