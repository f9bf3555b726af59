/* Interface to an emulator of AMD's instruction set: a shared library that the environment variable
 * CROSSWARP_AMD_EMULATOR names. It runs one kernel dispatch packet at a time, on the host's memory.
 *
 * Everything that a kernel finds is where the HSA runtime would have put it, and in the same format:
 * - The code object's segments are loaded and relocated. Device addresses are the host's.
 * - kernel_object points to the kernel descriptor (64 bytes: LLVM's AMDGPU guide, "Kernel Descriptor"), from which the
 *   emulator takes the entry point and the initial state of the registers.
 * - kernarg_address points to the kernel's arguments, hidden ones included.
 * - The packet itself is what the dispatch pointer points to.
 *
 * C, without other headers, so that a module may be written in any language. */
#ifndef CROSSWARP_AMD_EMULATOR_H
#define CROSSWARP_AMD_EMULATOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Goes up with each change of this file that modules have to follow. */
enum { crosswarp_amd_interface = 1 };

/* The kernel dispatch packet of HSA (Platform System Architecture Specification 1.2, 2.9.6). */
typedef struct {
  uint16_t header, setup;
  uint16_t workgroup_size_x, workgroup_size_y, workgroup_size_z; /* work-items */
  uint16_t reserved0;
  uint32_t grid_size_x, grid_size_y, grid_size_z; /* work-items, multiples of the workgroup's */
  uint32_t private_segment_size;                  /* bytes a work-item */
  uint32_t group_segment_size;                    /* bytes of LDS a workgroup, static and dynamic */
  uint64_t kernel_object;                         /* address of the kernel descriptor */
  uint64_t kernarg_address;
  uint64_t reserved2, completion_signal;
} crosswarp_amd_packet;

typedef struct {
  uint32_t interface;               /* crosswarp_amd_interface, as compiled */
  const char* description;          /* one line: name, and version or commit */
  const char* const* architectures; /* LLVM's names (gfx90a), null at the end: one device each, in this order */

  /* Runs the packet to its end. `kernel` is the kernel's name, for messages. Of workgroups in order of their ids, the
   * first `concurrent` unfinished ones all make progress: kernels with grid-wide barriers and flags rely on it.
   * Returns null, or one line that says what went wrong (an instruction that it lacks, by name), valid until the next
   * call. Called by one thread at a time. */
  const char* (*run)(const char* architecture, const char* kernel, const crosswarp_amd_packet* packet,
                     uint32_t concurrent);
} crosswarp_amd_emulator;

/* The one function that a module exports. The result is valid while the module is loaded. */
const crosswarp_amd_emulator* crosswarp_amd_open(void);

#ifdef __cplusplus
}
#endif
#endif
