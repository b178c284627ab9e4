; Refused by agu.term: the loop that the term walks is closed.
loop x2
  nop
endloop
dma_ld rows=8 mode=1 dram_row0=0 col_block=0 dst_row0=0   agu: dst_row0+=iv0*8
