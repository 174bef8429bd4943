import classes from './sparkline.module.css';
import { SPARK_HEIGHT, SPARK_WIDTH, sparklinePath } from './sparkline-path.ts';

/**
 * A small line over the days, as wide as its container, hidden from assistive technology, so it needs a
 * number in words next to it. `null` is a day without a value. `max` is the top of the drawing if the values
 * have a fixed one (100 for percentages). `isLastPartial` draws the step to the last value as unfinished.
 */
export function Sparkline(props: {
  values: readonly (number | null)[];
  max?: number;
  /** Pixels; reserved before anything is drawn. */
  height?: number;
  isLastPartial?: boolean;
}) {
  const { values, height = 32, isLastPartial = false } = props;
  const max = props.max ?? Math.max(0, ...values.map((value) => value ?? 0));
  const { line, openEnd, area, end } = sparklinePath(values, max, isLastPartial);
  return (
    <svg
      className={classes.sparkline}
      viewBox={`0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`}
      width="100%"
      height={height}
      preserveAspectRatio="none"
      aria-hidden
      focusable="false"
    >
      {area && <path className={classes.area} d={area} />}
      {line && <path className={classes.line} d={line} />}
      {openEnd && <path className={classes.openEnd} d={openEnd} />}
      {end && <path className={classes.end} d={end} />}
    </svg>
  );
}
