@_exported import CResourceSQLite
