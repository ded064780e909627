// Re-exported for the other modules of this package; none of its declarations is public.
@_exported import FerrySupport
// The one place that names FoundationNetworking: users write `import Foundation` and `import Ferry`.
@_exported import Foundation

#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
