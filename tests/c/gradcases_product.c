/* Cases of gradients: products. */
#include "gradcheck.h"

static nomen_tensor *addmv_beta(nomen_tensor *const in[]) {
    return nomen_addmv(in[0], in[1], in[2], .beta = nomen_num(0.5), .alpha = nomen_num(3));
}
static nomen_tensor *baddbmm_beta(nomen_tensor *const in[]) {
    return nomen_baddbmm(in[0], in[1], in[2], .beta = nomen_num(2), .alpha = nomen_num(-1));
}
static nomen_tensor *addmm(nomen_tensor *const in[]) {
    return nomen_addmm(in[0], in[1], in[2], .beta = nomen_num(0.5), .alpha = nomen_num(2.0));
}

static nomen_tensor *addr_scaled(nomen_tensor *const in[]) {
    return nomen_addr(in[0], in[1], in[2], .beta = nomen_num(0.5), .alpha = nomen_num(3));
}
static nomen_tensor *einsum_chain(nomen_tensor *const in[]) {
    return nomen_einsum("bij,jk,k->kb", NOMEN_LIST(in[0], in[1], in[2]));
}
static nomen_tensor *einsum_diagonal(nomen_tensor *const in[]) {
    return nomen_einsum("iij,j->i", NOMEN_LIST(in[0], in[1]));
}

static const grad_case cases[] = {
    {"addbmm", NULL, {"M=2 N=2", "B=2 M=2 K=3", "B=2 K=3 N=2"}, -1, 1, 0},
    {"addr", addr_scaled, {"2", "N=3", "M=2"}, -1, 1, 0},
    {"einsum", einsum_chain, {"B=2 M=2 K=3", "K=3 N=2", "N=2"}, -1, 1, 0},
    {"einsum", einsum_diagonal, {"2 2 3", "3"}, -1, 1, 0},
    {"inner", NULL, {"M=2 K=3", "N=2 K=3"}, -1, 1, 0},
    {"outer", NULL, {"M=2", "N=3"}, -1, 1, 0},
    {"pdist", NULL, {"N=4 D=3"}, -1, 1, 0},
    {"addmm", addmm, {"3", "2 4", "4 3"}, -1, 1, 0},
    {"addmv", NULL, {"N=2", "N=2 D=3", "D=3"}, -1.5, 1.5, 0},
    {"addmv", addmv_beta, {"", "N=2 D=3", "D=3"}, -1.5, 1.5, 0},
    {"baddbmm", baddbmm_beta, {"C=2", "B=2 N=2 D=3", "B=2 D=3 C=2"}, -1.5, 1.5, 0},
    {"bmm", NULL, {"B=2 M=2 K=3", "B=2 K=3 N=2"}, -1, 1, 0},
    {"dot", NULL, {"N=4", "N=4"}, -1, 1, 0},
    {"matmul", NULL, {"K=3", "K=3"}, -1, 1, 0},
    {"matmul", NULL, {"M=2 K=3", "K=3"}, -1, 1, 0},
    {"matmul", NULL, {"K=3", "K=3 N=2"}, -1, 1, 0},
    {"matmul", NULL, {"M=2 K=3", "K=3 N=4"}, -1, 1, 0},
    {"matmul", NULL, {"B=2 M=2 K=3", "K=3 N=2"}, -1, 1, 0},
    {"matmul", NULL, {"2 3", "4 3 2"}, -1, 1, 0},
    {"matmul", NULL, {"2 2 3", "2 3 2"}, -1, 1, 0},
    {"matmul", NULL, {"2 1 2 3", "3 3 2"}, -1, 1, 0},
    {"matmul", NULL, {"2 2 3", "3"}, -1, 1, 0},
    {"matmul", NULL, {"3", "2 3 2"}, -1, 1, 0},
    {"mm", NULL, {"M=2 K=3", "K=3 N=2"}, -1, 1, 0},
    {"mv", NULL, {"M=2 K=3", "K=3"}, -1, 1, 0},
};
const grad_cases gradcases_product = {"product", "gradcases_product.c", cases, NOMEN_COUNT(cases)};
