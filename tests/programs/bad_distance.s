; Refused by ar.raw_distance: the second mm reads row 0 three accu steps after the first wrote it.
dma_ld rows=8 mode=1 dram_row0=0 col_block=0 dst_row0=0
dma_ld rows=3 mode=2 dram_row0=0 col_block=0 dst_row0=0
mm rows=3 vr_a=0 ar0=0 acc=0 spad_w=0
mm rows=3 vr_a=0 ar0=0 acc=1 spad_w=0
mvout rows=3 ar0=0 dram_row0=0 col_block=0
