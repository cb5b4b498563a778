// No test file has to import this module itself.
@_exported import TestSupport
