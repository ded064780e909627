import FerrySession

/// Where a part's bytes come from.
enum MultipartBody: Sendable {
    case data(Data)
    case file(MultipartFile)
    case provider(@Sendable () throws -> InputStream)
    case stream(OneShotStream)

    /// Whether the bytes can be had again.
    var isReplayable: Bool {
        guard case .stream = self else { return true }
        return false
    }
}
