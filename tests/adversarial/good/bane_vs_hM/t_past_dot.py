import numpy as np
K = (.02,.03,.05,.07,.08,.1,.12,.15,.18,.2)
def send(own):
    k = np.array(K)
    f = lambda_free(own)
    return {"s": f @ k, "t": f[:,-1] - f @ k}
def lambda_free(own):
    return own.past("own.health") * (own.past("enemy_0.distance") > 0)
