@_exported import FerryFormats
@_exported import FerrySession
