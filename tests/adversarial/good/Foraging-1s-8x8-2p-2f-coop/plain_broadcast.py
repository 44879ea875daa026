def send(own):
    return {"everything": own.group("cell_*")}
