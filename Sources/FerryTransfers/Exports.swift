@_exported import FerrySession
