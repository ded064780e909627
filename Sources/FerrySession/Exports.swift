// What other modules of this package use too; it has no public declarations.
@_exported import FerrySupport
// The one place that names FoundationNetworking: users write `import Foundation` and `import Ferry`.
@_exported import Foundation

#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
