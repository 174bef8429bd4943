import { growth } from '#server/services/usage/rules.ts';

/** From this growth in percent on, "6 times as much" is easier to read. */
const TIMES_FROM_PERCENT = 500;

export type GrowthChange =
  | { kind: 'more' | 'less'; percent: number }
  | { kind: 'higher' | 'lower'; points: number }
  | { kind: 'times'; times: number }
  | { kind: 'same' | 'new' };

/**
 * Returns the change since before; null when there is nothing to say. Amounts change by percent of the
 * earlier amount, or are new; rates (which are percents) by points.
 */
export function growthChange(
  now: number | null,
  before: number | null,
  isRate: boolean,
): GrowthChange | null {
  if (now === null || before === null) return null;
  if (isRate) {
    const points = Math.round(now - before);
    if (points === 0) return { kind: 'same' };
    return { kind: points > 0 ? 'higher' : 'lower', points: Math.abs(points) };
  }
  const percent = growth(now, before);
  if (percent === null) return now === 0 ? null : { kind: 'new' };
  if (percent >= TIMES_FROM_PERCENT) return { kind: 'times', times: Math.round(now / before) };
  if (percent === 0) return { kind: 'same' };
  return { kind: percent > 0 ? 'more' : 'less', percent: Math.abs(percent) };
}
