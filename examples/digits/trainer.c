// SPDX-License-Identifier: Apache-2.0
//
// Training for a machine that only multiplies, adds, rectifies and saturates int8. The forward
// pass is exactly what the machine will do, with the real-valued weights rounded to integers; the
// backward pass treats rounding as if it were not there and saturation as a wall that lets a
// gradient through only where it leads back inside. The loss is a margin: the right output must
// lead each other one by MARGIN. Only + - * / and sqrt are used, in a fixed order, so the result
// is the same bit for bit wherever doubles are IEEE and no multiply-add is fused.

#include "examples/digits/trainer.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

#define SEED 1
#define EPOCHS 150
#define BATCH 20
#define MARGIN 96
#define RATE 0.02 // at the start; falls to zero
#define DECAY1 0.9
#define DECAY2 0.999
#define SPREAD 1.5 // of the first weights, around 0
#define WEIGHT_MAX 7.0

// One layer's weights while they are trained, with Adam's two running means.
typedef struct layer {
    size_t inputs, outputs;
    double *real, *gradient, *mean, *square;
    int *rounded;
} layer;

typedef struct trainer {
    layer first, second;
    double beta1_power, beta2_power;
    int order[DIGITS_TRAINED];
    int hidden_sum[DIGITS_HIDDEN], hidden[DIGITS_HIDDEN];
    int output_sum[DIGITS_CLASSES], output[DIGITS_CLASSES];
    double output_gradient[DIGITS_CLASSES], hidden_gradient[DIGITS_HIDDEN];
} trainer;

static bool layer_create(layer *self, size_t inputs, size_t outputs) {
    size_t count = inputs * outputs;
    *self = (layer){.inputs = inputs, .outputs = outputs};
    self->real = calloc(count, sizeof *self->real);
    self->gradient = calloc(count, sizeof *self->gradient);
    self->mean = calloc(count, sizeof *self->mean);
    self->square = calloc(count, sizeof *self->square);
    self->rounded = calloc(count, sizeof *self->rounded);
    return self->real != NULL && self->gradient != NULL && self->mean != NULL &&
           self->square != NULL && self->rounded != NULL;
}

static void layer_clear(layer *self) {
    free(self->real);
    free(self->gradient);
    free(self->mean);
    free(self->square);
    free(self->rounded);
}

static int nearest(double value) {
    return value < 0 ? -(int)(0.5 - value) : (int)(value + 0.5);
}

static void layer_round(layer *self) {
    for (size_t i = 0; i < self->inputs * self->outputs; i++) {
        self->rounded[i] = nearest(self->real[i]);
    }
}

static void layer_start(layer *self, rng *source) {
    for (size_t i = 0; i < self->inputs * self->outputs; i++) {
        double unit = (double)rng_below(source, 2001) / 1000.0 - 1.0;
        self->real[i] = unit * SPREAD;
    }
    layer_round(self);
}

static void layer_forward(const layer *self, const int *in, int *sums) {
    for (size_t j = 0; j < self->outputs; j++) {
        sums[j] = 0;
    }
    for (size_t i = 0; i < self->inputs; i++) {
        for (size_t j = 0; j < self->outputs && in[i] != 0; j++) {
            sums[j] += in[i] * self->rounded[i * self->outputs + j];
        }
    }
}

static void layer_collect(layer *self, const int *in, const double *gradient) {
    for (size_t i = 0; i < self->inputs; i++) {
        for (size_t j = 0; j < self->outputs && in[i] != 0; j++) {
            self->gradient[i * self->outputs + j] += in[i] * gradient[j];
        }
    }
}

// One step of Adam; weights stay within the limit.
static void layer_step(layer *self, double rate, double correct1, double correct2) {
    for (size_t i = 0; i < self->inputs * self->outputs; i++) {
        double gradient = self->gradient[i] / BATCH;
        self->mean[i] = DECAY1 * self->mean[i] + (1 - DECAY1) * gradient;
        self->square[i] = DECAY2 * self->square[i] + (1 - DECAY2) * gradient * gradient;
        double step = (self->mean[i] / correct1) / (sqrt(self->square[i] / correct2) + 1e-8);
        double moved = self->real[i] - rate * step;
        self->real[i] = fmin(fmax(moved, -WEIGHT_MAX), WEIGHT_MAX);
        self->gradient[i] = 0;
    }
    layer_round(self);
}

static int clamp(int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
}

// The gradient of a clamped value: kept inside, and outside where a descent leads back.
static double pass(double gradient, int sum, int low, int high) {
    if ((sum > high && gradient < 0) || (sum < low && gradient > 0)) {
        return 0;
    }
    return gradient;
}

