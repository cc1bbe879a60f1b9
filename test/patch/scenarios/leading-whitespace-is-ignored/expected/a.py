if x:
        a()
        c()
