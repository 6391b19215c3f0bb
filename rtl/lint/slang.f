// All warnings are errors.
-Weverything
-Werror
// Packages hold what any module may need; a single one never needs all of it.
-Wno-unused-package-parameter
-Wno-unused-package-typedef
-Wno-unused-package-subroutine
// `.port()` says that an output is not used here.
-Wno-empty-output-connection
