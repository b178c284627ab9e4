; Weights from A, activations from B, by way of vld, at T = 8: C = B * A + B * B, all 8 x 8.
;
; Either matrix can feed either memory. The scratchpad is also a staging area: vld copies rows from
; it to the vector registers, so rows loaded once can serve as weights and as activations.

dma_ld rows=8 mode=0 dram_row0=0 col_block=0 dst_row0=0    ; A -> scratchpad 0..7, as weights
dma_ld rows=8 mode=1 dram_row0=0 col_block=0 dst_row0=8    ; B -> scratchpad 8..15
vld rows=8 vr0=0 spad0=8                                   ; ... and on to the vector registers
mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=0                      ; B * A
mm rows=8 vr_a=0 ar0=0 acc=1 spad_w=8                      ; + B * B, from the same rows
mvout rows=8 ar0=0 dram_row0=0 col_block=0
