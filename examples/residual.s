; A residual block on one tile at T = 8: C = relu(A0 * W + A1), all 8 x 8.
;
;   A0 = A, columns 0..7     A1 = A, columns 8..15     W = B, rows and columns 0..7
;   B, rows 8..15, columns 0..7 must hold the identity matrix: only a product brings operands into
;   the accumulators, so A1 is multiplied by 1.

dma_ld rows=16 mode=1 dram_row0=0 col_block=0 dst_row0=0   ; W to spad 0..7, the identity to 8..15
dma_ld rows=8 mode=2 dram_row0=0 col_block=0 dst_row0=0    ; A0 to vr 0..7
dma_ld rows=8 mode=2 dram_row0=0 col_block=1 dst_row0=8    ; A1 to vr 8..15
mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=0                      ; A0 * W
mm rows=8 vr_a=8 ar0=8 acc=0 spad_w=8                      ; A1 * 1
vaddrelu rows=8 ar_d=0 ar_s1=0 ar_s2=8                     ; one instruction adds and rectifies
mvout rows=8 ar0=0 dram_row0=0 col_block=0
