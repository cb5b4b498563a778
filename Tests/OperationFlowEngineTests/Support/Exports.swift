// So that no test has to import them by itself.
@_exported import TestSupport
