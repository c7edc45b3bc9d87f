"""Files that `new-rule`, `new-cause` and `new-reader` begin with."""
