def a():
    x = 1
    return x

def b():
    """B."""
    x = 1
    return x
