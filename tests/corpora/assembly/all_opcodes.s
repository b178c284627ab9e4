; Every opcode once or more, every unit, both sources and both destinations of dma_ld, three address
; terms on one instruction and four nested loops. Legal at T = 4 and T = 8 from MAXDIM = 32 on.
nop
dma_ld rows=16 mode=0 dram_row0=3 col_block=1 dst_row0=0    ; A -> spad
dma_ld rows=16 mode=1 dram_row0=5 col_block=2 dst_row0=16   ; B -> spad
dma_ld rows=8 mode=2 dram_row0=1 col_block=0 dst_row0=8     ; A -> vr
dma_ld rows=8 mode=3 dram_row0=2 col_block=3 dst_row0=16    ; B -> vr
vld rows=8 vr0=0 spad0=4
mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=16
loop x2
  loop x1
    loop x2
      loop x1
        mm rows=8 vr_a=0 ar0=0 acc=1 spad_w=0   agu: vr_a+=iv0*8, vr_a+=iv2*8, spad_w+=iv2*8
      endloop
    endloop
  endloop
endloop
vadd rows=8 ar_d=8 ar_s1=0 ar_s2=0
vrelu rows=8 ar_d=16 ar_s=8
vaddrelu rows=8 ar_d=24 ar_s1=16 ar_s2=0
loop x4
  mvout rows=8 ar0=0 dram_row0=0 col_block=0   agu: ar0+=iv0*8, dram_row0+=iv0*5, col_block+=iv0*1
endloop
