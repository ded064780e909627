import FerryAPI
import Foundation

/// A transport for the tests of responses.
enum TestTransport: CaseIterable, Sendable {
    case curl
    case system

    /// Returns a manager with an ephemeral session that posts no notifications.
    func manager(baseURL: URL) -> HTTPSessionManager {
        let transport: SessionTransport = self == .curl ? .curl : .system
        let manager = HTTPSessionManager(baseURL: baseURL, configuration: .ephemeral, transport: transport)
        manager.notificationQueue = nil
        return manager
    }
}
