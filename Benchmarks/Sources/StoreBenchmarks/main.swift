import Measuring

registerOurs()
registerGRDB()
registerSQLite()
try Suite.run()
