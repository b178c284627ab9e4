; C[16 x 16] = relu(A[16 x 16] * B[16 x 16]) at T = 8: two tiles each way, in loops.
;
; An address term adds induction value times stride to one field, so one instruction names a
; different block in every iteration. iv0 is the outermost loop that is open, iv1 the next.
; Blocks of A lie 16 rows apart in the vector registers, blocks of B 16 rows apart in the
; scratchpad.

loop x2                                   ; the two column blocks of A
  dma_ld rows=16 mode=2 dram_row0=0 col_block=0 dst_row0=0   agu: col_block+=iv0*1, dst_row0+=iv0*16
endloop

loop x2                                   ; the two column blocks of B
  dma_ld rows=16 mode=1 dram_row0=0 col_block=0 dst_row0=0   agu: col_block+=iv0*1, dst_row0+=iv0*16
endloop

loop x2                                   ; output tiles: column block n = iv0
  ; The first product overwrites the accumulator, the others add to it. No term can say "only the
  ; first time", so the first one stands outside the inner loop.
  mm rows=16 vr_a=0 ar0=0 acc=0 spad_w=0   agu: spad_w+=iv0*16
  loop x1                                 ; the rest of the sum: k = iv1 + 1
    mm rows=16 vr_a=16 ar0=0 acc=1 spad_w=8   agu: vr_a+=iv1*16, spad_w+=iv0*16, spad_w+=iv1*8
  endloop
  vrelu rows=16 ar_d=0 ar_s=0             ; negative sums become 0, in place
  mvout rows=16 ar0=0 dram_row0=0 col_block=0   agu: col_block+=iv0*1
endloop
