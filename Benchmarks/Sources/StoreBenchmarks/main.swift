import Dispatch
import Foundation
import Measuring
import ResourceOutbox

registerOurs()
registerGRDB()
registerSQLite()
registerOutbox()
registerSync()
// The main thread is for collections, whose elements are the main actor's.
Thread.detachNewThread {
  do { try Suite.run() } catch { fatalError("\(error)") }
  exit(0)
}
dispatchMain()
