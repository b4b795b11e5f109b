// Does not compile, on purpose.
int Answer() { return missing_name + 1; }
