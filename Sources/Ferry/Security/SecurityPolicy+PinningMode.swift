extension SecurityPolicy {
    /// What the certificates of a server are compared with.
    public enum PinningMode: String, Sendable, Hashable, Codable, CaseIterable {
        /// Nothing but the system's trusted authorities.
        case none

        /// The pinned public keys, and those of the pinned certificates.
        case publicKey

        /// The pinned certificates themselves.
        case certificate
    }
}
