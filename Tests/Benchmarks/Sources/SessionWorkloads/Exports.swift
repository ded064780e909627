// FoundationNetworking without Ferry, so that its own URLSession is measured.
@_exported import BenchmarkSupport
@_exported import Foundation

#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
