@testable import FerryOperations

extension RequestOperation {
    /// Waits until at least that many bytes have arrived.
    func hasReceived(_ count: Int64) async throws {
        try await eventually { self.byteCount >= count }
    }
}
