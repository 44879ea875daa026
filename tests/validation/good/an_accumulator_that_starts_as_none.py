
def send(own):
    total = None
    for i in range(3):
        value = own[f"enemy_{i}.health"]
        total = value if total is None else total + value
    return {"total": total}
