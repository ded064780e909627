import FerrySession
import Get

/// Fetches a user with the changed copy of Get; nil if its session is not a `CurlSession`.
func getUser(at url: URL) async throws -> User? {
    let client = APIClient(baseURL: nil)
    guard client.session is CurlSession else { return nil }
    return try await client.send(Request<User>(url: url)).value
}
