import Measuring

registerCreating()
registerChains()
registerGroups()
registerAwaiting()
registerHops()
registerCounts()
try Suite.run()
