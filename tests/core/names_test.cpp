// Names that a user may mistype.
#include "core/names.hpp"
