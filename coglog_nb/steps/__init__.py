"""One step of the recurrence, a(n+1) = f(a(n)): the stored turn goes before a model, and its reply becomes the next."""
