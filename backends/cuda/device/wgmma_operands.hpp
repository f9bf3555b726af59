// The sums of a wgmma instruction as operands of an assembly statement: 32, 64, 96 or 128 registers of a thread.
#pragma once

#define CROSSWARP_WGMMA_8_SUMS(kind, d, i)                                                                    \
  kind(d[i]), kind(d[i + 1]), kind(d[i + 2]), kind(d[i + 3]), kind(d[i + 4]), kind(d[i + 5]), kind(d[i + 6]), \
      kind(d[i + 7])
#define CROSSWARP_WGMMA_SUMS_FROM(kind, d, i)                                                                          \
  CROSSWARP_WGMMA_8_SUMS(kind, d, i), CROSSWARP_WGMMA_8_SUMS(kind, d, i + 8), CROSSWARP_WGMMA_8_SUMS(kind, d, i + 16), \
      CROSSWARP_WGMMA_8_SUMS(kind, d, i + 24)

/// Behind the colon of an assembly statement: those of `d`, of constraint `kind` ("+f" or "+r").
#define CROSSWARP_WGMMA_32_SUMS(kind, d) CROSSWARP_WGMMA_SUMS_FROM(kind, d, 0)
#define CROSSWARP_WGMMA_64_SUMS(kind, d) CROSSWARP_WGMMA_32_SUMS(kind, d), CROSSWARP_WGMMA_SUMS_FROM(kind, d, 32)
#define CROSSWARP_WGMMA_96_SUMS(kind, d) CROSSWARP_WGMMA_64_SUMS(kind, d), CROSSWARP_WGMMA_SUMS_FROM(kind, d, 64)
#define CROSSWARP_WGMMA_128_SUMS(kind, d) CROSSWARP_WGMMA_96_SUMS(kind, d), CROSSWARP_WGMMA_SUMS_FROM(kind, d, 96)

/// In its text.
#define CROSSWARP_WGMMA_32_NAMES                           \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15," \
  "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define CROSSWARP_WGMMA_64_NAMES                                      \
  CROSSWARP_WGMMA_32_NAMES                                            \
  ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47," \
  "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define CROSSWARP_WGMMA_96_NAMES                                      \
  CROSSWARP_WGMMA_64_NAMES                                            \
  ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79," \
  "%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95"
#define CROSSWARP_WGMMA_128_NAMES                                                 \
  CROSSWARP_WGMMA_96_NAMES                                                        \
  ",%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111," \
  "%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"
