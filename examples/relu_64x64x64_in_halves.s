; relu(A x B), 64 x 64 x 64, T = 4, MAXDIM = 64, in two halves of 32 rows: loops M2 > N16 > K16.
;
; A half of A is loaded into the same vector registers each time, so the loads of the second half
; wait row by row for the last products of the first. On a machine whose pipelines freeze as a
; whole this order never ends, however deep its channels are; here it must, from QD = 2 up.

loop x16  ; B, a column block a turn
  dma_ld rows=64 mode=1 dram_row0=0 col_block=0 dst_row0=0   agu: col_block+=iv0*1, dst_row0+=iv0*64
endloop
loop x2  ; iv0: half of the rows
  loop x16  ; iv1: column block of A
    dma_ld rows=32 mode=2 dram_row0=0 col_block=0 dst_row0=0   agu: dram_row0+=iv0*32, col_block+=iv1*1, dst_row0+=iv1*32
  endloop
  loop x16  ; iv1: column block of C
    mm rows=32 vr_a=0 ar0=0 acc=0 spad_w=0   agu: spad_w+=iv1*64
    loop x15  ; iv2: contraction, the first one is peeled
      mm rows=32 vr_a=32 ar0=0 acc=1 spad_w=4   agu: vr_a+=iv2*32, spad_w+=iv1*64, spad_w+=iv2*4
    endloop
    vrelu rows=32 ar_d=0 ar_s=0
    mvout rows=32 ar0=0 dram_row0=0 col_block=0   agu: dram_row0+=iv0*32, col_block+=iv1*1
  endloop
endloop
