import Ferry
import Foundation
import Testing

/// A transport for the manager tests, and its abilities.
package struct TestTransport: Sendable, CustomTestStringConvertible {
    /// The abilities that FoundationNetworking's session lacks, so they are not tested with `transport: .system`.
    package enum Ability: CaseIterable {
        /// Its `suspend()` starts the transfer over and corrupts the bytes received.
        case suspension

        /// Its tasks do not report being resumed or suspended other than through the manager.
        case resumeNotifications

        /// It ignores the disposition of a response, `.becomeDownload` included.
        case becomingDownload

        /// Its `downloadTask(withResumeData:)` always fails, and its cancelled downloads leave no resume data.
        case resumeData

        /// Its tasks are still running when they report their completion.
        case completedState

        /// It crashes when a task is cancelled during its completion, a redirect or an authentication.
        case cancellationAnywhere

        /// It follows a 307 with the method, but without the body.
        case bodyOnRedirection

        /// It crashes when a redirected download is refused, so the manager cancels the task there.
        case refusedDownloadRedirection

        /// It reports -1011 for a broken connection, and -1 for a truncated body.
        case exactErrors

        /// It counts whole seconds only and times out early.
        case shortTimeouts

        /// It answers challenges with Basic only, and rejecting a protection space ends the task.
        case rejectingProtectionSpaces

        /// It cannot decide which servers are trusted.
        case securityPolicies

        /// It does not ask a session's delegate what to cache.
        case askingWhatToCache

        /// It measures the task only as a whole, and bodies count with their decoded size.
        case measuring

        /// It keeps a task that is never resumed, and with it the session, forever.
        case droppingUnstartedTasks
    }

    package let name: String
    package let transport: SessionTransport
    package let abilities: Set<Ability>

    package var testDescription: String { name }

    /// The transports for the suites.
    package static let all: [TestTransport] = [
        TestTransport(name: "curl", transport: .curl, abilities: Set(Ability.allCases)),
        TestTransport(name: "system", transport: .system, abilities: []),
    ]

    /// Returns the transports with an ability.
    package static func able(to ability: Ability) -> [TestTransport] {
        all.filter { $0.abilities.contains(ability) }
    }

    /// Returns a manager with an ephemeral session that posts no notifications.
    package func manager(baseURL: URL? = nil, configuration: URLSessionConfiguration = .ephemeral) -> HTTPSessionManager
    {
        let manager = HTTPSessionManager(baseURL: baseURL, configuration: configuration, transport: transport)
        manager.notificationQueue = nil
        return manager
    }
}
