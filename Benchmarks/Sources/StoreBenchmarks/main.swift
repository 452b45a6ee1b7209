import Measuring
import ResourceOutbox

registerOurs()
registerGRDB()
registerSQLite()
registerOutbox()
try Suite.run()
