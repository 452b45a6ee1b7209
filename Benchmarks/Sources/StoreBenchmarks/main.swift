import Measuring

registerOurs()
registerGRDB()
registerSQLite()
registerOutbox()
try Suite.run()
