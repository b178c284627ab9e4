// SPDX-License-Identifier: Apache-2.0
//
// One line that failed, one that did not run, two buckets, one mutant that survived: something for
// every branch of the page. Texts hold what HTML and JSON take amiss.

#include "tests/support/summaries.h"

#define BUCKET                                                                                     \
    "{\"signature\":\"MISMATCH/value/stream=cw\",\"sentence\":\"lane 0 <b> & \\\"x\\\"\","         \
    "\"count\":12,\"sequence\":3,\"index\":4,\"programs_before\":388,\"seconds\":0.6251,"          \
    "\"found_instructions\":31,\"instructions\":3,\"runs\":1,\"directory\":\"fail/a\"}"

static const char cosim_text[] =
    "{\"engine\":\"verilator\",\"run\":2,\"exact\":1,\"skipped\":1,\"digest\":\"96a4e4a07309373b\","
    "\"rows\":[{\"program\":\"gemm looped\",\"m\":8,\"k\":8,\"n\":8,\"skipped\":false,"
    "\"verdict\":\"OK\",\"sentence\":\"\",\"note\":\"\",\"directory\":\"\",\"cycles\":\"93\","
    "\"ideal\":\"32\",\"cells\":\"512\",\"checked_per_second\":318123.456,"
    "\"bare_per_second\":524288,\"digest\":\"11fd6be9f896bfd3\"},"
    "{\"program\":\"gemm flat\",\"m\":8,\"k\":8,\"n\":8,\"skipped\":false,\"verdict\":\"MISMATCH\","
    "\"sentence\":\"</script> differs\",\"directory\":\"fail/gemm\",\"cycles\":\"0\","
    "\"ideal\":\"32\",\"cells\":\"18446744073709551615\",\"digest\":\"0\"},"
    "{\"program\":\"digits\",\"m\":0,\"k\":0,\"n\":0,\"skipped\":true,\"verdict\":\"-\","
    "\"sentence\":\"too small\",\"cycles\":\"0\",\"ideal\":\"0\",\"cells\":\"0\"}]}";

static const char bench_text[] =
    "{\"rows\":[{\"m\":16,\"k\":16,\"n\":16,\"ideal\":256,\"target\":330,\"published\":1024,"
    "\"shipped\":[405,420,468,504],\"best\":[321,338,390,431],\"form\":\"fast\",\"relu\":324,"
    "\"qd2\":350,\"checked_per_second\":401000.7,\"bare_per_second\":600000.1,\"exact\":true},"
    "{\"m\":8,\"k\":8,\"n\":8,\"ideal\":32,\"target\":80,\"published\":0,"
    "\"shipped\":[93,0,0,0],\"best\":[88,0,0,0],\"form\":\"looped\",\"relu\":0,\"qd2\":0,"
    "\"checked_per_second\":0,\"bare_per_second\":0,\"exact\":true}],"
    "\"figures\":[{\"name\":\"fuzzed programs\",\"unit\":\"a second\",\"value\":5123.4567,"
    "\"target\":5000,\"at_most\":false}]}";

static const char fuzz_text[] =
    "{\"seed\":\"7\",\"digest\":\"e16a72b2181aa15d\",\"jobs\":2,\"seconds\":60.04,"
    "\"processor_seconds\":118.7,\"programs\":412345,\"issues\":9000000,\"cycles\":51234567,"
    "\"rows\":99000000,\"findings\":12,\"buckets\":[" BUCKET "],"
    "\"growth\":[{\"series\":\"guided\",\"seconds\":1,\"bins\":800},"
    "{\"series\":\"guided\",\"seconds\":2,\"bins\":1200},"
    "{\"series\":\"blind\",\"seconds\":1,\"bins\":700},"
    "{\"series\":\"blind\",\"seconds\":2,\"bins\":900}],"
    "\"waivers\":[{\"signature\":\"HANG/x\",\"state\":\"used\",\"seen\":\"3\",\"max_count\":\"9\","
    "\"expires\":\"2030-01-01\",\"owner\":\"me\",\"reason\":\"known\"}]}";

