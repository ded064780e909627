extension CurlSession.Options {
    /// A folder in which a session keeps its downloads and uploads, so that the next process can continue with them.
    ///
    /// ```swift
    /// var options = CurlSession.Options()
    /// options.durability = .directory(folder, identifier: "photos")
    /// let session = CurlSession(configuration: .default, options: options, delegate: delegate)
    /// session.continueEarlierTasks()
    /// ```
    ///
    /// It is what a background configuration is on Apple's systems, without a daemon: nothing is transferred while no
    /// process has the session. Download tasks, and upload tasks with a file, are written to a journal before they run,
    /// and again when they are suspended or resumed and when a response begins. A task leaves the journal after its
    /// completion was delivered. Tasks with completion handlers are kept too, but after a restart their events go to
    /// the delegate, since a closure cannot be kept; other tasks are not kept.
    ///
    /// A session with the same identifier in a later process has the tasks from its creation, with their requests,
    /// `taskDescription`, `priority` and the bytes that have arrived: ``CurlSession/earlierTasks``. Downloads continue
    /// with them, if the response had a strong validator. What has been written survives the end of the process at any
    /// moment; after a failure of power, downloads begin again, and ``synchronizes`` decides whether tasks are kept.
    ///
    /// The folder is released when the session is invalid and no longer used; a session that is made before that with
    /// the same identifier cannot use it.
    public struct Durability: Sendable, Hashable {
        /// The folder, which is created if its parent exists.
        ///
        /// Only the user of the process can read what is in it.
        public var directory: URL
        /// The name of the session within the folder: at most 100 letters, digits, `-`, `_` and `.`, the first
        /// of which is no dot.
        public var identifier: String
        /// A Boolean value that indicates whether header fields with passwords, tokens or cookies, and users in URLs,
        /// are kept; `false` by default.
        ///
        /// Otherwise they are missing after a restart, unless the configuration or an interceptor adds them.
        public var keepsSecrets = false
        /// A Boolean value that indicates whether the first `resume()` of a task waits until its record is on the disk,
        /// so that it survives a failure of power too; `false` by default.
        public var synchronizes = false

        /// Returns a folder and the name of a session within it.
        public static func directory(_ directory: URL, identifier: String) -> Durability {
            Durability(directory: directory, identifier: identifier)
        }
    }
}
