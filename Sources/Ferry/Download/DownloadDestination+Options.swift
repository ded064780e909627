extension DownloadDestination {
    /// How to deal with what is at the destination.
    public struct Options: OptionSet, Sendable {
        /// The bits of the options.
        public let rawValue: Int

        /// Makes options from their bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Replaces an existing file, in one step.
        public static let overwrite = Options(rawValue: 1 << 0)

        /// Creates the directories that are missing.
        public static let createIntermediateDirectories = Options(rawValue: 1 << 1)
    }
}
