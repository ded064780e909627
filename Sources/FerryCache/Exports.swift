@_exported import FerryCore
