// All warnings are errors.
-Weverything
-Werror