static const char campaign_text[] =
    "{\"directory\":\"night\",\"engine\":\"verilator\",\"first_seed\":\"1\",\"last_seed\":\"64\","
    "\"sequences_of_a_seed\":\"8\",\"commits\":\"abc\",\"complete\":false,\"attempts\":\"70\","
    "\"units\":\"64\",\"finished\":\"60\",\"sequences\":\"480\",\"programs\":\"61440\","
    "\"cycles\":\"7340032\",\"issues\":\"900000\",\"rows\":\"12000000\",\"findings\":\"12\","
    "\"digest\":\"00ff00ff00ff00ff\",\"processor_seconds\":33.25,"
    "\"points\":[{\"parameters\":\"T=4 MAXDIM=16\",\"units\":\"64\",\"finished\":\"60\","
    "\"programs\":\"61440\",\"cycles\":\"7340032\",\"rows\":\"12000000\",\"findings\":\"12\","
    "\"processor_seconds\":33.25,\"digest\":\"00ff00ff00ff00ff\"}],\"buckets\":[" BUCKET "]}";

static const char mutants_text[] =
    "{\"seed\":\"1\",\"jobs\":2,\"totals\":{\"asked\":2,\"caught\":1,\"right\":1,\"fuzzed\":2,"
    "\"blamed\":1,\"shrunk\":1,\"small\":1,\"must_survive\":0,\"quiet\":0,\"not_well\":1,"
    "\"detect_median\":0.254,\"detect_p95\":0.254,\"minimal_median\":1.2,\"minimal_p95\":1.2,"
    "\"build_seconds\":30.5},\"mutants\":[{\"name\":\"pe_psum\",\"kind\":\"rtl\","
    "\"file\":\"rtl/core/tpu_pe.sv\",\"why\":\"16 bits only\",\"outcome\":\"caught\","
    "\"well\":true,\"unit_right\":true,\"signature\":\"MISMATCH/cw\",\"detect_seconds\":0.254,"
    "\"programs\":\"4\",\"cycles\":\"1234\",\"found_instructions\":12,\"instructions\":3},"
    "{\"name\":\"an_other\",\"kind\":\"rtl\",\"outcome\":\"survived\",\"well\":false,"
    "\"unit_right\":false,\"signature\":\"\",\"detect_seconds\":0,\"programs\":\"44444\","
    "\"cycles\":\"123456\",\"note\":\"nothing after 60 s\"}]}";

static const char timeline_text[] =
    "{\"kind\":\"timeline\",\"name\":\"small\",\"verdict\":\"OK\",\"first\":\"0\",\"last\":\"19\","
    "\"total\":\"20\",\"whole\":true,\"units\":{\"accu\":{\"busy\":\"3\",\"idle\":\"6\","
    "\"starved\":{\"cw\":\"10\"},\"blocked\":{\"hazard\":\"1\"}}},\"path\":{},\"steps\":[],"
    "\"mm_rows\":\"1\",\"mm_count\":\"1\",\"ideal\":\"11\"}";

static const char illegal_text[] =
    "{\"programs\":40,\"finding_count\":1,\"seconds\":1.55,\"findings\":[\"one <got> by\"],"
    "\"rules\":[{\"rule\":\"op.unknown\",\"programs\":20,\"refused\":20,\"same_fault\":19,"
    "\"other_fault\":1,\"clean\":0,\"cycles\":4321}]}";

static const char equal_text[] =
    "{\"programs\":9,\"runs\":81,\"cycles\":123456,\"read_latencies\":5,"
    "\"finding_count\":0,\"findings\":[],\"seconds\":2.25}";

const page_summary_part summaries[SUMMARIES_COUNT] = {
    {"cosim.json", cosim_text},     {"bench.json", bench_text},
    {"fuzz.json", fuzz_text},       {"campaign.json", campaign_text},
    {"mutants.json", mutants_text}, {"timeline.json", timeline_text},
    {"illegal.json", illegal_text}, {"equal.json", equal_text},
};

const page_summary_part summaries_growth[2] = {
    {"guided.csv", "seconds,processor_seconds,programs,cycles,bins\n"
                   "1.00,1.90,4000,500000,800\n2.00,3.80,8100,990000,1100\n"
                   "3.00,5.75,12200,1500000,1234\n"},
    {"blind.csv", "seconds,processor_seconds,programs,cycles,bins\n"
                  "1.00,1.90,4400,500000,700\n2.00,3.80,8800,990000,765\n"},
};
