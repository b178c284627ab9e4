mvout rows=4 ar0=0 dram_row0=0 col_block=0
mm rows=8 vr_a=0 ar0=0 acc=1 spad_w=0
vadd rows=8 ar_d=0 ar_s1=0 ar_s2=20
vaddrelu rows=8 ar_d=0 ar_s1=20 ar_s2=0
vrelu rows=8 ar_d=0 ar_s=1
dma_ld rows=8 mode=2 dram_row0=0 col_block=0 dst_row0=0
mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=0
dma_ld rows=8 mode=0 dram_row0=0 col_block=0 dst_row0=0
mm rows=4 vr_a=0 ar0=0 acc=0 spad_w=0
mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=5
mm rows=8 vr_a=1 ar0=0 acc=0 spad_w=0
vld rows=4 vr0=20 spad0=8
mm rows=4 vr_a=20 ar0=0 acc=0 spad_w=0
vld rows=1 vr0=0 spad0=30
mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=0
loop x2
mvout rows=8 ar0=0 dram_row0=0 col_block=0 agu: ar0+=iv0*8
endloop
dma_ld rows=8 mode=4 dram_row0=0 col_block=0 dst_row0=0
loop x3
dma_ld rows=1 mode=0 dram_row0=0 col_block=0 dst_row0=0 agu: mode+=iv0*2
endloop
mm rows=3 vr_a=0 ar0=0 acc=0 spad_w=0
mm rows=3 vr_a=0 ar0=0 acc=1 spad_w=0
mm rows=1 vr_a=0 ar0=0 acc=0 spad_w=0
mvout rows=1 ar0=0 dram_row0=0 col_block=0
vrelu rows=4 ar_d=1 ar_s=0
vadd rows=3 ar_d=1 ar_s1=0 ar_s2=4
vadd rows=3 ar_d=1 ar_s1=4 ar_s2=0
vld rows=0 vr0=0 spad0=0
dma_ld rows=0 mode=1 dram_row0=0 col_block=0 dst_row0=0
.word 0x2000000000000003 0
loop x0
nop
endloop
.word 0x2000000000000008 0
nop
endloop
loop x1
loop x1
loop x1
loop x1
loop x1
nop
endloop
endloop
endloop
endloop
endloop
nop
endloop
loop x2
nop
loop x2
nop
endloop
dma_ld rows=1 mode=0 dram_row0=0 col_block=0 dst_row0=0 agu: dst_row0+=iv0*1
loop x2
vld rows=1 vr0=0 spad0=0 agu: vr0+=iv1*1
endloop
