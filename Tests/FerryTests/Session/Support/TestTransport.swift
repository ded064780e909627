import Ferry
import Foundation
import Testing

/// A transport the manager's tests run over, and what it cannot do.
struct TestTransport: Sendable, CustomTestStringConvertible {
    /// What FoundationNetworking's own session cannot do, and so is not tested with `transport: .system`.
    enum Ability: CaseIterable {
        /// Its `suspend()` starts the transfer over and corrupts what has come.
        case suspension

        /// Its tasks do not say when they are resumed or suspended by others than the manager.
        case resumeNotifications

        /// It ignores the disposition of a response, `.becomeDownload` included.
        case becomingDownload

        /// Its `downloadTask(withResumeData:)` always fails, and its cancelled downloads leave no resume data.
        case resumeData

        /// Its tasks are still running when they report their completion.
        case completedState

        /// It crashes when a task is cancelled amid its completion, a redirection or an authentication.
        case cancellationAnywhere

        /// It follows a 307 with the method, but without the body.
        case bodyOnRedirection

        /// It crashes when a redirected download is refused, so the manager cancels the task there.
        case refusedDownloadRedirection

        /// It says -1011 for a broken connection, and -1 for a body that is cut short.
        case exactErrors

        /// It counts whole seconds only and stops early.
        case shortTimeouts

        /// It answers a challenge by Basic alone, and a rejected protection space ends the task.
        case rejectingProtectionSpaces

        /// It has no say in which servers are trusted.
        case securityPolicies

        /// It does not ask a session's delegate what to cache.
        case askingWhatToCache

        /// It measures nothing, so that there are no transactions and bodies count as decoded.
        case measuring

        /// It keeps a task that is never resumed, and with it the session, for ever.
        case droppingUnstartedTasks
    }

    let name: String
    let transport: SessionTransport
    let abilities: Set<Ability>

    var testDescription: String { name }

    /// Everything the suites run over.
    static let all: [TestTransport] = [
        TestTransport(name: "curl", transport: .curl, abilities: Set(Ability.allCases)),
        TestTransport(name: "system", transport: .system, abilities: []),
    ]

    /// Those which can do something that not all can.
    static func able(to ability: Ability) -> [TestTransport] {
        all.filter { $0.abilities.contains(ability) }
    }

    /// A manager with an ephemeral session, its notifications switched off.
    func manager(baseURL: URL? = nil, configuration: URLSessionConfiguration = .ephemeral) -> HTTPSessionManager {
        let manager = HTTPSessionManager(baseURL: baseURL, configuration: configuration, transport: transport)
        manager.notificationQueue = nil
        return manager
    }
}
