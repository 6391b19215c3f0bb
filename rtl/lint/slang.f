// All warnings are errors.
-Weverything
-Werror
// Packages hold what any module may need; a single one never needs all of it.
-Wno-unused-package-parameter
-Wno-unused-package-typedef
-Wno-unused-package-subroutine
// `.port()` says that an output is not used here.
-Wno-empty-output-connection
// A cast to the width of a parameter is to the same width in some configuration.
-Wno-useless-cast
// The house style asks for both `unique` and `default`: what has no code may still be on the wires.
-Wno-case-redundant-default