static void forward(trainer *self, const int *pixels) {
    layer_forward(&self->first, pixels, self->hidden_sum);
    for (size_t j = 0; j < DIGITS_HIDDEN; j++) {
        self->hidden[j] = clamp(self->hidden_sum[j], 0, INT8_MAX);
    }
    layer_forward(&self->second, self->hidden, self->output_sum);
    for (size_t j = 0; j < DIGITS_CLASSES; j++) {
        self->output[j] = clamp(self->output_sum[j], INT8_MIN, INT8_MAX);
    }
}

static void output_gradients(trainer *self, size_t label) {
    double *gradient = self->output_gradient;
    gradient[label] = 0;
    for (size_t j = 0; j < DIGITS_CLASSES; j++) {
        if (j == label) {
            continue;
        }
        int lacking = MARGIN + self->output[j] - self->output[label];
        gradient[j] = lacking > 0 ? (double)lacking / MARGIN : 0;
        gradient[label] -= gradient[j];
    }
    for (size_t j = 0; j < DIGITS_CLASSES; j++) {
        gradient[j] = pass(gradient[j], self->output_sum[j], INT8_MIN, INT8_MAX);
    }
}

static void hidden_gradients(trainer *self) {
    for (size_t i = 0; i < DIGITS_HIDDEN; i++) {
        double sum = 0;
        for (size_t j = 0; j < DIGITS_CLASSES; j++) {
            sum += self->second.rounded[i * DIGITS_CLASSES + j] * self->output_gradient[j];
        }
        bool off = self->hidden_sum[i] <= 0;
        self->hidden_gradient[i] = off ? 0 : pass(sum, self->hidden_sum[i], 0, INT8_MAX);
    }
}

static void learn_image(trainer *self, const digits *data, size_t image) {
    int pixels[DIGITS_PIXELS];
    for (size_t i = 0; i < DIGITS_PIXELS; i++) {
        pixels[i] = data->pixels[image][i];
    }
    forward(self, pixels);
    output_gradients(self, data->label[image]);
    hidden_gradients(self);
    layer_collect(&self->second, self->hidden, self->output_gradient);
    layer_collect(&self->first, pixels, self->hidden_gradient);
}

static void shuffle(trainer *self, rng *source) {
    for (uint32_t i = DIGITS_TRAINED - 1; i > 0; i--) {
        uint32_t other = rng_below(source, i + 1);
        int kept = self->order[i];
        self->order[i] = self->order[other];
        self->order[other] = kept;
    }
}

static void learn_epoch(trainer *self, const digits *data, double rate) {
    for (size_t i = 0; i < DIGITS_TRAINED; i++) {
        learn_image(self, data, (size_t)self->order[i]);
        if (i % BATCH != BATCH - 1) {
            continue;
        }
        self->beta1_power *= DECAY1;
        self->beta2_power *= DECAY2;
        layer_step(&self->first, rate, 1 - self->beta1_power, 1 - self->beta2_power);
        layer_step(&self->second, rate, 1 - self->beta1_power, 1 - self->beta2_power);
    }
}

static void learn(trainer *self, const digits *data) {
    rng source;
    rng_seed(&source, SEED);
    layer_start(&self->first, &source);
    layer_start(&self->second, &source);
    self->beta1_power = 1;
    self->beta2_power = 1;
    for (int i = 0; i < DIGITS_TRAINED; i++) {
        self->order[i] = i;
    }
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        shuffle(self, &source);
        learn_epoch(self, data, RATE * (EPOCHS - epoch) / EPOCHS);
    }
}

static void store(const layer *self, int8_t *out, size_t row_stride) {
    for (size_t i = 0; i < self->inputs; i++) {
        for (size_t j = 0; j < self->outputs; j++) {
            out[i * row_stride + j] = (int8_t)self->rounded[i * self->outputs + j];
        }
    }
}

tpu_status trainer_train(digits *data, tpu_message *why) {
    tpu_status status = TPU_OK;
    trainer *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return status_fail(why, TPU_ERR_MEMORY, "no memory to train");
    }
    bool first = layer_create(&self->first, DIGITS_PIXELS, DIGITS_HIDDEN);
    bool second = layer_create(&self->second, DIGITS_HIDDEN, DIGITS_CLASSES);
    if (first && second) {
        learn(self, data);
        store(&self->first, data->w1[0], DIGITS_HIDDEN);
        store(&self->second, data->w2[0], DIGITS_OUTPUTS);
    } else {
        status = status_fail(why, TPU_ERR_MEMORY, "no memory to train");
    }
    layer_clear(&self->first);
    layer_clear(&self->second);
    free(self);
    return status;
}
