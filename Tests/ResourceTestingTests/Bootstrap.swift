// Bootstrap
