# SPDX-License-Identifier: Apache-2.0
#
# Prints the goals of a Makefile whose lines carry `## text`, under their `##@ title` lines.

BEGIN {
    FS = ":.*## "
    print "make GOAL [TPU_T=8] [TPU_MAXDIM=64] [TPU_QD=16] ..."
}
/^##@ / { printf "\n%s\n", substr($0, 5) }
/^[a-z-]+:.*## / { printf "  %-10s %s\n", $1, $2 }
END {
    print ""
    print "Parameters: TPU_T TPU_MAXDIM TPU_SPAD TPU_NVR TPU_NAR TPU_IMEM TPU_QD TPU_DMA_WORDS,"
    print "  TPU_DMA_WIDEN. Of a run: TPU_ENGINE, TPU_TB=stress, TPU_AXI_LATENCY, TPU_RANDOM_STALL,"
    print "  TPU_SEED."
    print "TPU_NO_INSTALL=1 forbids installing packages; what is missing is then named."
}
