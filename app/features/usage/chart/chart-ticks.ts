/** The maximum number of steps on an axis; it has one more label at zero. */
const STEPS_MAX = 5;
const BYTES_BASE = 1024;

/**
 * Returns the labels of an axis from zero to the first round number at or above the highest value: 1, 2 or 5
 * times a power of ten; for bytes, powers of two of a unit, so that none needs a decimal.
 */
export function chartTicks(highest: number, unit: 'count' | 'bytes'): number[] {
  const step = unit === 'bytes' ? byteStep(highest) : countStep(highest);
  const steps = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
}

function countStep(highest: number): number {
  for (let power = 1; ; power *= 10) {
    const fitting = [1, 2, 5].find((factor) => factor * power * STEPS_MAX >= highest);
    if (fitting !== undefined) return fitting * power;
  }
}

function byteStep(highest: number): number {
  let unit = 1;
  while (unit * BYTES_BASE * STEPS_MAX <= highest) unit *= BYTES_BASE;
  let step = unit;
  while (step * STEPS_MAX < highest) step *= 2;
  return step;
}
