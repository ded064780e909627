@_exported import Ferry
