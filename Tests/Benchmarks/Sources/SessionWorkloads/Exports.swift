// FoundationNetworking alone, without Ferry: its URLSession is measured as it is.
@_exported import BenchmarkSupport
@_exported import Foundation

#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
