print("bootstrap")
