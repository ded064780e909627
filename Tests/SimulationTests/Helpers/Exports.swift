@_exported import FerrySession
@_exported import TestSupport
