import numpy as np
def send(own): f=own.group("cell_*.food_level"); i=f.argmax(1); m=f.max(1); return {"r":(i//3-1)*(m>0),"c":(i%3-1)*(m>0),"m":m}
def receive(own,inbox): return {k:inbox[k].sum(1) for k in ("r","c","m")}
