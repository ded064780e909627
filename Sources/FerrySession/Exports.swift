@_exported import FerryCache
@_exported import FerryCore
@_exported import FerryCurl
