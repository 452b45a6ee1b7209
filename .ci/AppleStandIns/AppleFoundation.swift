// On Apple platforms Foundation has what is a module of its own on Linux.
@_exported import Foundation
@_exported import FoundationNetworking
