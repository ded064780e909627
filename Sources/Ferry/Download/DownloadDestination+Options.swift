extension DownloadDestination {
    /// How to treat an existing file and missing directories at the destination.
    public struct Options: OptionSet, Sendable {
        /// The bits of the options.
        public let rawValue: Int

        /// Creates options from their bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Replaces an existing file, in one step.
        public static let overwrite = Options(rawValue: 1 << 0)

        /// Creates missing directories.
        public static let createIntermediateDirectories = Options(rawValue: 1 << 1)
    }
}
