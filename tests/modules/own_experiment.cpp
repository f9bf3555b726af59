// The example of an experiment of one's own, as a module of this build.
#include "examples/my_experiment/plain.cpp"
