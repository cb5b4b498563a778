// What the library uses of Darwin, so that its branches for Apple's platforms can be read on Linux. It does nothing.
@_exported import Glibc

public let F_FULLFSYNC: Int32 = 51
