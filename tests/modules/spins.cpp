// Never ends loading.
[[gnu::constructor]] static void spin() {
  for (volatile int turn = 0;;) turn = turn + 1;
}
