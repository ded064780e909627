// The one place that names FoundationNetworking: users write `import Foundation` and `import Ferry`.
@_exported import Foundation

@_exported import FoundationNetworking

#if !os(Linux)
#error("Ferry supports Linux. On Apple's systems, use URLSession.")
#endif
