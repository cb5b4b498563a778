// So that no test has to import them by itself.
@_exported import OperationFlow
@_exported import TestSupport
