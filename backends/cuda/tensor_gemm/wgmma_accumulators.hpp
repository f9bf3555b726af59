// Accumulators of wgmma instructions beside those of device/wgmma.hpp, as operands of an assembly statement: 48, 72,
// 80, 88 and 112 registers of a thread, for 96, 144, 160, 176 and 224 columns.
#pragma once

#include "backends/cuda/device/wgmma.hpp"

#define CROSSWARP_WGMMA_48_ACC(constraint, d)                                      \
  CROSSWARP_WGMMA_32_ACC(constraint, d), CROSSWARP_WGMMA_8_ACC(constraint, d, 32), \
      CROSSWARP_WGMMA_8_ACC(constraint, d, 40)
#define CROSSWARP_WGMMA_72_ACC(constraint, d) \
  CROSSWARP_WGMMA_64_ACC(constraint, d), CROSSWARP_WGMMA_8_ACC(constraint, d, 64)
#define CROSSWARP_WGMMA_80_ACC(constraint, d)                                      \
  CROSSWARP_WGMMA_64_ACC(constraint, d), CROSSWARP_WGMMA_8_ACC(constraint, d, 64), \
      CROSSWARP_WGMMA_8_ACC(constraint, d, 72)
#define CROSSWARP_WGMMA_88_ACC(constraint, d) \
  CROSSWARP_WGMMA_80_ACC(constraint, d), CROSSWARP_WGMMA_8_ACC(constraint, d, 80)
#define CROSSWARP_WGMMA_112_ACC(constraint, d)                                     \
  CROSSWARP_WGMMA_96_ACC(constraint, d), CROSSWARP_WGMMA_8_ACC(constraint, d, 96), \
      CROSSWARP_WGMMA_8_ACC(constraint, d, 104)
#define CROSSWARP_WGMMA_48_REGISTERS \
  CROSSWARP_WGMMA_32_REGISTERS       \
  ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47"
#define CROSSWARP_WGMMA_72_REGISTERS CROSSWARP_WGMMA_64_REGISTERS ",%64,%65,%66,%67,%68,%69,%70,%71"
#define CROSSWARP_WGMMA_80_REGISTERS \
  CROSSWARP_WGMMA_64_REGISTERS       \
  ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79"
#define CROSSWARP_WGMMA_88_REGISTERS CROSSWARP_WGMMA_80_REGISTERS ",%80,%81,%82,%83,%84,%85,%86,%87"
#define CROSSWARP_WGMMA_112_REGISTERS \
  CROSSWARP_WGMMA_96_REGISTERS        \
  ",%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111"
