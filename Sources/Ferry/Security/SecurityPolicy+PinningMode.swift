extension SecurityPolicy {
    /// What the certificates of a server are compared with.
    public enum PinningMode: Sendable, Hashable {
        /// Nothing but the system's trusted authorities.
        case none

        /// The public keys of the pinned certificates.
        case publicKey

        /// The pinned certificates themselves.
        case certificate
    }
}
