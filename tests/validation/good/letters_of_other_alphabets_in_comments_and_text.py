
r"""Größe und Richtung — 距離と方向, \gamma."""

def send(own):
    # température: à ne pas confondre
    return {"x": own["own.x"]}
