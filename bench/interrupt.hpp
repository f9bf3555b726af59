// Ctrl-C and SIGTERM: the first one is a wish that the run respects, the second one ends the program.
#pragma once

namespace crosswarp {

/// From here on the first SIGINT or SIGTERM is noted instead of ending the program.
void catch_interrupts();

/// The signal that was noted; 0: none.
int interrupted();

}  // namespace crosswarp
