import numpy as np
F=("n1","s1","w1","e1")
def s(own,l): return np.stack([own[f"cell_{c}.{l}"] for c in F],1)
def send(own): return {"f":s(own,"food_level"),"a":s(own,"accessible"),"l":own["cell_here.agent_level"]}
def receive(own,inbox): return {"f":inbox["f"].max(1),"a":inbox["a"].max(1),"l":inbox["l"].max(1)}
