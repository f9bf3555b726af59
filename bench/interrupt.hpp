// Signals that end a run early, with its results kept: SIGINT, SIGTERM, SIGHUP, SIGPIPE.
#pragma once

namespace crosswarp {

/// Records the first of these signals from now on. Signals more than five seconds after it end the program.
void catch_interrupts();

/// Ignores these signals from now on.
void ignore_interrupts();

/// The recorded signal; 0 for none.
int interrupted();

}  // namespace crosswarp
