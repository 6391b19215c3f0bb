// SPDX-License-Identifier: Apache-2.0
// Numbers and words in texts: sscanf, strto..., strtok, ctype.h, inttypes.h, limits.h, strings.h, strerror, getopt.

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void scan(void) {
  int whole = 0, used = 0;
  double number = 0;
  char word[20] = "", letter = 0;
  int count = sscanf("12 -3.5e1 hello x", "%d %lf %19s %c%n", &whole, &number, word, &letter, &used);
  printf("%d: %d %g %s %c %d\n", count, whole, number, word, letter, used);
  unsigned hexadecimal = 0;
  long wide = 0;
  count = sscanf("size=0x1F,count=-7;", "size=%x,count=%ld", &hexadecimal, &wide);
  printf("%d: %u %ld\n", count, hexadecimal, wide);
}

static void convert(void) {
  char *end;
  errno = 0;
  printf("%ld", strtol("99999999999999999999", NULL, 10));
  printf(" %d\n", errno == ERANGE);
  long number = strtol("0x7fz", &end, 0);
  printf("%ld %s\n", number, end);
  printf("%lu %llu\n", strtoul("777", NULL, 8), strtoull("18446744073709551615", NULL, 10));
  double real = strtod("2e3 rest", &end);
  printf("%.17g %g %s\n", strtod("0.1", NULL), real, end);
  printf("%d %ld %g\n", atoi("12x"), atol("-34"), atof("5.25"));
}

static void split(void) {
  char list[] = "one,two;three", *rest = NULL;
  for (char *part = strtok(list, ",;"); part; part = strtok(NULL, ",;")) printf("[%s]", part);
  char other[] = "a b";
  printf("[%s]", strtok_r(other, " ", &rest));
  printf("[%s]\n", strtok_r(NULL, " ", &rest));
  char *copy = strdup("copy");
  strcpy(other, "");
  printf("%s %d %d %zu\n", strncat(other, copy, 2), strcasecmp("MPI", "mpi"), strncasecmp("abX", "ABy", 2), strspn("aab", "a"));
  free(copy);
}

static void options(int argc, char **argv) {
  bool is_verbose = false;
  for (int option; (option = getopt(argc, argv, "vn:")) != -1;) {
    if (option == 'v') is_verbose = true;
    if (option == 'n') printf("n is %d\n", atoi(optarg));
  }
  printf("verbose %d, rest %s\n", is_verbose, optind < argc ? argv[optind] : "none");
}

int main(int argc, char **argv) {
  scan();
  convert();
  split();
  printf("%d %d %c%c\n", isdigit('7') != 0, isspace('x') != 0, toupper('a'), tolower('B'));
  printf("%" PRId64 " %" PRIu32 " %" PRIx64 "\n", INT64_MIN, UINT32_MAX, UINT64_C(255));
  printf("%d %ld %u\n", INT_MAX, LONG_MIN, UCHAR_MAX);
  printf("%s; %s\n", strerror(EINVAL), strerror(ENOENT));
  options(argc, argv);
  return 0;
}
