extension SecurityPolicy {
    /// The part of a server's certificates that is compared with pins.
    public enum PinningMode: String, Sendable, Hashable, Codable, CaseIterable {
        /// Nothing is pinned; the system's trusted authorities decide.
        case none

        /// The public keys are compared with the pinned ones and those of the pinned certificates.
        case publicKey

        /// The certificates are compared with the pinned ones.
        case certificate
    }
}
