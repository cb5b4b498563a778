// Every test of the target needs this module.
@_exported import TestSupport
