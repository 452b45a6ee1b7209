#if !__has_include(<sqlite3.h>)
#error "SQLite's headers are missing. On Debian and Ubuntu: apt-get install libsqlite3-dev"
#else

#include <sqlite3.h>

#endif
