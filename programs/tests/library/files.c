// SPDX-License-Identifier: Apache-2.0
// Files: `input.txt` is given, others are written and read again.

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void read_given(void) {
  FILE *file = fopen("input.txt", "r");
  if (!file) {
    printf("no input.txt\n");
    return;
  }
  char line[64];
  int number = 0;
  double real = 0;
  int count = fscanf(file, "%d %lf", &number, &real);
  printf("%d %d %g\n", count, number, real);
  while (fgets(line, sizeof line, file)) printf("<%s>", line);
  printf("%d %d\n", feof(file) != 0, ferror(file) != 0);
  fclose(file);
}

static void write_and_read(void) {
  FILE *file = fopen("output.bin", "wb");
  double values[3] = {1.5, -2, 1e300}, read[3] = {0};
  printf("%zu", fwrite(values, sizeof *values, 3, file));
  fclose(file);
  file = fopen("output.bin", "rb+");
  fseek(file, 0, SEEK_END);
  printf(" %ld", ftell(file));
  fseek(file, 8, SEEK_SET);
  fputc(0, file);
  rewind(file);
  printf(" %zu", fread(read, sizeof *read, 3, file));
  printf(" %d %d\n", read[0] == values[0] && read[2] == values[2], fgetc(file));
  fclose(file);
}

static void append(void) {
  for (int i = 0; i < 300; i++) {
    FILE *file = fopen("log.txt", i ? "a" : "w");
    fprintf(file, "line %d\n", i);
    fclose(file);
  }
  FILE *file = fopen("./log.txt", "r");
  int lines = 0;
  for (int character; (character = getc(file)) != EOF;) lines += character == '\n';
  printf("%d lines, %ld bytes\n", lines, ftell(file));
  fclose(file);
}

// Only rank 0 has input; the program prints the same on all.
static void read_input(void) {
  int first = 0, second = 0;
  char word[16] = "";
  if (scanf("%d %15s", &first, word) == 2 && getchar() == '\n' && scanf("%d", &second) == 1 && getchar() == EOF)
    fprintf(stderr, "input %d %s %d\n", first, word, second);
  else
    fprintf(stderr, "no input\n");
}

int main(void) {
  read_given();
  read_input();
  write_and_read();
  append();
  printf("%d", rename("log.txt", "old.txt"));
  printf(" %d", remove("old.txt"));
  printf(" %d %d\n", remove("old.txt"), remove("output.bin"));
  errno = 0;
  FILE *file = fopen("old.txt", "r");
  printf("%d %s\n", file == NULL, strerror(errno));
  file = tmpfile();
  fputs("12 13", file);
  rewind(file);
  int first = 0, second = 0;
  printf("%d", fscanf(file, "%d%d", &first, &second));
  printf(" %d %d\n", first, second);
  fclose(file);
  return 0;
}
