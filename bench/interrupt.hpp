// Ctrl-C, SIGTERM, a terminal that is closed (SIGHUP), a reader that has gone (SIGPIPE): the run ends, and keeps what
// is done.
#pragma once

namespace crosswarp {

/// From here on the first of these signals is noted instead of ending the program, and so are those of the next five
/// seconds; a later one ends it.
void catch_interrupts();

/// From here on they do nothing.
void ignore_interrupts();

/// The signal that was noted; 0: none.
int interrupted();

}  // namespace crosswarp
