"""A large truth: short runs really trained, each fault beside its healthy twin, and what is fitted to them."""
