import Foundation

/// The source of a part's bytes.
enum MultipartBody: Sendable {
    case data(Data)
    case file(MultipartFile)
    case provider(@Sendable () throws -> InputStream)
    case stream(OneShotStream)

    /// Whether the bytes can be read more than once.
    var isReplayable: Bool {
        guard case .stream = self else { return true }
        return false
    }
}
