; One output tile at T = 8: C[8 x 8] = A[8 x 8] * B[8 x 8].
;
; The shortest useful program. Try it with
;   tpucosim check examples/one_tile.s
;   tpucosim run examples/one_tile.s -A a.npy -B b.npy
; after `make cosim TPU_T=8`.

dma_ld rows=8 mode=1 dram_row0=0 col_block=0 dst_row0=0   ; B -> scratchpad: the weights
dma_ld rows=8 mode=2 dram_row0=0 col_block=0 dst_row0=0   ; A -> vector registers: the activations
mm rows=8 vr_a=0 ar0=0 acc=0 spad_w=0                     ; overwrite 8 accumulator rows
mvout rows=8 ar0=0 dram_row0=0 col_block=0                ; saturate to int8, store to C
