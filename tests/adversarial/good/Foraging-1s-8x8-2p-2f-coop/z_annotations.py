import numpy as np
from generated_protocols import Array, Observation
def send(own: "Observation") -> "dict[str, Array]": return {"a": own["cell_here.agent_level"]}
