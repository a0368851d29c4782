"""One step of the recurrence, a(n+1) = f(a(n)): a model sees the stored turn, and its reply becomes the next."""
