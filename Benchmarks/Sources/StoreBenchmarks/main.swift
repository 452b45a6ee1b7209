import Measuring
import ResourceOutbox

registerOurs()
registerGRDB()
registerSQLite()
registerOutbox()
registerSync()
try Suite.run()
