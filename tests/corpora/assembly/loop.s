dma_ld rows=8 mode=1 dram_row0=0 col_block=0 dst_row0=0
dma_ld rows=8 mode=2 dram_row0=0 col_block=0 dst_row0=0
loop x2
mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=0 agu: acc+=iv0*1
endloop
mvout rows=8 ar0=0 dram_row0=0 col_block=0
