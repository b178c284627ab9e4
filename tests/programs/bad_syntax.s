; Refused by the assembler: line 3, column 21.
nop
vrelu rows=8 ar_d=0 ar_src=0
