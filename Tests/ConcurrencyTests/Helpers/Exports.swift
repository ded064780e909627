@_exported import ManagerSupport
@_exported import TestSupport
