// `Secret`, `ProcessHardening` and `MemoryProtection` are part of this library's interface, wherever they are built.
@_exported public import SecureMemory
