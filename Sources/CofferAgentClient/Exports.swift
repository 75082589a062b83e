// Keys, values and errors of the client are the library's.
@_exported public import Coffer
